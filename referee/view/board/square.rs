//! What the square boards share: a frame with the number of each row's first cell.

use crate::view::canvas::{Canvas, Ink};

/// Columns to the left of a square board, for the numbers and the frame.
pub(super) const LEFT: usize = 6;

/// A square board of which a sign stands for several cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Square {
    /// Cells in a row.
    pub(super) side: usize,
    /// Cells side by side, and one below the other, that share a place.
    pub(super) scale: (usize, usize),
    /// Characters in a place.
    pub(super) letters: usize,
}

impl Square {
    /// Returns columns and rows, with the frame.
    pub(super) const fn size(&self) -> (usize, usize) {
        let (across, down) = self.scale;
        (LEFT + self.side / across * self.letters + 1, self.side / down + 2)
    }

    /// Returns how many cells share a place.
    pub(super) const fn cells(&self) -> usize {
        self.scale.0 * self.scale.1
    }

    /// Returns how many places there are.
    pub(super) fn places(&self) -> usize {
        (self.side / self.scale.0) * (self.side / self.scale.1)
    }

    /// Returns the place in which a cell lies.
    pub(super) fn place(&self, cell: usize) -> usize {
        let (row, column) = (cell / self.side, cell % self.side);
        row / self.scale.1 * (self.side / self.scale.0) + column / self.scale.0
    }

    /// Draws the frame, and then each place as `look` says.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas,
        (x, y): (usize, usize),
        look: impl Fn(usize) -> [(char, Ink); 2],
    ) {
        let (columns, rows) = (self.side / self.scale.0, self.side / self.scale.1);
        let edge = format!("+{}+", "-".repeat(columns * self.letters));
        for edge_y in [y, y + rows + 1] {
            canvas.put(x + LEFT - 1, edge_y, &edge, Ink::FAINT);
        }
        for row in 0..rows {
            let y = y + 1 + row;
            canvas.put(x, y, &format!("{:>4}", row * self.scale.1 * self.side), Ink::FAINT);
            canvas.put(x + LEFT - 1, y, "|", Ink::FAINT);
            for column in 0..columns {
                let letters = look(row * columns + column);
                for (index, (letter, ink)) in letters.into_iter().take(self.letters).enumerate() {
                    let x = x + LEFT + column * self.letters + index;
                    canvas.put(x, y, letter.encode_utf8(&mut [0; 4]), ink);
                }
            }
            canvas.put(x + LEFT + columns * self.letters, y, "|", Ink::FAINT);
        }
    }
}
