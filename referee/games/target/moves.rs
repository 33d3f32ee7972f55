//! The moves of Invisible Target, without regard to walls.

use super::Cell;

/// One of the four moves, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u8);

impl Move {
    /// The move that stays.
    pub const STAY: Move = Move(2);

    /// The moves that lead elsewhere: up, left, right, down.
    pub const STEPS: [Move; 4] = [Move(0), Move(1), Move(3), Move(4)];

    /// Returns the move with this number in reading order: 0 up, 1 left, 2 stay, 3 right, 4 down.
    pub fn from_number(number: i64) -> Option<Move> {
        (0..5).contains(&number).then_some(Move(number as u8))
    }

    /// Returns the move's number, from 0 to 4.
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// Returns the cell that the move leads to.
    pub const fn from(self, cell: Cell) -> Cell {
        let (rows, columns) = [(-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)][self.number()];
        cell.wrapped(rows, columns)
    }
}
