//! Engines, which execute modules.

use std::fmt;
use std::sync::Arc;

use crate::guest::Guest;
use crate::host::Host;
use crate::interpreter;
use crate::module::Module;
use crate::refused::Refused;

/// An engine executes modules. All engines count the same units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// An interpreter. It starts at once.
    #[cfg_attr(not(feature = "wasmtime"), default)]
    Wasmi,
    /// A compiler: much faster.
    #[cfg(feature = "wasmtime")]
    #[default]
    Wasmtime,
}

impl Engine {
    /// The engines in this build.
    pub const ALL: &[Engine] = &[
        Engine::Wasmi,
        #[cfg(feature = "wasmtime")]
        Engine::Wasmtime,
    ];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Wasmi => "wasmi",
            #[cfg(feature = "wasmtime")]
            Engine::Wasmtime => "wasmtime",
        }
    }

    /// Prepares a module.
    ///
    /// # Errors
    ///
    /// If the engine refuses it.
    pub fn compile(self, module: &Module) -> Result<Compiled, Refused> {
        let made = match self {
            Engine::Wasmi => Made::Wasmi(interpreter::Program::new(module)?),
            #[cfg(feature = "wasmtime")]
            Engine::Wasmtime => Made::Wasmtime(crate::compiler::Program::new(module)?),
        };
        Ok(Compiled(Arc::new(made)))
    }
}

/// A module that is prepared for an engine. Copies share it.
#[derive(Clone)]
pub struct Compiled(Arc<Made>);

enum Made {
    Wasmi(interpreter::Program),
    #[cfg(feature = "wasmtime")]
    Wasmtime(crate::compiler::Program),
}

impl Compiled {
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
        let machine = match &*self.0 {
            Made::Wasmi(program) => program.start(host)?,
            #[cfg(feature = "wasmtime")]
            Made::Wasmtime(program) => program.start(host)?,
        };
        Ok(Guest::new(machine))
    }
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled").finish_non_exhaustive()
    }
}
