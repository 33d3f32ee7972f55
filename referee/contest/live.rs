//! A tournament while it is played: games that have ended in unfinished batches, by the records of their runners. For
//! watchers only: no decision depends on it.

use crate::batch;
use crate::batch::recorded::Recorded;
use crate::merge::is_merged;
use crate::plan::Plan;
use crate::plan::schedule_file::Game;
use crate::records;
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_store::Disk;

/// Lists the games of a round that have ended in batches that are not done, in the order of the schedule.
///
/// # Errors
///
/// If a record or the schedule cannot be read.
pub fn ended(plan: &Plan) -> Result<Vec<(Game, GameResult)>, Error> {
    let mut recorded = Recorded::of(plan);
    let missing = batch::missing(plan).0.into_iter().flatten();
    let ended = missing.map(|number| recorded.ended(plan, number));
    Ok(ended.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// Returns the progress of a tournament, as numbers that change with each game that ends: round, batches that are not
/// done, bytes of the records. The last says whether the round is merged.
pub fn progress(plan: &Plan) -> (u32, usize, u64, bool) {
    let disk = records::disk_of(records::folder_of(plan));
    let runs = disk.list("runs").unwrap_or_default().into_iter();
    let bytes = runs.filter_map(|run| disk.length(&format!("runs/{run}")).ok()).sum();
    (plan.contents.round, batch::missing(plan).count(), bytes, is_merged(plan))
}
