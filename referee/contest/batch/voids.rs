//! `voids.csv`, beside `merged.csv`: void and lost attempts at games of a plan, and the games that were given up. It
//! follows from the journals and the results.

use std::path::PathBuf;

use crate::batch::journal::{attempts_without_rows, standing_of};
use crate::batch::{logs_of, results};
use crate::plan::Plan;
use crate::plan::schedule_file::Game;
use crate::publish;
use crate::runner::GameEnd;
use crate::runner::game_run::log_path;
use crate::runner::tries::{bots_of, row_of_given_up, row_of_lost};
use referee_files::beneath::Spot;
use referee_files::log::part_of;
use referee_files::small;
use referee_record::error::Error;
use referee_record::voids::VoidRow;

/// Lists the rows of a plan, in the order of its batches.
///
/// # Errors
///
/// If a file is damaged or another plan's.
pub fn of_plan(plan: &Plan) -> Result<Vec<VoidRow>, Error> {
    let mut rows = Vec::new();
    for batch in 0..plan.index.batches.len() {
        let mut of_batch = Unfinished::of(plan, batch)?.rows;
        for (game, came) in results::read(plan, batch)?.into_iter().flatten() {
            if let GameEnd::Void(why) = came {
                of_batch.push(given_up(plan, &game, &of_batch, &why));
            }
        }
        rows.append(&mut of_batch);
    }
    Ok(rows)
}

/// Returns the row of a game that is void for good, after the rows of its attempts.
pub(crate) fn given_up(plan: &Plan, game: &Game, before: &[VoidRow], why: &str) -> VoidRow {
    let fixture = plan.fixture(game, "");
    let attempts = before.iter().filter(|row| row.game == fixture.id).count() as u32;
    row_of_given_up(&fixture.id, bots_of(&fixture), attempts, why)
}

/// The remains of failed attempts at a batch.
#[derive(Debug, Default)]
pub(crate) struct Unfinished {
    /// Attempts at games that were void or lost.
    pub(crate) rows: Vec<VoidRow>,
    /// Paths that the incomplete logs of lost games can have.
    parts: Vec<Spot>,
}

impl Unfinished {
    /// Reads the journals of a batch.
    ///
    /// # Errors
    ///
    /// If one of them is damaged or another plan's.
    pub(crate) fn of(plan: &Plan, batch: usize) -> Result<Unfinished, Error> {
        let mut found = Unfinished::default();
        let mut attempts = attempts_without_rows(&plan.folder, &plan.id, batch)?;
        attempts.iter_mut().filter(|attempt| attempt.is_live).for_each(|attempt| attempt.open.clear());
        if attempts.iter().all(|attempt| attempt.voids.is_empty() && attempt.open.is_empty()) {
            return Ok(found);
        }
        let games = plan.batch(batch)?;
        let standings: Vec<_> = attempts.iter().flat_map(|attempt| attempt.standings.clone()).collect();
        for (attempt, number) in attempts.into_iter().zip(0..) {
            let named = |row: VoidRow| match row.log.is_empty() {
                true => row,
                false => VoidRow { log: plan.name_merged(&row.log), ..row },
            };
            found.rows.extend(attempt.voids.into_iter().map(|(_, row)| named(row)));
            let game = |number| games.iter().find(|game| game.number == number);
            for game in attempt.open.into_iter().filter_map(game) {
                let folder = logs_of(batch, number);
                let fixture = plan.fixture(game, &folder);
                let count = found.rows.iter().filter(|row| row.game == fixture.id).count() as u32;
                let standing = standing_of(&standings, number, game.number).unwrap_or_default();
                let bots = bots_of(&fixture);
                found.rows.push(row_of_lost(&fixture.id, bots, count + 1, &attempt.date, standing));
                let log = log_path(&plan.folder, &folder, &fixture.id, fixture.log);
                found.parts.push(Spot::within(&plan.root, part_of(&log)));
            }
        }
        Ok(found)
    }

    /// Removes the incomplete logs of lost games. To be called once the batch is done.
    pub(crate) fn remove_parts(&self) {
        // Logs that stay do no harm.
        self.parts.iter().for_each(|part| drop(part.remove()));
    }
}

/// Writes the list, unless it is empty and there is no file.
pub(crate) fn write(plan: &Plan, rows: &[VoidRow]) -> Result<(), Error> {
    let spot = Spot::within(&plan.root, file_of(plan));
    if rows.is_empty() && !spot.exists() {
        return Ok(());
    }
    publish::replace(spot, &small::text(rows))
}

/// Returns the path of the list for all rounds of a tournament.
pub fn file_of(plan: &Plan) -> PathBuf {
    plan.root.join("voids.csv")
}
