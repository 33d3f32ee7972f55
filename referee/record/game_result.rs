//! The result of a game.

use std::ops::{Deref, DerefMut};

use super::results::{ResultRow, Scheduled};

/// The result of a game: a row a seat, in the order of the seats. There is at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct GameResult(Vec<ResultRow>);

impl GameResult {
    /// Takes the rows of a game.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn new(rows: Vec<ResultRow>) -> GameResult {
        assert!(!rows.is_empty(), "a game has seats");
        GameResult(rows)
    }

    /// Returns the row of seat 0, for what all rows say alike.
    pub fn shared(&self) -> &ResultRow {
        &self.0[0]
    }

    /// Returns the game's name.
    pub fn game(&self) -> &str {
        &self.shared().game
    }

    /// Returns where the game stands in a schedule, if there is one.
    pub fn scheduled(&self) -> Option<Scheduled> {
        self.shared().place_in_schedule
    }

    /// Returns the file of its log, from the folder of the results.
    pub fn log(&self) -> &str {
        &self.shared().log
    }
}

impl Deref for GameResult {
    type Target = [ResultRow];

    fn deref(&self) -> &[ResultRow] {
        &self.0
    }
}

impl DerefMut for GameResult {
    fn deref_mut(&mut self) -> &mut [ResultRow] {
        &mut self.0
    }
}

impl IntoIterator for GameResult {
    type Item = ResultRow;
    type IntoIter = std::vec::IntoIter<ResultRow>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a GameResult {
    type Item = &'a ResultRow;
    type IntoIter = std::slice::Iter<'a, ResultRow>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
