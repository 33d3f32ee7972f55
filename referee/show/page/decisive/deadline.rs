//! The deadlines of the parts of a search.

use std::time::Duration;

/// The end of a part of a search.
#[derive(Clone, Copy)]
pub(super) struct Deadline<'a> {
    /// Returns the time that the search has taken.
    pub(super) clock: &'a (dyn Fn() -> Duration + Sync),
    /// The time limit of the search; `None`: it has none.
    pub(super) time: Option<Duration>,
    /// The part of the time limit at which this part ends.
    pub(super) until: f64,
}

impl Deadline<'_> {
    /// Returns the deadline of an earlier part.
    pub(super) fn part(self, until: f64) -> Self {
        Deadline { until, ..self }
    }

    /// Tells whether the time is over.
    pub(super) fn is_over(self) -> bool {
        self.time.is_some_and(|time| (self.clock)() >= time.mul_f64(self.until))
    }
}
