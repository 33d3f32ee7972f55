//! Time: the sandbox's clock, and the date.

pub use referee_sandbox::clock::{Clock, CpuClock, Moment};

/// Returns the date and time, in UTC, to the second: `2026-01-31T12:00:00Z`.
pub fn date() -> String {
    jiff::Timestamp::from_second(seconds() as i64).map(|date| date.to_string()).unwrap_or_default()
}

/// Returns the seconds since 1970.
pub fn seconds() -> u64 {
    referee_sandbox::clock::system(true).as_secs()
}
