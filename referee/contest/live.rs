//! A tournament while it is played: games that have ended in unfinished batches, by their journals. For watchers only:
//! no decision depends on it.

use std::collections::BTreeMap;

use crate::batch::{self, journal};
use crate::merge::is_merged;
use crate::plan::Plan;
use crate::plan::schedule_file::Game;
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_record::game_result::GameResult;

/// Lists the games of a round that have ended in batches that are not done, in the order of the schedule.
///
/// # Errors
///
/// If a journal or the schedule cannot be read.
pub fn ended(plan: &Plan) -> Result<Vec<(Game, GameResult)>, Error> {
    let mut ended = Vec::new();
    for number in batch::missing(plan).0.into_iter().flatten() {
        let attempts = journal::attempts(&plan.folder, &plan.id, number)?;
        let rows = attempts.into_iter().flat_map(|attempt| attempt.ended);
        let mut rows: BTreeMap<u32, _> = rows.filter(|(_, rows)| !rows.is_empty()).collect();
        if rows.is_empty() {
            continue;
        }
        for game in plan.batch(number)? {
            ended.extend(rows.remove(&game.number).map(|rows| (game, GameResult::new(rows))));
        }
    }
    Ok(ended)
}

/// Returns the progress of a tournament, as numbers that change with each game that ends: round, batches that are not
/// done, bytes of their journals. The last says whether the round is merged.
pub fn progress(plan: &Plan) -> (u32, usize, u64, bool) {
    let missing = batch::missing(plan);
    let journals = missing.0.iter().cloned().flatten().flat_map(|number| {
        let length = move |attempt| {
            let journal = Spot::within(&plan.root, batch::journal_of(&plan.folder, number, attempt));
            Some(journal.open().ok()?.metadata().ok()?.len())
        };
        (0..).map_while(length)
    });
    (plan.contents.round, missing.count(), journals.sum(), is_merged(plan))
}
