//! Contenders: the bots that can still be the best, tested after each round, however often one looks. They depend on
//! the block means of complete rounds, in their order, and on nothing else.
//!
//! For each bot, one gambler bets that it is not the best: in each round on the difference between this bot and the
//! leader by the rounds before. If the bot is one of the best, no bot has a greater expectation, so the gambler expects
//! to gain nothing, whichever bot leads. By Ville's inequality, the case against the bot is ever made with a
//! probability of at most `level`. It is one gambler for all rivals, so `level` is not shared among them, and many bots
//! need no more rounds than two. (Confidence sequences of all pairs at once share alpha among all of them.)

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::confidence::{Bets, Interval, Moments, goal};

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
    /// By bot: the case that it is not the best, and the differences that were bet on.
    cases: Vec<(Case, Series)>,
}

/// The bets on a case, and the probability of making it against one of the best.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Wager {
    bets: Bets,
    level: f64,
}

/// The forecast: the leader, and the number of rounds until its lead is certain.
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
        Contenders {
            wager: Wager { bets, level },
            shares: vec![Series::default(); bots],
            pairs: vec![Moments::new(bets); bots * bots],
            cases: vec![(Case::NEW, Series::default()); bots],
        }
    }

    /// Adds the next round: bounds of each bot's mean share in its block, from 0 to 1. `None` for a bot that
    /// has left the race; it does not come back.
    pub fn add_round(&mut self, block_means: &[Option<Interval>]) {
        let bots = self.shares.len();
        let leader = self.leader();
        let present = || block_means.iter().enumerate().filter_map(|(bot, mean)| Some((bot, (*mean)?)));
        // In the first round no bot leads by earlier rounds, so there is no bet.
        let has_earlier_rounds = self.shares.iter().any(|shares| shares.values > 0.0);
        if has_earlier_rounds && let Some(Some(best)) = block_means.get(leader) {
            for (bot, mean) in present().filter(|(bot, _)| *bot != leader) {
                let known = self.pairs[leader * bots + bot];
                let difference = best.lower - mean.upper;
                let (case, differences) = &mut self.cases[bot];
                case.add(self.wager.bets, &known, difference);
                differences.add(difference);
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

    /// Returns the capital that makes a case.
    pub fn goal(&self) -> f64 {
        goal(self.wager.level)
    }

    /// Returns the rival of the leader against which the case is weakest, of those that can still be the best, and the
    /// capital of that case: see [`goal`](Contenders::goal).
    pub fn weakest(&self) -> Option<(usize, f64)> {
        let leader = self.leader();
        let open = (0..self.cases.len()).filter(|bot| *bot != leader && self.may_be_best(*bot));
        open.map(|bot| (bot, self.cases[bot].0.capital())).min_by(|one, other| one.1.total_cmp(&other.1))
    }

    /// Tells whether a bot can still be the best.
    pub fn may_be_best(&self, bot: usize) -> bool {
        self.cases[bot].0.max_capital() < self.goal()
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

    /// Lists each bot's results.
    pub(super) fn shares(&self) -> &[Series] {
        &self.shares
    }

    /// Returns the forecast, if a rival is left.
    pub fn forecast(&self) -> Option<Forecast> {
        let (leader, bots) = (self.leader(), self.shares.len());
        let open = (0..bots).filter(|bot| *bot != leader && self.may_be_best(*bot));
        let forecast_against = |rival: usize| {
            let known = &self.pairs[leader * bots + rival];
            let ((case, differences), bets, goal) = (&self.cases[rival], self.wager.bets, self.goal());
            let rounds = case.rounds_left(goal, bets, known);
            let scatter = (differences.values, differences.deviation());
            let range = [0.1, 0.9].map(|part| case.rounds_by(part, goal, bets, known, scatter));
            Forecast { leader, rival, lead: known.plain_mean(), rounds, range: range.into() }
        };
        open.map(forecast_against).max_by_key(|forecast| forecast.rounds.unwrap_or(u32::MAX))
    }
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
    pub(super) fn bots_with_memory(of_bots: &[Series]) -> Vec<usize> {
        // The tail of the normal distribution falls nearly as exp(-max * max / 2).
        let max = (MEMORY_MAX * MEMORY_MAX + 2.0 * (of_bots.len() as f64 / 2.0).max(1.0).ln()).sqrt();
        (0..of_bots.len()).filter(|bot| of_bots[*bot].memory() > max).collect()
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

    /// Returns the number of values.
    pub(super) fn count(&self) -> f64 {
        self.values
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

    /// Returns the correlation of neighbours; 0 of few values, or of values that do not vary.
    pub(super) fn correlation(&self) -> f64 {
        self.memory() / self.values.max(1.0).sqrt()
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
