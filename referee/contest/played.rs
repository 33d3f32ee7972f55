//! The games of a tournament for viewers, in the order of the schedule. Merged games are read from `merged.csv`, the
//! others from the batches. Plans of further rounds, and audits, use the batches alone.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use crate::batch;
use crate::fixture::game_id;
use crate::merge::merged_of;
use crate::plan::schedule_file::Game;
use crate::plan::{self, Plan};
use crate::runner::GameEnd;
use referee_files::beneath::Spot;
use referee_files::{results, voids};
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::results::{Games, NumberedRow};
use referee_record::voids::{VoidReason, VoidRow};

/// Goes through the played and void games of all rounds up to that of a plan, and checks each against the schedule.
/// `take` gets the folder from which a game's log is named. Returns whether all games are there.
///
/// # Errors
///
/// Names the first wrong line; or an error of `take`.
pub fn each_game(
    plan: &Plan,
    mut take: impl FnMut(&Path, Game, GameEnd) -> Result<(), Error>,
) -> Result<bool, Error> {
    let plans = rounds_up_to(plan)?;
    let mut merged = Whole::find(&plans)?.map(Merged::begin).transpose()?;
    let mut is_whole = true;
    for plan in &plans {
        let mut of_round = merged.as_mut().filter(|merged| merged.has(plan));
        for number in 0..plan.index.batches.len() {
            if let Some(merged) = &mut of_round {
                for game in plan.batch(number)? {
                    let came = merged.next(plan, &game)?;
                    take(&plan.root, game, came)?;
                }
            } else if let Some(batch) = batch::results::read(plan, number)? {
                batch.games.into_iter().try_for_each(|(game, came)| take(&plan.folder, game, came))?;
            } else {
                is_whole = false;
            }
        }
    }
    Ok(is_whole)
}

/// Returns the end of a game of a batch, with the folder from which its log is named; `None` if it was not played yet.
///
/// # Errors
///
/// As for [`each_game`].
pub fn game(plan: &Plan, batch: usize, game: &Game) -> Result<Option<(PathBuf, GameEnd)>, Error> {
    if let Some(whole) = Whole::find(&rounds_up_to(plan)?)? {
        let mut merged = Merged::begin(whole)?;
        if merged.has(plan) {
            merged.go_to(game)?;
            return Ok(Some((plan.root.clone(), merged.next(plan, game)?)));
        }
    }
    let games = batch::results::read(plan, batch)?.unwrap_or_default().games;
    let came = games.into_iter().find(|(other, _)| other.number == game.number);
    Ok(came.map(|(_, came)| (plan.folder.clone(), came)))
}

/// Lists the attempts at games that do not count, of all rounds up to that of a plan.
///
/// # Errors
///
/// As for [`each_game`].
pub fn voids(plan: &Plan) -> Result<Vec<VoidRow>, Error> {
    let plans = rounds_up_to(plan)?;
    if Whole::find(&plans)?.is_some_and(|merged| merged.round == plan.contents.round) {
        return voids::read(Spot::within(&plan.root, batch::voids::file_of(plan)));
    }
    let mut rows = Vec::new();
    for plan in &plans {
        rows.append(&mut batch::voids::of_plan(plan)?);
    }
    Ok(rows)
}

/// Opens the plans of all rounds up to that of a plan.
fn rounds_up_to(plan: &Plan) -> Result<Vec<Plan>, Error> {
    (1..=plan.contents.round).map(|round| plan::open_round(&plan.root, round)).collect()
}

/// A file of merged results that has all games of some rounds.
struct Whole {
    spot: Spot,
    /// The last round whose games are all in it.
    round: u32,
    /// The games that are void for good, each with the reason.
    given_up: BTreeMap<String, String>,
}

impl Whole {
    /// Finds the file and the rounds that it has, by its last game; `None` if it is missing, or has no whole round.
    fn find(plans: &[Plan]) -> Result<Option<Whole>, Error> {
        let spot = Spot::within(&plans[0].root, merged_of(&plans[0]));
        if !spot.exists() {
            return Ok(None);
        }
        let rows = voids::read(Spot::within(&plans[0].root, batch::voids::file_of(&plans[0])))?;
        let given_up = rows.into_iter().filter(|row| row.reason == VoidReason::GivenUp);
        let given_up: BTreeMap<String, String> = given_up.map(|row| (row.game, row.detail)).collect();
        let found = results::last_name(&spot)?;
        for rounds in (1..=plans.len()).rev() {
            if last_due(&plans[..rounds], &given_up)? == found {
                let round = plans[rounds - 1].contents.round;
                return Ok(Some(Whole { spot, round, given_up }));
            }
        }
        Ok(None)
    }
}

/// Returns the last game of some rounds that is not void.
fn last_due(plans: &[Plan], given_up: &BTreeMap<String, String>) -> Result<Option<String>, Error> {
    for plan in plans.iter().rev() {
        for batch in (0..plan.index.batches.len()).rev() {
            let games = plan.batch(batch)?;
            let mut names = games.iter().rev().map(|game| game_id(game.scheduled));
            if let Some(name) = names.find(|name| !given_up.contains_key(name)) {
                return Ok(Some(name));
            }
        }
    }
    Ok(None)
}

/// Merged results, as they are read.
struct Merged {
    whole: Whole,
    games: Peekable<Games>,
    /// The number of the next line.
    line: u64,
}

impl Merged {
    fn begin(whole: Whole) -> Result<Merged, Error> {
        let games = results::games(&whole.spot)?.peekable();
        Ok(Merged { whole, games, line: 2 })
    }

    fn has(&self, plan: &Plan) -> bool {
        plan.contents.round <= self.whole.round
    }

    /// Skips the games before a game.
    fn go_to(&mut self, game: &Game) -> Result<(), Error> {
        let name = game_id(game.scheduled);
        if self.whole.given_up.contains_key(&name) {
            return Ok(());
        }
        let is_other = |game: &Result<Vec<_>, _>| {
            game.as_ref().is_ok_and(|rows: &Vec<NumberedRow>| rows[0].1.game != name)
        };
        while let Some(passed) = self.games.next_if(is_other) {
            self.line += passed?.len() as u64;
        }
        Ok(())
    }

    /// Returns the end of the next game of the schedule.
    fn next(&mut self, plan: &Plan, game: &Game) -> Result<GameEnd, Error> {
        let name = game_id(game.scheduled);
        let path = self.whole.spot.path();
        let is_it = |found: &Result<Vec<NumberedRow>, Error>| {
            found.as_ref().map_or(true, |rows| rows[0].1.game == name)
        };
        let Some(rows) = self.games.next_if(is_it).transpose()? else {
            let why = self.whole.given_up.get(&name).cloned();
            return why.map(GameEnd::Void).ok_or_else(|| {
                let what = format!(
                    "{name} is expected here, unless voids.csv says that it was given up; `referee tournament \
                     merge` makes both files again"
                );
                Error::line(path, self.line, what)
            });
        };
        for (line, row) in &rows {
            let checked = batch::results::check_row(plan, game, row);
            checked.map_err(|what| Error::line(path, *line, what))?;
        }
        self.line += rows.len() as u64;
        Ok(GameEnd::Over(GameResult::new(rows.into_iter().map(|(_, row)| row).collect())))
    }
}
