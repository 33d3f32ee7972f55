//! The list of the games: a name and parameters become a game. Nothing else above the rules names one.

use std::fmt;

use crate::board::Board;
use crate::foosball::Foosball;
use crate::football::Football;
use crate::game::{Game, Playing};
use crate::push::Push;
use crate::target::Target;
use crate::{Listed, Parameter, Parameters, Seed};
pub use crate::{SEATS, Seating};

/// One game of the list.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name in files and on the command line.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Number of seats at a table.
    pub seating: Seating,
    /// Settings that, each alone, make questions or answers as short or as long as possible.
    pub extremes: &'static [(&'static str, i64)],
    /// Its board for terminals, if it has one.
    pub board: Option<Board>,
    /// Its board for browsers, if it has one.
    pub page_board: Option<&'static str>,
    start: fn(&Parameters, Seed) -> Box<dyn Game>,
    /// Sets up a game by an earlier version of its rules, if that is still known.
    earlier: fn(&Parameters, Seed, u32) -> Option<Box<dyn Game>>,
}

/// Makes the list of the games: a line each.
macro_rules! games {
    ($($game:ty,)*) => {
        /// All games.
        pub const GAMES: &[Entry] = &[$(Entry::of::<$game>()),*];

        /// Goes through all games with the types of their rules, in the order of [`GAMES`].
        pub fn visit(visitor: &mut impl Visitor) {
            $(visitor.visit::<$game>();)*
        }
    };
}

games! {
    Football,
    Foosball,
    Push,
    Target,
}

/// Does something with the typed rules of every game.
pub trait Visitor {
    /// Does it with one of them.
    fn visit<G: Listed + fmt::Debug>(&mut self);
}

impl Entry {
    /// Returns the entry of a game.
    pub const fn of<G: Listed + fmt::Debug>() -> Entry {
        Entry {
            name: G::NAME,
            about: G::ABOUT,
            parameters: G::PARAMETERS,
            seating: G::SEATING,
            extremes: G::EXTREMES,
            board: G::BOARD,
            page_board: G::PAGE_BOARD,
            start: |parameters, seed| Box::new(Playing::new(G::of_parameters(parameters), seed)),
            earlier: |parameters, seed, version| {
                let rules = G::of_version(parameters, version)?;
                Some(Box::new(Playing::new(rules, seed)))
            },
        }
    }

    /// Seats a field: returns the parameters of the game, and the entrant (by index) of each seat. The copies of an
    /// entrant are as far apart as possible.
    ///
    /// # Errors
    ///
    /// If this number of entrants cannot play the game.
    pub fn seat(
        &self,
        parameters: &Parameters,
        entrants: usize,
    ) -> Result<(Parameters, Vec<usize>), WrongNumber> {
        let mut parameters = parameters.clone();
        let seats = match self.seating {
            Seating::Fixed(seats) if seats == entrants => seats,
            Seating::Range { least, most } if (least..=most).contains(&entrants) => entrants,
            Seating::Field { least } if entrants > 0 => entrants * least.div_ceil(entrants),
            _ => return Err(WrongNumber { name: self.name, seating: self.seating, entrants }),
        };
        let is_told = !matches!(self.seating, Seating::Fixed(_));
        if is_told && parameters.set(SEATS, seats as i64).is_err() {
            return Err(WrongNumber { name: self.name, seating: self.seating, entrants });
        }
        Ok((parameters, (0..seats).map(|seat| seat % entrants).collect()))
    }

    /// Returns the number of seats at a table of a hill or tournament, or `None` if one table seats the whole field.
    pub fn table(&self, parameters: &Parameters) -> Option<usize> {
        match self.seating {
            Seating::Fixed(seats) => Some(seats),
            Seating::Range { .. } => Some(parameters.get(SEATS) as usize),
            Seating::Field { .. } => None,
        }
    }

    /// Sets up a game.
    pub fn start(&self, parameters: &Parameters, seed: Seed) -> Box<dyn Game> {
        (self.start)(parameters, seed)
    }

    /// Sets up a game by the version of the rules that a record names; `None` if this program does not know that version.
    pub fn start_by_version(
        &self,
        parameters: &Parameters,
        seed: Seed,
        version: u32,
    ) -> Option<Box<dyn Game>> {
        let game = self.start(parameters, seed);
        if game.info().version == version { Some(game) } else { (self.earlier)(parameters, seed, version) }
    }
}

/// Finds a game by its name.
///
/// # Errors
///
/// Names the one that was probably meant, or all there are.
pub fn find(name: &str) -> Result<&'static Entry, UnknownGame> {
    GAMES.iter().find(|entry| entry.name == name).ok_or_else(|| UnknownGame(name.to_owned()))
}

/// A number of bots that cannot play a game.
#[derive(Clone, Copy, Debug)]
pub struct WrongNumber {
    name: &'static str,
    seating: Seating,
    entrants: usize,
}

impl fmt::Display for WrongNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name;
        match self.seating {
            Seating::Fixed(seats) => {
                write!(f, "{name} is played by {seats} bots; you named {}", self.entrants)
            }
            Seating::Range { least, most } => {
                write!(f, "{name} is played by {least} to {most} bots; you named {}", self.entrants)
            }
            Seating::Field { .. } => write!(f, "{name} cannot be played by {} bots", self.entrants),
        }
    }
}

impl std::error::Error for WrongNumber {}

/// A name that no game has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownGame(String);

impl fmt::Display for UnknownGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = GAMES.iter().map(|entry| entry.name).collect();
        write!(f, "no such game: {} (there is: {})", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownGame {}
