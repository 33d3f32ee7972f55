//! A hexagonal board of 61 slots in English reading order, its six directions, distances. Independent of any
//! game.

use std::fmt;

/// The rows' lengths, from top to bottom.
const ROWS: [usize; 9] = [5, 6, 7, 8, 9, 8, 7, 6, 5];

/// A slot of the board, from 0 (the left one in the top row) to 60 (the right one in the bottom row).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(u8);

impl Slot {
    /// The number of slots, which also stands for "no slot".
    pub const COUNT: usize = 61;

    /// Returns the slot with this number.
    ///
    /// # Panics
    ///
    /// Panics if there is no such slot.
    #[inline]
    pub const fn new(number: usize) -> Slot {
        assert!(number < Slot::COUNT, "off the board");
        Slot(number as u8)
    }

    /// Returns the slot with this number, if there is one.
    #[inline]
    pub fn from_number(number: i64) -> Option<Slot> {
        (0..Slot::COUNT as i64).contains(&number).then_some(Slot(number as u8))
    }

    /// Returns the slot's number, an index from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the neighbouring slot in a direction; `None` at the edge of the board.
    #[inline]
    pub const fn neighbour(self, direction: Direction) -> Option<Slot> {
        NEIGHBOURS[self.index()][direction.index()]
    }

    /// Returns the number of steps to another slot.
    #[inline]
    pub const fn steps(self, other: Slot) -> u32 {
        let (here, there) = (COORDINATES[self.index()], COORDINATES[other.index()]);
        let (row, slant) = (there.row - here.row, there.slant - here.slant);
        // The three coordinates of a hexagonal board (the third follows from the others) change by -1, 0 and 1.
        (row.unsigned_abs() + slant.unsigned_abs() + (row + slant).unsigned_abs()) / 2
    }

    /// Lists all slots in reading order.
    #[inline]
    pub fn all() -> impl DoubleEndedIterator<Item = Slot> + ExactSizeIterator {
        (0..Slot::COUNT).map(Slot::new)
    }
}

impl fmt::Display for Slot {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One of the six directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "points of the compass")]
pub enum Direction {
    NorthWest,
    NorthEast,
    West,
    East,
    SouthWest,
    SouthEast,
}

impl Direction {
    /// The number of directions, which also stands for "no direction".
    pub const COUNT: usize = 6;

    /// All directions, in reading order.
    pub const ALL: [Direction; Direction::COUNT] = [
        Direction::NorthWest,
        Direction::NorthEast,
        Direction::West,
        Direction::East,
        Direction::SouthWest,
        Direction::SouthEast,
    ];

    /// Returns the direction with this number in reading order: 0 NW, 1 NE, 2 W, 3 E, 4 SW, 5 SE.
    #[inline]
    pub fn from_number(number: i64) -> Option<Direction> {
        Direction::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// Returns the direction's number, from 0 to 5.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the change of row and slant by a step in this direction.
    #[inline]
    const fn step(self) -> Coordinates {
        let (row, slant) = match self {
            Direction::NorthWest => (-1, 0),
            Direction::NorthEast => (-1, 1),
            Direction::West => (0, -1),
            Direction::East => (0, 1),
            Direction::SouthWest => (1, -1),
            Direction::SouthEast => (1, 0),
        };
        Coordinates { row, slant }
    }
}

/// `NW`, `NE`, `W`, `E`, `SW` or `SE`.
impl fmt::Display for Direction {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(["NW", "NE", "W", "E", "SW", "SE"][self.index()])
    }
}

/// Coordinates of a slot: its row, and its slanted line from top left to bottom right. Both are 0 in the middle.
#[derive(Clone, Copy)]
struct Coordinates {
    row: i32,
    slant: i32,
}

const COORDINATES: [Coordinates; Slot::COUNT] = {
    let mut coordinates = [Coordinates { row: 0, slant: 0 }; Slot::COUNT];
    let (mut index, mut row) = (0, 0);
    while row < ROWS.len() {
        let below_the_middle = row as i32 - 4;
        let mut slant = if below_the_middle < 0 { -4 - below_the_middle } else { -4 };
        let end = slant + ROWS[row] as i32;
        while slant < end {
            coordinates[index] = Coordinates { row: below_the_middle, slant };
            index += 1;
            slant += 1;
        }
        row += 1;
    }
    assert!(index == Slot::COUNT);
    coordinates
};

const NEIGHBOURS: [[Option<Slot>; Direction::COUNT]; Slot::COUNT] = {
    let mut neighbours = [[None; Direction::COUNT]; Slot::COUNT];
    let mut from = 0;
    while from < Slot::COUNT {
        let mut direction = 0;
        while direction < Direction::COUNT {
            let step = Direction::ALL[direction].step();
            let mut to = 0;
            while to < Slot::COUNT {
                if COORDINATES[to].row == COORDINATES[from].row + step.row
                    && COORDINATES[to].slant == COORDINATES[from].slant + step.slant
                {
                    neighbours[from][direction] = Some(Slot::new(to));
                }
                to += 1;
            }
            direction += 1;
        }
        from += 1;
    }
    neighbours
};

#[cfg(test)]
mod tests {
    use super::*;

    fn neighbours(slot: usize) -> [Option<usize>; 6] {
        Direction::ALL.map(|direction| Slot::new(slot).neighbour(direction).map(Slot::index))
    }

    #[test]
    fn neighbours_are_where_a_drawing_shows_them() {
        assert_eq!(neighbours(30), [Some(21), Some(22), Some(29), Some(31), Some(38), Some(39)]);
        assert_eq!(neighbours(0), [None, None, None, Some(1), Some(5), Some(6)]);
        assert_eq!(neighbours(4), [None, None, Some(3), None, Some(9), Some(10)]);
        assert_eq!(neighbours(34), [Some(25), None, Some(33), None, Some(42), None]);
        assert_eq!(neighbours(60), [Some(54), Some(55), Some(59), None, None, None]);
        assert_eq!(neighbours(56), [Some(50), Some(51), None, Some(57), None, None]);
        assert_eq!(neighbours(26), [None, Some(18), None, Some(27), None, Some(35)]);
        assert_eq!(neighbours(38), [Some(29), Some(30), Some(37), Some(39), Some(45), Some(46)]);
    }

    #[test]
    fn directions_lie_opposite_each_other_in_reading_order() {
        for (slot, direction) in Slot::all().flat_map(|slot| Direction::ALL.map(|way| (slot, way))) {
            let back = Direction::ALL[5 - direction.index()];
            if let Some(next) = slot.neighbour(direction) {
                assert_eq!(next.neighbour(back), Some(slot));
            }
        }
    }

    #[test]
    fn steps_are_counted_as_one_walks() {
        for from in Slot::all() {
            let mut walked = [None; Slot::COUNT];
            walked[from.index()] = Some(0);
            for steps in 0..8 {
                for slot in Slot::all().filter(|slot| walked[slot.index()] == Some(steps)).collect::<Vec<_>>()
                {
                    for next in Direction::ALL.into_iter().filter_map(|way| slot.neighbour(way)) {
                        walked[next.index()].get_or_insert(steps + 1);
                    }
                }
            }
            assert!(Slot::all().all(|to| walked[to.index()] == Some(from.steps(to))), "from {from}");
        }
    }
}
