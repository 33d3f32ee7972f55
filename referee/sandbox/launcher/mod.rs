//! A launcher: the process that makes a sandbox, starts a program in it and watches over it. `child` is the
//! launcher's own work, `parent` is the other end, for the process that wants a program started.

mod child;
mod parent;

pub use self::child::{COMMAND, launch};
pub(crate) use self::parent::wait_until_readable;
pub use self::parent::{ERRORS_PIPE, Launcher, Patience, Reply, Streams};
