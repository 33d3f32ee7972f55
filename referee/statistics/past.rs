//! A season that is over, as later ones look back at it.

use serde::{Deserialize, Serialize};

use crate::season::SeasonAccount;
use crate::standings::places_of;
use crate::trends::Look;
use referee_record::BotName;

/// An earlier season.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeasonPast {
    /// Its number, from 1.
    pub number: u32,
    /// Number of complete rounds.
    pub rounds: u32,
    /// The bots, best first.
    pub bots: Vec<Placed>,
    /// Some of its rounds, in their order, each with the place of each of these bots in the season's games up to it.
    pub course: Vec<(u32, Vec<Option<u16>>)>,
}

/// A bot at the end of a season.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Placed {
    /// Its name.
    pub name: String,
    /// The number of its program, from 1.
    pub version: u32,
    /// Its place by mean share.
    pub place: usize,
    /// Its first and last likely place.
    pub likely: Option<(usize, usize)>,
    /// Number of its games that count.
    pub games: u64,
    /// Mean share of them.
    pub mean_share: f64,
}

/// Maximum number of rounds that are kept of the course of an earlier season.
const COURSE_MAX: usize = 6;

impl SeasonAccount {
    /// Returns the end of the season. The account is closed.
    pub fn ended(&self) -> SeasonPast {
        let placed = self.sums.standings().into_iter().map(|standing| Placed {
            likely: self.likely(&standing.bot),
            name: standing.bot.name,
            version: standing.bot.version,
            place: standing.place,
            games: standing.games,
            mean_share: standing.mean_share,
        });
        let bots: Vec<Placed> = placed.collect();
        let looks: Vec<&Look> = self.trends.looks().collect();
        let step = looks.len().div_ceil(COURSE_MAX).max(1);
        let kept = looks.iter().rev().step_by(step).rev();
        let round_and_places = |look: &&Look| {
            let places = places_of(&look.means);
            let place_of = |bot: &Placed| {
                let is_same = |other: &BotName| other.name == bot.name && other.version == bot.version;
                places[self.field.bots().iter().position(is_same)?]?.try_into().ok()
            };
            (look.round, bots.iter().map(place_of).collect())
        };
        let course = kept.map(round_and_places).collect();
        SeasonPast { number: self.number, rounds: self.last_round(), bots, course }
    }
}
