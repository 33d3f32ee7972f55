//! The yield policy: when the referee leaves a shared core to its bots.

use std::time::Duration;

use crate::clock::{Clock, Moment};

/// The referee leaves its core to the bots before it waits for answers, and again when some have come.
/// Answers that they write meanwhile are there when the referee gets the core back, so no bot has to wake it.
/// If each has a core of its own, nothing happens.
///
/// This does not pay if another program keeps the core for long: a bot that is not quick, or an unrelated
/// one. Then it is tried again after some waits, and after twice as many each time.
#[derive(Debug)]
pub(super) struct YieldPolicy {
    /// Number of further waits in which the referee keeps its core.
    keeps: u32,
    /// Number of such waits the next time.
    next: u32,
}

/// A bot that has the core for longer is not quick.
const BRIEF: Duration = Duration::from_micros(250);

/// If the core is back sooner, no other program wanted it.
const NOBODY: Duration = Duration::from_micros(1);

/// Number of waits for which the core is kept at first; [`MOST`] is the maximum.
const LEAST: u32 = 16;
const MOST: u32 = 1024;

impl Default for YieldPolicy {
    fn default() -> YieldPolicy {
        YieldPolicy { keeps: 0, next: LEAST }
    }
}

impl YieldPolicy {
    /// Leaves the core once. Returns the present time if another program had the core meanwhile, so that
    /// there can be answers.
    pub(super) fn leave_core_to_bots(&mut self, clock: &Clock) -> Option<Moment> {
        if self.keeps > 0 {
            self.keeps -= 1;
            return None;
        }
        let before = clock.now();
        rustix::thread::sched_yield();
        let now = clock.now();
        self.was_away_for(now - before);
        (now - before > NOBODY).then_some(now)
    }

    fn was_away_for(&mut self, away: Duration) {
        if away <= BRIEF {
            *self = YieldPolicy::default();
        } else {
            *self = YieldPolicy { keeps: self.next, next: (2 * self.next).min(MOST) };
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
            yield_policy.was_away_for(BRIEF + Duration::from_nanos(1));
            yield_policy.keeps
        };
        assert_eq!([keeps(), keeps(), keeps()], [16, 32, 64]);
        let later: Vec<u32> = (0..10).map(|_| keeps()).collect();
        assert_eq!(later[3..], [1024; 7]);
        yield_policy.was_away_for(BRIEF);
        assert_eq!((yield_policy.keeps, yield_policy.next), (0, 16));
    }

    #[test]
    fn the_core_is_kept_for_so_many_waits() {
        let clock = Clock::start();
        let mut yield_policy = YieldPolicy { keeps: 2, next: 32 };
        let keeps = [(); 2].map(|()| (yield_policy.leave_core_to_bots(&clock), yield_policy.keeps));
        assert_eq!((keeps, yield_policy.next), ([(None, 1), (None, 0)], 32));
    }
}
