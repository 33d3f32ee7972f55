//! What counts for places and verdicts: a bot's score, its place, or its wins. Each is a share from 0 to 1 of its own,
//! and all statistics are the same functions of it.

use serde::{Deserialize, Serialize};

use referee_record::Share;
use referee_record::game_result::GameResult;
use referee_record::results::ResultRow;
use referee_rules::Parameter;
use referee_rules::ParameterKind;

/// What counts for places and verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RankBy {
    /// The share of the score, as it is in the results: each game says what a score is worth.
    #[default]
    Score,
    /// The part of the opponents that a bot beats in a game. An opponent with the same place is half beaten.
    Place,
    /// 1 for a win, divided by the number of winners, and 0 for the others.
    Win,
}

/// The names in files, in the order of [`RankBy::ALL`].
const NAMES: [&str; 3] = ["score", "place", "win"];

impl RankBy {
    /// All of them.
    pub const ALL: [RankBy; 3] = [RankBy::Score, RankBy::Place, RankBy::Win];

    /// The setting of a format.
    pub(super) const SETTING: Parameter = Parameter {
        name: RankBy::KEY,
        short: None,
        default: 0,
        kind: ParameterKind::Choice(&NAMES),
        help: "what counts for places and verdicts: score (the share of the score), place (the part of the \
               opponents that a bot beats in a game) or win (1 for a win, divided by the number of winners)",
    };

    /// The key of the setting.
    pub const KEY: &'static str = "rank_by";

    /// Returns its name in files.
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// Returns what a mean share is the mean of, in words; `None` for the share of the score.
    pub fn meaning(self) -> Option<&'static str> {
        match self {
            RankBy::Score => None,
            RankBy::Place => Some("the part of its opponents that a bot beats, ties half"),
            RankBy::Win => Some("1 for a win, shared by all winners"),
        }
    }

    /// Replaces the shares of a game by those that count, rounded to millionths as in the results. Every seat is an
    /// opponent, also one whose own result does not count.
    #[must_use]
    pub fn counted(self, mut game: GameResult) -> GameResult {
        if self != RankBy::Score {
            self.count(&mut game.iter_mut().collect::<Vec<_>>());
        }
        game
    }

    /// Replaces the shares of a round of games of one seat, in which all bots had the same task: each bot's place is
    /// that among all of them, by share and then by score. A score alone is no share, so [`RankBy::Score`] counts
    /// places, too.
    pub(super) fn count_alone(self, round: &mut [GameResult]) {
        let mut rows: Vec<&mut ResultRow> = round.iter_mut().flat_map(|game| game.iter_mut()).collect();
        let results: Vec<(Share, i64)> = rows.iter().map(|row| (row.share, row.score)).collect();
        for (row, own) in rows.iter_mut().zip(&results) {
            row.place = 1 + results.iter().filter(|other| *other > own).count();
        }
        let rank_by = if self == RankBy::Score { RankBy::Place } else { self };
        rank_by.count(&mut rows);
    }

    fn count(self, rows: &mut [&mut ResultRow]) {
        let places: Vec<usize> = rows.iter().map(|row| row.place).collect();
        let winners = places.iter().filter(|place| **place == 1).count().max(1);
        for row in rows {
            let share = match self {
                RankBy::Score => row.share.value(),
                RankBy::Win => f64::from(u8::from(row.place == 1)) / winners as f64,
                RankBy::Place => {
                    let beaten = places.iter().filter(|place| **place > row.place).count();
                    let level = places.iter().filter(|place| **place == row.place).count() - 1;
                    // A bot without opponents beats all there are.
                    if places.len() == 1 {
                        1.0
                    } else {
                        (beaten as f64 + level as f64 / 2.0) / (places.len() - 1) as f64
                    }
                }
            };
            row.share = Share::of_micros(micros(share));
        }
    }
}

/// Returns a share in millionths, the precision of the results. A sum of whole numbers does not depend on their order.
pub(super) fn micros(share: f64) -> i64 {
    (share * 1e6).round() as i64
}

impl std::str::FromStr for RankBy {
    type Err = String;

    fn from_str(word: &str) -> Result<RankBy, String> {
        let found = RankBy::ALL.into_iter().find(|by| by.name() == word);
        found.ok_or_else(|| format!("bots are ranked by {}, not by {word}", NAMES.join(", ")))
    }
}
