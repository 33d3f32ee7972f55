//! The context of a command: what it is handed at the start of the program.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use referee_judge::Host;
use referee_record::error::Error;
use referee_table::process::Setup;

use crate::{judge, stop};

/// What a command is handed at the start of the program.
#[derive(Debug)]
pub struct Context {
    /// Ends games and judges once it is set.
    pub(crate) stop: Arc<AtomicBool>,
    /// How judges are started.
    pub judges: Arc<Host>,
}

impl Context {
    /// Makes the context of the command that these words name.
    ///
    /// # Errors
    ///
    /// If they name an interpreter that cannot be used.
    pub(crate) fn of(words: &[OsString]) -> Result<Context, Error> {
        let stop = Arc::default();
        let interpreters = judge::interpreters(words)?;
        let setup = Setup { stop: Arc::clone(&stop), interpreters, ..stop::starting() };
        Ok(Context { stop, judges: Arc::new(Host::new(setup, judge::options)) })
    }
}
