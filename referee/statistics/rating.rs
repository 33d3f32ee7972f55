//! Ratings: how strong a program seems from who came before whom, over all seasons. They decide nothing, since ranks
//! throw margins away and a rating drifts with the order of games.
//!
//! Source: Weng and Lin, "A Bayesian Approximation Method for Online Ranking", JMLR 12 (2011), as the crate
//! `skillratings` has it, with its defaults: everybody begins with 25 and an uncertainty of 25/3.

use std::collections::BTreeMap;

use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};

use crate::record::Digest;
use crate::record::game_result::GameResult;
use crate::statistics::rounds::{mean_of_micros, micros};

/// The ratings of programs, by digest: under whatever name, in whatever season.
#[derive(Debug, Default)]
pub struct Ratings(BTreeMap<Digest, WengLinRating>);

/// How strong a program seems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The rating.
    pub rating: f64,
    /// Its standard deviation.
    pub uncertainty: f64,
}

impl Ratings {
    /// Takes a game: all its rows. Games must come in the order of the schedule. A bot with several seats has the mean of
    /// those that count.
    pub fn add(&mut self, game: &GameResult) {
        let mut sums: BTreeMap<&Digest, (i64, u64)> = BTreeMap::new();
        for row in game.iter().filter(|row| row.counts) {
            let sum = sums.entry(&row.bot.digest).or_default();
            *sum = (sum.0 + micros(row.share), sum.1 + 1);
        }
        if sums.len() < 2 {
            return;
        }
        let means: Vec<f64> = sums.values().map(|(sum, count)| mean_of_micros(*sum, *count)).collect();
        let before: Vec<WengLinRating> =
            sums.keys().map(|digest| self.0.get(*digest).copied().unwrap_or_default()).collect();
        let teams: Vec<(&[WengLinRating], MultiTeamOutcome)> = before
            .iter()
            .zip(&means)
            .map(|(rating, mean)| {
                let place = 1 + means.iter().filter(|other| *other > mean).count();
                (std::slice::from_ref(rating), MultiTeamOutcome::new(place))
            })
            .collect();
        let after = weng_lin_multi_team(&teams, &WengLinConfig::new());
        for (digest, team) in sums.keys().zip(after) {
            self.0.insert((*digest).clone(), team[0]);
        }
    }

    /// Returns the rating of a program.
    pub fn of(&self, digest: &Digest) -> Rating {
        let WengLinRating { rating, uncertainty } = self.0.get(digest).copied().unwrap_or_default();
        Rating { rating, uncertainty }
    }
}
