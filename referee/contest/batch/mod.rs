//! A batch: games that one runner plays at a time. Its results file is made of the records when all of its games have
//! ended; if it is deleted, it comes back the same.

pub mod losses;
pub mod ranges;
pub(crate) mod recorded;
pub mod results;
pub mod shard;
pub mod voids;

use std::path::{Path, PathBuf};

use self::ranges::Missing;
use crate::fixture;
use crate::plan::Plan;
use referee_files::beneath::Spot;

/// Returns the results of a batch.
pub fn results_of(folder: &Path, batch: usize) -> PathBuf {
    folder.join("results").join(thousand(batch)).join(format!("{batch:07}.csv"))
}

/// Tells whether a batch is done.
pub fn is_done(plan: &Plan, batch: usize) -> bool {
    Spot::within(&plan.root, results_of(&plan.folder, batch)).exists()
}

/// Returns the batches of a plan that are not done.
pub fn missing(plan: &Plan) -> Missing {
    Missing::of((0..plan.index.batches.len()).filter(|batch| !is_done(plan, *batch)))
}

/// Returns the name of a batch in the records of its round.
pub fn unit_of(batch: usize) -> String {
    format!("{batch:07}")
}

/// Returns the folder, below `logs` and `stderr`, of a try at a batch. No two tries share one.
fn logs_of(batch: usize, attempt: u32) -> String {
    format!("{}/{batch:07}.a{attempt:02}", thousand(batch))
}

/// Makes sure that the log of a game is in the folder of a try at its batch.
///
/// # Errors
///
/// Says what it should be.
pub(crate) fn logged_in_try(batch: usize, game: &str, log: &str) -> Result<(), String> {
    fixture::logged_in(&try_of(batch, log), game, log)
}

/// Makes sure that the log of a void game is in the folder of a try at its batch.
///
/// # Errors
///
/// Says what it should be.
pub(crate) fn void_logged_in_try(batch: usize, log: &str) -> Result<(), String> {
    let folder = format!("logs/{}/", try_of(batch, log));
    let is_there = log.strip_prefix(&*folder).is_some_and(|name| !name.contains('/'));
    if is_there { Ok(()) } else { Err(format!("column log is {log}; the log is in {folder}")) }
}

/// Returns the folder of the try at a batch to which a log belongs; that of the first if it belongs to none.
fn try_of(batch: usize, log: &str) -> String {
    let first = logs_of(batch, 0);
    let tries = first.strip_suffix("00").unwrap_or(&first);
    let attempt = log.strip_prefix("logs/").and_then(|log| log.strip_prefix(tries)?.split('/').next());
    logs_of(batch, attempt.and_then(|attempt| attempt.parse().ok()).unwrap_or(0))
}

fn thousand(batch: usize) -> String {
    format!("{:04}", batch / 1000)
}
