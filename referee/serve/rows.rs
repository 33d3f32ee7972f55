//! The rows of the tables for programs: their columns, in order, with what each means.

use schemars::JsonSchema;
use serde_json::Value;

/// Defines a row: each of its fields is a column.
macro_rules! rows {
    ($($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $column:ident: $kind:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Debug, JsonSchema)]
        pub(crate) struct $name { $($(#[$what])* pub(crate) $column: $kind,)* }

        impl $name {
            /// The names of the columns.
            pub(crate) const COLUMNS: &[&str] = &[$(stringify!($column)),*];

            /// Returns the cells.
            pub(crate) fn cells(self) -> Vec<Value> {
                vec![$(self.$column.into()),*]
            }
        }
    )*};
}

rows! {
    /// A seat in a game.
    SeatRow {
        /// Name of the game
        game: String,
        /// Date and time (UTC) of its start
        started: String,
        season: u32,
        /// Round of the season, from 1
        round: u32,
        /// Why the game ended
        end: String,
        turns: u32,
        /// Number of the seat, from 0
        seat: usize,
        bot: String,
        version: u32,
        /// Place in the game, from 1; equal ones share it
        place: u32,
        score: i64,
        /// Share of the game, from 0 to 1
        share: f64,
        /// Turns with a fault
        faults: u32,
        /// Longest answer in microseconds
        max_us: u64,
    }

    /// A bot that plays now.
    BotRow {
        bot: String,
        version: u32,
        /// Account of its author; empty if the host submitted it
        author: String,
        /// Date and time (UTC) of its submission; empty in a tournament
        since: String,
        /// SHA-256 of the program
        digest: String,
    }

    /// A game that is being played.
    RunningRow {
        game: String,
        /// Date and time (UTC) of its start
        started: String,
        /// Names and versions of the bots by seat: `fox:1 owl:3`
        bots: String,
    }
}

/// A bot in the standings.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "it describes the standings, which the command line has, too")]
pub(crate) struct StandingRow {
    /// Place, from 1; equal ones share it
    place: u32,
    bot: String,
    games: u64,
    /// Games won; a win is shared by all who have the first place
    wins: f64,
    /// Points of the format of a tournament
    points: Option<u32>,
    /// Mean share of its games, which decides the place
    mean_share: f64,
    /// First plausible place
    rank_best: Option<u32>,
    /// Last plausible place
    rank_worst: Option<u32>,
    mean_score: f64,
    rating: Option<f64>,
    /// Uncertainty of the rating
    rating_sd: Option<f64>,
    /// Longest answer in milliseconds
    max_ms: f64,
    /// 99 of 100 answers took no more milliseconds
    p99_ms: f64,
    version: u32,
    /// Lower bound of the mean share
    mean_low: Option<f64>,
    /// Upper bound of the mean share
    mean_high: Option<f64>,
    /// Standard error of the mean share
    mean_error: Option<f64>,
    /// Part of its games that it won
    win_share: f64,
    /// Of a hill: whether it has left
    retired: bool,
}
