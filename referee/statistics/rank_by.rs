//! What counts for places and verdicts: a bot's score, its place, or its wins. Each is a share from 0 to 1 of its own,
//! and all statistics are the same functions of it.

use std::borrow::Borrow;
use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::rounds::micros;
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
    /// opponent, also one whose own result does not count; seats of a team are none to each other.
    #[must_use]
    pub fn counted(self, mut game: GameResult) -> GameResult {
        if self != RankBy::Score {
            self.count(&mut game.iter_mut().collect::<Vec<_>>());
        }
        game
    }

    /// Likewise, for a round of games of one seat, in which all bots had the same task: each bot's place is that among
    /// all of them, by share and then by score. A score alone is no share, so it counts as a place does.
    pub fn count_alone(self, round: &mut [GameResult]) {
        let mut rows: Vec<&mut ResultRow> = round.iter_mut().flat_map(|game| game.iter_mut()).collect();
        let results: Vec<(Share, i64)> = rows.iter().map(|row| (row.share, row.score)).collect();
        for (row, own) in rows.iter_mut().zip(&results) {
            row.place = 1 + results.iter().filter(|other| *other > own).count();
        }
        let rank_by = if self == RankBy::Score { RankBy::Place } else { self };
        rank_by.count(&mut rows);
    }

    fn count(self, rows: &mut [&mut ResultRow]) {
        let shares: Vec<f64> = (0..rows.len())
            .map(|seat| match self {
                RankBy::Score => rows[seat].share.value(),
                RankBy::Win => won(rows, seat),
                RankBy::Place => beaten(rows, seat),
            })
            .collect();
        for (row, share) in rows.iter_mut().zip(shares) {
            row.share = Share::of_micros(micros(share));
        }
    }
}

/// Tells whether two seats of a game are one bot's own, so that they play together. A seat that only fills the table is
/// an opponent of its own bot, too.
pub(super) fn are_of_one(one: &ResultRow, other: &ResultRow) -> bool {
    one.counts && other.counts && one.bot == other.bot
}

/// Returns a seat's part of the win: 1, divided by the number of winners. Several winning seats of a bot are one winner.
pub(super) fn won<R: Borrow<ResultRow>>(rows: &[R], seat: usize) -> f64 {
    if rows[seat].borrow().place > 1 {
        return 0.0;
    }
    let rows: Vec<&ResultRow> = rows.iter().map(Borrow::borrow).collect();
    let is_first =
        |at: &usize| rows[*at].place == 1 && !rows[..*at].iter().any(|row| are_of_one(row, rows[*at]));
    1.0 / (0..rows.len()).filter(is_first).count() as f64
}

/// Returns the part of a seat's opponents that it beats.
fn beaten<R: Borrow<ResultRow>>(rows: &[R], seat: usize) -> f64 {
    let own: &ResultRow = rows[seat].borrow();
    let (mut opponents, mut beaten) = (0, 0.0);
    for (at, other) in rows.iter().map(Borrow::borrow).enumerate() {
        if at != seat && !are_of_one(own, other) {
            opponents += 1;
            beaten += match other.place.cmp(&own.place) {
                Ordering::Greater => 1.0,
                Ordering::Equal => 0.5,
                Ordering::Less => 0.0,
            };
        }
    }
    // Who has no opponent beats all there are.
    if opponents == 0 { 1.0 } else { beaten / f64::from(opponents) }
}

impl std::str::FromStr for RankBy {
    type Err = String;

    fn from_str(word: &str) -> Result<RankBy, String> {
        let found = RankBy::ALL.into_iter().find(|by| by.name() == word);
        found.ok_or_else(|| format!("bots are ranked by {}, not by {word}", NAMES.join(", ")))
    }
}
