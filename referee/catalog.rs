//! The list of the games: a name and parameters become a game. Nothing else above the rules names one.

use std::fmt;

use crate::game::{Game, Playing};
use crate::rules::football::{self, Football};
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
    start: fn(&Parameters, Seed) -> Box<dyn Game>,
}

/// All games.
pub const GAMES: &[Entry] = &[Entry {
    name: "football",
    about: "Parallel Football: four teams, 32x32 cells, 1,020 balls, all move at once",
    parameters: football::PARAMETERS,
    start: |parameters, seed| Box::new(Playing::new(Football::new(parameters), seed)),
}];

impl Entry {
    /// Sets up a game.
    pub fn start(&self, parameters: &Parameters, seed: Seed) -> Box<dyn Game> {
        (self.start)(parameters, seed)
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
