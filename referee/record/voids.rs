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
            "seat whose turn made the game void, if there is one; of a failed judge: the seat without whose answer it goes on; of a lost attempt: the seat that alone was last in score, if its log tells it"
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
    /// Says which of its columns does not fit the others, if there is one.
    pub fn fault(&self) -> Option<String> {
        let VoidRow { reason, attempt, turn, seat, bot, bot_version, bots, log, .. } = self;
        let (is_given_up, is_lost) = (*reason == VoidReason::GivenUp, *reason == VoidReason::LostInFlight);
        let is_void = !is_given_up && !is_lost;
        let named = seat.and_then(|seat| seated(bots)?.get(usize::from(seat)).copied());
        let is_named = match (seat, named) {
            (Some(_), Some((name, version))) => (&**bot, *bot_version) == (name, Some(version)),
            (Some(_), None) => false,
            (None, _) => bot.is_empty() && bot_version.is_none(),
        };
        let faults = [
            ("started", self.started.is_empty() == is_given_up),
            ("attempt", is_given_up || *attempt > 0),
            ("turn", *turn == 0 || !is_given_up),
            ("seat", seat.is_none() || !is_given_up),
            ("bot", is_named),
            ("sandbox", self.sandbox.is_empty() != is_void),
            ("log", log.is_empty() != is_void && (!is_void || names_void(log, &self.game, *attempt))),
            ("log_digest", self.log_digest.is_empty() == log.is_empty()),
        ];
        let (column, _) = faults.into_iter().find(|(_, fits)| !fits)?;
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
