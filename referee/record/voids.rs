//! Void games: `voids.csv` of a hill, a folder of games or a tournament. It has a row for each void or lost attempt,
//! and one for each game that was given up.

use serde::{Deserialize, Serialize};

use super::schema::{Column, Columns, MaybeNumber, Number, Text, column};

/// The reason in the row of an attempt that has begun and has no recorded end: the referee or the machine went down.
pub const LOST: &str = "lost_in_flight";

/// The reason in the row of a game that was void or lost too often: it is not played again and does not count.
pub const GIVEN_UP: &str = "given_up";

/// An attempt at a game that does not count, or a game that was given up. Records of runners hold it as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "its columns say it")]
pub struct VoidRow {
    pub game: String,
    pub started: String,
    pub attempt: u32,
    pub turn: u32,
    pub reason: String,
    pub seat: Option<u8>,
    pub bot: String,
    pub bot_version: Option<u32>,
    pub bots: String,
    pub sandbox: String,
    pub detail: String,
    pub log: String,
    pub log_digest: String,
}

impl Columns for VoidRow {
    const WHAT: &'static str = "a void game";
    const FORMAT: u32 = 2;
    const OLDEST: u32 = 2;
    const COLUMNS: &'static [Column<VoidRow>] = &[
        column!("game", game, Text, "the game's name"),
        column!(
            "started",
            started,
            Text,
            "date and time (UTC) of its start; empty for a game that was given up"
        ),
        column!("attempt", attempt, Number, "number of the attempt, from 1"),
        column!("turn", turn, Number, "turn in which it ended, of a lost attempt by its log; 0 if unknown"),
        column!(
            "reason",
            reason,
            Text,
            "`sandbox_error`, `host_overload`, `judge_failed`, `lost_in_flight` or `given_up`"
        ),
        column!(
            "seat",
            seat,
            MaybeNumber,
            "seat whose turn made the game void, if there is one; of a lost attempt: the seat that alone was last in score, if its log tells it"
        ),
        column!("bot", bot, Text, "the bot in this seat"),
        column!("bot_version", bot_version, MaybeNumber, "number of the program under this name"),
        column!("bots", bots, Text, "all bots of the game, by seat: `fox:1 owl:3`"),
        column!("sandbox", sandbox, Text, "how the bots were confined"),
        column!("detail", detail, Text, "message of the system"),
        column!("log", log, Text, "path of the incomplete log, from the folder of this file"),
        column!("log_digest", log_digest, Text, "SHA-256 of that log, if there is one"),
    ];

    fn blank() -> VoidRow {
        VoidRow::default()
    }
}

/// Returns a row as a sentence.
pub fn told(row: &VoidRow) -> String {
    let VoidRow { game, attempt, detail, .. } = row;
    match &*row.reason {
        GIVEN_UP => format!("{game} is given up and does not count: {detail}"),
        LOST => format!("{game}, attempt {attempt}, was lost: {detail}"),
        _ => format!("{game}, attempt {attempt}, does not count: {detail}"),
    }
}
