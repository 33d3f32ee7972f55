//! Trials of numbers: in positions of each kind, the judge is asked for its verdict on answers with many different
//! numbers. Those that are well-formed are later given in games.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::deeds::sample;
use super::wrong::{Wrong, fail_if_judge_failed};
use crate::game::JudgeGame;
use referee_rules::game::Game;
use referee_rules::{Fault, Seat, Seed};

/// Maximum number of positions of a game in which numbers are tried.
pub(super) const POSITIONS: usize = 6;

/// Maximum number of integers for whose verdicts a judge is asked in one examination.
const INTEGERS_MAX: usize = 60_000;

/// Small numbers: all are tried, and they are given in games before others that are not allowed.
const SMALL: std::ops::RangeInclusive<i64> = -10..=100;

/// A number as the integer at a place of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Trial {
    place: usize,
    number: i64,
}

/// Whether a seat has numbers in its queue that were not given yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// No seat has any.
    None,
    /// There are no more than are unlikely to be allowed.
    OnlyUnlikely,
    /// There are more.
    Likely,
}

/// Numbers that were tried as answers, and those that are still to be given in games.
#[derive(Debug, Default)]
pub(super) struct NumberTrials {
    /// Number of integers of all answers on which the judge was asked for its verdict.
    tried_integers: usize,
    /// Number of questions at which the judge was no longer asked for verdicts.
    skipped_questions: usize,
    /// For each seat the numbers whose answers are well-formed, be they allowed or not.
    well_formed: BTreeMap<usize, BTreeSet<Trial>>,
    /// The numbers that are allowed somewhere.
    allowed: BTreeSet<i64>,
    /// The numbers at the ends of ranges of allowed ones.
    edges: BTreeSet<i64>,
    /// Number of numbers that are neither small nor allowed, of the seat that has most. They come last in its queue.
    unlikely_max: usize,
    /// For each seat the numbers that are to be given in games.
    queues: BTreeMap<usize, VecDeque<Trial>>,
}

impl NumberTrials {
    /// Asks for verdicts on many numbers in the place of the first integer of a sample, and of the last one, until the
    /// time is over.
    pub(super) fn check(
        &mut self,
        game: &mut JudgeGame,
        chance: Seed,
        is_over: &dyn Fn() -> bool,
    ) -> Result<(), Wrong> {
        for seat in game.asked().to_vec() {
            let base = sample(game, seat, chance);
            let mut places = vec![0, base.len().saturating_sub(1)];
            places.dedup();
            if base.is_empty() {
                continue;
            }
            if self.tried_integers > INTEGERS_MAX {
                self.skipped_questions += 1;
                continue;
            }
            for place in places {
                let mut ask_verdict = |numbers: &mut NumberTrials, number| {
                    numbers.is_accepted(game, seat, &base, Trial { place, number })
                };
                if !self.check_place(&mut ask_verdict, is_over)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Asks for verdicts on all numbers in one place, and looks for the ends of ranges. `ask_verdict` tells whether the
    /// judge accepts a number there. Returns `false` if the time was over before.
    fn check_place(
        &mut self,
        ask_verdict: &mut dyn FnMut(&mut NumberTrials, i64) -> Result<bool, Wrong>,
        is_over: &dyn Fn() -> bool,
    ) -> Result<bool, Wrong> {
        // The number before, and whether it was accepted.
        let mut before: Option<(i64, bool)> = None;
        for number in numbers() {
            if is_over() {
                return Ok(false);
            }
            let is_accepted = ask_verdict(self, number)?;
            if is_accepted {
                self.allowed.insert(number);
            }
            // If the verdict changed, a range begins or ends between the last number and this one.
            if let Some((mut low, is_low_accepted)) = before
                && is_low_accepted != is_accepted
            {
                let mut high = number;
                while high.abs_diff(low) > 1 && !is_over() {
                    let middle = low.midpoint(high);
                    if ask_verdict(self, middle)? == is_low_accepted {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                self.edges.extend([low, high]);
            }
            before = Some((number, is_accepted));
        }
        Ok(true)
    }

    /// Asks the judge for its verdict on a sample with another number in one place. Tells whether it has no fault.
    fn is_accepted(
        &mut self,
        game: &mut JudgeGame,
        seat: Seat,
        sample: &[i64],
        trial: Trial,
    ) -> Result<bool, Wrong> {
        let mut answer = sample.to_vec();
        answer[trial.place] = trial.number;
        self.tried_integers += answer.len();
        let verdict = game.answer(seat, Ok(&answer));
        fail_if_judge_failed(game)?;
        // The judge is told of a malformed answer as a fault, and not of its number.
        if !matches!(verdict, Some(Fault::Malformed(_))) {
            self.well_formed.entry(seat.index()).or_default().insert(trial);
        }
        Ok(verdict.is_none())
    }

    /// Queues all well-formed numbers: first the ends of ranges, then the allowed and the small ones, last the unlikely
    /// ones.
    pub(super) fn begin(&mut self) {
        for (seat, well_formed) in std::mem::take(&mut self.well_formed) {
            let mut queue: Vec<Trial> = well_formed.into_iter().collect();
            let is_unlikely = |number: &i64| !self.allowed.contains(number) && !SMALL.contains(number);
            queue.sort_by_key(|Trial { number, .. }| {
                (!self.edges.contains(number), is_unlikely(number), !is_liked(*number))
            });
            let unlikely = queue.iter().filter(|trial| is_unlikely(&trial.number)).count();
            self.unlikely_max = self.unlikely_max.max(unlikely);
            self.queues.insert(seat, queue.into());
        }
    }

    /// Returns the next answer of a seat that was not given yet.
    pub(super) fn next(&mut self, seat: Seat, sample: &[i64]) -> Option<Vec<i64>> {
        let Trial { place, number } = self.queues.get_mut(&seat.index())?.pop_front()?;
        let mut answer = sample.to_vec();
        *answer.get_mut(place)? = number;
        Some(answer)
    }

    /// Returns the small numbers that are given again and again: those that are allowed or well-formed.
    pub(super) fn stubborn(&self) -> Vec<i64> {
        let is_queued = |number: &i64| self.queues.values().flatten().any(|trial| trial.number == *number);
        (-1..=STUBBORN_MAX).filter(|number| self.allowed.contains(number) || is_queued(number)).collect()
    }

    /// Tells which numbers are left to give, by the longest queue.
    pub(super) fn left(&self) -> Left {
        match self.queues.values().map(VecDeque::len).max().unwrap_or(0) {
            0 => Left::None,
            longest if longest <= self.unlikely_max => Left::OnlyUnlikely,
            _ => Left::Likely,
        }
    }

    /// Ends the games with this setting. Says what was left out.
    pub(super) fn end(&mut self) -> Vec<String> {
        let mut left_out = Vec::new();
        let queued: usize = self.queues.values().map(VecDeque::len).sum();
        if queued > 0 {
            left_out.push(format!(
                "{queued} numbers as answers of a seat: it was asked for a verdict, but they were not given"
            ));
        }
        if self.skipped_questions > 0 {
            left_out.push(format!(
                "{} questions: it was not asked for verdicts on many numbers",
                self.skipped_questions
            ));
        }
        *self = NumberTrials { tried_integers: self.tried_integers, ..NumberTrials::default() };
        left_out
    }
}

/// The greatest number that is given again and again.
const STUBBORN_MAX: i64 = 9;

/// Tells whether all digits of a number are equal, as people like.
fn is_liked(number: i64) -> bool {
    let digits = number.to_string();
    digits.bytes().all(|digit| digit == digits.as_bytes()[0])
}

/// Returns the numbers that are tried, in their order: all small ones; powers of two and of ten with their neighbours,
/// where limits are; and those of equal digits, which people like.
fn numbers() -> Vec<i64> {
    let powers = (7..63).map(|power| 1i64 << power).chain((3..=18).map(|power| 10i64.pow(power)));
    let near = powers.flat_map(|power| [power - 1, power, power + 1]);
    let equal = [111, 1111, 11_111].into_iter().flat_map(|ones| (1..=9).map(move |digit| ones * digit));
    let positive: Vec<i64> = near.chain(equal).chain([i64::MAX]).collect();
    // Of these, only powers of two and their successors are tried as negative numbers, too.
    let negative = positive.iter().filter(|number| number.count_ones() <= 2).map(|number| -number);
    let all: BTreeSet<i64> =
        SMALL.chain(negative).chain([i64::MIN, i64::MIN + 1]).chain(positive.iter().copied()).collect();
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_and_limits_are_tried_in_their_order() {
        let all = numbers();
        assert!(all.is_sorted() && all.len() < 500, "{}", all.len());
        for limit in [-10, -1, 0, 9, 100, 128, 255, 7777, 1000, 65_536, i64::MIN, i64::MAX] {
            assert!(all.contains(&limit), "{limit}");
        }
    }
}
