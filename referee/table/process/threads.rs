//! The threads of a bot between two readings: how long the living ones waited, and which have ended since the
//! turn began. This module reads nothing itself.

use std::time::Duration;

use crate::charge::Waiting;
use crate::clock::Moment;

/// The system's figures for a thread, since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) ran: Duration,
    pub(super) waited: Duration,
}

/// All threads that were seen since the turn began.
#[derive(Debug, Default)]
pub(super) struct Threads {
    /// By their numbers.
    living: Vec<Thread>,
    /// The sums over those that have ended.
    ended: Sums,
    /// When they were last observed.
    looked_at: Moment,
}

#[derive(Debug)]
struct Thread {
    number: u32,
    /// Its figures when the turn began.
    base: Times,
    /// Its figures at the last look.
    times: Times,
    seen_at: Moment,
    /// The last look at which it had run since the look before.
    idle_since: Moment,
}

/// The figures of several threads since the turn began.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    ran: Duration,
    longest_wait: Duration,
    waited: Duration,
    /// How long ended threads can have waited after their last reading.
    unreported: Duration,
}

impl Sums {
    fn add(&mut self, thread: &Thread) {
        let waited = thread.times.waited.saturating_sub(thread.base.waited);
        self.ran += thread.times.ran.saturating_sub(thread.base.ran);
        self.longest_wait = self.longest_wait.max(waited);
        self.waited += waited;
    }

    /// Adds a thread that has ended. The system no longer reports its last wait.
    fn add_ended(&mut self, thread: &Thread, now: Moment) {
        self.add(thread);
        self.unreported += now - thread.idle_since;
    }
}

impl Threads {
    /// Begins a turn: threads are measured from the last look.
    pub(super) fn begin(&mut self, now: Moment) {
        self.ended = Sums::default();
        for thread in &mut self.living {
            (thread.base, thread.idle_since) = (thread.times, now);
        }
    }

    /// Begins a look. Call [`add`](Threads::add) for each living thread, then [`end_look`](Threads::end_look).
    pub(super) fn begin_look(&mut self, now: Moment) {
        self.looked_at = now;
    }

    /// Adds a living thread. The whole past of a new one counts as time since the last look.
    pub(super) fn add(&mut self, number: u32, times: Times) {
        let now = self.looked_at;
        let new = Thread { number, base: Times::default(), times, seen_at: now, idle_since: now };
        let index = match self.living.binary_search_by_key(&number, |thread| thread.number) {
            Ok(index) => index,
            Err(index) => return self.living.insert(index, new),
        };
        let thread = &mut self.living[index];
        if times.ran < thread.times.ran || times.waited < thread.times.waited {
            // Another thread has its number now.
            self.ended.add_ended(thread, now);
            *thread = new;
            return;
        }
        if times.ran > thread.times.ran {
            thread.idle_since = now;
        }
        (thread.times, thread.seen_at) = (times, now);
    }

    /// Ends a look: threads that were not added have ended.
    pub(super) fn end_look(&mut self) {
        let now = self.looked_at;
        for thread in self.living.extract_if(.., |thread| thread.seen_at != now) {
            self.ended.add_ended(&thread, now);
        }
    }

    /// Returns the number of living threads at the last look.
    pub(super) fn count(&self) -> u32 {
        self.living.len().try_into().unwrap_or(u32::MAX)
    }

    /// Returns how long they have waited since the turn began. `ran` is the running time of their processes.
    pub(super) fn waiting(&self, ran: Duration) -> Waiting {
        let mut sums = self.ended;
        for thread in &self.living {
            sums.add(thread);
        }
        Waiting {
            longest: sums.longest_wait,
            sum: sums.waited,
            unreported: sums.unreported,
            unseen: ran.saturating_sub(sums.ran),
            right_now: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn at(at: u64) -> Moment {
        Moment(ms(at))
    }

    fn look(threads: &mut Threads, now: u64, readings: &[(u32, u64, u64)]) {
        threads.begin_look(at(now));
        for (number, ran, waited) in readings {
            threads.add(*number, Times { ran: ms(*ran), waited: ms(*waited) });
        }
        threads.end_look();
    }

    fn waiting(threads: &Threads, ran: u64) -> [u128; 4] {
        let waiting = threads.waiting(ms(ran));
        [waiting.longest, waiting.sum, waiting.unreported, waiting.unseen].map(|time| time.as_millis())
    }

    #[test]
    fn what_a_thread_waited_is_kept_when_it_ends() {
        let mut threads = Threads::default();
        look(&mut threads, 100, &[(7, 100, 100)]);
        threads.begin(at(100));
        look(&mut threads, 120, &[(7, 101, 103), (9, 5, 30)]);
        assert_eq!(waiting(&threads, 6), [30, 33, 0, 0]);
        // The ninth may have waited since then.
        look(&mut threads, 140, &[(7, 101, 104), (11, 2, 10)]);
        assert_eq!(waiting(&threads, 8), [30, 44, 20, 0]);
        // It ran for two more milliseconds after it was last seen, and another thread began and ended unseen.
        assert_eq!(waiting(&threads, 15), [30, 44, 20, 7]);
        threads.begin(at(141));
        assert_eq!(waiting(&threads, 0), [0, 0, 0, 0], "that was in the previous turn");
        look(&mut threads, 160, &[(7, 101, 105), (11, 2, 10)]);
        assert_eq!(waiting(&threads, 0), [1, 1, 0, 0]);
    }

    #[test]
    fn a_thread_that_waits_and_ends_may_have_waited_since_it_ran_last() {
        let mut threads = Threads::default();
        threads.begin(at(0));
        look(&mut threads, 10, &[(7, 1, 0), (9, 4, 0)]);
        look(&mut threads, 30, &[(7, 1, 0), (9, 4, 0)]);
        look(&mut threads, 50, &[(7, 1, 0), (9, 4, 0)]);
        look(&mut threads, 70, &[(7, 2, 0)]);
        assert_eq!(waiting(&threads, 6), [0, 0, 60, 0]);
    }

    #[test]
    fn a_number_may_be_another_threads_now() {
        let mut threads = Threads::default();
        look(&mut threads, 100, &[(7, 100, 100)]);
        threads.begin(at(100));
        look(&mut threads, 110, &[(7, 104, 120)]);
        look(&mut threads, 130, &[(7, 1, 2)]);
        assert_eq!(waiting(&threads, 5), [20, 22, 20, 0]);
    }
}
