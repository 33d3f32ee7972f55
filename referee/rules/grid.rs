//! Square boards: cells in English reading order, steps, distances. Independent of any game.

use std::fmt;

/// A cell of a square board of `SIDE` x `SIDE`: `SIDE * row + column`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell<const SIDE: u16>(u16);

impl<const SIDE: u16> Cell<SIDE> {
    /// The number of cells, which also stands for "no cell".
    pub const COUNT: usize = SIDE as usize * SIDE as usize;

    /// Returns the cell with this number, if there is one.
    #[inline]
    pub fn from_number(number: i64) -> Option<Cell<SIDE>> {
        (0..Self::COUNT as i64).contains(&number).then_some(Cell(number as u16))
    }

    /// Returns the cell in this row and column.
    ///
    /// # Panics
    ///
    /// Panics if it is not on the board.
    #[inline]
    pub const fn at(row: u16, column: u16) -> Cell<SIDE> {
        assert!(row < SIDE && column < SIDE, "off the board");
        Cell(row * SIDE + column)
    }

    /// Returns the cell's number, an index from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the row, from 0 at the top.
    #[inline]
    pub const fn row(self) -> u16 {
        self.0 / SIDE
    }

    /// Returns the column, from 0 at the left.
    #[inline]
    pub const fn column(self) -> u16 {
        self.0 % SIDE
    }

    /// Returns the cell this number of rows down and columns right, if it is on the board.
    #[inline]
    pub fn offset(self, rows: i32, columns: i32) -> Option<Cell<SIDE>> {
        let row = i32::from(self.row()) + rows;
        let column = i32::from(self.column()) + columns;
        let side = i32::from(SIDE);
        // Both are checked before the branch: a branch on each would be hard to predict.
        let is_on = (0..side).contains(&row) & (0..side).contains(&column);
        if is_on { Some(Cell((row * side + column) as u16)) } else { None }
    }

    /// Returns the square of the straight distance to another cell.
    #[inline]
    pub fn distance_squared(self, other: Cell<SIDE>) -> u32 {
        let rows = i32::from(self.row()) - i32::from(other.row());
        let columns = i32::from(self.column()) - i32::from(other.column());
        (rows * rows + columns * columns) as u32
    }

    /// Returns the number of king's steps to another cell.
    #[inline]
    pub fn steps(self, other: Cell<SIDE>) -> u32 {
        let rows = self.row().abs_diff(other.row());
        let columns = self.column().abs_diff(other.column());
        u32::from(rows.max(columns))
    }

    /// Returns the cell this number of rows down and columns right on a torus, on which opposite edges meet.
    #[inline]
    pub const fn wrapped(self, rows: i32, columns: i32) -> Cell<SIDE> {
        let side = SIDE as i32;
        let row = (self.row() as i32 + rows).rem_euclid(side);
        let column = (self.column() as i32 + columns).rem_euclid(side);
        Cell(row as u16 * SIDE + column as u16)
    }

    /// Returns the number of king's steps to another cell on a torus.
    #[inline]
    pub fn steps_wrapped(self, other: Cell<SIDE>) -> u32 {
        let (rows, columns) = self.apart_wrapped(other);
        rows.max(columns)
    }

    /// Returns the Manhattan distance to another cell on a torus: rows and columns together.
    #[inline]
    pub fn manhattan_wrapped(self, other: Cell<SIDE>) -> u32 {
        let (rows, columns) = self.apart_wrapped(other);
        rows + columns
    }

    /// Returns the number of rows and columns between two cells of a torus, the shorter way round.
    #[inline]
    fn apart_wrapped(self, other: Cell<SIDE>) -> (u32, u32) {
        let shorter = |apart: u16| u32::from(apart.min(SIDE - apart));
        (shorter(self.row().abs_diff(other.row())), shorter(self.column().abs_diff(other.column())))
    }

    /// Lists all cells in reading order.
    #[inline]
    pub fn all() -> impl DoubleEndedIterator<Item = Cell<SIDE>> {
        (0..SIDE * SIDE).map(Cell)
    }
}

impl<const SIDE: u16> fmt::Display for Cell<SIDE> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One of the eight king's steps, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step(u8);

impl Step {
    /// The step that stays.
    pub const STAY: Step = Step(4);

    /// Returns the step with this number in reading order: 0 up-left, 1 up, 2 up-right, 3 left, 4 stay,
    /// 5 right, 6 down-left, 7 down, 8 down-right.
    #[inline]
    pub fn from_number(number: i64) -> Option<Step> {
        (0..9).contains(&number).then_some(Step(number as u8))
    }

    /// Returns the step's number, from 0 to 8.
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// Returns the step that leads from one cell straight towards another.
    #[inline]
    pub fn towards<const SIDE: u16>(from: Cell<SIDE>, to: Cell<SIDE>) -> Step {
        let down = (i32::from(to.row()) - i32::from(from.row())).signum();
        let right = (i32::from(to.column()) - i32::from(from.column())).signum();
        Step(((down + 1) * 3 + right + 1) as u8)
    }

    /// Returns the cell that the step leads to, if it is on the board.
    #[inline]
    pub fn from<const SIDE: u16>(self, cell: Cell<SIDE>) -> Option<Cell<SIDE>> {
        cell.offset(i32::from(self.0) / 3 - 1, i32::from(self.0) % 3 - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_go_in_reading_order() {
        let middle = Cell::<32>::at(5, 5);
        let cells: Vec<_> = (0..9).map(|n| Step::from_number(n).unwrap().from(middle).unwrap()).collect();
        assert!(cells.is_sorted());
        assert_eq!((cells[0], cells[4], cells[8]), (Cell::at(4, 4), middle, Cell::at(6, 6)));
    }

    #[test]
    fn there_is_nothing_beyond_the_edge() {
        assert_eq!(Step::from_number(3).unwrap().from(Cell::<32>::at(7, 0)), None);
        assert_eq!(Step::from_number(5).unwrap().from(Cell::<32>::at(7, 31)), None);
    }

    #[test]
    fn a_torus_has_no_edge() {
        let corner = Cell::<64>::at(0, 0);
        assert_eq!(corner.wrapped(-1, -1), Cell::at(63, 63));
        assert_eq!(Cell::<64>::at(63, 5).wrapped(1, 0), Cell::at(0, 5));
        assert_eq!(
            (corner.steps_wrapped(Cell::at(63, 2)), corner.manhattan_wrapped(Cell::at(63, 2))),
            (2, 3)
        );
        assert_eq!(corner.manhattan_wrapped(Cell::at(32, 32)), 64, "nothing is farther");
    }

    #[test]
    fn distances_on_a_torus_are_numbers_of_moves() {
        let moves = [(-1, 0), (0, -1), (0, 1), (1, 0)];
        for from in Cell::<6>::all() {
            // The number of rounds in which a spreading wave reaches a cell.
            let mut reached = vec![from];
            for distance in 0.. {
                let near = Cell::<6>::all().filter(|to| from.manhattan_wrapped(*to) <= distance);
                reached.sort_unstable();
                reached.dedup();
                assert_eq!(reached, near.collect::<Vec<_>>());
                if reached.len() == Cell::<6>::COUNT {
                    break;
                }
                let spread = |cell: &Cell<6>| moves.map(|(rows, columns)| cell.wrapped(rows, columns));
                reached.extend(reached.clone().iter().flat_map(spread));
            }
        }
    }

    #[test]
    fn a_step_towards_a_cell_comes_nearer() {
        for (from, to) in Cell::<8>::all().flat_map(|a| Cell::<8>::all().map(move |b| (a, b))) {
            let next = Step::towards(from, to).from(from).unwrap();
            assert_eq!(next.steps(to), from.steps(to).saturating_sub(1));
        }
    }
}
