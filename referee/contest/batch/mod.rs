//! A batch: games of a tournament that one runner claims and plays.

pub mod list;
pub mod losses;
pub mod ranges;
pub(crate) mod recorded;
pub mod shard;

use self::list::is_listed;
use self::ranges::Missing;
use self::recorded::Recorded;
use crate::fixture::game_id;
use crate::plan::Plan;
use referee_record::error::Error;
use referee_statistics::schedule::deal::Pairing;
use referee_store::ContestState;

/// Returns the batches of a round of which a game has not ended, by the records, and the number of games of the round
/// that have not ended.
pub fn missing(plan: &Plan) -> Result<(Missing, u64), Error> {
    if is_listed(plan) { Ok((Missing::default(), 0)) } else { missing_by(plan, &Recorded::now(plan)?.state) }
}

/// As [`missing`], by these records.
pub(crate) fn missing_by(plan: &Plan, records: &ContestState) -> Result<(Missing, u64), Error> {
    let (mut missing, mut games_left) = (Missing::default(), 0);
    for (batch, games) in plan.batches().enumerate() {
        let open = games.iter().filter(|game| !has_ended(game, records)).count();
        if open > 0 {
            missing.add(batch);
            games_left += open as u64;
        }
    }
    Ok((missing, games_left))
}

/// Tells whether a game has ended by these records.
fn has_ended(game: &Pairing, records: &ContestState) -> bool {
    records.ending(&game_id(game.scheduled)).is_some()
}

/// Returns the name of a batch in the records of its round.
pub fn unit_of(batch: usize) -> String {
    format!("{batch:07}")
}

/// Returns the folder, below `logs` and `stderr`, of a try at a batch of a round. No two tries share one.
fn logs_of(round: u32, batch: usize, attempt: u32) -> String {
    let folder_of_round = if round == 1 { String::new() } else { format!("r{round:04}/") };
    format!("{folder_of_round}{:04}/{batch:07}.a{attempt:02}", batch / 1000)
}

/// Returns the folder of the try at a batch to which a log belongs; that of the first try if the log belongs to none.
pub(crate) fn folder_of_try(round: u32, batch: usize, log: &str) -> String {
    let first = logs_of(round, batch, 0);
    let without_number = first.strip_suffix("00").unwrap_or(&first);
    let attempt =
        log.strip_prefix("logs/").and_then(|log| log.strip_prefix(without_number)?.split('/').next());
    logs_of(round, batch, attempt.and_then(|attempt| attempt.parse().ok()).unwrap_or(0))
}
