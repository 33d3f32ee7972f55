//! Trends: mean shares and intervals over the rounds of a season. In a long season only some looks are kept,
//! evenly spaced.

use crate::confidence::Interval;
use crate::rounds::{Field, mean_of_micros};
use referee_record::game_result::GameResult;
use serde::{Deserialize, Serialize};

/// Maximum number of looks that are kept; the last round is always among them.
const LOOKS_MAX: usize = 200;

/// Looks at a season.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Trends {
    /// By bot: the sum of its shares in millionths, and their number.
    sums: Vec<(i64, u64)>,
    looks: Vec<Look>,
    /// The look after the last round. The next round keeps it permanently or drops it.
    last: Option<Look>,
    /// The number of looks before `last`, kept or dropped. Stored trends have the other name.
    #[serde(rename = "seen")]
    looks_before: usize,
    /// One in this number of looks is kept.
    step: usize,
}

/// A look at the season after a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// The round.
    pub round: u32,
    /// The mean share of each bot of the field in its games so far; `None` before its first.
    pub means: Vec<Option<f64>>,
    /// The interval of each bot's mean share, if there is one.
    pub intervals: Option<Vec<Interval>>,
}

impl Default for Trends {
    fn default() -> Trends {
        Trends { sums: Vec::new(), looks: Vec::new(), last: None, looks_before: 0, step: 1 }
    }
}

impl Trends {
    /// Adds games of a round, and stores the means after them. This look replaces an earlier one at the same
    /// round.
    ///
    /// `intervals` returns those after the round. It is called only if the next round would keep this look. If not, the
    /// look has no intervals until [`Trends::finish`] sets them.
    pub fn add(
        &mut self,
        field: &Field,
        round: u32,
        games: &[GameResult],
        intervals: impl FnOnce() -> Option<Vec<Interval>>,
    ) {
        self.sums.resize(field.len(), (0, 0));
        for row in games.iter().flatten().filter(|row| row.counts) {
            if let Some(bot) = field.index(&row.bot) {
                let (sum, games) = &mut self.sums[bot];
                (*sum, *games) = (*sum + row.share.micros(), *games + 1);
            }
        }
        if self.last.as_ref().is_some_and(|last| last.round != round) {
            self.keep();
        }
        let mean = |(sum, games): &(i64, u64)| (*games > 0).then(|| mean_of_micros(*sum, *games));
        let intervals = if self.looks_before.is_multiple_of(self.step) { intervals() } else { None };
        self.last = Some(Look { round, means: self.sums.iter().map(mean).collect(), intervals });
    }

    /// Sets the intervals of the last look.
    pub fn finish(&mut self, intervals: Option<Vec<Interval>>) {
        if let Some(last) = &mut self.last {
            last.intervals = intervals;
        }
    }

    /// Lists the looks that are kept, in the order of their rounds.
    pub fn looks(&self) -> impl Iterator<Item = &Look> {
        self.looks.iter().chain(&self.last)
    }

    /// Returns the number of games of a bot of the field in the last look.
    pub fn games_of(&self, bot: usize) -> u64 {
        self.sums.get(bot).map_or(0, |(_, games)| *games)
    }

    /// Keeps the last look permanently, if its turn has come. If there are too many looks, drops every other one.
    fn keep(&mut self) {
        let look = self.last.take();
        if self.looks_before.is_multiple_of(self.step) {
            self.looks.extend(look);
        }
        self.looks_before += 1;
        if self.looks.len() == LOOKS_MAX {
            let mut index = 0;
            self.looks.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.step *= 2;
        }
    }
}
