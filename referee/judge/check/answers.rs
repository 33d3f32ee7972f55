//! Numbers as answers: the judge is asked for verdicts on many in positions of each kind, and those that count are
//! given in games.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::deeds::sample;
use super::wrong::{Wrong, in_order};
use crate::game::JudgeGame;
use referee_rules::game::Game;
use referee_rules::{Fault, Seat, Seed};

/// Maximum number of positions of a game in which numbers are tried.
pub(super) const POSITIONS: usize = 6;

/// Maximum number of integers for whose verdicts a judge is asked in one examination.
const INTEGERS_MAX: usize = 60_000;

/// What is tried before the rest.
const SMALL: std::ops::RangeInclusive<i64> = -10..=100;

/// Numbers that were tried as answers, and those that are still to be given in games.
#[derive(Debug, Default)]
pub(super) struct NumberTrials {
    /// Number of integers for whose verdicts it was asked.
    asked: usize,
    /// Number of questions for which no verdict was asked any more.
    left_out: usize,
    /// For each seat the numbers that count, at a place of its answer.
    counting: BTreeMap<usize, BTreeSet<(usize, i64)>>,
    /// Those that are allowed somewhere, and those at the ends of ranges.
    allowed: BTreeSet<i64>,
    edges: BTreeSet<i64>,
    /// Maximum number of numbers of a seat that are large and not allowed.
    large: usize,
    /// For each seat those that are to be given.
    queues: BTreeMap<usize, VecDeque<(usize, i64)>>,
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
            if base.is_empty() || self.asked > INTEGERS_MAX {
                self.left_out += usize::from(!base.is_empty());
                continue;
            }
            for place in places {
                let mut is_fine =
                    |numbers: &mut NumberTrials, number| numbers.is_fine(game, seat, &base, place, number);
                if !self.check_place(&mut is_fine, is_over)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Asks for verdicts on all numbers in one place, and looks for the ends of ranges. Returns `false` if the time was
    /// over before.
    fn check_place(
        &mut self,
        is_fine: &mut dyn FnMut(&mut NumberTrials, i64) -> Result<bool, Wrong>,
        is_over: &dyn Fn() -> bool,
    ) -> Result<bool, Wrong> {
        let mut before: Option<(i64, bool)> = None;
        for number in numbers() {
            if is_over() {
                return Ok(false);
            }
            let fine = is_fine(self, number)?;
            if fine {
                self.allowed.insert(number);
            }
            // The edge of a range is between the two.
            if let Some((mut low, low_is_fine)) = before.filter(|(_, other)| *other != fine) {
                let mut high = number;
                while high.abs_diff(low) > 1 && !is_over() {
                    let middle = low.midpoint(high);
                    let is_low = is_fine(self, middle)? == low_is_fine;
                    *(if is_low { &mut low } else { &mut high }) = middle;
                }
                self.edges.extend([low, high]);
            }
            before = Some((number, fine));
        }
        Ok(true)
    }

    /// Tells whether a sample with another number in one place has no fault.
    fn is_fine(
        &mut self,
        game: &mut JudgeGame,
        seat: Seat,
        sample: &[i64],
        place: usize,
        number: i64,
    ) -> Result<bool, Wrong> {
        let mut answer = sample.to_vec();
        answer[place] = number;
        self.asked += answer.len();
        let verdict = game.answer(seat, Ok(&answer));
        in_order(game)?;
        // The judge is told of a malformed answer as a fault, and not of its number.
        if !matches!(verdict, Some(Fault::Malformed(_))) {
            self.counting.entry(seat.index()).or_default().insert((place, number));
        }
        Ok(verdict.is_none())
    }

    /// Queues all numbers that count: first the ends of ranges, the allowed ones and the small ones.
    pub(super) fn begin(&mut self) {
        for (seat, counting) in std::mem::take(&mut self.counting) {
            let mut all: Vec<(usize, i64)> = counting.into_iter().collect();
            let is_large = |number: &i64| !self.allowed.contains(number) && !SMALL.contains(number);
            all.sort_by_key(|(_, number)| {
                (!self.edges.contains(number), is_large(number), !is_liked(*number))
            });
            self.large = self.large.max(all.iter().filter(|(_, number)| is_large(number)).count());
            self.queues.insert(seat, all.into());
        }
    }

    /// Returns the next answer of a seat that was not given yet.
    pub(super) fn next(&mut self, seat: Seat, sample: &[i64]) -> Option<Vec<i64>> {
        let (place, number) = self.queues.get_mut(&seat.index())?.pop_front()?;
        let mut answer = sample.to_vec();
        *answer.get_mut(place)? = number;
        Some(answer)
    }

    /// Returns the small numbers that are given again and again: those that are allowed, and those that count.
    pub(super) fn stubborn(&self) -> Vec<i64> {
        let is_queued = |number: &i64| self.queues.values().flatten().any(|(_, queued)| queued == number);
        (-1..=STUBBORN_MAX).filter(|number| self.allowed.contains(number) || is_queued(number)).collect()
    }

    /// Tells whether numbers are left to give, and whether they are more than those that are large and not allowed.
    pub(super) fn are_left(&self) -> (bool, bool) {
        let most = self.queues.values().map(VecDeque::len).max().unwrap_or(0);
        (most > 0, most > self.large)
    }

    /// Ends the games with this setting. Says what was left out.
    pub(super) fn end(&mut self) -> Vec<String> {
        let queued = self.queues.values().map(VecDeque::len).sum();
        let left_out = self.left_out;
        *self = NumberTrials { asked: self.asked, ..NumberTrials::default() };
        let count = |count: usize, what: &str| (count > 0).then(|| format!("{count} {what}"));
        [
            count(
                queued,
                "numbers as answers of a seat: it was asked for a verdict, but they were not given",
            ),
            count(left_out, "questions: it was not asked for verdicts on many numbers"),
        ]
        .into_iter()
        .flatten()
        .collect()
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
