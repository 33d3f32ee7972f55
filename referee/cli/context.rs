//! The context of a command: the parts of the program, and how bots and judges are started.

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

/// What each command gets at the start of the program.
#[derive(Debug)]
pub struct Context {
    /// The parts of the program.
    pub(crate) parts: Parts,
    /// The surroundings of the command, if it is a call within a process.
    surroundings: Option<Surroundings>,
    /// The player of bots in WebAssembly.
    guests: Option<Arc<dyn Guests>>,
    /// A flag that ends games and judges once it is set.
    pub(crate) stop: Arc<AtomicBool>,
    /// Set once signals set this flag.
    pub(crate) is_watched: OnceLock<()>,
    /// The host that starts judges.
    pub judges: Arc<Host>,
    /// The judge of `--judge`.
    pub(crate) named_judge: Arc<judge::Named>,
}

impl Context {
    /// Makes the context of the command that these words name.
    pub(crate) fn new(
        words: &[OsString],
        parts: Parts,
        surroundings: Option<Surroundings>,
    ) -> Result<Context, Error> {
        let stop = Arc::default();
        let interpreters = judge::interpreters(words)?;
        let setup = Setup { stop: Arc::clone(&stop), interpreters, ..started_by(surroundings.as_ref()) };
        let judges = Arc::new(Host::new(setup, move || judge::options(parts)));
        let guests = parts.guests.map(|make| make());
        let (is_watched, named_judge) = (OnceLock::new(), Arc::default());
        Ok(Context { parts, surroundings, guests, stop, is_watched, judges, named_judge })
    }

    /// Returns a setup with the program that starts bots, the player of guests, and the flag that ends games.
    pub(crate) fn starting(&self) -> Setup {
        let (guests, stop) = (self.guests.clone(), Arc::clone(&self.stop));
        Setup { guests, stop, ..started_by(self.surroundings.as_ref()) }
    }

    /// Returns the path of this program, which also runs the house bots.
    pub fn program(&self) -> anyhow::Result<PathBuf> {
        if let Some(surroundings) = &self.surroundings {
            return Ok(surroundings.program.clone());
        }
        std::env::current_exe()
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
        match &self.surroundings {
            Some(surroundings) => root.term_width(surroundings.columns),
            None => root,
        }
    }
}

/// Returns a setup with the program that starts bots.
fn started_by(surroundings: Option<&Surroundings>) -> Setup {
    match surroundings {
        Some(surroundings) => Setup::with(&surroundings.program),
        None => Setup::this_program(),
    }
}
