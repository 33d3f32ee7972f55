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
