//! The case that one bot is better than another, or that a bot is not the best: the capital of a gambler who bets on
//! differences of shares. This is arithmetic alone: callers choose the differences, and the capital that is enough.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

use crate::confidence::{Bets, Moments, stake};

/// The capital of a gambler, who begins with 1. Half of it has a stake that follows the results so far, the other half
/// has constant stakes: a gambler whose stake follows the mean loses nearly everything if a lead that has never varied
/// is followed by one lost game. The mean of several capitals is a capital, so what holds of one holds of it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Case {
    /// The half whose stake follows the results, begun with 1. Stored cases have the other names.
    #[serde(rename = "capital")]
    adaptive: f64,
    /// The capital of each of the [`FIXED`] stakes, begun with 1. Their mean is the other half.
    fixed: [f64; FIXED.len()],
    #[serde(rename = "most")]
    max_capital: f64,
}

/// Constant stakes, as parts of all that can be lost in a round. A stake far above the best one for the results is
/// ruined by few bad ones, one far below it grows slowly. Each best stake of 0.08 or more has one of these near it.
const FIXED: [f64; 12] = [0.99, 0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.17, 0.14, 0.12, 0.08];

/// Each of the [`FIXED`] stakes begins with one of this number of parts of the whole capital.
const FIXED_PARTS: f64 = 2.0 * FIXED.len() as f64;

/// The mark of a gambler who bets that the mean lies above 0.
const NO_LEAD: f64 = 0.0;

impl Case {
    pub(super) const NEW: Case = Case { adaptive: 1.0, fixed: [1.0; FIXED.len()], max_capital: 1.0 };

    /// Adds a round in which the one was ahead by this difference, which is at least -1; `known` are the differences of
    /// earlier rounds.
    pub(super) fn add(&mut self, bets: Bets, known: &Moments, difference: f64) {
        let edge = known.mean().max(0.0);
        self.adaptive *= 1.0 + stake(bets, known.variance(), edge, NO_LEAD) * difference;
        for (capital, stake) in self.fixed.iter_mut().zip(FIXED) {
            *capital *= 1.0 + stake * difference;
        }
        self.max_capital = self.max_capital.max(self.capital());
    }

    /// Returns the capital now.
    pub(super) fn capital(&self) -> f64 {
        let fixed = self.fixed.iter().sum::<f64>() / FIXED.len() as f64;
        (self.adaptive + fixed) / 2.0
    }

    /// Returns the greatest capital so far. Once it was enough, the case is made for good.
    pub(super) fn max_capital(&self) -> f64 {
        self.max_capital
    }

    /// Returns the number of further rounds until the capital is enough, at the rate of these earlier differences;
    /// `None` if it is infinite.
    pub(super) fn rounds_left(&self, enough: f64, bets: Bets, known: &Moments) -> Option<u32> {
        let (mean, variance) = (known.mean(), known.variance());
        if mean <= 0.0 {
            return None;
        }
        // The mean of ln(1 + stake * difference), without the terms of its series from the third.
        let growth = |stake: f64| stake * mean - stake * stake * (variance + mean * mean) / 2.0;
        let rounds = |capital: f64, stake: f64| match growth(stake) {
            growth if growth > 0.0 => (enough / capital).ln() / growth,
            _ => f64::INFINITY,
        };
        let adaptive_stake = stake(bets, variance, mean, NO_LEAD);
        // The whole is enough once one of its parts is.
        let fixed = self.fixed.iter().zip(FIXED).map(|(capital, stake)| rounds(capital / FIXED_PARTS, stake));
        let left = fixed.fold(rounds(self.adaptive / 2.0, adaptive_stake), f64::min);
        (left.is_finite() && left < ROUNDS_MAX).then(|| left.ceil().max(1.0) as u32)
    }

    /// Returns the number of further rounds after which the capital is enough with this probability, up to 3 % too
    /// many; `None` if it never is. So far there were bets on `values` differences, with this scatter. The true lead is
    /// unknown: it scatters about the mean so far by its standard error. The logarithm of a capital is treated as a
    /// random walk, whose first passage is inverse Gaussian.
    pub(super) fn rounds_by(
        &self,
        probability: f64,
        enough: f64,
        bets: Bets,
        known: &Moments,
        (values, scatter): (f64, f64),
    ) -> Option<u32> {
        let scatter = scatter.max(1e-9);
        if values < 2.0 {
            return None;
        }
        let normal = Normal::standard();
        let quantile = |index: u32| normal.inverse_cdf((f64::from(index) + 0.5) / f64::from(LEADS));
        // The mean itself, which `mean` draws towards 0.
        let leads: Vec<f64> =
            (0..LEADS).map(|index| known.plain_mean() + quantile(index) * scatter / values.sqrt()).collect();
        let walk = |lead: &f64| {
            self.first_walk(*lead, scatter, enough, stake(bets, known.variance(), lead.max(0.0), NO_LEAD))
        };
        let walks: Vec<Walk> = leads.iter().map(walk).collect();
        let probability_by = |rounds: f64| {
            walks.iter().map(|walk| walk.arrival(&normal, rounds)).sum::<f64>() / f64::from(LEADS)
        };
        let mut rounds = 1.0f64;
        while rounds < ROUNDS_MAX {
            if probability_by(rounds) >= probability {
                return Some(rounds as u32);
            }
            rounds = (rounds * 1.03).ceil();
        }
        None
    }

    /// Returns the walk that arrives first, if the lead is this, of the logarithms of the parts of the capital.
    /// `adaptive_stake` is that of the adaptive half at this lead.
    fn first_walk(&self, lead: f64, scatter: f64, enough: f64, adaptive_stake: f64) -> Walk {
        let square = scatter * scatter + lead * lead;
        let walk = |capital: f64, stake: f64| Walk {
            way: (enough / capital).ln().max(0.0),
            drift: stake * lead - stake * stake * square / 2.0,
            noise: stake * scatter,
        };
        let mut first = walk(self.adaptive / 2.0, adaptive_stake);
        for (capital, stake) in self.fixed.iter().zip(FIXED) {
            let next = walk(capital / FIXED_PARTS, stake);
            if next.time() < first.time() {
                first = next;
            }
        }
        first
    }
}

/// Number of possible true leads, each equally likely, over which a probability is averaged.
const LEADS: u32 = 15;

/// Maximum number of rounds that is told. More count as never.
const ROUNDS_MAX: f64 = 1e8;

/// A random walk.
struct Walk {
    /// The distance to its end.
    way: f64,
    /// Its mean step.
    drift: f64,
    /// The standard deviation of a step.
    noise: f64,
}

impl Walk {
    /// Returns the number of steps to its end without noise.
    fn time(&self) -> f64 {
        if self.drift > 0.0 { self.way / self.drift } else { f64::INFINITY }
    }

    /// Returns the probability that it has arrived at its end after this number of steps.
    fn arrival(&self, normal: &Normal, steps: f64) -> f64 {
        first_passage(normal, steps, self.way, self.drift, self.noise)
    }
}

/// Returns the probability that a random walk has gone this way by some step.
fn first_passage(normal: &Normal, steps: f64, way: f64, drift: f64, noise: f64) -> f64 {
    let spread = noise * steps.sqrt();
    if spread <= 0.0 {
        return f64::from(u8::from(drift * steps >= way));
    }
    // `exp` overflows above 709.
    let back = (2.0 * drift * way / (noise * noise)).min(700.0).exp();
    let reflected = normal.cdf(-(way + drift * steps) / spread);
    (normal.cdf((drift * steps - way) / spread) + if reflected > 0.0 { back * reflected } else { 0.0 })
        .min(1.0)
}
