//! The games of a tournament, read from `results.csv` and `voids.csv` in the order of the schedule.

use std::collections::BTreeMap;
use std::iter::Peekable;

use crate::batch::list;
use crate::batch::recorded::Recorded;
use crate::fixture::{self, ExpectedRow, game_id};
use crate::folder::results_of;
use crate::plan::Plan;
use crate::records;
use crate::runner::GameEnd;
use referee_files::beneath::Spot;
use referee_files::results::{self, last_name};
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::results::{Games, NumberedRow, ResultRow};
use referee_statistics::schedule::deal::Pairing;
use referee_store::Disk as _;

/// Goes through the listed games of all rounds up to that of a plan, and checks each against the schedule. `take` gets
/// the round of each game. Returns whether all games are listed.
///
/// # Errors
///
/// Names the first wrong line; or an error of `take`.
pub fn each_game(
    plan: &Plan,
    mut take: impl FnMut(&Plan, Pairing, GameEnd) -> Result<(), Error>,
) -> Result<bool, Error> {
    let mut list = Reader::open(plan)?;
    for plan in plan.rounds()? {
        for game in plan.schedule.games() {
            let Some(end) = list.next(&plan, &game)? else {
                list.check_end(&game)?;
                return Ok(false);
            };
            take(&plan, game, end)?;
        }
    }
    Ok(true)
}

/// Lists the games of a round that have ended and are not listed, in the order of the schedule. For watchers only: no
/// decision depends on it.
pub fn ended(plan: &Plan) -> Result<Vec<(Pairing, GameResult)>, Error> {
    let mut recorded = Recorded::now(plan)?;
    let last = if results_of(&plan.root).exists() { last_name(results_of(&plan.root))? } else { None };
    let mut ended = Vec::new();
    for game in plan.schedule.games() {
        let name = game_id(game.scheduled);
        if last.as_ref() == Some(&name) {
            ended.clear();
        } else if let Some(rows) = recorded.reader.rows_of(&recorded.state, &name)? {
            ended.push((game, GameResult::new(rows)));
        }
    }
    Ok(ended)
}

/// Returns numbers that change with each game that ends: the round, the bytes of its records, and the bytes of the
/// list.
pub fn progress(plan: &Plan) -> (u32, u64, u64) {
    let disk = records::disk_of(records::folder_of(plan));
    let runs = disk.list("runs").unwrap_or_default().into_iter();
    let bytes = runs.filter_map(|run| disk.length(&format!("runs/{run}")).ok()).sum();
    let listed = results_of(&plan.root).look().ok().flatten().map_or(0, |found| found.length());
    (plan.contents.round, bytes, listed)
}

/// The list of a tournament, as it is read.
struct Reader {
    results: Spot,
    games: Option<Peekable<Games>>,
    /// The number of the next line.
    line: u64,
    /// The games that were given up, each with the reason.
    given_up: BTreeMap<String, String>,
}

impl Reader {
    fn open(plan: &Plan) -> Result<Reader, Error> {
        let results = results_of(&plan.root);
        let games = if results.exists() { Some(results::games(&results)?.peekable()) } else { None };
        // Read after the results were opened: a game is given up in the list before the games behind it are listed.
        let given_up = list::given_up(&plan.root)?;
        Ok(Reader { results, games, line: 2, given_up })
    }

    /// Returns the end of the next game of the schedule; `None` if it is not there.
    fn next(&mut self, plan: &Plan, game: &Pairing) -> Result<Option<GameEnd>, Error> {
        let name = game_id(game.scheduled);
        let is_of_game = |found: &Result<Vec<NumberedRow>, Error>| {
            found.as_ref().map_or(true, |rows| rows[0].1.game == name)
        };
        let found = self.games.as_mut().and_then(|games| games.next_if(is_of_game)).transpose()?;
        let Some(rows) = found else { return Ok(self.given_up.get(&name).cloned().map(GameEnd::Void)) };
        for (line, row) in &rows {
            check_row(plan, game, row).map_err(|what| Error::line(self.results.path(), *line, what))?;
        }
        self.line += rows.len() as u64;
        Ok(Some(GameEnd::Over(GameResult::of(rows))))
    }

    /// Makes sure that no other game is listed where this one should be.
    fn check_end(mut self, game: &Pairing) -> Result<(), Error> {
        match self.games.as_mut().and_then(Iterator::next) {
            None => Ok(()),
            Some(_) => {
                Err(Error::line(self.results.path(), self.line, list::expected(&game_id(game.scheduled))))
            }
        }
    }
}

/// Makes sure that a row is that of a game of the schedule.
///
/// # Errors
///
/// Names the first column that differs, with both values.
pub(crate) fn check_row(plan: &Plan, game: &Pairing, row: &ResultRow) -> Result<(), String> {
    let bot = fixture::entrant_of(game, row)?;
    let expected = ExpectedRow {
        game,
        entry: plan.entry,
        bot: &plan.entrants[bot].name,
        arguments: &plan.arguments[bot],
        rules_version: plan.contents.rules_version,
        clock: Some(plan.contents.host.clock),
    };
    expected.check(row)
}
