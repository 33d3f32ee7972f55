//! Modules that are allowed, rewritten so that they count their instructions.

use crate::facts::Facts;
use crate::refused::Refused;
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
    /// If it is not a valid module, or needs something that a bot does not get. The error gives the place and
    /// a remedy.
    pub fn new(bytes: &[u8]) -> Result<Module, Refused> {
        let facts = Facts::read(bytes)?;
        let code = rewrite::rewrite(bytes, &facts)?;
        Ok(Module { code })
    }

    /// Returns the module in the form for the interpreter.
    pub fn code(&self) -> &[u8] {
        &self.code
    }
}
