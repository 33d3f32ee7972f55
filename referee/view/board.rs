//! The board of a game in a terminal: the game's own.

use super::canvas::Canvas;
use super::scene::Scene;
use crate::catalog;
use crate::rules::Seat;
use crate::rules::board::{Board, Drawing, Situation, number};

/// A board, drawn as there is room for it.
#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    board: Board,
    /// Which of its drawings.
    drawing: usize,
}

/// What is drawn of a game that has no drawing yet: nothing.
const NONE: Board = Board {
    drawings: &[Drawing { size: (0, 0), legend: &[], ink: "" }],
    draw: |_, _, _, _| {},
    sign: number,
};

impl Drawn {
    /// Chooses how a game is drawn in so many columns and rows.
    pub fn within(scene: &Scene, room: (usize, usize)) -> Drawn {
        let board = catalog::find(&scene.heading.rules).ok().and_then(|entry| entry.board).unwrap_or(NONE);
        Drawn { board, drawing: board.which(room) }
    }

    /// Returns columns and rows.
    pub fn size(&self) -> (usize, usize) {
        self.drawing().size
    }

    /// Draws it, with its left upper corner in this column and row.
    pub fn draw(&self, scene: &Scene, canvas: &mut Canvas, at: (usize, usize)) {
        let happenings = scene.turn.iter().flat_map(|turn| &turn.happenings);
        let deeds: Vec<_> = happenings.map(|happening| happening.deed).collect();
        let changes = scene.turn.as_ref().map_or(&[][..], |turn| &turn.changes);
        let situation = Situation { position: &scene.position, deeds: &deeds, changes, hidden: scene.hidden };
        (self.board.draw)(&situation, self.drawing, canvas, at);
    }

    /// Returns the sign by which a seat is known.
    pub fn sign(&self, seat: Seat) -> char {
        (self.board.sign)(seat)
    }

    /// Returns lines that explain the signs.
    pub fn legend(&self) -> &'static [&'static str] {
        self.drawing().legend
    }

    /// Returns the line that explains the ink.
    pub fn ink(&self) -> &'static str {
        self.drawing().ink
    }

    fn drawing(&self) -> &'static Drawing {
        &self.board.drawings[self.drawing]
    }
}
