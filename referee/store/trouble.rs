//! The errors of the store.

use std::error::Error;
use std::fmt;
use std::io;

/// Why the store cannot do what it was asked for.
#[derive(Debug)]
pub enum Trouble {
    /// The system refused something.
    System {
        /// What it refused, as in "cannot X".
        what: &'static str,
        /// The name of the file or folder.
        name: String,
        /// Its reason.
        error: io::Error,
    },
    /// A file is not what the store wrote.
    Damaged {
        /// Its name.
        name: String,
        /// The place of the damage, in bytes from the start.
        byte: u64,
        /// What is wrong there.
        what: String,
    },
    /// A log repeats the records of another one: somebody has copied a file.
    Copy {
        /// Its name.
        name: String,
        /// The log whose records they are.
        original: String,
    },
    /// Others have taken this runner for dead, and play its games. It must begin anew, under another name.
    TakenOver,
    /// An earlier write of this runner has failed. It must begin anew, under another name.
    Broken,
    /// A name or a text that the store cannot keep.
    Unfit(String),
}

impl Trouble {
    pub(crate) fn system<'a>(
        what: &'static str,
        name: &'a str,
    ) -> impl FnOnce(io::Error) -> Trouble + use<'a> {
        move |error| Trouble::System { what, name: name.to_owned(), error }
    }

    pub(crate) fn damaged(name: &str, byte: u64, what: impl Into<String>) -> Trouble {
        Trouble::Damaged { name: name.to_owned(), byte, what: what.into() }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::System { what, name, error } => write!(f, "{name}: cannot {what}: {error}"),
            Trouble::Damaged { name, byte, what } => write!(f, "{name}: damaged at byte {byte}: {what}"),
            Trouble::Copy { name, original } => {
                write!(
                    f,
                    "{name}: it repeats records of {original}: a copy of that file, which is to be removed"
                )
            }
            Trouble::TakenOver => {
                write!(f, "this runner was taken for dead, and others have taken over its games")
            }
            Trouble::Broken => write!(f, "an earlier write of this runner has failed"),
            Trouble::Unfit(what) => f.write_str(what),
        }
    }
}

impl Error for Trouble {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Trouble::System { error, .. } => Some(error),
            _ => None,
        }
    }
}
