//! The entry of a game in the list of games.

use super::board::Board;
use super::picture::Draw;
use super::{Codec, Parameter, Parameters, Seat};

/// A game as an entry of the list of games.
pub trait Listed: Codec {
    /// Its name in files and on the command line.
    const NAME: &'static str;
    /// A short description.
    const ABOUT: &'static str;
    /// The parameters.
    const PARAMETERS: &'static [Parameter];
    /// Number of seats at a table.
    const SEATING: Seating;
    /// Settings that, each alone, make questions or answers as short or as long as possible.
    const EXTREMES: &'static [(&'static str, i64)] = &[];
    /// Its drawing in a terminal. A game without one is shown as a table of its facts.
    const BOARD: Option<Board> = None;
    /// Its drawing in a browser: JavaScript with a class `GameBoard`. A game without one is shown as a table,
    /// too.
    const PAGE_BOARD: Option<&'static str> = None;
    /// Draws its board as a picture. Without one, its scene or its facts are drawn.
    const PICTURE: Option<Draw> = None;
    /// Number of columns, if the places of its board are the cells of a grid, row by row. Pages write a place as a row
    /// and a column.
    const COLUMNS: Option<i64> = None;
    /// The ends of the game, each with its words: `the last turn was played`. `{name}` is the value of a parameter.
    const ENDS: &'static [(&'static str, &'static str)] = &[];
    /// Texts that its scene shows at places ([`scene::LABEL`](crate::scene::LABEL)).
    const LABELS: &'static [&'static str] = &[];

    /// Makes the rules with these values of [`PARAMETERS`](Listed::PARAMETERS).
    fn of_parameters(parameters: &Parameters) -> Self;

    /// Returns an earlier version of the rules; `None` if the version is not known.
    fn of_version(_parameters: &Parameters, _version: u32) -> Option<Self> {
        None
    }
}

/// Number of seats at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seating {
    /// Always the same number.
    Fixed(usize),
    /// From `least` to `most`. `play` uses one seat for each named bot; tables of hills and tournaments have
    /// the number of seats that the parameter [`SEATS`] sets.
    Range {
        /// The minimum number of seats.
        least: usize,
        /// The maximum number of seats.
        most: usize,
    },
    /// Always the same seats, in teams of equal size: these seats are a team. At the tables of hills and tournaments
    /// each team is one bot.
    Teams(&'static [&'static [usize]]),
    /// One table for all entrants. If there are fewer than `least`, each gets several seats, all the same
    /// number. The game reads the number of seats from its parameter [`SEATS`].
    Field {
        /// The minimum number of seats.
        least: usize,
    },
}

impl Seating {
    /// Returns the number of the team of a seat: its own number where each plays for itself.
    pub fn team(&self, seat: Seat) -> usize {
        let seat = seat.index();
        match self {
            Seating::Teams(teams) => teams.iter().position(|team| team.contains(&seat)).unwrap_or(seat),
            Seating::Fixed(_) | Seating::Range { .. } | Seating::Field { .. } => seat,
        }
    }
}

/// The parameter for the number of seats, in games where it varies.
pub const SEATS: &str = "seats";

/// A bot that comes with a game.
#[derive(Clone, Copy, Debug)]
pub struct HouseBot {
    /// Its name among the bots of the game.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    /// Plays one game on standard input and output.
    pub main: fn(),
}
