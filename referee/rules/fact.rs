//! Facts: a position as rows of a table, and the words shared by rules and viewers.

use std::fmt;

use super::Seat;

/// One fact of a position: a row in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Its subject.
    pub thing: Thing,
    /// The seat that owns it, if there is one.
    pub seat: Option<Seat>,
    /// Its index, if there are several: a player's number, a cell.
    pub index: Option<usize>,
    /// A place or a number.
    pub value: i64,
}

/// The subject of a fact. Viewers know the constants below, with which they can follow any game. Other things
/// are known only to the game and its own board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thing(&'static str);

impl Thing {
    /// A seat's score by the game's own count. One for each seat, without an index.
    pub const SCORE: Thing = Thing("score");

    /// The place of a player on the board. With an index if a seat has several players.
    pub const PLAYER: Thing = Thing("player");

    /// The row of a player on a board with one dimension.
    pub const ROW: Thing = Thing("row");

    /// Number of balls on a place of the board. The index is the place.
    pub const BALLS: Thing = Thing("balls");

    /// A place that is a seat's home: the index is the place. A fact of the board, not of a position.
    pub const HOME: Thing = Thing("home");

    /// Value of a place for a seat: the index is the place. A fact of the board, not of a position.
    pub const BONUS: Thing = Thing("bonus");

    /// Returns a thing of one game: a word of lower-case letters, as in the exported tables.
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
