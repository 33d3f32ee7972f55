//! Contenders: the bots that can still be the best, tested after each round, however often one looks. A
//! function of the block means of complete rounds, in their order. Verdicts are made elsewhere.
//!
//! For each bot, one gambler bets that it is not the best: in each round on the difference between this bot and the
//! leader by the rounds before. If the bot is one of the best, no bot has a greater expectation, so the gambler expects
//! to gain nothing, whichever bot leads. By Ville's inequality, the case against the bot is ever made with a
//! probability of at most `level`. It is one gambler for all rivals, so `level` is not shared among them, and many bots
//! need no more rounds than two. (Confidence sequences of all pairs at once share alpha among all of them.)

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

use crate::confidence::{Bets, Interval, Moments, goal, stake};

/// Rounds count as dependent if the correlation of neighbours is this many standard deviations above 0. By
/// chance alone, that happens once in 370 seasons of two bots.
const MEMORY_MAX: f64 = 3.0;

/// The bots of a season, and the case against each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contenders {
    wager: Wager,
    /// By bot: its mean shares.
    shares: Vec<Series>,
    /// By `one * bots + other`: moments of the differences "one minus other".
    pairs: Vec<Moments>,
    cases: Vec<Case>,
}

/// When a case is made.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Wager {
    bets: Bets,
    level: f64,
}

/// The case that a bot is not the best. Half of the capital has a stake that follows the results so far, the other half
/// has constant stakes: a gambler whose stake follows the mean loses nearly everything if a lead that has never varied
/// is followed by one lost game. The mean of several capitals is a capital, so the level holds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Case {
    capital: f64,
    /// The capital on each of the [`FIXED`] stakes, which is one half together.
    fixed: [f64; FIXED.len()],
    is_made: bool,
    seen: Series,
}

/// Constant stakes, as parts of all that can be lost in a round. A stake far above the best one for the results is
/// ruined by few bad ones, one far below it grows slowly. Each best stake of 0.08 or more has one of these near it.
const FIXED: [f64; 12] = [0.99, 0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.17, 0.14, 0.12, 0.08];

/// The forecast: the leader, and when the lead will be certain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The leader.
    pub leader: usize,
    /// The bot whose case takes longest.
    pub rival: usize,
    /// The mean of their differences.
    pub lead: f64,
    /// The number of rounds left at the current rate; `None` if it is infinite.
    pub rounds: Option<u32>,
    /// The number of rounds left in eight of ten cases: one is sooner, one later. The second is `None` if it is
    /// infinite.
    pub range: (Option<u32>, Option<u32>),
}

impl Contenders {
    /// Creates contenders without rounds. `level` is the maximum probability of making the case against one
    /// of the best.
    pub fn new(bets: Bets, level: f64, bots: usize) -> Contenders {
        let case = Case { capital: 1.0, fixed: [1.0; FIXED.len()], is_made: false, seen: Series::default() };
        Contenders {
            wager: Wager { bets, level },
            shares: vec![Series::default(); bots],
            pairs: vec![Moments::new(bets); bots * bots],
            cases: vec![case; bots],
        }
    }

    /// Adds the next round: bounds of each bot's mean share in its block, from 0 to 1. `None` for a bot that
    /// has left the race; it does not come back.
    pub fn add_round(&mut self, block_means: &[Option<Interval>]) {
        let bots = self.shares.len();
        let leader = self.leader();
        let present = || block_means.iter().enumerate().filter_map(|(bot, mean)| Some((bot, (*mean)?)));
        let is_led = self.shares.iter().any(|shares| shares.values > 0.0);
        if let Some(best) = block_means.get(leader).copied().flatten().filter(|_| is_led) {
            for (bot, mean) in present().filter(|(bot, _)| *bot != leader) {
                let known = self.pairs[leader * bots + bot];
                let difference = best.lower - mean.upper;
                self.cases[bot].add(&self.wager, &known, difference);
            }
        }
        for (one, first) in present() {
            for (other, second) in present().filter(|(other, _)| *other != one) {
                self.pairs[one * bots + other].add(first.lower - second.upper);
            }
            self.shares[one].add((first.lower + first.upper) / 2.0);
        }
    }

    /// Returns the leader of the bots that played every round; the first if several are level.
    pub fn leader(&self) -> usize {
        self.first_of(self.steady()).unwrap_or(0)
    }

    /// Lists the bots that played every round.
    fn steady(&self) -> impl Iterator<Item = usize> {
        let rounds = self.shares.iter().map(|shares| shares.values).fold(0.0, f64::max);
        (0..self.shares.len()).filter(move |bot| self.shares[*bot].values >= rounds)
    }

    /// Tells whether a bot can still be the best.
    pub fn may_be_best(&self, bot: usize) -> bool {
        !self.cases[bot].is_made
    }

    /// Lists the pairs of the leader and each other bot that played every round.
    pub fn leads(&self) -> Vec<(usize, usize)> {
        let leader = self.leader();
        self.steady().filter(|bot| *bot != leader).map(|bot| (leader, bot)).collect()
    }

    /// Returns the leader and the second bot if the results of one of them in a round predict those of the
    /// next. The rounds do not have the same expectation then, given all earlier rounds, and the tests need
    /// not hold.
    pub fn remember(&self) -> Option<(usize, usize)> {
        let leader = self.leader();
        let second = self.first_of(self.steady().filter(|bot| *bot != leader))?;
        let remembers = |bot: usize| self.shares[bot].memory() > MEMORY_MAX;
        (remembers(leader) || remembers(second)).then_some((leader, second))
    }

    fn first_of(&self, bots: impl Iterator<Item = usize>) -> Option<usize> {
        let sum = |bot: usize| self.shares[bot].sum;
        bots.reduce(|best, bot| if sum(bot) > sum(best) { bot } else { best })
    }

    /// Returns the forecast, if a rival is left.
    pub fn forecast(&self) -> Option<Forecast> {
        let (leader, bots) = (self.leader(), self.shares.len());
        let open = (0..bots).filter(|bot| *bot != leader && self.may_be_best(*bot));
        let of = |rival: usize| {
            let known = &self.pairs[leader * bots + rival];
            let case = &self.cases[rival];
            let rounds = case.rounds_left(&self.wager, known);
            let range = [0.1, 0.9].map(|part| case.rounds_by(part, &self.wager, known));
            Forecast { leader, rival, lead: known.plain_mean(), rounds, range: range.into() }
        };
        open.map(of).max_by_key(|forecast| forecast.rounds.unwrap_or(u32::MAX))
    }
}

impl Case {
    /// Adds the difference "leader minus bot" of a round; `known` are the differences of earlier rounds.
    fn add(&mut self, wager: &Wager, known: &Moments, difference: f64) {
        let Wager { bets, level } = *wager;
        let edge = known.mean().max(0.0);
        self.capital *= 1.0 + stake(bets, known.variance(), edge, 0.0) * difference;
        self.fixed.iter_mut().zip(FIXED).for_each(|(capital, stake)| *capital *= 1.0 + stake * difference);
        self.seen.add(difference);
        self.is_made |= self.all_capital() >= goal(level);
    }

    fn all_capital(&self) -> f64 {
        let fixed = self.fixed.iter().sum::<f64>() / FIXED.len() as f64;
        (self.capital + fixed) / 2.0
    }

    fn rounds_left(&self, wager: &Wager, known: &Moments) -> Option<u32> {
        let Wager { bets, level } = *wager;
        let (mean, variance) = (known.mean(), known.variance());
        if mean <= 0.0 {
            return None;
        }
        // The logarithm of the growth, to the third term.
        let growth = |stake: f64| stake * mean - stake * stake * (variance + mean * mean) / 2.0;
        let rounds = |capital: f64, stake: f64| match growth(stake) {
            growth if growth > 0.0 => (goal(level) / capital).ln() / growth,
            _ => f64::INFINITY,
        };
        let today = stake(bets, variance, mean, 0.0);
        let part = 2.0 * FIXED.len() as f64;
        let fixed = self.fixed.iter().zip(FIXED).map(|(capital, stake)| rounds(capital / part, stake));
        let left = fixed.fold(rounds(self.capital / 2.0, today), f64::min);
        (left.is_finite() && left < 1e8).then(|| left.ceil().max(1.0) as u32)
    }
}

/// Number of possible leads that a range is computed for. All of them are equally likely.
const LEADS: u32 = 15;

/// More rounds are never waited for.
const ROUNDS_MAX: f64 = 1e8;

impl Case {
    /// Returns the number of further rounds after which the case is made with this probability; `None` if that is
    /// never. The true lead is unknown: it scatters about the mean so far by its standard error. The logarithm of a
    /// capital is taken to be a random walk with this drift, whose first passage is inverse Gaussian.
    fn rounds_by(&self, probability: f64, wager: &Wager, known: &Moments) -> Option<u32> {
        let (values, scatter) = (self.seen.values, self.seen.deviation().max(1e-9));
        if values < 2.0 {
            return None;
        }
        let normal = Normal::standard();
        let quantile = |index: u32| normal.inverse_cdf((f64::from(index) + 0.5) / f64::from(LEADS));
        let leads: Vec<f64> =
            (0..LEADS).map(|index| known.plain_mean() + quantile(index) * scatter / values.sqrt()).collect();
        let by_lead: Vec<(f64, f64, f64)> =
            leads.iter().map(|lead| self.walk(*lead, scatter, wager, known)).collect();
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
    /// left, and its drift and scatter in a round.
    fn walk(&self, lead: f64, scatter: f64, wager: &Wager, known: &Moments) -> (f64, f64, f64) {
        let Wager { bets, level } = *wager;
        let square = scatter * scatter + lead * lead;
        let walk = |capital: f64, stake: f64| {
            let way = (goal(level) / capital).ln().max(0.0);
            (way, stake * lead - stake * stake * square / 2.0, stake * scatter)
        };
        let today = stake(bets, known.variance(), lead.max(0.0), 0.0);
        let part = 2.0 * FIXED.len() as f64;
        let fixed = self.fixed.iter().zip(FIXED).map(|(capital, stake)| walk(capital / part, stake));
        let time = |(way, drift, _): &(f64, f64, f64)| if *drift > 0.0 { way / drift } else { f64::INFINITY };
        fixed.fold(
            walk(self.capital / 2.0, today),
            |best, next| if time(&next) < time(&best) { next } else { best },
        )
    }
}

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

/// A series of values: their mean, their scatter, and the correlation of neighbours.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Series {
    values: f64,
    sum: f64,
    squares: f64,
    /// Sum of the products of neighbours.
    products: f64,
    first: f64,
    last: f64,
}

impl Series {
    /// Lists the bots whose results in a round predict those of the next. By chance alone there is one in one of 370
    /// seasons at most, whatever the number of bots.
    pub(super) fn remembering(of_bots: &[Series]) -> Vec<usize> {
        // The tail of the normal distribution falls nearly as exp(-most * most / 2).
        let most = (MEMORY_MAX * MEMORY_MAX + 2.0 * (of_bots.len() as f64 / 2.0).max(1.0).ln()).sqrt();
        (0..of_bots.len()).filter(|bot| of_bots[*bot].memory() > most).collect()
    }

    pub(super) fn add(&mut self, value: f64) {
        if self.values > 0.0 {
            self.products += self.last * value;
        } else {
            self.first = value;
        }
        self.values += 1.0;
        self.sum += value;
        self.squares += value * value;
        self.last = value;
    }

    fn mean(&self) -> f64 {
        self.sum / self.values
    }

    fn variance(&self) -> f64 {
        (self.squares / self.values - self.mean().powi(2)).max(0.0)
    }

    fn deviation(&self) -> f64 {
        self.variance().sqrt()
    }

    /// Returns the correlation of neighbours, in standard deviations for independent values.
    fn memory(&self) -> f64 {
        let variance = self.variance();
        if self.values < 10.0 || variance < 1e-12 {
            return 0.0;
        }
        let mean = self.mean();
        // The sum of the products of neighbours' distances to the mean.
        let ends = self.first + self.last;
        let sum = self.products - mean * (2.0 * self.sum - ends) + (self.values - 1.0) * mean * mean;
        sum / variance / self.values.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(values: impl IntoIterator<Item = f64>) -> Series {
        let mut series = Series::default();
        values.into_iter().for_each(|value| series.add(value));
        series
    }

    #[test]
    fn a_series_has_the_mean_scatter_and_memory_of_its_values() {
        // By hand: the products of neighbours' distances to the mean of 3 add up to 99 times -1 or 1.
        let to_and_fro = series((0..100).map(|turn| if turn % 2 == 0 { 2.0 } else { 4.0 }));
        assert_eq!((to_and_fro.mean(), to_and_fro.deviation()), (3.0, 1.0));
        assert!((to_and_fro.memory() + 9.9).abs() < 1e-9, "{}", to_and_fro.memory());
        let one_change = series((0..100).map(|turn| if turn < 50 { 2.0 } else { 4.0 }));
        assert!((one_change.memory() - 9.7).abs() < 1e-9, "{}", one_change.memory());
        assert_eq!(series([0.1; 100]).memory(), 0.0, "constant values have none");
        let few = |count| series((0..count).map(|turn| f64::from(turn % 2))).memory();
        assert_eq!(few(9), 0.0, "too few");
        assert!((few(10) + 9.0 / 10f64.sqrt()).abs() < 1e-9, "{}", few(10));
    }
}
