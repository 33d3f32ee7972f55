//! Numbers that authors of chess engines know: Elo differences, the likelihood of superiority, and a sequential test of
//! two Elo differences. The results are those of matches of two: won, level or lost.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::confidence::{Interval, goal};

/// Results of the first of two bots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Number of games that it won.
    pub won: u64,
    /// Number of games without a winner.
    pub level: u64,
    /// Number of games that it lost.
    pub lost: u64,
    /// Number of games whose result is unknown. They count as lost, except where that would help a case.
    pub unknown: u64,
}

impl Record {
    /// Adds a game, by bounds of the shares of both: it is unknown if either could be ahead.
    pub fn add_within(&mut self, first: Interval, second: Interval) {
        let worst = first.lower.total_cmp(&second.upper);
        let best = first.upper.total_cmp(&second.lower);
        if worst == best {
            self.add(first.lower, second.upper);
        } else {
            self.unknown += 1;
        }
    }

    /// Adds a game, by the shares of both.
    pub fn add(&mut self, first: f64, second: f64) {
        match first.total_cmp(&second) {
            std::cmp::Ordering::Greater => self.won += 1,
            std::cmp::Ordering::Equal => self.level += 1,
            std::cmp::Ordering::Less => self.lost += 1,
        }
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.won + self.level + self.lost + self.unknown
    }

    /// Returns the mean score of the first: 1 for a win, 1/2 for a level game; `None` without a game.
    pub fn score(&self) -> Option<f64> {
        let games = self.games();
        (games > 0).then(|| (self.won as f64 + self.level as f64 / 2.0) / games as f64)
    }

    /// Returns the likelihood that the first is the better one, for one look: level games say nothing. 1/2 without
    /// a game that was won or lost.
    pub fn superiority(&self) -> f64 {
        let (won, lost) = (self.won as f64, (self.lost + self.unknown) as f64);
        if won + lost == 0.0 { 0.5 } else { Normal::standard().cdf((won - lost) / (won + lost).sqrt()) }
    }
}

/// Returns the Elo difference at which a bot has this expected score: infinite at 0 and 1.
pub fn of_score(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

/// Returns the expected score at an Elo difference.
pub fn score_at(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// A sequential test of two hypotheses: the Elo difference is at most `elo0`, or at least `elo1`. It may look after
/// each game. Each is accepted with a probability of at most `alpha` if the other is right, whatever the part of level
/// games, if games have the same expectation.
///
/// One gambler bets against `elo0`, that the mean score is greater than it says; another against `elo1`, that it is
/// less. Each has constant stakes, one for each of some parts of level games, on which the scatter of a game depends. A
/// hypothesis is rejected once the gambler against it has `1 / alpha` times what he began with: Ville's inequality. The
/// test of engine testers (GSPRT) has a likelihood of the normal distribution instead, and errs three times as often as
/// it says where games are few. Source: Waudby-Smith and Ramdas, JRSS-B 86 (2024), arXiv 2010.09686.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloTest {
    /// The smaller Elo difference.
    pub elo0: f64,
    /// The greater one.
    pub elo1: f64,
    /// The probability of accepting either although the other is right.
    pub alpha: f64,
}

/// The parts of level games that stakes are made for.
const LEVEL: [f64; 5] = [0.0, 0.5, 0.75, 0.875, 0.95];

/// The greatest part of the highest possible stake that is used.
const STAKE_MAX: f64 = 0.99;

impl EloTest {
    /// Returns the odds against `elo0`, and those against `elo1`, to one: both are 1 at the beginning.
    pub fn odds(&self, record: &Record) -> (f64, f64) {
        let (low, high) = (score_at(self.elo0), score_at(self.elo1));
        let Record { won, level, lost, unknown } = *record;
        let [won, level, lost, unknown] = [won, level, lost, unknown].map(|count| count as f64);
        // The second gambler sees the game from the other side. Unknown games count against both.
        let against_low = capital(low, high, [won, level, lost + unknown]);
        let against_high = capital(1.0 - high, 1.0 - low, [lost, level, won + unknown]);
        (against_low, against_high)
    }

    /// Returns the odds that are needed, to one.
    pub fn needed(&self) -> f64 {
        goal(self.alpha)
    }

    /// Tells whether `elo1` is accepted; `None` while the test goes on.
    pub fn accepts(&self, record: &Record) -> Option<bool> {
        let (against_low, against_high) = self.odds(record);
        // Both can be rejected at once only if neither is right; then the one that is further away goes.
        let is_done = against_low.max(against_high) >= self.needed();
        is_done.then_some(against_low >= against_high)
    }
}

/// Returns the capital of a gambler who bets that the mean score is not `mark`, but `mean`, which is greater, after
/// these numbers of games that were won, level and lost.
fn capital(mark: f64, mean: f64, [won, level, lost]: [f64; 3]) -> f64 {
    let edge = mean - mark;
    let of_level = |part: f64| {
        let stake = (edge / ((1.0 - part) / 4.0 + edge * edge)).min(STAKE_MAX / mark);
        let grown = |score: f64| (1.0 + stake * (score - mark)).ln();
        (won * grown(1.0) + level * grown(0.5) + lost * grown(0.0)).exp()
    };
    LEVEL.map(of_level).iter().sum::<f64>() / LEVEL.len() as f64
}
