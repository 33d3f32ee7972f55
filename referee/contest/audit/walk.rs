//! The walk of an audit over a list: each listed game must be in the schedule, its rows must agree with the schedule,
//! and a runner must have recorded them. A hill and a tournament say which game is due, and how its rows must look.

use std::path::Path;

use crate::records::{Ended, first_changed};
use crate::runner::GameEnd;
use referee_record::error::Error;
use referee_record::results::{NumberedRow, ResultRow};
use referee_record::voids::VoidRow;

/// The list of a contest, as far as it was compared with schedule and records.
pub(crate) trait Walk {
    /// A game of the schedule.
    type Game;

    /// The end of messages: how the list is made again.
    const REMEDY: &'static str;

    /// Returns the file of the list.
    fn results(&self) -> &Path;

    /// Finds a listed game in the schedule, by its first row.
    ///
    /// # Errors
    ///
    /// If another game is due, or a game before it is missing.
    fn find(&mut self, listed: &NumberedRow) -> Result<Self::Game, Error>;

    /// Makes sure that a row is that of a game of the schedule, played as the contest says.
    fn check_row(&self, game: &Self::Game, row: &ResultRow) -> Result<(), String>;

    /// Returns the recorded end of a game; `None` if there is no record to compare with.
    fn end_of(&mut self, game: &Self::Game) -> Result<Option<Ended>, Error>;

    /// Takes the recorded attempts at a game that do not count: the list of void games must have them.
    fn take_voids(&mut self, game: &Self::Game, voids: Vec<VoidRow>) -> Result<(), Error>;

    /// Compares the next game of the list.
    ///
    /// # Errors
    ///
    /// Names the first line that differs.
    fn take(&mut self, rows: &[NumberedRow]) -> Result<(), Error> {
        let game = self.find(&rows[0])?;
        for (line, row) in rows {
            self.check_row(&game, row).map_err(|what| Error::line(self.results(), *line, what))?;
        }
        // The record is compared last: an error about the row says more than that it differs from the record.
        let Some(Ended { voids, end }) = self.end_of(&game)? else { return Ok(()) };
        let changed = match end {
            GameEnd::Over(recorded) => first_changed(rows, &recorded),
            GameEnd::Void(_) => Some(rows[0].0),
        };
        if let Some(line) = changed {
            let what = format!("not what a runner has recorded: {}", Self::REMEDY);
            return Err(Error::line(self.results(), line, what));
        }
        self.take_voids(&game, voids)
    }
}
