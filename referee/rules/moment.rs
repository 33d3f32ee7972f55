//! A point in time as a value. Only code that reads a clock makes one. Code that computes with it needs no
//! clock: the collector of answers, which also builds on systems without one, and the sandbox share this
//! type.

use std::ops::{Add, Sub};
use std::time::Duration;

/// A point in time: the time since its table was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub Duration);

impl Add<Duration> for Moment {
    type Output = Moment;

    #[inline]
    fn add(self, length: Duration) -> Moment {
        Moment(self.0.saturating_add(length))
    }
}

/// The time from an earlier moment to this one; zero if it is not earlier.
impl Sub for Moment {
    type Output = Duration;

    #[inline]
    fn sub(self, earlier: Moment) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}
