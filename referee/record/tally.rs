//! Counts a game's faults and thinking times by seat, turn by turn.

use super::Page;
use referee_rules::{BySeat, Fault, FaultKind, Seat};

/// Faults and thinking times of one game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally(BySeat<Count>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Count {
    faults: [u64; FaultKind::ALL.len()],
    times_us: Vec<u64>,
    wall_us: u64,
    wall_max_us: u64,
}

/// Thinking times of one seat in one game, in microseconds: charged, and elapsed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thinking {
    /// Charged time of all turns together.
    pub total_us: u64,
    /// 99 % quantile of the charged time of a turn.
    pub p99_us: u64,
    /// Charged time of the longest turn.
    pub max_us: u64,
    /// Elapsed time of all turns together.
    pub wall_us: u64,
    /// Elapsed time of the longest turn.
    pub wall_max_us: u64,
}

impl Tally {
    /// Begins with nothing.
    #[inline]
    pub fn new(seats: usize) -> Tally {
        Tally(BySeat::from_fn(seats, |_| Count::default()))
    }

    /// Adds a turn.
    pub fn add(&mut self, page: &Page<'_>) {
        for (answer, verdict) in page.answers.iter().zip(page.verdicts) {
            let count = &mut self.0[answer.seat];
            count.times_us.push(answer.thinking.as_micros() as u64);
            let wall = answer.wall.as_micros() as u64;
            count.wall_us = count.wall_us.saturating_add(wall);
            count.wall_max_us = count.wall_max_us.max(wall);
            match verdict {
                // Orders, not turns: a team of 50 with one bad order has not lost the turn.
                Some(Fault::Illegal(illegal)) => {
                    count.faults[FaultKind::Illegal as usize] += u64::from(illegal.count)
                }
                Some(fault) => count.faults[fault.kind() as usize] += 1,
                None => {}
            }
            // A late turn is counted as such. Its answer, when it comes, is no second fault.
            for (kind, lines) in answer.dropped.iter().filter(|(kind, _)| *kind != FaultKind::Late) {
                count.faults[kind as usize] += u64::from(lines);
            }
        }
    }

    /// Returns the number of a seat's faults of a kind. It counts turns, but for `illegal` parts of answers, and for
    /// `early` and `extra` lines.
    #[inline]
    pub fn faults(&self, seat: Seat, kind: FaultKind) -> u64 {
        self.0[seat].faults[kind as usize]
    }

    /// Returns a seat's thinking times.
    #[inline]
    pub fn thinking(&self, seat: Seat) -> Thinking {
        let mut times = self.0[seat].times_us.clone();
        times.sort_unstable();
        let rank = (times.len() * 99).div_ceil(100).saturating_sub(1);
        Thinking {
            total_us: times.iter().fold(0, |sum, time| sum.saturating_add(*time)),
            p99_us: times.get(rank).copied().unwrap_or(0),
            max_us: times.last().copied().unwrap_or(0),
            wall_us: self.0[seat].wall_us,
            wall_max_us: self.0[seat].wall_max_us,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Answer;
    use referee_rules::Events;

    fn add(tally: &mut Tally, answer: Answer, verdict: Option<Fault>) {
        let (answers, verdicts) = ([answer], [verdict]);
        tally.add(&Page { turn: 0, answers: &answers, verdicts: &verdicts, events: &Events::default() });
    }

    #[test]
    fn of_a_hundred_turns_the_second_longest_is_longer_than_99_of_100() {
        for (turns, expected) in [(1_u64, 1), (2, 2), (99, 99), (100, 99), (101, 100), (200, 198), (201, 199)]
        {
            let mut tally = Tally::new(1);
            // The longest first: the order of the turns does not matter.
            for turn in (1..=turns).rev() {
                let thinking = Duration::from_micros(turn);
                let answer = Answer { thinking, wall: 2 * thinking, ..Answer::empty(Seat::new(0)) };
                add(&mut tally, answer, None);
            }
            let sum = turns * (turns + 1) / 2;
            let expected = Thinking {
                total_us: sum,
                p99_us: expected,
                max_us: turns,
                wall_us: 2 * sum,
                wall_max_us: 2 * turns,
            };
            assert_eq!(tally.thinking(Seat::new(0)), expected, "{turns} turns");
        }
        assert_eq!(Tally::new(1).thinking(Seat::new(0)), Thinking::default());
    }

    #[test]
    fn an_answer_that_comes_after_its_turn_is_no_second_fault() {
        let seat = Seat::new(0);
        let mut tally = Tally::new(1);
        add(&mut tally, Answer::empty(seat), Some(Fault::Late));
        let mut answer = Answer::empty(seat);
        answer.dropped.add(FaultKind::Late, 1);
        answer.dropped.add(FaultKind::Extra, 1);
        add(&mut tally, answer, None);
        assert_eq!([FaultKind::Late, FaultKind::Extra].map(|kind| tally.faults(seat, kind)), [1, 1]);
    }
}
