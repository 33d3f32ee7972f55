//! The one file that reads time. All others are handed a [`Moment`] or a `Duration`.

#![expect(clippy::disallowed_methods, reason = "this is the one place")]

use std::ops::{Add, Sub};
use std::time::{Duration, Instant};

/// A point in time: how long after its table opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub Duration);

impl Add<Duration> for Moment {
    type Output = Moment;

    fn add(self, length: Duration) -> Moment {
        Moment(self.0.saturating_add(length))
    }
}

/// The time from an earlier moment to this one; zero if it is not earlier.
impl Sub for Moment {
    type Output = Duration;

    fn sub(self, earlier: Moment) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

/// A running clock. It never goes back.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// Starts at zero.
    pub fn start() -> Clock {
        Clock(Instant::now())
    }

    /// Reads the clock.
    pub fn now(&self) -> Moment {
        Moment(self.0.elapsed())
    }
}

/// Returns the date and time, in UTC, to the second: `2026-01-31T12:00:00Z`.
pub fn date() -> String {
    let now = jiff::Timestamp::now();
    format!("{now:.0}")
}
