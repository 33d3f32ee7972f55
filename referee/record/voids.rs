//! Void games: `voids.csv` of a hill, a folder of games or a tournament. It has a row for each void or lost attempt,
//! and one for each game that was given up.

use serde::{Deserialize, Serialize};

use super::file::is_below_logs;
use super::forms::{MaybeMoment, MaybeTier, Seating, seated};
use super::schema::{
    CellForm, CellKind, Column, Columns, Id, MaybeName, MaybeNumber, MaybeSha256, Number, Text, column,
};

/// Why an attempt, or its whole game, does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoidReason {
    /// A bot could not be confined.
    SandboxError,
    /// The host let a bot wait.
    HostOverload,
    /// The judge has failed.
    JudgeFailed,
    /// The attempt has begun and has no recorded end: the referee or the machine went down.
    LostInFlight,
    /// The game was void or lost too often: it is not played again.
    #[default]
    GivenUp,
}

impl VoidReason {
    const ALL: [VoidReason; 5] = [
        VoidReason::SandboxError,
        VoidReason::HostOverload,
        VoidReason::JudgeFailed,
        VoidReason::LostInFlight,
        VoidReason::GivenUp,
    ];

    /// Returns the word for it in every file and table.
    pub const fn name(self) -> &'static str {
        match self {
            VoidReason::SandboxError => "sandbox_error",
            VoidReason::HostOverload => "host_overload",
            VoidReason::JudgeFailed => "judge_failed",
            VoidReason::LostInFlight => "lost_in_flight",
            VoidReason::GivenUp => "given_up",
        }
    }
}

/// The form of cells with a reason.
#[derive(Clone, Copy, Debug)]
struct ReasonForVoid;

impl CellKind for ReasonForVoid {
    const KIND: &'static str =
        "`sandbox_error`, `host_overload`, `judge_failed`, `lost_in_flight` or `given_up`";
}

impl CellForm<VoidReason> for ReasonForVoid {
    fn write(value: &VoidReason, text: &mut String) {
        text.push_str(value.name());
    }

    fn read(cell: &str) -> Result<VoidReason, String> {
        let found = VoidReason::ALL.into_iter().find(|reason| reason.name() == cell);
        found.ok_or_else(|| format!("{cell:?}; it can be {}", Self::KIND))
    }
}

/// An attempt at a game that does not count, or a game that was given up. Records of runners hold it as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "its columns say it")]
pub struct VoidRow {
    pub game: String,
    pub started: String,
    pub attempt: u32,
    pub turn: u32,
    pub reason: VoidReason,
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
        column!("game", game, Id, "the game's name"),
        column!(
            "started",
            started,
            MaybeMoment,
            "date and time (UTC) of its start; empty for a game that was given up"
        ),
        column!("attempt", attempt, Number, "number of the attempt, from 1"),
        column!("turn", turn, Number, "turn in which it ended, of a lost attempt by its log; 0 if unknown"),
        column!("reason", reason, ReasonForVoid, "why it does not count"),
        column!(
            "seat",
            seat,
            MaybeNumber,
            "seat whose turn made the game void, if there is one; of a failed judge: the seat without whose answer it \
             goes on; of a lost attempt: the seat that alone was last in score, if its log tells it"
        ),
        column!("bot", bot, MaybeName, "the bot in this seat"),
        column!("bot_version", bot_version, MaybeNumber, "number of the program under this name"),
        column!("bots", bots, Seating, "all bots of the game, by seat: `fox:1 owl:3`"),
        column!("sandbox", sandbox, MaybeTier, "how the bots were confined"),
        column!("detail", detail, Text, "message of the system"),
        column!("log", log, Text, "path of the incomplete log, from the folder of this file"),
        column!("log_digest", log_digest, MaybeSha256, "SHA-256 of that log, if there is one"),
    ];

    fn blank() -> VoidRow {
        VoidRow::default()
    }
}

impl VoidRow {
    /// Returns a sentence about the first column that does not fit the others; `None` if all fit.
    pub fn inconsistent_column(&self) -> Option<String> {
        let VoidRow { reason, attempt, turn, seat, bot, bot_version, bots, log, .. } = self;
        let (is_given_up, is_lost) = (*reason == VoidReason::GivenUp, *reason == VoidReason::LostInFlight);
        let was_played_and_void = !is_given_up && !is_lost;
        let bot_in_seat = seat.and_then(|seat| seated(bots)?.get(usize::from(seat)).copied());
        let bot_fits = match (seat, bot_in_seat) {
            (Some(_), Some((name, version))) => (&**bot, *bot_version) == (name, Some(version)),
            (Some(_), None) => false,
            (None, _) => bot.is_empty() && bot_version.is_none(),
        };
        let log_fits =
            if was_played_and_void { names_void(log, &self.game, *attempt) } else { log.is_empty() };
        // Each column, and whether it fits.
        let rules = [
            // Every attempt has a start. A row of a game that was given up is about no attempt.
            ("started", self.started.is_empty() == is_given_up),
            // Attempts are counted from 1.
            ("attempt", is_given_up || *attempt > 0),
            // Only an attempt ends in a turn.
            ("turn", *turn == 0 || !is_given_up),
            // Only an attempt can be void, or lost, by a seat.
            ("seat", seat.is_none() || !is_given_up),
            // The bot is the one that the list of all bots has in that seat. Without a seat there is no bot.
            ("bot", bot_fits),
            // Only of a void attempt is it known how the bots were confined.
            ("sandbox", self.sandbox.is_empty() != was_played_and_void),
            // A void attempt has a log of its own, no other row has one.
            ("log", log_fits),
            // The digest is that of the log.
            ("log_digest", self.log_digest.is_empty() == log.is_empty()),
        ];
        let (column, _) = rules.into_iter().find(|(_, fits)| !fits)?;
        Some(format!("column {column} does not fit the others of a row {}", reason.name()))
    }
}

/// Tells whether a path is that of the log of a void attempt: `logs/GAME.void2`, in any folder of logs.
fn names_void(log: &str, game: &str, attempt: u32) -> bool {
    let name = log.rsplit('/').next().unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(name);
    is_below_logs(log) && name == format!("{game}.void{attempt}")
}

/// Returns a row as a sentence.
pub fn sentence(row: &VoidRow) -> String {
    let VoidRow { game, attempt, detail, .. } = row;
    match row.reason {
        VoidReason::GivenUp => format!("{game} is given up and does not count: {detail}"),
        VoidReason::LostInFlight => format!("{game}, attempt {attempt}, was lost: {detail}"),
        _ => format!("{game}, attempt {attempt}, does not count: {detail}"),
    }
}
