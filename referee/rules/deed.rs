//! What somebody did in a turn, or what befell them, as people are told: words, and what a picture needs.

use std::fmt;

use super::{Seat, Thing};

/// One thing that happened in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deed {
    /// What it was.
    pub name: DeedName,
    /// Whose deed it was, or whom it befell; none if nobody in particular.
    pub seat: Option<Seat>,
    /// Which of the seat's players.
    pub index: Option<usize>,
    /// Where it began: a cell, a slot, a row.
    pub from: Option<i64>,
    /// Where it led.
    pub to: Option<i64>,
    /// What came of it.
    pub upshot: Upshot,
    /// Whether no bot is told, so that people may want to be asked first.
    pub secret: bool,
}

impl Deed {
    /// Returns a deed that was done, by nobody in particular and nowhere.
    pub const fn new(name: DeedName) -> Deed {
        Deed { name, seat: None, index: None, from: None, to: None, upshot: Upshot::Done, secret: false }
    }

    /// Returns the same, done by a seat.
    pub const fn by(self, seat: Seat) -> Deed {
        Deed { seat: Some(seat), ..self }
    }
}

/// The game's own word for what somebody did, and what such a deed takes along. Those that viewers act on are constants
/// of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeedName {
    word: &'static str,
    carries: Option<Thing>,
}

impl DeedName {
    /// Returns the name of deeds that take nothing along: `push`, `goal`, `wall`.
    pub const fn new(word: &'static str) -> DeedName {
        DeedName { word, carries: None }
    }

    /// Returns the name of deeds that, once done, have taken one of a thing from where they began to where they led.
    pub const fn carrying(word: &'static str, thing: Thing) -> DeedName {
        DeedName { word, carries: Some(thing) }
    }

    /// Returns the word.
    pub const fn as_str(self) -> &'static str {
        self.word
    }

    /// Returns the thing of which such a deed takes one along.
    pub const fn carries(self) -> Option<Thing> {
        self.carries
    }
}

/// What came of a deed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upshot {
    /// It was done.
    Done,
    /// Chance gave it to somebody else.
    LostDraw,
    /// The rules do not allow it, or it never came.
    Refused,
}

/// Takes what a turn tells: each deed with its words, a sentence without its full stop.
pub type Narrator<'a> = dyn FnMut(Deed, fmt::Arguments<'_>) + 'a;

/// A list in words, cut where it is long: `1, 2, 3 and 40 more`.
pub(super) struct Few<'a, T>(pub(super) &'a [T]);

impl<T: fmt::Display> fmt::Display for Few<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 6;
        for (index, thing) in self.0.iter().take(SHOWN).enumerate() {
            let between = match index {
                0 => "",
                _ if index + 1 == self.0.len() => " and ",
                _ => ", ",
            };
            write!(f, "{between}{thing}")?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
