//! The context of a command: what it is handed at the start of the program.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use referee_judge::Host;
use referee_record::error::Error;
use referee_table::guests::Guests;
use referee_table::process::Setup;

use crate::call::Surroundings;
use crate::{Parts, judge};

/// What a command is handed at the start of the program.
#[derive(Debug)]
pub struct Context {
    /// The parts of the program.
    pub(crate) parts: Parts,
    /// What differs from the process, if this is a call.
    around: Option<Surroundings>,
    /// What plays bots in WebAssembly.
    guests: Option<Arc<dyn Guests>>,
    /// Ends games and judges once it is set.
    pub(crate) stop: Arc<AtomicBool>,
    /// Whether signals set it.
    pub(crate) is_watched: OnceLock<()>,
    /// How judges are started.
    pub judges: Arc<Host>,
    /// The judge of `--judge`.
    pub(crate) named_judge: Arc<judge::Named>,
}

impl Context {
    /// Makes the context of the command that these words name.
    pub(crate) fn new(
        words: &[OsString],
        parts: Parts,
        around: Option<Surroundings>,
    ) -> Result<Context, Error> {
        let stop = Arc::default();
        let interpreters = judge::interpreters(words)?;
        let setup = Setup { stop: Arc::clone(&stop), interpreters, ..started_by(around.as_ref()) };
        let judges = Arc::new(Host::new(setup, move || judge::options(parts)));
        let guests = parts.guests.map(|make| make());
        let (is_watched, named_judge) = (OnceLock::new(), Arc::default());
        Ok(Context { parts, around, guests, stop, is_watched, judges, named_judge })
    }

    /// Returns which program starts bots, what plays guests, and the flag that ends games and judges.
    pub(crate) fn starting(&self) -> Setup {
        let (guests, stop) = (self.guests.clone(), Arc::clone(&self.stop));
        Setup { guests, stop, ..started_by(self.around.as_ref()) }
    }

    /// Returns the path of this program, which also runs the house bots.
    pub fn program(&self) -> anyhow::Result<PathBuf> {
        let program = self.around.as_ref().map(|around| around.program.clone());
        program
            .map_or_else(std::env::current_exe, Ok)
            .map_err(|error| anyhow::anyhow!("cannot find the path of the referee itself: {error}"))
    }

    /// Returns the definition of the command line, with the short help and the long one.
    pub fn command(&self) -> clap::Command {
        crate::help::shortened(self.definition())
    }

    /// Returns the definition without the short help, which most calls do not show, and which takes as long to make as
    /// all else.
    pub(crate) fn definition(&self) -> clap::Command {
        let root = crate::definition(self.parts);
        match &self.around {
            Some(around) => root.term_width(around.columns),
            None => root,
        }
    }
}

/// Returns which program starts others.
fn started_by(around: Option<&Surroundings>) -> Setup {
    around.map_or_else(Setup::this_program, |around| Setup::with(&around.program))
}
