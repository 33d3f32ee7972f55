//! Modules that are prepared, for any number of guests.

use std::fmt;
use std::sync::Arc;

use crate::guest::Guest;
use crate::host::Host;
use crate::interpreter::Program;
use crate::module::Module;
use crate::refused::Refused;

/// A module that is prepared for the interpreter. Copies share it.
#[derive(Clone)]
pub struct Compiled(Arc<Program>);

impl Compiled {
    /// Prepares a module.
    pub fn new(module: &Module) -> Result<Compiled, Refused> {
        Ok(Compiled(Arc::new(Program::new(module)?)))
    }

    /// Makes a guest with these arguments, the first of which is the program's name, and environment
    /// variables (`NAME=VALUE`). It does not run yet.
    ///
    /// # Errors
    ///
    /// If its memory or its tables cannot be set up as the module requires.
    pub fn start(&self, arguments: &[&[u8]], variables: &[String]) -> Result<Guest, Refused> {
        let end = |text: &[u8]| [text, b"\0"].concat();
        let arguments = arguments.iter().map(|argument| end(argument)).collect();
        let host = Host::new(arguments, variables.iter().map(|variable| end(variable.as_bytes())).collect());
        Ok(Guest::new(self.0.start(host)?))
    }
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled").finish_non_exhaustive()
    }
}
