//! Counts a game's faults and thinking times by seat, turn by turn.

use super::Page;
use crate::rules::{BySeat, Fault, FaultKind, Seat};

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

/// Thinking times of one seat in one game, in microseconds: what it is charged, and the clock on the wall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thinking {
    /// Of all turns together.
    pub total_us: u64,
    /// Of the turn that is longer than 99 of 100.
    pub p99_us: u64,
    /// Of the longest turn.
    pub max_us: u64,
    /// Of all turns together, by the clock on the wall.
    pub wall_us: u64,
    /// Of the longest turn, by the clock on the wall.
    pub wall_max_us: u64,
}

impl Tally {
    /// Begins with nothing.
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
            // A late turn is counted as such; that its answer came after all is no second fault.
            for (kind, lines) in answer.dropped.iter().filter(|(kind, _)| *kind != FaultKind::Late) {
                count.faults[kind as usize] += u64::from(lines);
            }
        }
    }

    /// Returns how often a seat committed a fault: turns, but parts of answers for `illegal` and lines for `early`
    /// and `extra`.
    pub fn faults(&self, seat: Seat, kind: FaultKind) -> u64 {
        self.0[seat].faults[kind as usize]
    }

    /// Returns a seat's thinking times.
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
