//! Fitness: whether this machine can continue when games turn out void. A machine that can no longer confine bots
//! plays nothing.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use referee_record::play::table::{TableError, Void};
use referee_sandbox::{Tier, probe};
use referee_table::process::Setup;

/// Number of games in a row that are given up, after which the machine is unfit. They must not all have one bot in
/// common, so that a single bot cannot bring this about.
pub const GIVEN_UP_MAX: usize = 5;

/// Observations of a run about its machine, shared by threads.
#[derive(Debug, Default)]
pub struct Fitness {
    /// The games that were given up since one has ended. For each: the bots at whose seats it was void, separated by
    /// blanks.
    given_up: Mutex<Vec<String>>,
}

impl Fitness {
    /// Takes note that a game has ended, so this machine can play.
    pub fn over(&self) {
        self.given_up.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Looks at the machine after a void attempt: if a bot could not be confined, tests whether any program can be.
    ///
    /// # Errors
    ///
    /// If none can. Then the attempt says nothing about the game.
    pub fn after_void(&self, void: &Void, setup: &Setup) -> Result<(), TableError> {
        if !matches!(void, Void::SandboxError { .. }) || setup.sandbox == Tier::Off {
            return Ok(());
        }
        let tier = setup.sandbox;
        let trial = probe::probe(tier, &setup.fork_server, setup.landlock_version_max);
        trial.map_err(|why| TableError::Unfit(format!("{void}; a trial of sandbox {tier} fails, too: {why}")))
    }

    /// Records a game that was given up. `bots` are those at whose seats it was void.
    ///
    /// # Errors
    ///
    /// If too many games in a row were given up.
    pub fn given_up(&self, bots: &BTreeSet<String>, why: &str) -> Result<(), TableError> {
        let mut given_up = self.given_up.lock().unwrap_or_else(PoisonError::into_inner);
        given_up.push(bots.iter().cloned().collect::<Vec<String>>().join(" "));
        let is_in_all = |bot: &String| given_up.iter().all(|names| names.split(' ').any(|name| name == bot));
        if given_up.len() < GIVEN_UP_MAX || bots.iter().any(is_in_all) {
            return Ok(());
        }
        let games = given_up.len();
        Err(TableError::Unfit(format!("{games} games in a row were given up; the last one was {why}")))
    }
}
