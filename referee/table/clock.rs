//! Time: the sandbox's clock, and the date.

pub use referee_sandbox::clock::{Clock, CpuClock, Moment};

/// Returns the date and time, in UTC, to the second: `2026-01-31T12:00:00Z`.
pub fn date() -> String {
    date_at(seconds())
}

/// Returns the date and time of this number of seconds since 1970, likewise; the number if there is no such date.
pub fn date_at(seconds: u64) -> String {
    let at = i64::try_from(seconds).ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    at.map_or_else(|| seconds.to_string(), |at| at.to_string())
}

/// Returns the seconds since 1970 of a date and time; 0 if it is none.
pub fn seconds_of(date: &str) -> u64 {
    let at: Option<jiff::Timestamp> = date.parse().ok();
    at.and_then(|at| u64::try_from(at.as_second()).ok()).unwrap_or(0)
}

/// Returns the seconds since 1970.
pub fn seconds() -> u64 {
    referee_sandbox::clock::system(true).as_secs()
}
