//! The audit of answers: the games of a hill or a tournament are played again with the stored programs of the bots that
//! are guests.

use std::path::Path;

use crate::fixture::check_sandbox;
use crate::hill::Hill;
use crate::{folder, node, plan};
use referee_files::audit::log_of;
use referee_files::beneath::Spot;
use referee_files::threads::in_order;
use referee_files::{log, results};
use referee_record::error::{Error, ErrorKind};
use referee_record::game_result::GameResult;
use referee_record::play::replay::repeat::{Repetition, repeat};
use referee_record::results::ResultRow;
use referee_rules::BySeat;
use referee_table::game_table::is_module;
use referee_table::open::open;
use referee_table::process::{Program, Setup};

/// The repeated games and answers of a hill or a tournament.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditedBots {
    /// Games.
    pub games: u64,
    /// Answers of guests, all as they were recorded.
    pub answers: u64,
    /// Seats of native programs, whose answers cannot be repeated.
    pub programs: u64,
    /// Seats of guests that were charged by another version of the costs of instructions.
    pub other_costs: u64,
    /// Seats of guests that were stopped for the processor time that they took.
    pub stopped: u64,
}

/// Plays all games of a hill again with its guests. The results and logs themselves are checked by [`Hill::audit`].
///
/// # Errors
///
/// Names the first game, turn and seat where the record differs from the bot. Also if this program has no engine for
/// guests.
pub fn audit_hill_bots(hill: &Hill, setup: &Setup) -> Result<AuditedBots, Error> {
    let entrants = hill.entrants()?;
    let program = |row: &ResultRow| {
        let unknown = || Error::input(format!("entrants.csv knows no version {}", row.bot.version));
        let submitted = entrants.submission(&row.bot.name, row.bot.version).ok_or_else(unknown)?;
        entrants.program(&submitted.bot)
    };
    repeat_all(hill.root(), &program, setup)
}

/// Plays all games of a tournament again with its guests. The results and logs themselves are checked by
/// [`audit`](super::audit()).
pub fn audit_tournament_bots(root: &Path, setup: &Setup) -> Result<AuditedBots, Error> {
    let plan = plan::open(root)?;
    for bot in &plan.contents.entrant {
        plan::check_planned(root, bot)?;
    }
    let program = |row: &ResultRow| {
        let bot = plan.entrants.iter().find(|bot| bot.name == row.bot);
        Ok(bot.ok_or_else(|| Error::input("the plan knows no such bot"))?.program.clone())
    };
    repeat_all(root, &program, setup)
}

/// Finds the program of a row's bot, and makes sure that it is the one that was entered.
type FindProgram<'a> = dyn Fn(&ResultRow) -> Result<Program, Error> + Sync + 'a;

/// Plays all listed games of a contest again.
fn repeat_all(root: &Path, program: &FindProgram<'_>, setup: &Setup) -> Result<AuditedBots, Error> {
    let clock = setup.guest_clock().ok_or_else(|| {
        Error::input(
            "this referee was built without the part `wasm`, which plays modules; build it with `cargo install \
             --locked --path . --features full`",
        )
    })?;
    let (results, mut sum) = (folder::results_of(root), AuditedBots::default());
    if !results.exists() {
        return Ok(sum);
    }
    let repeater = Repeater { program, setup, clock, home: results.at(root) };
    let repeat = |game| repeater.repeat(&GameResult::of(game));
    in_order(results::games(&results)?, node::cores(), repeat, |one| {
        sum.games += one.games;
        sum.answers += one.answers;
        sum.programs += one.programs;
        sum.other_costs += one.other_costs;
        sum.stopped += one.stopped;
        Ok(())
    })?;
    Ok(sum)
}

/// Plays games again.
struct Repeater<'a> {
    program: &'a FindProgram<'a>,
    setup: &'a Setup,
    /// The clock of guests that this program can repeat.
    clock: String,
    /// The folder from which logs are named.
    home: Spot,
}

impl Repeater<'_> {
    fn repeat(&self, rows: &GameResult) -> Result<AuditedBots, Error> {
        let (home, mut audited) = (&self.home, AuditedBots { games: 1, ..AuditedBots::default() });
        let programs = rows.iter().map(|row| {
            let program = self.program_of(row).map_err(|error| {
                let what = format!("{}, seat {}, {}: {error}", rows.game(), row.seat, row.bot.name);
                Error::new(ErrorKind::Failed, what).at(home.path())
            })?;
            audited.programs += u64::from(!row.is_guest());
            audited.other_costs += u64::from(row.is_guest() && program.is_none());
            Ok(program)
        });
        let programs: BySeat<Option<Program>> = programs.collect::<Result<Vec<_>, Error>>()?.into();
        if programs.iter().all(|(_, program)| program.is_none()) {
            return Ok(audited);
        }
        let log = log_of(home, rows.shared()).ok_or_else(|| {
            Error::file(home.path(), format!("{}: its log is missing: {}", rows.game(), rows.log()))
        })?;
        let is_repeated = BySeat::from_fn(programs.len(), |seat| programs[seat].is_some());
        let Repetition { answers, stopped } =
            repeat(log::open(log)?, &is_repeated, |info| Ok(open(info, &programs, self.setup)?))?;
        Ok(AuditedBots { answers, stopped, ..audited })
    }

    /// Returns the program of a seat, if it is a guest that can be repeated.
    fn program_of(&self, row: &ResultRow) -> Result<Option<Program>, Error> {
        let program = (self.program)(row)?;
        check_sandbox(is_module(&program), row).map_err(Error::input)?;
        Ok(if row.is_guest() && row.clock == self.clock { Some(program) } else { None })
    }
}
