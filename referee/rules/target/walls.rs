//! The walls of Invisible Target, and where the next may stand: one depth-first search over the torus.
//!
//! It knows cells, not turns or chance.

use super::{Cell, Move};

/// Which cells have a wall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walls(Vec<bool>);

impl Walls {
    /// Returns a torus without walls.
    pub fn none() -> Walls {
        Walls(vec![false; Cell::COUNT])
    }

    /// Tells whether a cell has a wall.
    pub fn has(&self, cell: Cell) -> bool {
        self.0[cell.index()]
    }

    /// Puts a wall. It stays for the rest of the game.
    pub fn put(&mut self, cell: Cell) {
        self.0[cell.index()] = true;
    }

    /// Lists the cells with a wall in reading order.
    pub fn iter(&self) -> impl Iterator<Item = Cell> {
        Cell::all().filter(|cell| self.has(*cell))
    }
}

impl FromIterator<Cell> for Walls {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Walls {
        let mut walls = Walls::none();
        cells.into_iter().for_each(|cell| walls.put(cell));
        walls
    }
}

/// A depth-first search from the target, in memory that is used again.
///
/// A cell is an articulation point if without it some others are cut off from the target. The search finds them all at
/// once (Tarjan 1972): below a cell of its tree hang subtrees, and a subtree is cut off without that cell if no edge
/// leads from it past the cell. Here it also counts the players in each subtree: to cut off a pocket without players is
/// allowed. The time is linear in the number of cells, and there is no recursion.
#[derive(Clone, Debug)]
pub struct Search {
    marks: Vec<Mark>,
    path: Vec<Cell>,
    reached: Vec<Cell>,
}

/// What the search knows about a cell.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// When it was reached, from 1; 0 = not reached.
    number: u16,
    /// The earliest number that an edge leads to from its subtree.
    low: u16,
    /// Players in its subtree, and on it.
    players: u16,
    /// The move that is tried next.
    next: u8,
    /// Without it a subtree with players would be cut off; or something stands on it.
    kept: bool,
}

impl Search {
    /// Makes the memory for searches.
    pub fn new() -> Search {
        Search { marks: vec![Mark::default(); Cell::COUNT], path: Vec::new(), reached: Vec::new() }
    }

    /// Lists the cells on which a wall may be put, in the order of the search: "no wall, player or target there,
    /// connected to the target without walls, and cutting no player off from it". Players block no route.
    pub fn eligible(&mut self, walls: &Walls, target: Cell, players: &[Cell]) -> &[Cell] {
        self.walk(walls, target, players);
        let Search { marks, reached, .. } = self;
        reached.retain(|cell| !marks[cell.index()].kept);
        reached
    }

    /// Tells whether a cell was connected to the target when it was last asked what is eligible.
    pub fn reached(&self, cell: Cell) -> bool {
        self.marks[cell.index()].number > 0
    }

    /// Goes through all cells that are connected to the target.
    fn walk(&mut self, walls: &Walls, target: Cell, players: &[Cell]) {
        self.marks.fill(Mark::default());
        self.path.clear();
        self.reached.clear();
        for player in players {
            let mark = &mut self.marks[player.index()];
            mark.players += 1;
            mark.kept = true; // "no wall, player ... there"
        }
        self.reach(target);
        self.marks[target.index()].kept = true; // "... or target there"
        while let Some(&cell) = self.path.last() {
            let mark = &mut self.marks[cell.index()];
            let Some(&step) = Move::STEPS.get(usize::from(mark.next)) else {
                self.path.pop();
                self.leave(cell);
                continue;
            };
            mark.next += 1;
            let to = step.from(cell);
            if walls.has(to) {
                continue;
            }
            match self.marks[to.index()].number {
                0 => self.reach(to),
                // The edge to the cell that this one was reached from counts too: it leads to that cell, not past it.
                there => {
                    let low = &mut self.marks[cell.index()].low;
                    *low = (*low).min(there);
                }
            }
        }
    }

    fn reach(&mut self, cell: Cell) {
        self.reached.push(cell);
        self.path.push(cell);
        let number = self.reached.len() as u16;
        let mark = &mut self.marks[cell.index()];
        mark.number = number;
        mark.low = number;
    }

    /// Hands on what is known of a subtree to the cell that it hangs from.
    fn leave(&mut self, cell: Cell) {
        let Some(&above) = self.path.last() else { return };
        let below = self.marks[cell.index()];
        let mark = &mut self.marks[above.index()];
        mark.low = mark.low.min(below.low);
        mark.players += below.players;
        if below.low >= mark.number && below.players > 0 {
            mark.kept = true;
        }
    }
}

impl Default for Search {
    fn default() -> Search {
        Search::new()
    }
}
