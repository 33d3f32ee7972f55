//! Matches of two: errors and plausible ranks of a round robin, a Swiss tournament or a knockout. They hold for one look,
//! after a number of games that was fixed before.
//!
//! Two bots are compared by the opponents that both have met, and by their own matches: opponents that only one of them
//! has met say nothing. The difference of two such means is compared with its standard error; all ordered pairs
//! together are kept at alpha by Holm's method, and the ranks follow as in [`ranks`](crate::ranks). Source: Mogstad,
//! Romano, Shaikh and Wilhelm, "Inference for ranks with applications to mobility across neighbourhoods and academic
//! achievement across countries", Review of Economic Studies 91 (2024), for ranks from tests of pairs.
//!
//! The scatter of a game is estimated from games of the same pair, over all pairs. Where a pair meets once, nothing is
//! known of it: then it is taken to be as great as that of games that are won or lost, 1/2.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::confidence::Interval;

/// The greatest variance of a share.
const VARIANCE_MAX: f64 = 0.25;

/// Minimum number of degrees of freedom for an estimate of the variance.
const FREEDOM_LEAST: f64 = 10.0;

/// The results of bots against each other, a block of a match being one value.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Matches {
    /// By bot and opponent.
    cells: BTreeMap<(usize, usize), Cell>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Cell {
    blocks: f64,
    sum: f64,
    squares: f64,
}

impl Cell {
    fn mean(&self) -> f64 {
        self.sum / self.blocks
    }
}

/// The scatter of a block.
struct Scatter {
    variance: f64,
    /// Degrees of freedom of its estimate; `None` if it is assumed.
    freedom: Option<f64>,
}

impl Scatter {
    /// Returns the probability that chance makes a difference of this many standard errors, or more.
    fn chance(&self, errors: f64) -> f64 {
        match self.freedom {
            Some(freedom) => StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |of| of.sf(errors)),
            None => Normal::standard().sf(errors),
        }
    }

    fn errors(&self, chance: f64) -> f64 {
        match self.freedom {
            Some(freedom) => {
                StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |of| of.inverse_cdf(1.0 - chance))
            }
            None => Normal::standard().inverse_cdf(1.0 - chance),
        }
    }
}

impl Matches {
    /// Adds a block of two bots: the mean shares of each.
    pub fn add(&mut self, (one, of_one): (usize, f64), (other, of_other): (usize, f64)) {
        for (pair, share) in [((one, other), of_one), ((other, one), of_other)] {
            let cell = self.cells.entry(pair).or_default();
            cell.blocks += 1.0;
            cell.sum += share;
            cell.squares += share * share;
        }
    }

    /// Tells whether there is no match.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    fn scatter(&self) -> Scatter {
        // Each pair once: the two shares of a match depend on each other.
        let pairs = || self.cells.iter().filter(|((one, other), _)| one < other).map(|(_, cell)| cell);
        let freedom: f64 = pairs().map(|cell| cell.blocks - 1.0).sum();
        if freedom < FREEDOM_LEAST {
            return Scatter { variance: VARIANCE_MAX, freedom: None };
        }
        let squares: f64 = pairs().map(|cell| (cell.squares - cell.sum * cell.mean()).max(0.0)).sum();
        // As if there had been one block more, won or lost: games that have never varied may yet.
        let variance = (squares + VARIANCE_MAX) / (freedom + 1.0);
        Scatter { variance, freedom: Some(freedom) }
    }

    fn of(&self, bot: usize) -> impl Iterator<Item = (usize, &Cell)> {
        self.cells.range((bot, 0)..=(bot, usize::MAX)).map(|((_, other), cell)| (*other, cell))
    }

    /// Returns the standard error of a bot's mean share over its blocks; `None` without a match.
    pub fn error(&self, bot: usize) -> Option<f64> {
        let blocks: f64 = self.of(bot).map(|(_, cell)| cell.blocks).sum();
        (blocks > 0.0).then(|| (self.scatter().variance / blocks).sqrt())
    }

    /// Returns the interval of a bot's mean share against its opponents, from 0 to 1. The intervals of this number of bots
    /// hold at the same time with a probability of `1 - alpha`.
    ///
    /// Source: Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927): it stays
    /// within 0 and 1, and contains the mean.
    pub fn interval(&self, bot: usize, alpha: f64, bots: usize) -> Option<Interval> {
        let blocks: f64 = self.of(bot).map(|(_, cell)| cell.blocks).sum();
        if blocks == 0.0 {
            return None;
        }
        let mean = self.of(bot).map(|(_, cell)| cell.sum).sum::<f64>() / blocks;
        let scatter = self.scatter();
        let errors = scatter.errors(alpha / 2.0 / bots.max(1) as f64);
        // A scatter that is smaller than that of games won or lost counts as more of these.
        let worth = blocks * (mean * (1.0 - mean) / scatter.variance).max(1.0);
        let (square, count) = (errors * errors, worth);
        let middle = (mean + square / (2.0 * count)) / (1.0 + square / count);
        let half = errors / (1.0 + square / count)
            * (mean * (1.0 - mean) / count + square / (4.0 * count * count)).sqrt();
        Some(Interval { lower: (middle - half).clamp(0.0, mean), upper: (middle + half).clamp(mean, 1.0) })
    }

    /// Returns how far the first is ahead, and the standard error of that in units of the scatter of a block; `None`
    /// without a common opponent or a match of the two.
    fn difference(&self, one: usize, other: usize) -> Option<(f64, f64)> {
        let (mut sum, mut variance, mut opponents) = (0.0, 0.0, 0.0);
        for (opponent, first) in self.of(one) {
            if let Some(second) = self.cells.get(&(other, opponent)) {
                sum += first.mean() - second.mean();
                variance += 1.0 / first.blocks + 1.0 / second.blocks;
                opponents += 1.0;
            }
        }
        if let (Some(first), Some(second)) = (self.cells.get(&(one, other)), self.cells.get(&(other, one))) {
            sum += first.mean() - second.mean();
            // One share is 1 minus the other.
            variance += 4.0 / first.blocks;
            opponents += 1.0;
        }
        (opponents > 0.0).then(|| (sum / opponents, variance.sqrt() / opponents))
    }

    /// Returns the first and the last plausible place of each of this number of bots. All hold at the same time with a
    /// probability of `1 - alpha`.
    pub fn places(&self, alpha: f64, bots: usize) -> Vec<(usize, usize)> {
        let scatter = self.scatter();
        let deviation = scatter.variance.sqrt();
        let pairs = (0..bots).flat_map(|one| (0..bots).map(move |other| (one, other)));
        let mut cases: Vec<(f64, usize, usize)> = pairs
            .filter(|(one, other)| one != other)
            .filter_map(|(one, other)| {
                let (ahead, error) = self.difference(one, other)?;
                (ahead > 0.0).then(|| (scatter.chance(ahead / (error * deviation)), one, other))
            })
            .collect();
        cases.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut places = vec![(1, bots); bots];
        let mut open = bots * bots.saturating_sub(1);
        for (chance, better, worse) in cases {
            if chance > alpha / open as f64 {
                break;
            }
            places[better].1 -= 1;
            places[worse].0 += 1;
            open -= 1;
        }
        places
    }
}
