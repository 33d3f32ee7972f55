//! The answer of a seat as a value, from the table through the turn loop to the log.

use std::time::Duration;

use referee_rules::{Fault, FaultKind, Seat};

/// The answer to one question, or the fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The seat that was asked.
    pub seat: Seat,
    /// The integers of the line, if a line of integers came in time.
    pub integers: Vec<i64>,
    /// The reason why there are no integers.
    pub fault: Option<Fault>,
    /// Charged time, from when the question was written to the newline of the answer, or to the end of the waiting:
    /// `wall` less the time that the host let the bot wait for a core, but at least `cpu`. If the pipe had no room for
    /// the whole question, it counts from before the first byte.
    pub thinking: Duration,
    /// Elapsed time of the same span.
    pub wall: Duration,
    /// CPU time that all threads and processes of the bot used, and that this answer is charged for. `None` if it was
    /// not measured: of quick answers, and of clocks that do not need it.
    pub cpu: Option<Duration>,
    /// Superfluous lines since the question before.
    pub dropped: Dropped,
}

impl Answer {
    /// Returns an empty answer of a seat.
    #[inline]
    pub fn empty(seat: Seat) -> Answer {
        Answer {
            seat,
            integers: Vec::new(),
            fault: None,
            thinking: Duration::ZERO,
            wall: Duration::ZERO,
            cpu: None,
            dropped: Dropped::default(),
        }
    }

    /// Returns the integers, or the fault.
    #[inline]
    pub fn given(&self) -> Result<&[i64], &Fault> {
        self.fault.as_ref().map_or(Ok(&self.integers), Err)
    }
}

/// Numbers of lines that were dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Answers that came after their limit.
    pub late: u32,
    /// Lines that came before their question.
    pub early: u32,
    /// Lines that answer nothing.
    pub extra: u32,
}

impl Dropped {
    /// Number of kinds of dropped lines.
    pub(crate) const KINDS: usize = 3;

    /// Iterates over the kinds and their numbers.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = (FaultKind, u32)> {
        [(FaultKind::Late, self.late), (FaultKind::Early, self.early), (FaultKind::Extra, self.extra)]
            .into_iter()
    }

    /// Adds to one of the kinds. Returns whether lines of this kind are dropped.
    #[inline]
    pub fn add(&mut self, kind: FaultKind, count: u32) -> bool {
        let number = match kind {
            FaultKind::Late => &mut self.late,
            FaultKind::Early => &mut self.early,
            FaultKind::Extra => &mut self.extra,
            _ => return false,
        };
        // A forged log can contain any number.
        *number = number.saturating_add(count);
        true
    }
}
