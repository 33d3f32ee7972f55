//! Reasons why a module is refused.

use std::fmt;

/// The reason why a module cannot be a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The place in the file, in bytes from its beginning.
    at: Option<u64>,
    what: String,
}

impl Refused {
    pub(crate) fn new(at: u64, what: impl Into<String>) -> Refused {
        Refused { at: Some(at), what: what.into() }
    }

    pub(crate) fn whole(what: impl Into<String>) -> Refused {
        Refused { at: None, what: what.into() }
    }
}

impl From<wasmparser::Error> for Refused {
    fn from(error: wasmparser::Error) -> Refused {
        let what = format!(
            "not a valid module of WebAssembly 2.0: {}; build it again without newer features",
            error.message()
        );
        Refused::new(error.offset(), what)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some(at) => write!(f, "at byte {at}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for Refused {}
