//! A game's board in characters: each game draws its facts, with as much detail as fits. This module does not
//! depend on a terminal.

pub mod paper;
mod pen;
mod square;

pub use self::pen::{Hue, Ink, Pen};
pub use self::square::Square;
use super::{Change, Occurrence, Position, Seat};

/// The subject of a drawing: a position, and the turn that led to it.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The position.
    pub position: &'a Position,
    /// The events of the turn, in their order. Empty before the first turn.
    pub occurrences: &'a [Occurrence],
    /// How the position before the turn differs.
    pub changes: &'a [Change],
    /// Whether secrets are shown: facts that no bot is told.
    pub hidden: bool,
}

/// How a game is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    /// Its drawings, the most detailed first; at least one.
    pub drawings: &'static [Drawing],
    /// Draws one of them, by its index, with its upper left corner in this column and row.
    pub draw: fn(&Situation<'_>, usize, &mut dyn Pen, (usize, usize)),
    /// Returns the sign of a seat.
    pub sign: fn(Seat) -> char,
}

/// One way to draw a board.
#[derive(Clone, Copy, Debug)]
pub struct Drawing {
    /// Columns and rows of characters.
    pub size: (usize, usize),
    /// The meaning of the signs.
    pub legend: &'static [&'static str],
    /// What colours and reversed characters mean.
    pub ink: &'static str,
}

impl Board {
    /// Returns the index of the most detailed drawing that fits into these columns and rows, or of the least detailed
    /// one if none does.
    pub fn which(&self, (width, height): (usize, usize)) -> usize {
        let fits = |drawing: &Drawing| drawing.size.0 <= width && drawing.size.1 <= height;
        self.drawings.iter().position(fits).unwrap_or(self.drawings.len() - 1)
    }
}

/// A seat's number as one sign: 0 to 9, then letters; `&` for seat 62 and higher.
pub fn number(seat: Seat) -> char {
    const SIGNS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    SIGNS.get(seat.index()).map_or('&', |sign| char::from(*sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_detailed_drawing_that_fits_is_chosen_or_the_least_detailed() {
        const fn drawing(width: usize, height: usize) -> Drawing {
            Drawing { size: (width, height), legend: &[], ink: "" }
        }
        const DRAWINGS: &[Drawing] = &[drawing(70, 34), drawing(38, 34), drawing(38, 18)];
        let board = Board { drawings: DRAWINGS, draw: |_, _, _, _| (), sign: number };
        for (room, expected) in [
            ((70, 34), 0),
            ((100, 50), 0),
            ((69, 34), 1),
            ((38, 34), 1),
            ((100, 33), 2),
            ((37, 40), 2),
            ((1, 1), 2),
        ] {
            assert_eq!(board.which(room), expected, "{room:?}");
        }
    }
}
