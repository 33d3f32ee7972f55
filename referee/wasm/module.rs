//! Modules that are allowed, rewritten so that they count what they do.

use std::fmt;

use crate::facts::Facts;
use crate::rewrite;

/// A module that is allowed, with the counter in it.
#[derive(Clone, Debug)]
pub struct Module {
    code: Vec<u8>,
}

impl Module {
    /// Checks a module, in its binary form, and puts the counter into it.
    ///
    /// # Errors
    ///
    /// If it is no valid module, or needs what a bot does not get: the place, and a remedy.
    pub fn new(bytes: &[u8]) -> Result<Module, Refused> {
        let facts = Facts::of(bytes)?;
        let code = rewrite::rewrite(bytes, &facts)?;
        Ok(Module { code })
    }

    /// Returns the module as engines get it.
    pub fn code(&self) -> &[u8] {
        &self.code
    }
}

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
            "not a valid module of WebAssembly 2.0: {}; build it again, without features that are newer",
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
