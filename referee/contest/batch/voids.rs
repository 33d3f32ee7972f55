//! `voids.csv`, beside `merged.csv`: void and lost attempts at games of a plan, and the games that were given up. It
//! follows from the results of the batches.

use std::path::PathBuf;

use crate::batch::recorded::Recorded;
use crate::batch::results::{self, named};
use crate::plan::Plan;
use crate::publish;
use referee_files::beneath::Spot;
use referee_files::small;
use referee_record::error::Error;
use referee_record::voids::VoidRow;

/// Lists the rows of a plan, in the order of its schedule, also of batches that are not done.
///
/// # Errors
///
/// If a file is damaged or another plan's.
pub fn of_plan(plan: &Plan) -> Result<Vec<VoidRow>, Error> {
    let (mut rows, mut recorded) = (Vec::new(), Recorded::of(plan));
    for number in 0..plan.index.batches.len() {
        match results::read(plan, number)? {
            Some(batch) => rows.extend(batch.voids.into_iter().map(|row| named(plan, row))),
            None => rows.extend(recorded.voids(plan, number)?),
        }
    }
    Ok(rows)
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
