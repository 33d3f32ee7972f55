//! How judges are started: always confined, even if bots are not.

use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::session::Session;
use crate::transcript::Transcript;
use referee_sandbox::{Choice, Limits, Tier, probe};
use referee_table::process::{Program, Setup};

/// A host of judges: how it starts them, and which names of parameters it refuses.
#[derive(Debug)]
pub struct Host {
    setup: Setup,
    /// The sandbox of judges, once it was looked for.
    tier: OnceLock<Result<Tier, String>>,
    options: Options,
}

/// The options of commands that take the parameters of a game as options, too, with `_` for `-`.
pub(crate) type Options = LazyLock<Vec<String>, Box<dyn FnOnce() -> Vec<String> + Send>>;

impl Host {
    /// Returns a host that starts judges as this setup says: by its program and with its interpreters, until its flag
    /// stops them. `options` lists the options of commands that take the parameters of a game as options, too, with `_`
    /// for `-`.
    pub fn new(setup: Setup, options: impl FnOnce() -> Vec<String> + Send + 'static) -> Host {
        // The process lives as long as its game, which may be long.
        let limits = Limits { data_mib: 1024, cpu_seconds: 1_000_000, ..Limits::default() };
        let setup = Setup { limits, guests: None, ..setup };
        Host { setup, tier: OnceLock::new(), options: LazyLock::new(Box::new(options)) }
    }

    /// Returns how judges are started.
    ///
    /// # Errors
    ///
    /// If no sandbox works here.
    pub(crate) fn confined(&self) -> Result<Setup, String> {
        let Setup { fork_server, landlock_version_max, .. } = &self.setup;
        let choose = || {
            let tier = probe::choose(Choice::Auto, fork_server, *landlock_version_max);
            tier.map_err(|why| format!("a judge cannot be confined here: {why}"))
        };
        Ok(Setup { sandbox: self.tier.get_or_init(choose).clone()?, ..self.setup.clone() })
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }
}

/// How to start a judge, and how to talk to it.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) program: Program,
    pub(crate) patience: Duration,
    pub(crate) setup: Setup,
    pub(crate) transcript: Option<Transcript>,
    /// A judge that was started like this before it is needed. Only the first game gets it.
    pub(crate) begun: Arc<Mutex<Option<Session>>>,
}

impl Source {
    /// Returns how to start a program without a transcript.
    pub(crate) fn new(program: Program, patience: Duration, setup: Setup) -> Source {
        Source { program, patience, setup, transcript: None, begun: Arc::default() }
    }

    /// Starts a judge now, for the first game.
    pub(crate) fn begin(&self) {
        // What is wrong is seen when it is needed.
        *self.begun.lock().unwrap_or_else(PoisonError::into_inner) = Session::start(self).ok();
    }
}
