//! Questions, answers and times: real bots that misbehave, and simulated ones.

mod allocations;
pub(crate) mod faulty_bots;
mod freezing;
mod serial;
pub(crate) mod simulated;
mod simulation;
mod unsent;

use referee_record::error::Error;
use referee_record::{Page, Recorder};
use referee_rules::Outcome;

/// A record that keeps nothing.
pub(crate) struct NoRecord;

impl Recorder for NoRecord {
    fn turn(&mut self, _page: &Page<'_>) {}

    fn flush_if_full(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn end(&mut self, _turns: u32, _outcome: &Outcome) -> Result<(), Error> {
        Ok(())
    }
}
