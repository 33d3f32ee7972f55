//! The leader of a season in words: since when it leads, and how sure it is that it is the best.
//!
//! "Likely" is said by resampled rounds, "proven" by the test of the verdict: here, and on every page.

use referee_statistics::season::SeasonAccount;
use referee_statistics::standings::Standing;
use serde::{Deserialize, Serialize};

use crate::tables::sentence::Sentence;

/// Maximum number of bots that a sentence lists by name.
const NAMED: usize = 3;

/// The leader of a season.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lead {
    /// The bots in the first place.
    pub first: Vec<String>,
    /// The round of the season since which one bot has led without a break; `None` if that is unknown, or since the
    /// beginning.
    pub since: Option<u32>,
    /// Whether the leader is proven to be the best, by the rule of the verdict.
    pub is_proven: bool,
    /// The last likely place of the leader; `None` if none is known, or if results change with time.
    pub likely: Option<usize>,
    /// The bots beside which it does better than the results of all elsewhere explain.
    pub helpers: Vec<String>,
    /// The bots that it is not proven to be better than, in the order of the standings; `None` without proofs.
    pub open: Option<Vec<String>>,
    /// The number of all bots.
    pub bots: usize,
}

impl Lead {
    /// Returns who leads. `lines` are the standings, best first. `None` if no game counts.
    pub fn find(season: &SeasonAccount, lines: &[Standing]) -> Option<Lead> {
        let best = lines.first()?;
        let first = lines.iter().take_while(|line| line.place == best.place);
        let first: Vec<String> = first.map(|line| line.bot.name.clone()).collect();
        let open = season.behind(&best.bot).map(|behind| {
            let others = lines[1..].iter().filter(|line| !behind.contains(&&line.bot));
            others.map(|line| line.bot.name.clone()).collect()
        });
        let drifts = season.race.drift().is_some();
        let king = season.race.clear_king().filter(|_| season.has_intervals() && !drifts);
        Some(Lead {
            // The looks tell nothing of earlier games.
            since: if first.len() == 1 && season.carried() == 0 { since(season, best) } else { None },
            first,
            is_proven: king.is_some() && king == season.field.index(&best.bot),
            likely: season.likely(&best.bot).filter(|_| !drifts).map(|(_, last)| last),
            helpers: season.helpers(&best.bot),
            open,
            bots: lines.len(),
        })
    }

    /// Says it in a sentence: `fox has led since round 12, likely the best.`
    pub fn sentence(&self) -> Sentence {
        let said = Sentence::default();
        let named = |said: Sentence, names: &[String]| said.bots(names.iter().map(String::as_str), " and ");
        let first = self.first.first().cloned().unwrap_or_default();
        if let [_, _, ..] = self.first[..] {
            return match self.first.len() {
                all if all == self.bots => said.words(format!("All {all} bots are level.")),
                few if few <= NAMED => named(said, &self.first).words(" share the first place."),
                many => said.words(format!("{many} bots share the first place.")),
            };
        }
        let leads = said.bot(first).words(match self.since {
            Some(round) => format!(" has led since round {round}"),
            None => " leads".to_owned(),
        });
        let leads = match self.likely {
            _ if self.bots == 1 => return leads.words(": it is alone."),
            _ if self.is_proven => leads.words(", proven the best"),
            Some(1) => leads.words(", likely the best"),
            Some(last) if last < self.bots => leads.words(format!(", likely one of the best {last}")),
            _ => leads,
        };
        match self.helpers.len() {
            0 => leads.words("."),
            few if few <= NAMED => {
                named(leads.words(", but does unexplained well beside "), &self.helpers).words(".")
            }
            many => leads.words(format!(", but does unexplained well beside {many} bots.")),
        }
    }
}

/// Returns the first round of those after which a bot has led without a break. Only the kept looks tell.
fn since(season: &SeasonAccount, leader: &Standing) -> Option<u32> {
    let index = season.field.index(&leader.bot)?;
    let leads = |means: &[Option<f64>]| {
        means[index].is_some_and(|mean| means.iter().flatten().all(|other| *other <= mean))
    };
    let looks: Vec<_> = season.trends.looks().collect();
    let before = looks.iter().rposition(|look| !leads(&look.means))?;
    looks.get(before + 1).map(|look| look.round)
}

/// Returns the number of digits behind the point that a value with this error allows: from 2 to 4.
pub fn digits(error: f64) -> usize {
    let digits = (-error.max(1e-9).log10()).ceil();
    digits.clamp(2.0, 4.0) as usize
}
