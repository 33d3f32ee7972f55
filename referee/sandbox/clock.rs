//! The clock: the only file that reads time. All others take a [`Moment`] or a `Duration`.

#![expect(clippy::disallowed_methods, reason = "this is the one place")]

use std::time::{Duration, Instant};

pub use referee_moment::Moment;
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
        (read == 0).then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
    }
}

/// Reads a clock of the system: the date, as the time since 1970, or the monotonic clock, as the time since
/// its start.
pub fn system(is_date: bool) -> Duration {
    let now = clock_gettime(if is_date { ClockId::Realtime } else { ClockId::Monotonic });
    Duration::new(now.tv_sec.max(0) as u64, now.tv_nsec as u32)
}
