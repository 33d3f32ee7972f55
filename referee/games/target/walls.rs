//! The walls of Invisible Target, and the cells where the next wall may be placed, found by one depth-first
//! search over the torus.
//!
//! This module uses cells; it has no turns and no chance.

use super::{Cell, Move};

/// The cells with a wall.
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

    /// Adds a wall. It stays for the rest of the game.
    pub fn build(&mut self, cell: Cell) {
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
        cells.into_iter().for_each(|cell| walls.build(cell));
        walls
    }
}

/// A depth-first search from the target, in memory that is reused.
///
/// A cell is an articulation point if removing it cuts others off from the target. The search finds all of
/// them at once (Tarjan 1972): below a cell of its tree are subtrees, and removing the cell cuts off a
/// subtree from which no edge leads past the cell. Here it also counts the players in each subtree: a pocket
/// without players may be cut off. The time is linear in the number of cells, and there is no recursion.
#[derive(Clone, Debug)]
pub struct Search {
    /// When each cell was reached, from 1; 0 = not reached; [`WALL`].
    numbers: Box<[u16; Cell::COUNT]>,
    /// Cells that must stay free: removing them would cut off a subtree with players, or they are occupied.
    stays_free: Box<[bool; Cell::COUNT]>,
    /// The visits on the way from the target to the current one, which wait for it.
    path: Vec<Visit>,
    reached: Vec<Cell>,
}

/// The number of a wall. It is higher than all others, so an edge to a wall never leads to an earlier cell.
const WALL: u16 = u16::MAX;

/// The state of the search for a cell while it is in the cell's subtree.
#[derive(Clone, Copy, Debug)]
struct Visit {
    cell: Cell,
    /// When the cell was reached.
    number: u16,
    /// The earliest number that an edge from its subtree leads to.
    low: u16,
    /// Whether a player is in its subtree, or on it.
    has_player: bool,
    /// Its neighbours that have not been visited.
    neighbours: &'static [Cell],
}

/// The neighbours of each cell.
static NEIGHBOURS: [[Cell; Move::STEPS.len()]; Cell::COUNT] = {
    let mut neighbours = [[Cell::at(0, 0); Move::STEPS.len()]; Cell::COUNT];
    let side = Cell::COUNT.isqrt();
    let mut index = 0;
    while index < Cell::COUNT {
        let cell = Cell::at((index / side) as u16, (index % side) as u16);
        let [up, left, right, down] = Move::STEPS;
        neighbours[index] = [up.from(cell), left.from(cell), right.from(cell), down.from(cell)];
        index += 1;
    }
    neighbours
};

impl Search {
    /// Allocates the memory for searches.
    pub fn new() -> Search {
        Search {
            numbers: Box::new([0; Cell::COUNT]),
            stays_free: Box::new([false; Cell::COUNT]),
            path: Vec::new(),
            reached: Vec::new(),
        }
    }

    /// Lists the cells on which a wall may be put, in the order of the search: "no wall, player or target there,
    /// connected to the target without walls, and cutting no player off from it". Players block no route.
    pub fn eligible(&mut self, walls: &Walls, target: Cell, players: &[Cell]) -> &[Cell] {
        self.walk(walls, target, players);
        let Search { stays_free, reached, .. } = self;
        reached.retain(|cell| !stays_free[cell.index()]);
        reached
    }

    /// Tells whether a cell was connected to the target at the last call of [`eligible`](Search::eligible).
    pub fn reached(&self, cell: Cell) -> bool {
        (1..WALL).contains(&self.numbers[cell.index()])
    }

    /// Goes through all cells that are connected to the target.
    fn walk(&mut self, walls: &Walls, target: Cell, players: &[Cell]) {
        for (number, has_wall) in self.numbers.iter_mut().zip(&walls.0) {
            *number = if *has_wall { WALL } else { 0 };
        }
        self.stays_free.fill(false);
        self.reached.clear();
        for player in players {
            self.stays_free[player.index()] = true; // "no wall, player ... there"
        }
        let mut visit = self.reach(target);
        self.stays_free[target.index()] = true; // "... or target there"
        loop {
            if let Some((&to, rest)) = visit.neighbours.split_first() {
                visit.neighbours = rest;
                match self.numbers[to.index()] {
                    0 => {
                        self.path.push(visit);
                        visit = self.reach(to);
                    }
                    // The edge to the cell from which this one was reached counts, too: it leads to that
                    // cell, not past it.
                    there => visit.low = visit.low.min(there),
                }
            } else if let Some(above) = self.path.pop() {
                visit = self.leave(visit, above);
            } else {
                break;
            }
        }
    }

    fn reach(&mut self, cell: Cell) -> Visit {
        self.reached.push(cell);
        let number = self.reached.len() as u16;
        self.numbers[cell.index()] = number;
        // A cell that is kept before it is reached has a player on it.
        let has_player = self.stays_free[cell.index()];
        Visit { cell, number, low: number, has_player, neighbours: &NEIGHBOURS[cell.index()] }
    }

    /// Merges the results of a subtree into the visit of the cell above it.
    fn leave(&mut self, below: Visit, above: Visit) -> Visit {
        if below.has_player && below.low >= above.number {
            self.stays_free[above.cell.index()] = true;
        }
        Visit { low: above.low.min(below.low), has_player: above.has_player || below.has_player, ..above }
    }
}

impl Default for Search {
    fn default() -> Search {
        Search::new()
    }
}
