//! The waits of a bot's threads that the launcher holds (see `listener`): when it looks at each, and when it ends it.
//! This module reads no clock and makes no system call.
//!
//! A thread waits as long as a value in its memory stays the same, and nothing wakes it. From time to time the launcher
//! looks whether the value has changed. The longer the wait, the later the next look: the end of a short wait is
//! noticed soon, and a long wait costs little.

use std::time::Duration;

use crate::clock::Moment;

/// Minimum time until a look, and between two waits that are accepted, for any number of waiting threads.
pub(super) const PAUSE_MIN: Duration = Duration::from_micros(50);

/// Maximum time between two looks at a wait, unless many threads wait.
const PAUSE_MAX: Duration = Duration::from_millis(1);

/// The pause until the next look is the time that the thread has been waiting, divided by this.
const PAUSE_DIVISOR: u32 = 8;

/// After this time a thread is sent to check for itself. No library needs that, but a program might, if its
/// value has changed and changed back.
const LOOKS_ITSELF: Duration = Duration::from_millis(100);

/// A thread's wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wait {
    /// The kernel's number for it.
    pub(super) id: u64,
    pub(super) thread: u32,
    pub(super) address: u64,
    /// The value at which it continues to wait.
    pub(super) value: u32,
    pub(super) since: Moment,
    pub(super) limit: Limit,
}

/// The time limit of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    None,
    /// Up to a time. A thread that is sent to look for itself waits up to the same time again.
    Until(Moment),
    /// The end of a length of time. A thread that is sent to look for itself could wait for the whole length again.
    For(Moment),
}

/// How a wait is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The thread has to look at the value.
    Changed,
    /// The time is over.
    TimedOut,
}

impl Wait {
    /// Returns how a look at the value ends the wait; `None` if it continues. `value` is `None` if it could
    /// not be read.
    pub(super) fn end(&self, value: Option<u32>, now: Moment) -> Option<Answer> {
        let waited = now - self.since;
        if value.is_some_and(|value| value != self.value) {
            return Some(Answer::Changed);
        }
        if self.time_limit().is_some_and(|limit| limit <= now) {
            return Some(Answer::TimedOut);
        }
        let looks_itself = match (value, self.limit) {
            (None, _) => waited >= PAUSE_MAX,
            // The thread might wait again for the whole length.
            (Some(_), Limit::For(_)) => false,
            (Some(_), Limit::None | Limit::Until(_)) => waited >= LOOKS_ITSELF,
        };
        looks_itself.then_some(Answer::Changed)
    }

    fn time_limit(&self) -> Option<Moment> {
        match self.limit {
            Limit::None => None,
            Limit::Until(time) | Limit::For(time) => Some(time),
        }
    }
}

/// The waits of a bot.
#[derive(Debug, Default)]
pub(super) struct Holds {
    /// Each wait, with the time of its next look.
    waits: Vec<(Wait, Moment)>,
    /// The time when the last one was accepted.
    accepted_at: Option<Moment>,
}

impl Holds {
    /// Accepts a wait. An earlier wait of the same thread is over.
    pub(super) fn take(&mut self, wait: Wait, now: Moment) {
        self.accepted_at = Some(now);
        self.waits.retain(|(other, _)| other.thread != wait.thread);
        self.keep(wait, now);
    }

    /// Delays the next call as [`take`](Holds::take) does, after a call that was no wait.
    pub(super) fn delay_next(&mut self, now: Moment) {
        self.accepted_at = Some(now);
    }

    /// Returns a wait whose next look is due, and removes it.
    pub(super) fn next_due(&mut self, now: Moment) -> Option<Wait> {
        let at = self.waits.iter().position(|(_, look)| *look <= now)?;
        Some(self.waits.swap_remove(at).0)
    }

    /// Holds a wait until its next look. The more waits there are, the later it is, so that the total number
    /// of looks does not grow.
    pub(super) fn keep(&mut self, wait: Wait, now: Moment) {
        let waited = now - wait.since;
        let pause = (waited / PAUSE_DIVISOR).clamp(PAUSE_MIN, PAUSE_MAX);
        let mut look = now + pause.max(PAUSE_MIN * (self.waits.len() as u32 + 1));
        if let Some(limit) = wait.time_limit() {
            look = look.min(limit).max(now + PAUSE_MIN);
        }
        self.waits.push((wait, look));
    }

    /// Tells whether another wait can be accepted now: not right after the last one.
    pub(super) fn is_open(&self, now: Moment) -> bool {
        self.accepted_at.is_none_or(|at| now - at >= PAUSE_MIN)
    }

    /// Returns the time until the next look is due, or until waits can be accepted again; `None` if only a
    /// new wait can happen.
    pub(super) fn pause(&self, now: Moment) -> Option<Duration> {
        let opening = self.accepted_at.filter(|_| !self.is_open(now)).map(|at| at + PAUSE_MIN);
        self.waits.iter().map(|(_, look)| *look).chain(opening).min().map(|next| next - now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Moment {
        Moment(Duration::from_micros(us))
    }

    fn wait(thread: u32, limit: Limit, since: Moment) -> Wait {
        Wait { id: thread.into(), thread, address: 4096, value: 3, since, limit }
    }

    /// Looks at all waits until some time, with an unchanged value. Returns the time of each look, and the
    /// waits that ended.
    fn look(holds: &mut Holds, until: Moment) -> Vec<(Moment, u32, Option<Answer>)> {
        let mut now = us(0);
        let mut looks = Vec::new();
        while now < until {
            while let Some(wait) = holds.next_due(now) {
                let end = wait.end(Some(wait.value), now);
                looks.push((now, wait.thread, end));
                if end.is_none() {
                    holds.keep(wait, now);
                }
            }
            let Some(pause) = holds.pause(now) else { return looks };
            assert!(pause > Duration::ZERO, "it does not spin");
            now = now + pause;
        }
        looks
    }

    #[test]
    fn the_longer_a_thread_waits_the_rarer_are_looks() {
        let mut holds = Holds::default();
        holds.take(wait(7, Limit::For(us(1_000_000)), us(0)), us(0));
        let looks = look(&mut holds, us(100_000));
        for pair in looks.windows(2) {
            let expected = (pair[0].0.0 / 8).clamp(Duration::from_micros(50), Duration::from_millis(1));
            assert_eq!(pair[1].0 - pair[0].0, expected, "{pair:?}");
        }
        assert_eq!(looks[0].0, us(50));
        assert!((90..150).contains(&looks.len()), "{} looks in 100 ms", looks.len());
    }

    #[test]
    fn a_value_that_has_changed_counts_before_all_else() {
        for limit in [Limit::None, Limit::Until(us(9)), Limit::For(us(9))] {
            assert_eq!(wait(7, limit, us(0)).end(Some(4), us(200_000)), Some(Answer::Changed));
        }
    }

    #[test]
    fn a_time_that_is_over_is_told_at_once_and_never_too_soon() {
        for limit in [Limit::Until(us(20_000)), Limit::For(us(20_000))] {
            for value in [Some(3), None] {
                assert_ne!(wait(7, limit, us(0)).end(value, us(19_999)), Some(Answer::TimedOut));
                assert_eq!(wait(7, limit, us(0)).end(value, us(20_000)), Some(Answer::TimedOut));
            }
            let mut holds = Holds::default();
            holds.take(wait(7, limit, us(0)), us(0));
            let last = look(&mut holds, us(50_000)).pop();
            assert_eq!(last, Some((us(20_000), 7, Some(Answer::TimedOut))));
        }
    }

    #[test]
    fn after_a_while_a_thread_looks_itself_unless_it_would_begin_anew() {
        let far = us(10_000_000);
        for (limit, read_from, unread_from) in [
            (Limit::None, Some(100_000), 1_000),
            (Limit::Until(far), Some(100_000), 1_000),
            (Limit::For(far), None, 1_000),
        ] {
            let wait = wait(7, limit, us(0));
            for now in [0, 999, 1_000, 99_999, 100_000, 9_999_999] {
                let answer = |from: Option<u64>| from.filter(|from| now >= *from).map(|_| Answer::Changed);
                assert_eq!(wait.end(Some(3), us(now)), answer(read_from), "{limit:?} {now}");
                assert_eq!(wait.end(None, us(now)), answer(Some(unread_from)), "{limit:?} {now}");
            }
        }
    }

    #[test]
    fn a_thread_waits_once() {
        let mut holds = Holds::default();
        holds.take(wait(7, Limit::None, us(0)), us(0));
        holds.take(Wait { id: 1, ..wait(7, Limit::None, us(10)) }, us(10));
        assert_eq!(holds.next_due(us(1_000)).map(|wait| wait.id), Some(1));
        assert_eq!(holds.next_due(us(1_000)), None);
    }

    #[test]
    fn however_many_threads_wait_looks_are_no_more() {
        for threads in [1, 4, 32, 500] {
            let mut holds = Holds::default();
            for thread in 0..threads {
                holds.take(wait(thread, Limit::For(us(10_000_000)), us(0)), us(0));
            }
            let looks = look(&mut holds, us(1_000_000)).len();
            assert!(looks <= 21_000, "{threads} threads: {looks} looks in a second");
        }
        // Nor are more accepted if each is interrupted at once.
        let (mut holds, mut now, mut count) = (Holds::default(), us(0), 0);
        while now < us(100_000) {
            if holds.is_open(now) {
                holds.take(wait(count % 5, Limit::None, now), now);
                count += 1;
            }
            now = now + Duration::from_micros(3);
        }
        assert!((1_800..=2_000).contains(&count) && holds.waits.len() == 5, "{count} in 100 ms");
    }
}
