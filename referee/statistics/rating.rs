//! Ratings: the strength of a bot by the places of its blocks, over all seasons. They decide nothing, since
//! places ignore margins, and a rating depends on the order of games.
//!
//! Source: Weng and Lin, "A Bayesian Approximation Method for Online Ranking", JMLR 12 (2011), as implemented
//! by the crate `skillratings`, with its defaults: every bot begins with 25 and an uncertainty of 25/3.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};

use crate::rounds::block_shares;
use referee_record::Digest;
use referee_record::game_result::GameResult;

/// The ratings of bots, by the digest of program and arguments, under any name and in any season.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "BTreeMap<Digest, (f64, f64)>", into = "BTreeMap<Digest, (f64, f64)>")]
pub struct Ratings(BTreeMap<Digest, WengLinRating>);

impl From<BTreeMap<Digest, (f64, f64)>> for Ratings {
    fn from(ratings: BTreeMap<Digest, (f64, f64)>) -> Ratings {
        let rating = |(bot, (rating, uncertainty))| (bot, WengLinRating { rating, uncertainty });
        Ratings(ratings.into_iter().map(rating).collect())
    }
}

impl From<Ratings> for BTreeMap<Digest, (f64, f64)> {
    fn from(ratings: Ratings) -> BTreeMap<Digest, (f64, f64)> {
        ratings.0.into_iter().map(|(bot, known)| (bot, (known.rating, known.uncertainty))).collect()
    }
}

/// The estimated strength of a bot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The rating.
    pub rating: f64,
    /// Its standard deviation.
    pub uncertainty: f64,
}

impl Ratings {
    /// Adds the games of a block as one result, since they are not independent. Blocks must be added in the
    /// order of the schedule. A bot has the mean of its seats that count.
    pub fn add(&mut self, block: &[GameResult]) {
        let mut sums: BTreeMap<&Digest, (f64, f64)> = BTreeMap::new();
        for (bot, share) in block_shares(block) {
            // The same program under two names is one bot.
            let (sum, names) = sums.entry(&bot.digest).or_default();
            (*sum, *names) = (*sum + share, *names + 1.0);
        }
        if sums.len() < 2 {
            return;
        }
        let means: Vec<f64> = sums.values().map(|(sum, names)| sum / names).collect();
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

    /// Returns the rating of a bot by its digest; `None` if it has not met another.
    pub fn get(&self, digest: &Digest) -> Option<Rating> {
        let WengLinRating { rating, uncertainty } = *self.0.get(digest)?;
        Some(Rating { rating, uncertainty })
    }
}
