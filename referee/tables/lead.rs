//! The leader of a season in words: since when it leads, and whom it is clearly ahead of.
//!
//! One rule says who is ahead, here and on every page: the ranks count the pairs of bots that it has decided.

use referee_statistics::season::SeasonAccount;
use referee_statistics::standings::Standing;
use serde::{Deserialize, Serialize};

use crate::sentence::Sentence;

/// Maximum number of bots that a sentence lists by name.
const NAMED: usize = 3;

/// The leader of a season.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lead {
    /// The bots in the first place.
    pub first: Vec<String>,
    /// The round of the season since which one bot has led without a break; `None` if that is unknown, or since the
    /// beginning.
    pub since: Option<u32>,
    /// The bots that are not clearly behind the first one, in the order of the standings; `None` without ranks.
    pub open: Option<Vec<String>>,
    /// The number of all bots.
    pub bots: usize,
}

impl Lead {
    /// Returns who leads. `lines` are the standings, best first. `None` if no game counts.
    pub fn of(season: &SeasonAccount, lines: &[Standing]) -> Option<Lead> {
        let best = lines.first()?;
        let first = lines.iter().take_while(|line| line.place == best.place);
        let first: Vec<String> = first.map(|line| line.bot.name.clone()).collect();
        let open = season.behind(&best.bot).map(|behind| {
            let others = lines[1..].iter().filter(|line| !behind.contains(&&line.bot));
            others.map(|line| line.bot.name.clone()).collect()
        });
        // The looks tell nothing of earlier games.
        let since = if first.len() == 1 && season.carried() == 0 { since(season, best) } else { None };
        Some(Lead { first, since, open, bots: lines.len() })
    }

    /// Says it in a sentence: `fox has led since round 12, clearly ahead of all 5 others.`
    pub fn sentence(&self) -> Sentence {
        let said = Sentence::default();
        let named = |said: Sentence, names: &[String]| said.bots(names.iter().map(String::as_str), " and ");
        let (first, others) = (self.first.first().cloned().unwrap_or_default(), self.bots - 1);
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
        match self.open.as_deref() {
            None => leads.words("."),
            _ if others == 0 => leads.words(": it is alone."),
            Some([]) if others == 1 => leads.words(", clearly ahead of the other bot."),
            Some([]) => leads.words(format!(", clearly ahead of all {others} others.")),
            Some(open) if open.len() == others && others > NAMED => {
                leads.words(format!(", but the lead over all {others} others is not yet proven."))
            }
            Some(open) if open.len() > NAMED => leads
                .words(format!(", but the lead over {} of {others} others is not yet proven.", open.len())),
            Some(open) => named(leads.words(", but the lead over "), open).words(" is not yet proven."),
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
