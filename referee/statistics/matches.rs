//! Matches of two: errors and likely places of a round robin, a Swiss tournament or a knockout. They hold for one look,
//! after a number of games that was fixed before.
//!
//! Two bots are compared by the opponents that both have met, and by their own matches: opponents that only one of them
//! has met say nothing. A likely place is one that the bot has in 80 % of resamplings, in which each pair's mean result
//! scatters by its standard error: see [`likely`](crate::likely).
//!
//! The scatter of a game is estimated from games of the same pair, over all pairs. Where a pair meets once, nothing is
//! known of it: then it is taken to be as great as that of games that are won or lost, 1/2.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::confidence::Interval;
use crate::likely::{Draws, LIKELY, Tally};

/// The greatest variance of a share.
const VARIANCE_MAX: f64 = 0.25;

/// Minimum number of degrees of freedom for an estimate of the variance.
const FREEDOM_MIN: f64 = 10.0;

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

/// How much the mean share of a block scatters.
struct Scatter {
    variance: f64,
    /// Degrees of freedom of the estimate of `variance`; `None` if that is assumed.
    freedom: Option<f64>,
}

impl Scatter {
    /// Returns the critical value: the number of standard errors that chance exceeds with this probability, in one
    /// direction.
    fn critical_value(&self, tail: f64) -> f64 {
        match self.freedom {
            Some(freedom) => StudentsT::new(0.0, 1.0, freedom)
                .map_or(f64::INFINITY, |distribution| distribution.inverse_cdf(1.0 - tail)),
            None => Normal::standard().inverse_cdf(1.0 - tail),
        }
    }
}

impl Matches {
    /// Adds a block of two bots: the mean shares of each.
    pub fn add(&mut self, (one, share_of_one): (usize, f64), (other, share_of_other): (usize, f64)) {
        for (pair, share) in [((one, other), share_of_one), ((other, one), share_of_other)] {
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
        if freedom < FREEDOM_MIN {
            return Scatter { variance: VARIANCE_MAX, freedom: None };
        }
        let squares: f64 = pairs().map(|cell| (cell.squares - cell.sum * cell.mean()).max(0.0)).sum();
        // As if there had been one more block, won or lost: games that have been alike so far can still differ.
        let variance = (squares + VARIANCE_MAX) / (freedom + 1.0);
        Scatter { variance, freedom: Some(freedom) }
    }

    fn matches_of(&self, bot: usize) -> impl Iterator<Item = (usize, &Cell)> {
        self.cells.range((bot, 0)..=(bot, usize::MAX)).map(|((_, other), cell)| (*other, cell))
    }

    /// Returns the standard error of a bot's mean share over its blocks; `None` without a match.
    pub fn error(&self, bot: usize) -> Option<f64> {
        let blocks: f64 = self.matches_of(bot).map(|(_, cell)| cell.blocks).sum();
        (blocks > 0.0).then(|| (self.scatter().variance / blocks).sqrt())
    }

    /// Returns the interval of a bot's mean share against its opponents, from 0 to 1. The intervals of this number of
    /// bots hold at the same time with a probability of `1 - alpha`.
    ///
    /// Source: Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927): it stays
    /// within 0 and 1, and contains the mean.
    pub fn interval(&self, bot: usize, alpha: f64, bots: usize) -> Option<Interval> {
        let blocks: f64 = self.matches_of(bot).map(|(_, cell)| cell.blocks).sum();
        if blocks == 0.0 {
            return None;
        }
        let mean = self.matches_of(bot).map(|(_, cell)| cell.sum).sum::<f64>() / blocks;
        let scatter = self.scatter();
        let z = scatter.critical_value(alpha / 2.0 / bots.max(1) as f64);
        let z2 = z * z;
        // Blocks that scatter less than games won or lost are worth more games than there are blocks.
        let games_worth = blocks * (mean * (1.0 - mean) / scatter.variance).max(1.0);
        let middle = (mean + z2 / (2.0 * games_worth)) / (1.0 + z2 / games_worth);
        let half = z / (1.0 + z2 / games_worth)
            * (mean * (1.0 - mean) / games_worth + z2 / (4.0 * games_worth * games_worth)).sqrt();
        Some(Interval { lower: (middle - half).clamp(0.0, mean), upper: (middle + half).clamp(mean, 1.0) })
    }

    /// Returns the first and the last likely place of each of this number of bots. Of two that have not met, and have
    /// less than two common opponents, either can be ahead.
    pub fn likely(&self, bots: usize) -> Vec<(usize, usize)> {
        let (scatter, tail) = (self.scatter(), (1.0 - LIKELY) / 2.0);
        // A scatter that is estimated from few games is drawn wider, as Student's t is wider than a normal
        // distribution.
        let deviation = scatter.variance.sqrt() * scatter.critical_value(tail)
            / Normal::standard().inverse_cdf(1.0 - tail);
        let (mut draws, mut tally) = (Draws::new(), Tally::new(bots));
        let mut met = vec![Vec::new(); bots];
        self.cells.keys().for_each(|(bot, opponent)| met[*bot].push(*opponent));
        let steps = bots * self.cells.len() / 2;
        for _ in 0..(STEPS_MAX / steps.max(1)).clamp(SAMPLES_MIN, SAMPLES) {
            let mut means = vec![f64::NAN; bots * bots];
            for ((one, other), cell) in self.cells.iter().filter(|((one, other), _)| one < other) {
                let luck = deviation / cell.blocks.sqrt() * draws.normal();
                means[one * bots + other] = cell.mean() + luck;
                means[other * bots + one] = self.cells[&(*other, *one)].mean() - luck;
            }
            let leads = leads(&means, &met);
            for bot in 0..bots {
                let leads_of_bot = &leads[bot * bots..][..bots];
                // Also the index of the best place of the bot.
                let bots_ahead = leads_of_bot.iter().filter(|lead| **lead < -ROUNDED).count();
                let bots_behind = leads_of_bot.iter().filter(|lead| **lead > ROUNDED).count();
                let bots_level = leads_of_bot.iter().filter(|lead| lead.abs() <= ROUNDED).count();
                // Bots that are level share their best place. Those that cannot be compared can be ahead or behind.
                let all_are_compared = bots_ahead + bots_level + bots_behind == bots;
                let worst = if all_are_compared { bots_ahead } else { bots - 1 - bots_behind };
                tally.count(bot, bots_ahead, worst);
            }
        }
        tally.ranges(LIKELY)
    }
}

/// Number of resamplings. Fields of many bots have fewer, but at least [`SAMPLES_MIN`].
const SAMPLES: usize = 400;

/// Minimum number of resamplings.
const SAMPLES_MIN: usize = 40;

/// The steps of all resamplings together: triples of bots.
const STEPS_MAX: usize = 100_000_000;

/// A lead below this can come from the rounding of sums.
const ROUNDED: f64 = 1e-9;

/// Returns by how much each bot is ahead of each other: the mean over their common opponents, and over their own
/// matches. It is NaN if they have no match and at most one common opponent. `means` are by bot and opponent, and `met`
/// are the opponents of each; a bot is level with itself.
fn leads(means: &[f64], met: &[Vec<usize>]) -> Vec<f64> {
    let bots = met.len();
    let lead = |one: usize, other: usize| {
        let (mut sum, mut count, mut have_met) = (0.0, 0.0, false);
        // Their own match counts once: as one against the other.
        for opponent in &met[one] {
            let (first, second) = match *opponent {
                at if at == other => (means[one * bots + other], means[other * bots + one]),
                at => (means[one * bots + at], means[other * bots + at]),
            };
            if !(first - second).is_nan() {
                (sum, count) = (sum + first - second, count + 1.0);
                have_met |= *opponent == other;
            }
        }
        // The bot that did better against a single third bot need not be the better one.
        if have_met || count > 1.0 { sum / count } else { f64::NAN }
    };
    let mut leads = vec![0.0; bots * bots];
    for one in 0..bots {
        for other in one + 1..bots {
            leads[one * bots + other] = lead(one, other);
            leads[other * bots + one] = -leads[one * bots + other];
        }
    }
    leads
}
