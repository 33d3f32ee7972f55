//! The yield policy: when the referee leaves a shared core to its bots.

use std::time::Duration;

use crate::clock::{Clock, Moment};

/// The referee leaves its core to the bots before it waits for answers, and again when some have come.
/// Answers that they write meanwhile are there when the referee gets the core back, so no bot has to wake it.
/// If each has a core of its own, nothing happens.
///
/// This does not pay if another program keeps the core for long: a bot that is not quick, or an unrelated
/// program. Then the referee keeps its core for some waits before it tries again, and for twice as many each time.
#[derive(Debug)]
pub(super) struct YieldPolicy {
    /// Number of further waits in which the referee keeps its core.
    waits_to_keep: u32,
    /// Number of such waits the next time.
    next_waits: u32,
}

/// A bot that has the core for longer is not quick.
const QUICK_MAX: Duration = Duration::from_micros(250);

/// If the core is back sooner, no other program wanted it.
const AWAY_MIN: Duration = Duration::from_micros(1);

/// Number of waits for which the core is kept at first; [`WAITS_MAX`] is the maximum.
const WAITS_MIN: u32 = 16;
const WAITS_MAX: u32 = 1024;

impl Default for YieldPolicy {
    fn default() -> YieldPolicy {
        YieldPolicy { waits_to_keep: 0, next_waits: WAITS_MIN }
    }
}

impl YieldPolicy {
    /// Leaves the core once. Returns the present time if another program had the core meanwhile, so that
    /// there can be answers.
    pub(super) fn leave_core_to_bots(&mut self, clock: &Clock) -> Option<Moment> {
        if self.waits_to_keep > 0 {
            self.waits_to_keep -= 1;
            return None;
        }
        let before = clock.now();
        rustix::thread::sched_yield();
        let now = clock.now();
        self.note_time_away(now - before);
        if now - before > AWAY_MIN { Some(now) } else { None }
    }

    fn note_time_away(&mut self, away: Duration) {
        if away <= QUICK_MAX {
            *self = YieldPolicy::default();
        } else {
            let next_waits = (2 * self.next_waits).min(WAITS_MAX);
            *self = YieldPolicy { waits_to_keep: self.next_waits, next_waits };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_tried_again_ever_later_as_long_as_it_takes_long() {
        let mut yield_policy = YieldPolicy::default();
        let mut keeps = || {
            yield_policy.note_time_away(QUICK_MAX + Duration::from_nanos(1));
            yield_policy.waits_to_keep
        };
        assert_eq!([keeps(), keeps(), keeps()], [16, 32, 64]);
        let later: Vec<u32> = (0..10).map(|_| keeps()).collect();
        assert_eq!(later[3..], [1024; 7]);
        yield_policy.note_time_away(QUICK_MAX);
        assert_eq!((yield_policy.waits_to_keep, yield_policy.next_waits), (0, 16));
    }

    #[test]
    fn the_core_is_kept_for_so_many_waits() {
        let clock = Clock::start();
        let mut yield_policy = YieldPolicy { waits_to_keep: 2, next_waits: 32 };
        let keeps = [(); 2].map(|()| (yield_policy.leave_core_to_bots(&clock), yield_policy.waits_to_keep));
        assert_eq!((keeps, yield_policy.next_waits), ([(None, 1), (None, 0)], 32));
    }
}
