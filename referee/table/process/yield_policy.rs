//! The yield policy: when the referee leaves a shared core to its bots.

use std::time::Duration;

use crate::clock::{Clock, Moment};

/// Leaves the core to the bots before their answers are waited for, and again when some have come. What they answer meanwhile is
/// there when the referee has it back: it need not ask who has answered, and none of them had to wake it. Where each has a core of
/// its own, nothing happens.
///
/// It does not pay where somebody keeps the core for long: a bot that is not quick, or another program, to which a
/// thread that leaves the core loses it. Then it is tried again after some waits, and after twice as many each time.
#[derive(Debug)]
pub(super) struct YieldPolicy {
    /// Number of further waits in which the referee keeps its core.
    keeps: u32,
    /// Number of such waits the next time.
    next: u32,
}

/// Who has the core for longer is not quick.
const BRIEF: Duration = Duration::from_micros(250);

/// Who has the core back sooner had not left it: there was nobody else.
const NOBODY: Duration = Duration::from_micros(1);

/// For how many waits the core is kept, at least and at most.
const LEAST: u32 = 16;
const MOST: u32 = 1024;

impl Default for YieldPolicy {
    fn default() -> YieldPolicy {
        YieldPolicy { keeps: 0, next: LEAST }
    }
}

impl YieldPolicy {
    /// Answers are due. Returns the present if somebody else had the core until now, so that there may be some.
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
