//! A recorder for games whose record does not matter.

use referee_record::error::Error;
use referee_record::{Page, Recorder};
use referee_rules::Outcome;

/// A record that stores nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoRecord;

impl Recorder for NoRecord {
    fn turn(&mut self, _page: &Page<'_>) {}

    fn flush_if_full(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn end(&mut self, _turns: u32, _outcome: &Outcome) -> Result<(), Error> {
        Ok(())
    }
}
