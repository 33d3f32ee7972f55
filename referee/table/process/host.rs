//! The host's cores during a slow turn: how long they were busy, and how much of that was the game's own
//! programs.
//!
//! `/proc/stat` reports the idle time of each core. (`/proc/schedstat`, which reports the busy time, is
//! missing on many systems and leaves out the program that has the core at that moment.) If a control group
//! limits the time below its number of cores, an idle core may still be unavailable: nothing is known then.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::thread::available_parallelism;
use std::time::Duration;

use rustix::thread::sched_getaffinity;
use smallvec::SmallVec;

use crate::charge::Cores;

/// A number for each core. Most machines have few enough that no memory is allocated.
pub(super) type EachCore = SmallVec<[u64; 64]>;

/// The cores, from turn to turn.
#[derive(Debug)]
pub(super) struct Host {
    /// `/proc/stat`; `None` if its figures do not say which cores are free.
    file: Option<File>,
    /// The numbers of the cores that may be used, in order.
    cores: Vec<u32>,
    /// Number of cores that may be used at a time.
    count: u32,
    /// The figures when the measuring began; `None` if it has not begun in this turn.
    base: Option<Base>,
}

#[derive(Clone, Debug)]
struct Base {
    /// How long each core was idle, in [ticks](TICK).
    idle: EachCore,
    /// Total running time of the bots.
    bots_ran: Duration,
}

/// The unit of the system's figures for cores.
pub(super) const TICK: Duration = Duration::from_millis(10);

impl Host {
    /// Returns the cores of this thread. Bots may use the same.
    pub(super) fn here() -> Host {
        let allowed = sched_getaffinity(None).ok();
        let is_allowed = |core: &u32| allowed.as_ref().is_some_and(|allowed| allowed.is_set(*core as usize));
        let cores: Vec<u32> = (0..rustix::thread::CpuSet::MAX_CPU as u32).filter(is_allowed).collect();
        let count = available_parallelism().map_or(1, usize::from);
        // If there are fewer, a control group limits the time: an idle core may be unavailable.
        let file = if cores.len() == count { File::open("/proc/stat").ok() } else { None };
        Host { file, cores, count: count.try_into().unwrap_or(u32::MAX), base: None }
    }

    /// Returns the number of cores that may be used at a time.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Drops earlier readings at the start of a turn.
    pub(super) fn forget(&mut self) {
        self.base = None;
    }

    /// Begins to measure, unless it has begun already.
    pub(super) fn begin(&mut self, bots_ran: impl FnOnce() -> Duration) {
        if self.base.is_none() {
            self.base = Some(Base { idle: self.idle().unwrap_or_default(), bots_ran: bots_ran() });
        }
    }

    /// Returns the reading for cores of which nothing is known.
    pub(super) fn unknown_cores(&self, wall: Duration) -> Cores {
        Cores::unknown(self.count, wall)
    }

    /// Returns the reading for the time `wall` that ends now. The cores count as busy before the measuring
    /// began.
    pub(super) fn cores_during(&self, wall: Duration) -> Cores {
        let Some(base) = &self.base else { return self.unknown_cores(wall) };
        let Some(idle) = self.idle() else { return self.unknown_cores(wall) };
        if idle.is_empty() || base.idle.len() != idle.len() {
            return self.unknown_cores(wall);
        }
        let idle_since = base.idle.iter().zip(&idle).map(|(base, now)| now.saturating_sub(*base));
        cores_of(wall, self.count, idle_since)
    }

    /// Returns the running time of the bots since the measuring began, given their running time so far.
    pub(super) fn bots_ran_since(&self, bots_ran: Duration) -> Duration {
        self.base.as_ref().map_or(bots_ran, |base| bots_ran.saturating_sub(base.bots_ran))
    }

    /// Returns how long each core was idle since the system started, in [ticks](TICK).
    fn idle(&self) -> Option<EachCore> {
        // The lines of cores come first. On a machine with more cores than fit here, the rest is ignored.
        let mut buffer = [0; 16 * 1024];
        let count = self.file.as_ref()?.read_at(&mut buffer, 0).ok()?;
        let text = buffer[..count].utf8_chunks().next()?.valid();
        Some(idle_in(text, &self.cores))
    }
}

/// Reads how long each of these cores was idle, or waited for a disk with nothing to do.
fn idle_in(text: &str, cores: &[u32]) -> EachCore {
    let idle = |line: &str| {
        let mut words = line.strip_prefix("cpu")?.split_ascii_whitespace();
        let number: u32 = words.next()?.parse().ok()?;
        cores.binary_search(&number).ok()?;
        let mut words = words.skip(3).map(|word| word.parse::<u64>().unwrap_or(0));
        Some(words.next()?.saturating_add(words.next().unwrap_or(0)))
    };
    text.lines().skip(1).take_while(|line| line.starts_with("cpu")).filter_map(idle).collect()
}

/// Returns the reading for the time `wall`, by the number of ticks that each core was idle. Each number can be off by
/// one, either way.
fn cores_of(wall: Duration, count: u32, idle: impl Iterator<Item = u64>) -> Cores {
    let time = |ticks: u64| TICK.saturating_mul(ticks.try_into().unwrap_or(u32::MAX));
    let (mut idle_max, mut busy) = (0, Duration::ZERO);
    for ticks in idle {
        idle_max = idle_max.max(ticks);
        busy += wall.saturating_sub(time(ticks.saturating_sub(1)));
    }
    Cores {
        count,
        all_busy_min: wall.saturating_sub(time(idle_max.saturating_add(1))),
        all_busy_max: wall.saturating_sub(time(idle_max.saturating_sub(1))),
        busy,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STAT: &str = "cpu  30 0 30 900 12 0 0 0 0 0\ncpu0 10 0 10 300 5 0 0 0 0 0\ncpu1 10 0 10 400 0 0 0 0 0 0\n\
                        cpu3 10 0 10 200 7 0 0 0 0 0\nintr 5 6 7\n";

    proptest! {
        #[test]
        fn any_bytes_of_the_system_are_a_time_within_what_passed(
            text in "(cpu[0-9]{0,3}( [0-9]{1,20}){0,11}\n|.{0,30}\n){0,12}",
            wall in 0..10_000u64,
        ) {
            let idle = idle_in(&text, &[0, 1, 2, 3]);
            let wall = Duration::from_millis(wall);
            let found = cores_of(wall, 4, idle.into_iter());
            prop_assert!(found.all_busy_min <= found.all_busy_max && found.all_busy_max <= wall);
        }
    }

    #[test]
    fn the_idle_time_of_the_allowed_cores_is_read() {
        assert_eq!(idle_in(STAT, &[0, 1, 3])[..], [305, 400, 207]);
        assert_eq!(idle_in(STAT, &[1])[..], [400]);
        assert!(idle_in(STAT, &[2]).is_empty());
    }

    #[test]
    fn all_cores_are_busy_at_once_no_longer_than_each() {
        let ms = Duration::from_millis;
        let found = cores_of(ms(100), 2, [4, 0].into_iter());
        let expected = Cores { count: 2, all_busy_min: ms(50), all_busy_max: ms(70), busy: ms(170) };
        assert_eq!(found, expected);
        assert_eq!(cores_of(ms(100), 1, [0].into_iter()).all_busy_min, ms(90));
    }
}
