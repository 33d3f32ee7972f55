//! What may be said of a mean after each of its values, however often one looks: an anytime-valid confidence sequence
//! for values in [-1, 1]. Arithmetic alone: it knows no bots and no rounds.
//!
//! Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", JRSS-B 86 (2024), arXiv
//! 2010.09686: hedged capital, bets by aGRAPA. For each of some marks `m` two gamblers begin with 1. One bets that the
//! mean lies above `m`, one that it lies below; if the mean is at most `m` the first expects to gain nothing, whatever
//! was before, so by Ville's inequality it ever gets to `2 / alpha` with a probability of at most `alpha / 2`. Then `m` and
//! all below are rejected, for good.
//!
//! What is reported is right on any set of marks: a bound is only ever moved onto a mark, as far as all marks on the way
//! are rejected, so it errs outwards, by no more than the way to the next mark. (The grid of the Python package
//! `confseq` gives the same bounds on the same marks; a test compares.)

use std::sync::Arc;

/// How boldly gamblers bet. It decides how soon a mean is known, never whether what is said of it is right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bets {
    /// How much of what may be staked at most is staked at most. A gambler who stakes all is ruined by one bad value.
    pub stake_max: f64,
    /// The variance of the values as it is taken to be before the first of them.
    pub variance: f64,
}

impl Bets {
    /// Of the rule `hedged`, as the Python package `confseq` has them: for values that may be all or nothing.
    pub const HEDGED: Bets = Bets { stake_max: 0.75, variance: 1.0 };

    /// For differences of shares. Between good bots their standard deviation is some hundredths, so what they may lose at
    /// once limits the stake, not how they scatter: 0.95 tells two bots apart in three quarters of the games of 0.75.
    pub const SHARES: Bets = Bets { stake_max: 0.95, variance: 1.0 / 16.0 };
}

/// Products of a million factors err by less than this part of themselves.
const ROUNDING: f64 = 1e-9;

/// The values that bounds can take, apart from -1 and 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks(Arc<[f64]>);

impl Marks {
    /// Takes these values as marks. Those that do not lie within (-1, 1) are left out.
    pub fn new(values: impl IntoIterator<Item = f64>) -> Marks {
        let mut marks: Vec<f64> = values.into_iter().filter(|mark| mark.abs() < 1.0).collect();
        marks.sort_by(f64::total_cmp);
        marks.dedup();
        Marks(marks.into())
    }

    /// Takes all thousandths, and these values too.
    pub fn thousandths(values: impl IntoIterator<Item = f64>) -> Marks {
        Marks::new((-999..=999).map(|mark| f64::from(mark) / 1000.0).chain(values))
    }

    fn mirrored(&self) -> Marks {
        Marks(self.0.iter().rev().map(|mark| 0.0 - mark).collect())
    }
}

/// A range that holds a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean is not below it.
    pub lower: f64,
    /// The mean is not above it.
    pub upper: f64,
}

/// The confidence sequence of one mean: whatever number of values it was looked at after, all its intervals hold the
/// mean with a probability of `1 - alpha`.
///
/// The values need not be independent: it is enough that each has the same expectation, given all before it.
#[derive(Clone, Debug)]
pub struct ConfidenceSequence {
    above: Gamblers,
    /// The same of the values with their sign changed.
    below: Gamblers,
}

impl ConfidenceSequence {
    /// Begins without a value, with bets that suit shares.
    ///
    /// # Panics
    ///
    /// Panics unless `alpha` lies between 0 and 1.
    pub fn new(alpha: f64, marks: &Marks) -> ConfidenceSequence {
        ConfidenceSequence::with_bets(alpha, Bets::SHARES, marks)
    }

    /// Likewise, with these bets.
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

    /// Takes the next value.
    ///
    /// # Panics
    ///
    /// Panics if it does not lie in [-1, 1]: then nothing of what is said here would hold.
    pub fn add(&mut self, value: f64) {
        self.add_within(Interval { lower: value, upper: value });
    }

    /// Takes the next value, of which no more is known than where it lies: who bets that the mean lies above a mark is paid
    /// by the lower end, who bets that it lies below by the upper. So neither expects more than of the value itself,
    /// whatever decided that it is not known.
    ///
    /// # Panics
    ///
    /// As for [`add`](ConfidenceSequence::add).
    pub fn add_within(&mut self, Interval { lower, upper }: Interval) {
        assert!(-1.0 <= lower && lower <= upper && upper <= 1.0, "values in [-1, 1], not {lower} to {upper}");
        self.above.bet(lower);
        self.below.bet(-upper);
    }

    /// Returns what is known of the mean.
    pub fn interval(&self) -> Interval {
        Interval { lower: self.above.bound(), upper: 0.0 - self.below.bound() }
    }
}

/// The basis of bets: mean and variance of the values so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    values: f64,
    sum: f64,
    /// Of the squares of the distances to the mean as it was known then; and the variance that is taken for granted, so
    /// that the first values do not make anybody bold.
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

    pub(super) fn variance(&self) -> f64 {
        self.squares / (self.values + 1.0)
    }

    pub(super) fn add(&mut self, value: f64) {
        self.values += 1.0;
        self.sum += value;
        self.squares += (value - self.mean()).powi(2);
    }
}

/// Returns what is staked on a mean above `mark` that is `edge` above it for all that is known: aGRAPA. A value of -1 leaves
/// something.
pub(super) fn stake(bets: Bets, variance: f64, edge: f64, mark: f64) -> f64 {
    (edge / (variance + edge * edge)).min(bets.stake_max / (1.0 + mark))
}

/// Returns what a gambler has to come to, so that one who expects to gain nothing ever does with this probability at most.
pub(super) fn goal(probability: f64) -> f64 {
    1.0 / probability * (1.0 + ROUNDING)
}

/// The gamblers who bet that the mean lies above their mark, one a mark.
#[derive(Clone, Debug)]
struct Gamblers {
    bets: Bets,
    marks: Marks,
    /// By mark. Infinite for those who have made their case.
    capital: Vec<f64>,
    /// Number of rejected marks, from the lowest.
    rejected: usize,
    goal: f64,
    seen: Moments,
}

impl Gamblers {
    fn new(alpha: f64, bets: Bets, marks: Marks) -> Gamblers {
        let capital = vec![1.0; marks.0.len()];
        Gamblers { bets, marks, capital, rejected: 0, goal: goal(alpha / 2.0), seen: Moments::new(bets) }
    }

    fn bound(&self) -> f64 {
        self.rejected.checked_sub(1).map_or(-1.0, |last| self.marks.0[last])
    }

    fn bet(&mut self, value: f64) {
        let (mean, variance) = (self.seen.mean(), self.seen.variance());
        // Nobody bets on what looks wrong: who has a mark above the mean so far stakes nothing.
        let bold = self.marks.0[self.rejected..].partition_point(|mark| *mark < mean);
        let open = self.rejected..self.rejected + bold;
        for (mark, capital) in self.marks.0[open.clone()].iter().zip(&mut self.capital[open]) {
            *capital *= 1.0 + stake(self.bets, variance, mean - mark, *mark) * (value - mark);
            if *capital >= self.goal {
                *capital = f64::INFINITY;
            }
        }
        let newly = self.capital[self.rejected..].iter().take_while(|capital| capital.is_infinite());
        self.rejected += newly.count();
        self.seen.add(value);
    }
}
