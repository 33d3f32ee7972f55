//! What somebody did in a turn, or what befell them, as people are told: words, and what a picture needs.

use std::fmt;

use super::Seat;

/// One thing that happened in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deed {
    /// What it was, by the game's own word: `kick`, `push`, `goal`, `wall`.
    pub name: &'static str,
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
    pub const fn new(name: &'static str) -> Deed {
        Deed { name, seat: None, index: None, from: None, to: None, upshot: Upshot::Done, secret: false }
    }

    /// Returns the same, done by a seat.
    pub const fn by(self, seat: Seat) -> Deed {
        Deed { seat: Some(seat), ..self }
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
