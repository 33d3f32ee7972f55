//! One game that is to be played: which game, who sits where, and what it is called.

use crate::catalog::Entry;
use crate::record::BotName;
use crate::record::results::Scheduled;
use crate::rules::{BySeat, Parameters, Seat, Seed};
use crate::table::process::Program;

/// A bot that can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// What the record calls it.
    pub name: BotName,
    /// What is started.
    pub program: Program,
}

/// One game that is to be played.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// Its name: letters, digits, `_` and `-`.
    pub id: String,
    /// The folder below `logs` and `stderr` in which its files lie; empty for none.
    pub folder: String,
    /// The game.
    pub entry: &'static Entry,
    /// What is set.
    pub parameters: Parameters,
    /// What all chance follows from.
    pub seed: Seed,
    /// Who sits where.
    pub entrants: BySeat<Entrant>,
    /// Its place in a schedule.
    pub scheduled: Option<Scheduled>,
    /// Seats whose score does not count.
    pub fillers: Vec<Seat>,
}

/// Returns the name of a game of a schedule.
pub fn game_id(place: Scheduled) -> String {
    let Scheduled { season, round, table, rotation } = place;
    format!("s{season:03}-r{round:05}-t{table:03}-g{rotation}")
}
