//! A game's board in characters: a file for each game, which draws what the position's facts say in as much detail as there is room for.

mod foosball;
mod football;
mod push;
mod square;
mod target;

use super::canvas::Canvas;
use super::scene::Scene;
use crate::rules::Seat;

/// How a game is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    game: &'static str,
    /// The most detailed first.
    drawings: &'static [Drawing],
    /// Draws one of them, with its left upper corner in this column and row.
    draw: fn(&Scene, usize, &mut Canvas, (usize, usize)),
    /// Returns the sign of a seat.
    sign: fn(Seat) -> char,
}

/// One way to draw it.
#[derive(Clone, Copy, Debug)]
struct Drawing {
    /// Columns and rows.
    size: (usize, usize),
    /// What the signs mean.
    legend: &'static [&'static str],
    /// What the ink means beside that.
    ink: &'static str,
}

const BOARDS: [Board; 4] = [football::BOARD, foosball::BOARD, push::BOARD, target::BOARD];

/// What is drawn of a game that has no drawing yet: nothing.
const NONE: Board = Board {
    game: "",
    drawings: &[Drawing { size: (0, 0), legend: &[], ink: "" }],
    draw: |_, _, _, _| {},
    sign: number,
};

impl Board {
    /// Finds the drawing of a game.
    pub fn of(game: &str) -> Board {
        BOARDS.into_iter().find(|board| board.game == game).unwrap_or(NONE)
    }

    /// Returns the size of the most detailed drawing that fits; of the least, if none does.
    pub fn size(&self, width: usize, height: usize) -> (usize, usize) {
        self.drawings[self.which(width, height)].size
    }

    /// Draws the one that fits.
    pub fn draw(&self, scene: &Scene, canvas: &mut Canvas, at: (usize, usize), room: (usize, usize)) {
        (self.draw)(scene, self.which(room.0, room.1), canvas, at);
    }

    /// Returns the sign by which a seat is known.
    pub fn sign(&self, seat: Seat) -> char {
        (self.sign)(seat)
    }

    /// Returns lines that explain the signs of the drawing that fits.
    pub fn legend(&self, width: usize, height: usize) -> &'static [&'static str] {
        self.drawings[self.which(width, height)].legend
    }

    /// Returns the line that explains its ink.
    pub fn ink(&self, width: usize, height: usize) -> &'static str {
        self.drawings[self.which(width, height)].ink
    }

    fn which(&self, width: usize, height: usize) -> usize {
        let fits = |drawing: &Drawing| drawing.size.0 <= width && drawing.size.1 <= height;
        self.drawings.iter().position(fits).unwrap_or(self.drawings.len() - 1)
    }
}

/// A seat's number as one sign: 0 to 9, then letters.
fn number(seat: Seat) -> char {
    const SIGNS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    SIGNS.get(seat.index()).map_or('&', |sign| char::from(*sign))
}
