//! The clock: the only file that reads time. All others take a [`Moment`] or a `Duration`.

#![expect(clippy::disallowed_methods, reason = "this is the one place")]

use std::time::{Duration, Instant};

pub use referee_rules::moment::Moment;
use rustix::time::{ClockId, clock_gettime};

/// A running clock. It never goes back.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// Creates a clock at zero.
    pub fn start() -> Clock {
        Clock(Instant::now())
    }

    /// Reads the clock.
    pub fn now(&self) -> Moment {
        Moment(self.0.elapsed())
    }
}

/// The CPU time of a process or a thread: it advances only while that runs, and on each core on which it
/// runs.
#[derive(Clone, Copy, Debug)]
pub struct CpuClock(libc::clockid_t);

impl CpuClock {
    /// Finds the clock of a process; `None` if there is no such process.
    pub fn of_process(number: i32) -> Option<CpuClock> {
        let mut clock = 0;
        // SAFETY: it writes one number to where the pointer points, and keeps nothing.
        let found = unsafe { libc::clock_getcpuclockid(number, &raw mut clock) };
        (found == 0).then_some(CpuClock(clock))
    }

    /// Returns the clock of the calling thread, which advances only while that thread runs.
    pub fn of_this_thread() -> CpuClock {
        CpuClock(libc::CLOCK_THREAD_CPUTIME_ID)
    }

    /// Reads the clock; `None` if the process has ended.
    pub fn read(&self) -> Option<Duration> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: it writes one time to where the pointer points, and keeps nothing.
        let read = unsafe { libc::clock_gettime(self.0, &raw mut time) };
        (read == 0).then(|| within(time.tv_sec, time.tv_nsec))
    }
}

/// Returns a time that the system has told, brought between zero and a century, so that no sum of times overflows.
/// Another program, such as libfaketime, can tell any time.
fn within(seconds: i64, nanos: i64) -> Duration {
    const CENTURY: u32 = 100 * 366 * 24 * 3600;
    let seconds = u64::try_from(seconds).unwrap_or(0).min(CENTURY.into());
    Duration::new(seconds, u32::try_from(nanos).unwrap_or(0).min(999_999_999))
}

/// Reads a clock of the system: the date, as the time since 1970, or the monotonic clock, as the time since
/// its start.
pub fn system(is_date: bool) -> Duration {
    let now = clock_gettime(if is_date { ClockId::Realtime } else { ClockId::Monotonic });
    within(now.tv_sec, now.tv_nsec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sum_of_times_overflows_whatever_the_system_tells() {
        for (seconds, nanos) in
            [(i64::MAX, i64::MAX), (i64::MIN, i64::MIN), (-1, 999_999_999), (i64::MAX, -1)]
        {
            let all: Duration = (0..1_000_000).map(|_| within(seconds, nanos)).sum();
            assert!(all.checked_mul(1_000).is_some(), "{seconds} {nanos}");
        }
        assert_eq!(within(3, 5), Duration::new(3, 5));
    }
}
