//! The audit of answers: plays the games of a hill again with its own copies of the bots that are guests.

use crate::error::{Error, ErrorKind};
use crate::record::results::{self, NumberedRow, ResultRow};
use crate::replay::audit::{in_order, log_of};
use crate::replay::repeat::{Repeated, repeat};
use crate::rules::BySeat;
use crate::table::game_table::is_module;
use crate::table::open::{guest_clock, open};
use crate::table::process::{Program, Setup};
use crate::tournament::admission::entrants::Entrants;
use crate::tournament::fixture::seated_as;
use crate::tournament::hill::Hill;
use crate::tournament::{folder, node};

/// What was repeated of a hill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditedBots {
    /// Games.
    pub games: u64,
    /// Answers of guests, all as they were recorded.
    pub answers: u64,
    /// Seats of programs, whose answers nobody can repeat.
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
/// Names the first game, turn and seat where the record says something else than the bot.
pub fn audit_bots(hill: &Hill, setup: &Setup) -> Result<AuditedBots, Error> {
    let results = folder::results_of(hill.root());
    let entrants = hill.entrants()?;
    let mut audited = AuditedBots::default();
    if guest_clock().is_none() {
        let what = "this referee was built without WebAssembly; build it with `cargo build --release --features wasm`";
        return Err(Error::input(what));
    }
    if !results.exists() {
        return Ok(audited);
    }
    let home = results.at(hill.root());
    let again = |game: Vec<NumberedRow>| {
        let (programs, others) = programs_of(&entrants, results.path(), &game)?;
        if programs.iter().all(|(_, program)| program.is_none()) {
            return Ok((Repeated::default(), others));
        }
        let (line, first) = &game[0];
        let log = log_of(&home, first).ok_or_else(|| {
            Error::line(results.path(), *line, format!("its log is not there: {}", first.log))
        })?;
        let is_repeated = BySeat::from_fn(programs.len(), |seat| programs[seat].is_some());
        let repeated = repeat(log, &is_repeated, |info| Ok(open(info, &programs, setup)?))?;
        Ok((repeated, others))
    };
    let games = results::games(&results)?;
    in_order(games, node::cores(), again, |(repeated, others): (Repeated, AuditedBots)| {
        audited.games += 1;
        audited.answers += repeated.answers;
        audited.stopped += repeated.stopped;
        audited.programs += others.programs;
        audited.other_costs += others.other_costs;
        Ok(())
    })?;
    Ok(audited)
}

/// Returns the programs of a game's guests, and counts the seats that cannot be repeated.
fn programs_of(
    entrants: &Entrants,
    path: &std::path::Path,
    game: &[NumberedRow],
) -> Result<(BySeat<Option<Program>>, AuditedBots), Error> {
    let mut others = AuditedBots::default();
    let programs: Result<Vec<Option<Program>>, Error> = game
        .iter()
        .map(|(line, row)| {
            let program = program_of(entrants, row)
                .map_err(|error| Error::line(path, *line, error.to_string()).or(ErrorKind::Failed))?;
            others.programs += u64::from(!row.is_guest());
            others.other_costs += u64::from(row.is_guest() && program.is_none());
            Ok(program)
        })
        .collect();
    Ok((programs?.into(), others))
}

/// Returns the program of a seat, if it is a guest that can be repeated.
fn program_of(entrants: &Entrants, row: &ResultRow) -> Result<Option<Program>, Error> {
    let unknown =
        || Error::input(format!("entrants.csv knows no version {} of {}", row.bot.version, row.bot.name));
    let program =
        entrants.program(entrants.submission(&row.bot.name, row.bot.version).ok_or_else(unknown)?)?;
    seated_as(is_module(&program), row).map_err(Error::input)?;
    let is_same = row.is_guest() && guest_clock().as_ref() == Some(&row.clock);
    Ok(is_same.then_some(program))
}
