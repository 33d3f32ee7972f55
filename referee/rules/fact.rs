//! Facts: a position as rows of a table, and the words shared by rules and viewers.

use std::fmt;

use super::Seat;

/// One fact of a position: a row in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is about.
    pub thing: Thing,
    /// Whose it is, if it is somebody's.
    pub seat: Option<Seat>,
    /// Which of them, if there are several: a player's number, a cell.
    pub index: Option<usize>,
    /// Where, or how many.
    pub value: i64,
}

/// What a fact is about. Viewers know the constants below, by which they follow any game; all other things are known
/// to the game and its own board alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thing(&'static str);

impl Thing {
    /// A seat's score by the game's own count. One a seat, without an index.
    pub const SCORE: Thing = Thing("score");

    /// Where a player stands: the value is a place of the board. With an index if a seat has several.
    pub const PLAYER: Thing = Thing("player");

    /// Where a player stands on a board that has but one dimension: the value is a row.
    pub const ROW: Thing = Thing("row");

    /// How many balls lie somewhere: the index is a place of the board.
    pub const BALLS: Thing = Thing("balls");

    /// A place that is a seat's home: the index is the place. Told of the board, not of a position.
    pub const HOME: Thing = Thing("home");

    /// What a place is worth to a seat: the index is the place. Told of the board, not of a position.
    pub const BONUS: Thing = Thing("bonus");

    /// Returns a thing of one game: a word of lower-case letters, as it stands in the tables that are exported.
    pub const fn new(name: &'static str) -> Thing {
        Thing(name)
    }

    /// Returns its name.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
