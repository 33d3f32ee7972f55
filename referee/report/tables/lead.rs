//! The leader of a season: since when it leads, and how sure it is that it is the best.
//!
//! Here and on every page, "likely" means a result of resampled rounds, and "proven" one of the test of the verdict.

use referee_statistics::season::SeasonAccount;
use referee_statistics::standings::Standing;
use serde::{Deserialize, Serialize};

use crate::tables::sentence::Sentence;

/// Maximum number of bots that a sentence lists by name.
const NAMES_MAX: usize = 3;

/// The leader of a season.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lead {
    /// The bots in the first place. If there are several, the other facts are about the first of them.
    pub first: Vec<String>,
    /// The round of the season since which one bot has led without a break; `None` if that is unknown, or since the
    /// beginning.
    pub since: Option<u32>,
    /// Whether the leader is proven to be the best, by the rule of the verdict.
    pub is_proven: bool,
    /// The last likely place of the leader; `None` if none is known, or if results change with time.
    pub last_likely_place: Option<usize>,
    /// The bots beside which the leader does better than the results of both elsewhere explain. They may help it.
    pub helpers: Vec<String>,
    /// The bots that it is not proven to be better than, in the order of the standings; `None` if the season
    /// has no intervals.
    pub rivals: Option<Vec<String>>,
    /// The number of all bots.
    pub bots: usize,
}

impl Lead {
    /// Finds the leader. `lines` are the standings, best first. `None` if no game counts.
    pub fn find(season: &SeasonAccount, lines: &[Standing]) -> Option<Lead> {
        let best = lines.first()?;
        let first = lines.iter().take_while(|line| line.place == best.place);
        let first: Vec<String> = first.map(|line| line.bot.name.clone()).collect();
        let rivals = season.behind(&best.bot).map(|behind| {
            let rivals = lines[1..].iter().filter(|line| !behind.contains(&&line.bot));
            rivals.map(|line| line.bot.name.clone()).collect()
        });
        let has_drift = season.race.drift().is_some();
        let has_proofs = season.has_intervals() && !has_drift;
        // The king is the bot that is proven better than all others.
        let king = if has_proofs { season.race.clear_king() } else { None };
        let likely_places = if has_drift { None } else { season.likely(&best.bot) };
        // Looks are interim standings. Where games of earlier seasons count, those of this season do not tell who led.
        let can_tell_since = first.len() == 1 && season.carried() == 0;
        Some(Lead {
            since: if can_tell_since { leads_since(season, best) } else { None },
            first,
            is_proven: king.is_some() && king == season.field.index(&best.bot),
            last_likely_place: likely_places.map(|(_, last)| last),
            helpers: season.helpers(&best.bot),
            rivals,
            bots: lines.len(),
        })
    }

    /// Returns a sentence such as `fox has led since round 12, likely the best.`
    pub fn sentence(&self) -> Sentence {
        let sentence = Sentence::default();
        let add_names =
            |sentence: Sentence, names: &[String]| sentence.bots(names.iter().map(String::as_str), " and ");
        if self.first.len() > 1 {
            return match self.first.len() {
                all if all == self.bots => sentence.words(format!("All {all} bots are level.")),
                ..=NAMES_MAX => add_names(sentence, &self.first).words(" share the first place."),
                many => sentence.words(format!("{many} bots share the first place.")),
            };
        }
        let leads = match self.since {
            Some(round) => format!(" has led since round {round}"),
            None => " leads".to_owned(),
        };
        let sentence = sentence.bot(self.first.first().cloned().unwrap_or_default()).words(leads);
        if self.bots == 1 {
            return sentence.words(": it is alone.");
        }
        let sentence = match self.last_likely_place {
            _ if self.is_proven => sentence.words(", proven the best"),
            Some(1) => sentence.words(", likely the best"),
            Some(last) if last < self.bots => sentence.words(format!(", likely one of the best {last}")),
            _ => sentence,
        };
        match self.helpers.len() {
            0 => sentence.words("."),
            1..=NAMES_MAX => {
                add_names(sentence.words(", but does unexplained well beside "), &self.helpers).words(".")
            }
            many => sentence.words(format!(", but does unexplained well beside {many} bots.")),
        }
    }
}

/// Returns the first of the rounds after which a bot has led without a break, alone or with others. Only the looks (the
/// interim standings) that are kept count. `None` if it led in all of them, or has not led in the last.
fn leads_since(season: &SeasonAccount, leader: &Standing) -> Option<u32> {
    let index = season.field.index(&leader.bot)?;
    let leads = |means: &[Option<f64>]| {
        means[index].is_some_and(|mean| means.iter().flatten().all(|other| *other <= mean))
    };
    let looks: Vec<_> = season.trends.looks().collect();
    let last_without_lead = looks.iter().rposition(|look| !leads(&look.means))?;
    looks.get(last_without_lead + 1).map(|look| look.round)
}

/// Returns the number of digits behind the point that a value with this error allows: from 2 to 4.
pub fn digits(error: f64) -> usize {
    let digits = (-error.max(1e-9).log10()).ceil();
    digits.clamp(2.0, 4.0) as usize
}
