//! A batch: games that one runner plays at a time. Its results file is made of the records when all of its games have
//! ended; if it is deleted, it comes back the same.

pub mod losses;
pub mod nodes;
pub mod ranges;
pub(crate) mod recorded;
pub mod results;
pub mod shard;
pub mod voids;

use std::path::{Path, PathBuf};

use self::ranges::Missing;
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

fn thousand(batch: usize) -> String {
    format!("{:04}", batch / 1000)
}
