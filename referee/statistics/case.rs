//! The case that one bot is better than another, or that a bot is not the best: the capital of a gambler who bets on
//! differences of shares. Arithmetic alone: what is bet on, and which capital is enough, is decided elsewhere.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

use crate::confidence::{Bets, Moments, stake};

/// The capital of a gambler, who begins with 1. Half of it has a stake that follows the results so far, the other half has
/// constant stakes: a gambler whose stake follows the mean loses nearly everything if a lead that has never varied is
/// followed by one lost game. The mean of several capitals is a capital, so what holds of one holds of it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Case {
    capital: f64,
    /// The capital on each of the [`FIXED`] stakes, which is one half together.
    fixed: [f64; FIXED.len()],
    most: f64,
}

/// Constant stakes, as parts of all that can be lost in a round. A stake far above the best one for the results is
/// ruined by few bad ones, one far below it grows slowly. Each best stake of 0.08 or more has one of these near it.
const FIXED: [f64; 12] = [0.99, 0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.17, 0.14, 0.12, 0.08];

impl Case {
    pub(super) const NEW: Case = Case { capital: 1.0, fixed: [1.0; FIXED.len()], most: 1.0 };

    /// Adds a round in which the one was ahead by this difference; `known` are the differences of earlier rounds.
    pub(super) fn add(&mut self, bets: Bets, known: &Moments, difference: f64) {
        let edge = known.mean().max(0.0);
        self.capital *= 1.0 + stake(bets, known.variance(), edge, 0.0) * difference;
        self.fixed.iter_mut().zip(FIXED).for_each(|(capital, stake)| *capital *= 1.0 + stake * difference);
        self.most = self.most.max(self.capital());
    }

    /// Returns the capital now.
    pub(super) fn capital(&self) -> f64 {
        let fixed = self.fixed.iter().sum::<f64>() / FIXED.len() as f64;
        (self.capital + fixed) / 2.0
    }

    /// Returns the greatest capital so far: the case is made for good once it was enough.
    pub(super) fn most(&self) -> f64 {
        self.most
    }

    /// Returns the number of further rounds until the capital is enough, at the rate of these earlier differences; `None`
    /// if it is infinite.
    pub(super) fn rounds_left(&self, enough: f64, bets: Bets, known: &Moments) -> Option<u32> {
        let (mean, variance) = (known.mean(), known.variance());
        if mean <= 0.0 {
            return None;
        }
        // The logarithm of the growth, to the third term.
        let growth = |stake: f64| stake * mean - stake * stake * (variance + mean * mean) / 2.0;
        let rounds = |capital: f64, stake: f64| match growth(stake) {
            growth if growth > 0.0 => (enough / capital).ln() / growth,
            _ => f64::INFINITY,
        };
        let today = stake(bets, variance, mean, 0.0);
        let part = 2.0 * FIXED.len() as f64;
        let fixed = self.fixed.iter().zip(FIXED).map(|(capital, stake)| rounds(capital / part, stake));
        let left = fixed.fold(rounds(self.capital / 2.0, today), f64::min);
        (left.is_finite() && left < ROUNDS_MAX).then(|| left.ceil().max(1.0) as u32)
    }

    /// Returns the number of further rounds after which the capital is enough with this probability; `None` if that is
    /// never. `values` differences were bet on so far, with this scatter. The true lead is unknown: it scatters about
    /// the mean so far by its standard error. The logarithm of a capital is taken to be a random walk with this drift,
    /// whose first passage is inverse Gaussian.
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
        let leads: Vec<f64> =
            (0..LEADS).map(|index| known.plain_mean() + quantile(index) * scatter / values.sqrt()).collect();
        let walk =
            |lead: &f64| self.walk(*lead, scatter, enough, stake(bets, known.variance(), lead.max(0.0), 0.0));
        let by_lead: Vec<(f64, f64, f64)> = leads.iter().map(walk).collect();
        let is_made_by = |rounds: f64| {
            let passed =
                |(way, drift, noise): &(f64, f64, f64)| first_passage(&normal, rounds, *way, *drift, *noise);
            by_lead.iter().map(passed).sum::<f64>() / f64::from(LEADS)
        };
        let tried = std::iter::successors(Some(1.0f64), |rounds| Some((rounds * 1.03).ceil()));
        let found =
            tried.take_while(|rounds| *rounds < ROUNDS_MAX).find(|rounds| is_made_by(*rounds) >= probability);
        found.map(|rounds| rounds as u32)
    }

    /// Returns the walk of the logarithm of the capital that arrives first, if the lead is this: the way that is
    /// left, and its drift and scatter in a round. `today` is the stake that follows the results.
    fn walk(&self, lead: f64, scatter: f64, enough: f64, today: f64) -> (f64, f64, f64) {
        let square = scatter * scatter + lead * lead;
        let walk = |capital: f64, stake: f64| {
            let way = (enough / capital).ln().max(0.0);
            (way, stake * lead - stake * stake * square / 2.0, stake * scatter)
        };
        let part = 2.0 * FIXED.len() as f64;
        let fixed = self.fixed.iter().zip(FIXED).map(|(capital, stake)| walk(capital / part, stake));
        let time = |(way, drift, _): &(f64, f64, f64)| if *drift > 0.0 { way / drift } else { f64::INFINITY };
        fixed.fold(
            walk(self.capital / 2.0, today),
            |best, next| if time(&next) < time(&best) { next } else { best },
        )
    }
}

/// Number of possible leads that a range is computed for. All of them are equally likely.
const LEADS: u32 = 15;

/// More rounds are never waited for.
const ROUNDS_MAX: f64 = 1e8;

/// Returns the probability that a random walk has gone this way by some step.
fn first_passage(normal: &Normal, steps: f64, way: f64, drift: f64, noise: f64) -> f64 {
    let spread = noise * steps.sqrt();
    if spread <= 0.0 {
        return f64::from(u8::from(drift * steps >= way));
    }
    let back = (2.0 * drift * way / (noise * noise)).min(700.0).exp();
    let reflected = normal.cdf(-(way + drift * steps) / spread);
    (normal.cdf((drift * steps - way) / spread) + if reflected > 0.0 { back * reflected } else { 0.0 })
        .min(1.0)
}
