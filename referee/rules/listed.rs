//! The entry of a game in the list of games.

use super::board::Board;
use super::{Codec, Parameter, Parameters};

/// A game as an entry of the list of games.
pub trait Listed: Codec {
    /// Its name in files and on the command line.
    const NAME: &'static str;
    /// What it is, in a few words.
    const ABOUT: &'static str;
    /// The parameters.
    const PARAMETERS: &'static [Parameter];
    /// How many sit at a table.
    const SEATING: Seating;
    /// Settings, each alone, that make questions or answers as short or as long as they get.
    const EXTREMES: &'static [(&'static str, i64)] = &[];
    /// How it is drawn in a terminal. A game without a board is shown as a table of its facts.
    const BOARD: Option<Board> = None;
    /// How it is drawn in a browser: JavaScript with a class `GameBoard`. A game without one is shown as a table, too.
    const PAGE_BOARD: Option<&'static str> = None;
    /// Texts that a scene shows at places ([`scene::LABEL`](crate::scene::LABEL)).
    const LABELS: &'static [&'static str] = &[];

    /// Takes the rules' parameters ([`PARAMETERS`](Listed::PARAMETERS)).
    fn of_parameters(parameters: &Parameters) -> Self;

    /// Returns an earlier version of the rules, if that is still known.
    fn of_version(_parameters: &Parameters, _version: u32) -> Option<Self> {
        None
    }
}

/// How many sit at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seating {
    /// Always the same number.
    Fixed(usize),
    /// From `least` to `most`. In `play` as many as are named; in hills and tournaments tables have the number that is set
    /// by the parameter [`SEATS`].
    Range {
        /// The least number of seats.
        least: usize,
        /// The greatest number of seats.
        most: usize,
    },
    /// All entrants, and if they are fewer than this, as many copies of each as it takes. The number is told to the
    /// game as its parameter [`SEATS`].
    Field {
        /// The least number of seats.
        least: usize,
    },
}

/// The parameter by which a game whose number of seats varies is told how many it has.
pub const SEATS: &str = "seats";

/// A bot that comes with a game.
#[derive(Clone, Copy, Debug)]
pub struct HouseBot {
    /// Its name among the bots of the game.
    pub name: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// Plays one game on standard input and output.
    pub main: fn(),
}
