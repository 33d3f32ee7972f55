//! The list of the games: a name and parameters become a game. Nothing else above the rules names one.

use std::fmt;

use crate::game::{Game, Playing};
use crate::rules::foosball::{self, Foosball};
use crate::rules::football::{self, Football};
use crate::rules::push::{self, Push};
use crate::rules::target::{self, Target};
use crate::rules::{Parameter, Parameters, Seed};

/// One game of the list.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name in files and on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// What can be set.
    pub parameters: &'static [Parameter],
    /// How many sit at a table.
    pub seating: Seating,
    /// Settings, each alone, that make questions or answers as short or as long as they get.
    pub extremes: &'static [(&'static str, i64)],
    start: fn(&Parameters, Seed) -> Box<dyn Game>,
    /// Sets up a game by an earlier version of its rules, if that is still known.
    earlier: fn(&Parameters, Seed, u32) -> Option<Box<dyn Game>>,
}

/// All games.
pub const GAMES: &[Entry] = &[
    Entry {
        name: "football",
        about: "Parallel Football: four teams, 32x32 cells, 1,020 balls, all move at once",
        parameters: football::PARAMETERS,
        seating: Seating::Fixed(football::TEAMS),
        extremes: &[("p", 1), ("p", 255), ("k", 1), ("k", 46)],
        start: |parameters, seed| Box::new(Playing::new(Football::new(parameters), seed)),
        earlier: |_, _, _| None,
    },
    Entry {
        name: "foosball",
        about: "comFoosball 2013: two teams of 26 men on nine rows, one ball, 800 rounds",
        parameters: foosball::PARAMETERS,
        seating: Seating::Fixed(foosball::TEAMS),
        extremes: &[],
        start: |parameters, seed| Box::new(Playing::new(Foosball::new(parameters), seed)),
        earlier: |_, _, _| None,
    },
    Entry {
        name: "push",
        about: "Push: six seats round a hexagon of 61 slots, a coin on each; piles are pushed home",
        parameters: push::PARAMETERS,
        seating: Seating::Fixed(push::PLAYERS),
        extremes: &[],
        start: |parameters, seed| Box::new(Playing::new(Push::new(parameters), seed)),
        earlier: |parameters, seed, version| {
            Push::of_version(parameters, version)
                .map(|push| -> Box<dyn Game> { Box::new(Playing::new(push, seed)) })
        },
    },
    Entry {
        name: "target",
        about: "Invisible Target: 16 players or more, a torus that fills with walls, a cell that nobody sees",
        parameters: target::PARAMETERS,
        seating: Seating::Field { least: 16 },
        extremes: &[(SEATS, 2), (SEATS, 100)],
        start: |parameters, seed| Box::new(Playing::new(Target::new(parameters), seed)),
        earlier: |_, _, _| None,
    },
];

/// How many sit at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seating {
    /// Always so many.
    Fixed(usize),
    /// All entrants, and if they are fewer than this, as many copies of each as it takes. The number is told to the
    /// game as its parameter [`SEATS`].
    Field {
        /// The least number of seats.
        least: usize,
    },
}

/// The parameter by which a game with [`Seating::Field`] is told how many seats it has.
pub const SEATS: &str = "seats";

impl Entry {
    /// Seats a field: returns the parameters of the game, and which entrant (by index) sits where. The copies of an
    /// entrant are as far apart as they can be.
    ///
    /// # Errors
    ///
    /// If that many cannot play this game.
    pub fn seat(
        &self,
        parameters: &Parameters,
        entrants: usize,
    ) -> Result<(Parameters, Vec<usize>), WrongNumber> {
        let mut parameters = parameters.clone();
        let seats = match self.seating {
            Seating::Fixed(seats) if seats == entrants => seats,
            Seating::Field { least } if entrants > 0 => entrants * least.div_ceil(entrants),
            _ => return Err(WrongNumber { entry: *self, entrants }),
        };
        if matches!(self.seating, Seating::Field { .. }) && parameters.set(SEATS, seats as i64).is_err() {
            return Err(WrongNumber { entry: *self, entrants });
        }
        Ok((parameters, (0..seats).map(|seat| seat % entrants).collect()))
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
    entry: Entry,
    entrants: usize,
}

impl fmt::Display for WrongNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.entry.name;
        match self.entry.seating {
            Seating::Fixed(seats) => {
                write!(f, "{name} is played by {seats} bots; you named {}", self.entrants)
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
