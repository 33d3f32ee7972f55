//! Attempts at a game: it is played until it counts or is given up.

use std::path::Path;

use crate::fixture::Fixture;
use crate::runner::GameEnd;
use crate::runner::fitness::Fitness;
use crate::runner::game_run::{self, GameRun};
use crate::runner::tries::{LostMax, Tries, row_of_void};
use crate::runner::watch::{Broadcast, FlushWhen};
use referee_files::log::LogFile;
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::voids::VoidRow;
use referee_sandbox::Tier;
use referee_table::process::Setup;

/// Keeps account of attempts at games. Each call returns when its record is on the disk.
pub(crate) trait Ledger {
    /// Returns the folder that contains the logs.
    fn folder(&self) -> &Path;

    /// Returns the attempts at a game so far that did not count.
    fn tries(&self, fixture: &Fixture) -> Tries;

    /// Records that an attempt begins. It counts as lost if no end of it is recorded.
    fn begin(&self, fixture: &Fixture, attempt: u32) -> Result<(), Error>;

    /// Records that the game was played to its end, and gives its log the final name or leaves that to others.
    fn over(&self, fixture: &Fixture, rows: &GameResult, log: LogFile) -> Result<(), Error>;

    /// Returns the numbers of lost attempts after which a game is given up in a tier.
    fn loss_limits(&self, sandbox: Tier) -> LostMax;

    /// Records that the attempt was void, and adds it to `tries`.
    fn void(&self, fixture: &Fixture, row: VoidRow, tries: &mut Tries) -> Result<(), Error>;

    /// Records that the game is given up for good.
    fn give_up(&self, fixture: &Fixture, tries: &Tries, why: &str) -> Result<(), Error>;

    /// Records that this runner stops trying the game because of an error, so that the attempt is not lost. Returns the
    /// error to report.
    fn break_off(&self, fixture: &Fixture, error: Error) -> Error;
}

/// Plays a game: starts its bots, keeps its log, records its rows. A void attempt is recorded as such, and the game is
/// played again, until it was void too often: then it is given up.
///
/// # Errors
///
/// If the referee is in trouble or told to stop: then nothing of the game is left. Or if this machine is unfit.
pub(crate) fn play(
    ledger: &impl Ledger,
    fixture: &Fixture,
    setup: &Setup,
    fitness: &Fitness,
    watch: Option<&Broadcast>,
) -> Result<GameEnd, Error> {
    let mut tries = ledger.tries(fixture);
    let losses = ledger.loss_limits(setup.sandbox);
    let mut play_on = || loop {
        if let Some(why) = tries.reason_to_give_up(losses) {
            ledger.give_up(fixture, &tries, &why)?;
            fitness.given_up(tries.bots(), &why)?;
            return Ok(GameEnd::Void(why));
        }
        let attempt = tries.next_attempt();
        ledger.begin(fixture, attempt)?;
        let late_if_starved = tries.late_if_starved(fixture.entrants.len());
        let setup = Setup { late_if_starved, ..setup.clone() };
        let flush = match (tries.has_lost(), fixture.live) {
            (true, _) => FlushWhen::EachTurn,
            (false, true) => FlushWhen::Timed,
            (false, false) => FlushWhen::BlockFull,
        };
        match game_run::play(ledger.folder(), fixture, &setup, attempt, flush, watch)? {
            GameRun::Over { rows, log } => {
                ledger.over(fixture, &rows, log)?;
                fitness.over();
                return Ok(GameEnd::Over(rows));
            }
            GameRun::Void(void_run) => {
                fitness.after_void(&void_run.void, &setup)?;
                let row = row_of_void(ledger.folder(), fixture, &void_run, attempt, setup.sandbox)?;
                ledger.void(fixture, row, &mut tries)?;
            }
        }
    };
    play_on().map_err(|error| ledger.break_off(fixture, error))
}
