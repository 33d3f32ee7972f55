//! Confidence sequences: intervals for the mean of values in [-1, 1] that hold after each value, however
//! often one looks. Arithmetic alone, without bots and rounds.
//!
//! Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", JRSS-B 86 (2024), arXiv
//! 2010.09686: hedged capital, bets by aGRAPA. For each of some marks `m`, two gamblers begin with 1. One bets that the
//! mean lies above `m`, the other that it lies below. If the mean is at most `m`, the first expects to gain nothing,
//! whatever happened before, so by Ville's inequality it ever reaches `2 / alpha` with a probability of at most
//! `alpha / 2`. If it does, `m` and all marks below are rejected for good.
//!
//! The intervals are right with any set of marks. A bound only moves to a mark if all marks on the way are rejected, so
//! it errs outwards, by no more than the distance to the next mark. (The grid of the Python package `confseq` gives the
//! same bounds on the same marks; a test compares.)

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The boldness of gamblers. It decides how soon a mean is known, but not whether the intervals are right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bets {
    /// The greatest part of the highest possible stake that is used. A gambler who stakes everything is
    /// ruined by one bad value.
    pub stake_max: f64,
    /// The variance that is assumed before the first value.
    pub variance: f64,
}

impl Bets {
    /// Bets for differences of shares. Between good bots their standard deviation is some hundredths, so the
    /// greatest possible loss limits the stake, not their variance. 0.99 tells two bots apart in seven tenths
    /// of the games of 0.75.
    pub const SHARES: Bets = Bets { stake_max: 0.99, variance: 1.0 / 16.0 };
}

/// Bound on the relative rounding error of a product of a million factors.
const ROUNDING: f64 = 1e-9;

/// The possible values of bounds, apart from -1 and 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<f64>", into = "Vec<f64>")]
pub struct Marks(Arc<[f64]>);

impl From<Vec<f64>> for Marks {
    fn from(values: Vec<f64>) -> Marks {
        Marks(values.into())
    }
}

impl From<Marks> for Vec<f64> {
    fn from(Marks(values): Marks) -> Vec<f64> {
        values.to_vec()
    }
}

impl Marks {
    /// Uses these values as marks. Values outside (-1, 1) are left out.
    pub fn new(values: impl IntoIterator<Item = f64>) -> Marks {
        let mut marks: Vec<f64> = values.into_iter().filter(|mark| mark.abs() < 1.0).collect();
        marks.sort_by(f64::total_cmp);
        marks.dedup();
        Marks(marks.into())
    }

    /// Uses all thousandths as marks, and these values, too.
    pub fn thousandths(values: impl IntoIterator<Item = f64>) -> Marks {
        Marks::parts(1000, values)
    }

    /// Uses all parts of this size as marks, 100 for hundredths, and these values, too.
    pub fn parts(parts: u16, values: impl IntoIterator<Item = f64>) -> Marks {
        let parts = i32::from(parts);
        Marks::new((1 - parts..parts).map(|mark| f64::from(mark) / f64::from(parts)).chain(values))
    }

    fn mirrored(&self) -> Marks {
        Marks(self.0.iter().rev().map(|mark| 0.0 - mark).collect())
    }
}

/// A range that contains a mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The mean is not below it.
    pub lower: f64,
    /// The mean is not above it.
    pub upper: f64,
}

/// The confidence sequence of one mean: all its intervals together hold the mean with a probability of at least
/// `1 - alpha`, however often one looks.
///
/// The values need not be independent: it is enough that each has the same expectation, given all before it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ConfidenceSequence {
    above: Gamblers,
    /// Gamblers who bet on the values with their sign changed.
    below: Gamblers,
}

impl ConfidenceSequence {
    /// Creates a sequence without values, with bets that suit shares.
    ///
    /// # Panics
    ///
    /// Panics unless `alpha` lies between 0 and 1.
    pub fn new(alpha: f64, marks: &Marks) -> ConfidenceSequence {
        ConfidenceSequence::with_bets(alpha, Bets::SHARES, marks)
    }

    /// Creates a sequence with these bets.
    ///
    /// # Panics
    ///
    /// Panics unless `alpha` lies between 0 and 1.
    pub fn with_bets(alpha: f64, bets: Bets, marks: &Marks) -> ConfidenceSequence {
        assert!(0.0 < alpha && alpha < 1.0, "alpha is a probability: {alpha}");
        ConfidenceSequence {
            above: Gamblers::new(alpha, bets, marks.clone()),
            below: Gamblers::new(alpha, bets, marks.mirrored()),
        }
    }

    /// Adds the next value.
    ///
    /// # Panics
    ///
    /// Panics if it does not lie in [-1, 1]: then no interval would hold.
    pub fn add(&mut self, value: f64) {
        self.add_within(Interval { lower: value, upper: value });
    }

    /// Adds the next value, of which only a lower and an upper end are known. Gamblers who bet that the mean
    /// lies above a mark are paid by the lower end, the others by the upper. So none of them expects more
    /// than from the value itself, whatever the reason why it is unknown.
    ///
    /// # Panics
    ///
    /// As for [`add`](ConfidenceSequence::add).
    pub fn add_within(&mut self, Interval { lower, upper }: Interval) {
        assert!(-1.0 <= lower && lower <= upper && upper <= 1.0, "values in [-1, 1], not {lower} to {upper}");
        self.above.bet(lower);
        self.below.bet(-upper);
    }

    /// Returns the current interval of the mean.
    pub fn interval(&self) -> Interval {
        Interval { lower: self.above.bound(), upper: 0.0 - self.below.bound() }
    }
}

/// The confidence interval of a mean share, from 0 to 1: at any time, it holds the expectation of the values with a
/// probability of at least `1 - alpha`, however often one looks.
///
/// It does not depend on the order of the values, so two bots with like results have intervals of like width. It
/// contains the mean of the values, and never leaves 0 to 1. Near 0 and 1 it is short on the side of the end: after 50
/// values with a mean of 0.001 it is 0.000 to 0.087 at 95 %.
///
/// For each possible mean `m`, gamblers with different constant stakes bet that the expectation lies above `m`, and
/// others that it lies below. All capital of a side together is a martingale if `m` is right, so it exceeds `2 / alpha`
/// with a probability of at most `alpha / 2`. Constant stakes never win on values whose mean is at most `m`. Source: as
/// for [`ConfidenceSequence`]; a mixture of stakes as in Cover, "Universal portfolios", Mathematical Finance 1 (1991).
///
/// Values are stored as counts at 257 places, each divided between its two neighbours so that their mean is
/// kept. Since a logarithm is concave, that never makes a gambler richer: the interval errs outwards.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MeanShare {
    alpha: f64,
    /// By knot: the count of the lower ends of the values.
    lower: Box<[f64]>,
    /// By knot: the count of 1 minus the upper ends.
    upper: Box<[f64]>,
}

/// Number of places at which values are counted, closest to each other near 0 and 1, plus 1.
const KNOTS: usize = 256;

/// The stakes of gamblers, as parts of the highest possible one, and the part of the capital that each has. The boldest
/// gambler, who wins where results hardly vary, has the greatest part.
const STAKES: [(f64, f64); 8] = [
    (1.0, 0.44),
    (0.5, 0.08),
    (0.25, 0.08),
    (0.125, 0.08),
    (0.0625, 0.08),
    (0.03125, 0.08),
    (0.015625, 0.08),
    (0.0078125, 0.08),
];

impl MeanShare {
    /// Creates an interval without values.
    ///
    /// # Panics
    ///
    /// Panics unless `alpha` lies between 0 and 1.
    pub fn new(alpha: f64) -> MeanShare {
        assert!(0.0 < alpha && alpha < 1.0, "alpha is a probability: {alpha}");
        let none = vec![0.0; KNOTS + 1].into_boxed_slice();
        MeanShare { alpha, lower: none.clone(), upper: none }
    }

    /// Adds the next value, of which a lower and an upper end are known; see [`ConfidenceSequence::add_within`].
    ///
    /// # Panics
    ///
    /// Panics if it does not lie in [0, 1]: then no interval would hold.
    pub fn add_within(&mut self, Interval { lower, upper }: Interval) {
        assert!(0.0 <= lower && lower <= upper && upper <= 1.0, "values in [0, 1], not {lower} to {upper}");
        count(&mut self.lower, lower);
        count(&mut self.upper, 1.0 - upper);
    }

    /// Returns the current interval, rounded outwards to four digits; 0 to 1 without a value.
    pub fn interval(&self) -> Interval {
        let lower = (min_mean(&self.lower, self.alpha / 2.0) * 1e4).floor() / 1e4;
        let upper = (min_mean(&self.upper, self.alpha / 2.0) * 1e4).floor() / 1e4;
        Interval { lower, upper: ((1.0 - upper) * 1e4).round() / 1e4 }
    }
}

fn knot(index: usize) -> f64 {
    (std::f64::consts::FRAC_PI_2 * index as f64 / KNOTS as f64).sin().powi(2)
}

/// Divides a value between the knots around it.
fn count(counts: &mut [f64], value: f64) {
    let place = value.sqrt().min(1.0).asin() / std::f64::consts::FRAC_PI_2 * KNOTS as f64;
    let mut below = (place as usize).min(KNOTS - 1);
    // Rounding must not put the value outside of its knots.
    while below > 0 && knot(below) > value {
        below -= 1;
    }
    while below + 1 < KNOTS && knot(below + 1) < value {
        below += 1;
    }
    let (left, right) = (knot(below), knot(below + 1));
    let part = ((value - left) / (right - left)).clamp(0.0, 1.0);
    counts[below] += 1.0 - part;
    counts[below + 1] += part;
}

/// Returns the smallest mean that the gamblers who bet on a greater one do not reject, with this level.
fn min_mean(counts: &[f64], level: f64) -> f64 {
    let values: Vec<(f64, f64)> = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0.0)
        .map(|(at, count)| (knot(at), *count))
        .collect();
    let needed = goal(level).ln();
    let is_rejected = |mean: f64| {
        let grown = |stake: f64| {
            let growth = |(value, count): &(f64, f64)| count * (1.0 - stake + stake * value / mean).ln();
            values.iter().map(growth).sum::<f64>()
        };
        let capitals = STAKES.map(|(stake, part)| (part.ln() + grown(stake) - needed).exp());
        capitals.iter().sum::<f64>() >= 1.0
    };
    let (mut rejected, mut open) = (0.0, 1.0);
    for _ in 0..18 {
        let middle = (rejected + open) / 2.0;
        if is_rejected(middle) {
            rejected = middle;
        } else {
            open = middle;
        }
    }
    rejected
}

/// The mean and the variance of the values so far, on which bets are based.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Moments {
    values: f64,
    sum: f64,
    /// Sum of the squared distances of each value to the mean that was known at that time, plus the assumed
    /// variance, so that the first values do not make gamblers bold.
    squares: f64,
}

impl Moments {
    pub(super) fn new(bets: Bets) -> Moments {
        Moments { values: 0.0, sum: 0.0, squares: bets.variance }
    }

    /// Returns the mean, as if a value of 0 had come first.
    pub(super) fn mean(&self) -> f64 {
        self.sum / (self.values + 1.0)
    }

    /// Returns the mean of the values alone; 0 if there is none.
    pub(super) fn plain_mean(&self) -> f64 {
        self.sum / self.values.max(1.0)
    }

    pub(super) fn variance(&self) -> f64 {
        self.squares / (self.values + 1.0)
    }

    pub(super) fn add(&mut self, value: f64) {
        self.values += 1.0;
        self.sum += value;
        self.squares += (value - self.mean()).powi(2);
    }
}

/// Returns the stake of a bet that the mean lies above `mark`, if the estimate is `edge` above it: aGRAPA. After a
/// value of -1, something is left.
pub(super) fn stake(bets: Bets, variance: f64, edge: f64, mark: f64) -> f64 {
    (edge / (variance + edge * edge)).min(bets.stake_max / (1.0 + mark))
}

/// Returns the capital that a gambler without an advantage ever reaches with this probability at most.
pub(super) fn goal(probability: f64) -> f64 {
    1.0 / probability * (1.0 + ROUNDING)
}

/// The gamblers who bet that the mean lies above their mark, one for each mark.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Gamblers {
    bets: Bets,
    marks: Marks,
    /// By mark, from the lowest that is not rejected to the highest on which somebody has bet: 1 at all above.
    /// Infinite once the goal is reached.
    capital: Vec<f64>,
    /// Number of rejected marks, from the lowest.
    rejected: usize,
    goal: f64,
    #[serde(rename = "seen")]
    values: Moments,
}

impl Gamblers {
    fn new(alpha: f64, bets: Bets, marks: Marks) -> Gamblers {
        let (capital, goal, values) = (Vec::new(), goal(alpha / 2.0), Moments::new(bets));
        Gamblers { bets, marks, capital, rejected: 0, goal, values }
    }

    fn bound(&self) -> f64 {
        self.rejected.checked_sub(1).map_or(-1.0, |last| self.marks.0[last])
    }

    fn bet(&mut self, value: f64) {
        let (mean, variance) = (self.values.mean(), self.values.variance());
        // A gambler whose mark is not below the mean so far stakes nothing.
        let bold = self.marks.0[self.rejected..].partition_point(|mark| *mark < mean);
        if self.capital.len() < bold {
            self.capital.resize(bold, 1.0);
        }
        let open = &self.marks.0[self.rejected..self.rejected + bold];
        for (mark, capital) in open.iter().zip(&mut self.capital) {
            *capital *= 1.0 + stake(self.bets, variance, mean - mark, *mark) * (value - mark);
            if *capital >= self.goal {
                *capital = f64::INFINITY;
            }
        }
        let newly_rejected = self.capital.iter().take_while(|capital| capital.is_infinite()).count();
        self.capital.drain(..newly_rejected);
        self.rejected += newly_rejected;
        self.values.add(value);
    }
}
