//! Numbers that authors of chess engines know: Elo differences, the likelihood of superiority, and a sequential test of
//! two Elo differences. The results are those of matches of two: won, level or lost.

use statrs::distribution::{ContinuousCDF, Normal};

/// Results of the first of two bots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Number of games that it won.
    pub won: u64,
    /// Number of games without a winner.
    pub level: u64,
    /// Number of games that it lost.
    pub lost: u64,
}

impl Record {
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
        self.won + self.level + self.lost
    }

    /// Returns the mean score of the first: 1 for a win, 1/2 for a level game; `None` without a game.
    pub fn score(&self) -> Option<f64> {
        let games = self.games();
        (games > 0).then(|| (self.won as f64 + self.level as f64 / 2.0) / games as f64)
    }

    /// Returns the likelihood that the first is the better one, for one look: level games say nothing. 1/2 without
    /// a game that was won or lost.
    pub fn superiority(&self) -> f64 {
        let (won, lost) = (self.won as f64, self.lost as f64);
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

/// A sequential test of two hypotheses: the Elo difference is `elo0`, or it is `elo1`. It may look after each game.
///
/// The logarithm of the likelihood ratio is that of the normal distribution with the variance of the games so far, as
/// engine testers use it. Source: Van den Bergh, "A practical introduction to the GSPRT" (2019); Wald, "Sequential
/// tests of statistical hypotheses", Annals of Mathematical Statistics 16 (1945), for the bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// The smaller Elo difference.
    pub elo0: f64,
    /// The greater one.
    pub elo1: f64,
    /// The probability of accepting either although the other is right.
    pub alpha: f64,
}

impl Sprt {
    /// Returns the logarithm of the likelihood ratio, positive in favour of `elo1`.
    pub fn ratio(&self, record: &Record) -> f64 {
        let Some(score) = record.score() else { return 0.0 };
        let (low, high) = (score_at(self.elo0), score_at(self.elo1));
        // As if each result had come half a time more: a few wins alone show no variance.
        let parts = [(record.won, 1.0), (record.level, 0.5), (record.lost, 0.0)];
        let games = record.games() as f64 + 1.5;
        let mean: f64 = parts.iter().map(|(count, value)| (*count as f64 + 0.5) * value).sum::<f64>() / games;
        let squares = parts.iter().map(|(count, value)| (*count as f64 + 0.5) * (value - mean).powi(2));
        let variance = squares.sum::<f64>() / games;
        record.games() as f64 * (high - low) * (2.0 * score - low - high) / (2.0 * variance)
    }

    /// Returns the ratio at which a hypothesis is accepted: `elo1` above it, `elo0` below its negative.
    pub fn bound(&self) -> f64 {
        ((1.0 - self.alpha) / self.alpha).ln()
    }

    /// Tells whether `elo1` is accepted; `None` while the test goes on.
    pub fn accepts(&self, record: &Record) -> Option<bool> {
        let ratio = self.ratio(record);
        (ratio.abs() >= self.bound()).then_some(ratio > 0.0)
    }
}
