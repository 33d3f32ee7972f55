//! How judges are started: always confined, even if bots are not, and by the interpreters that the host lists.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use crate::transcript::Transcript;
use referee_sandbox::{Choice, Interpreters, Limits, probe};
use referee_table::process::{Program, Setup, Surroundings};

/// How to start a judge, and how to talk to it.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) program: Program,
    pub(crate) patience: Duration,
    pub(crate) surroundings: Surroundings,
    pub(crate) transcript: Option<Transcript>,
}

impl Source {
    /// Returns how to start a program as usual.
    pub(crate) fn new(program: Program, patience: Duration) -> Source {
        Source { program, patience, surroundings: Surroundings::default(), transcript: None }
    }

    pub(crate) fn setup(&self) -> Result<Setup, String> {
        Ok(Setup { surroundings: self.surroundings.clone(), ..setup()? })
    }
}

/// Returns a flag that ends every wait for a judge once it is set. A program that watches for Ctrl-C sets it,
/// and also uses it for the bots of its games.
pub fn stop() -> Arc<AtomicBool> {
    static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    Arc::clone(STOP.get_or_init(Arc::default))
}

/// The program that starts judges.
static STARTER: OnceLock<PathBuf> = OnceLock::new();

/// Sets the program `referee` that starts judges, by its path. Only the first call counts, and only before a
/// judge is opened.
pub fn start_by(referee: &Path) {
    let _ = STARTER.set(referee.to_owned());
}

/// The interpreters of the host, besides those that its `PATH` finds.
static INTERPRETERS: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());

/// Adds interpreters, or folders of runtimes, by which judges are started from now on.
///
/// # Errors
///
/// The first that cannot be used; then none of them is added.
pub fn start_with(interpreters: &[PathBuf]) -> Result<(), String> {
    Interpreters::listed(interpreters).map_err(|error| error.to_string())?;
    let mut all = INTERPRETERS.write().unwrap_or_else(PoisonError::into_inner);
    all.extend_from_slice(interpreters);
    all.sort();
    all.dedup();
    Ok(())
}

/// Returns how judges are started.
pub(crate) fn setup() -> Result<Setup, String> {
    static SETUP: OnceLock<Result<Setup, String>> = OnceLock::new();
    let start = || confined(STARTER.get().map_or_else(Setup::this_program, Setup::with));
    let setup = SETUP.get_or_init(start).clone()?;
    let listed = INTERPRETERS.read().unwrap_or_else(PoisonError::into_inner);
    if listed.is_empty() {
        return Ok(setup);
    }
    let interpreters = Interpreters::listed(&listed).map_err(|error| error.to_string())?;
    Ok(Setup { interpreters, ..setup })
}

fn confined(setup: Setup) -> Result<Setup, String> {
    let tier = probe::choose(Choice::Auto, &setup.fork_server, setup.landlock_version_max);
    let tier = tier.map_err(|why| format!("a judge cannot be confined here: {why}"))?;
    // The process lives as long as its game, which may be long.
    let limits = Limits { data_mib: 1024, cpu_seconds: 1_000_000, ..Limits::default() };
    Ok(Setup { sandbox: tier, limits, stop: stop(), ..setup })
}
