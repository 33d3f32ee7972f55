//! Square boards: a frame with the number of each row's first cell.

use super::{Ink, Pen};

/// Columns to the left of a square board, for the numbers and the frame.
const LEFT: usize = 6;

/// A square board in characters, with one sign for one or more cells.
#[derive(Clone, Copy, Debug)]
pub struct Square {
    /// Cells in a row.
    pub side: usize,
    /// Number of cells that share a place: side by side, and one below the other.
    pub scale: (usize, usize),
    /// Characters in a place.
    pub letters: usize,
}

impl Square {
    /// Returns columns and rows, with the frame.
    pub const fn size(&self) -> (usize, usize) {
        let (across, down) = self.scale;
        (LEFT + self.side / across * self.letters + 1, self.side / down + 2)
    }

    /// Returns the number of cells that share a place.
    pub const fn cells(&self) -> usize {
        self.scale.0 * self.scale.1
    }

    /// Returns the number of places.
    pub fn places(&self) -> usize {
        (self.side / self.scale.0) * (self.side / self.scale.1)
    }

    /// Returns the place of a cell.
    pub fn place(&self, cell: usize) -> usize {
        let (row, column) = (cell / self.side, cell % self.side);
        row / self.scale.1 * (self.side / self.scale.0) + column / self.scale.0
    }

    /// Draws the frame, and then each place as `look` says.
    pub fn draw(&self, pen: &mut dyn Pen, (x, y): (usize, usize), look: impl Fn(usize) -> [(char, Ink); 2]) {
        let (columns, rows) = (self.side / self.scale.0, self.side / self.scale.1);
        let edge = format!("+{}+", "-".repeat(columns * self.letters));
        for edge_y in [y, y + rows + 1] {
            pen.write(x + LEFT - 1, edge_y, &edge, Ink::FAINT);
        }
        for row in 0..rows {
            let y = y + 1 + row;
            pen.write(x, y, &format!("{:>4}", row * self.scale.1 * self.side), Ink::FAINT);
            pen.write(x + LEFT - 1, y, "|", Ink::FAINT);
            for column in 0..columns {
                let letters = look(row * columns + column);
                for (index, (letter, ink)) in letters.into_iter().take(self.letters).enumerate() {
                    let x = x + LEFT + column * self.letters + index;
                    pen.write(x, y, letter.encode_utf8(&mut [0; 4]), ink);
                }
            }
            pen.write(x + LEFT + columns * self.letters, y, "|", Ink::FAINT);
        }
    }
}
