//! Occurrences: the actions of seats and the effects of a turn, as viewers show them in words and pictures.

use std::fmt;

use super::{Seat, Thing};

/// An occurrence in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// Its name.
    pub name: OccurrenceName,
    /// The seat that acted or was affected; `None` if it concerns no seat in particular.
    pub seat: Option<Seat>,
    /// The number of the seat's player.
    pub index: Option<usize>,
    /// The start: a cell, a slot, a row.
    pub from: Option<i64>,
    /// The target.
    pub to: Option<i64>,
    /// Whether it was carried out.
    pub completion: Completion,
    /// Whether no bot is told of it. Viewers show it on request.
    pub secret: bool,
}

impl Occurrence {
    /// Returns an occurrence that was carried out, of no seat in particular and at no place.
    pub const fn new(name: OccurrenceName) -> Occurrence {
        Occurrence {
            name,
            seat: None,
            index: None,
            from: None,
            to: None,
            completion: Completion::Done,
            secret: false,
        }
    }

    /// Returns the occurrence as one of a seat.
    pub const fn by(self, seat: Seat) -> Occurrence {
        Occurrence { seat: Some(seat), ..self }
    }
}

/// The game's own word for a kind of occurrence, and the thing that it moves. Names that viewers act on are
/// constants of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OccurrenceName {
    word: &'static str,
    carries: Option<Thing>,
}

impl OccurrenceName {
    /// Returns the name of occurrences that move nothing: `push`, `goal`, `wall`.
    pub const fn new(word: &'static str) -> OccurrenceName {
        OccurrenceName { word, carries: None }
    }

    /// Returns the name of occurrences that, once carried out, have moved one of a thing from `from` to `to`.
    pub const fn carrying(word: &'static str, thing: Thing) -> OccurrenceName {
        OccurrenceName { word, carries: Some(thing) }
    }

    /// Returns the word.
    pub const fn as_str(self) -> &'static str {
        self.word
    }

    /// Returns the thing of which such an occurrence moves one.
    pub const fn carries(self) -> Option<Thing> {
        self.carries
    }
}

/// Whether an occurrence was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// It was carried out.
    Done,
    /// A draw gave it to another seat.
    LostDraw,
    /// The rules do not allow it, or no answer came.
    Refused,
}

/// A function that gets each occurrence of a turn with its words: a sentence without its full stop.
pub type Narrator<'a> = dyn FnMut(Occurrence, fmt::Arguments<'_>) + 'a;

/// A list in words, cut if it is long: `1, 2, 3 and 40 more`.
#[derive(Clone, Copy, Debug)]
pub struct Few<'a, T>(pub &'a [T]);

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_in_words_is_cut_after_six() {
        let words = |count: usize| Few(&(1..=count).collect::<Vec<_>>()).to_string();
        assert_eq!([1, 2, 3].map(words), ["1", "1 and 2", "1, 2 and 3"]);
        assert_eq!(words(6), "1, 2, 3, 4, 5 and 6");
        assert_eq!(words(7), "1, 2, 3, 4, 5, 6 and 1 more");
        assert_eq!(words(46), "1, 2, 3, 4, 5, 6 and 40 more");
    }
}
