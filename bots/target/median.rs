//! A bot for Invisible Target that walks to the middle of all cells on which the target may lie.
//!
//! No wall is ever put on the target, nor so that somebody is cut off from it: it lies on a cell without a wall that
//! can be reached. To this bot all of them are alike.

use std::collections::VecDeque;

use referee::kit;
use referee::rules::target::{Action, Cell, Move, Target, View};

/// Plays one game.
pub fn main() {
    let mut bot = Median::default();
    kit::run::<Target>(|view, action| *action = bot.think(view));
}

/// What it remembers.
#[derive(Debug)]
pub struct Median {
    walls: Vec<bool>,
    /// Steps from each cell to the middle; `None` where there is no way.
    steps: Vec<Option<u32>>,
}

impl Default for Median {
    fn default() -> Median {
        Median { walls: vec![false; Cell::COUNT], steps: Vec::new() }
    }
}

impl Median {
    /// Answers one question.
    pub fn think(&mut self, view: &View) -> Action {
        // Each wall is told once.
        if let Some(wall) = view.wall {
            self.walls[wall.index()] = true;
        }
        if view.wall.is_some() || self.steps.is_empty() {
            let possible: Vec<Cell> = {
                let near = self.steps_to(view.own);
                Cell::all().filter(|cell| near[cell.index()].is_some()).collect()
            };
            self.steps = self.steps_to(middle(&possible));
        }
        // It never stays if it can move: when all stay the game is over, and it knows too little for that.
        let is_free = |cell: Cell| !self.walls[cell.index()] && !view.enemies.contains(&cell);
        let free = Move::STEPS.into_iter().filter(|step| is_free(step.from(view.own)));
        let best = free.min_by_key(|step| self.steps[step.from(view.own).index()].unwrap_or(u32::MAX));
        Action::Move(best.unwrap_or(Move::STAY))
    }

    /// Counts the steps from every cell to one of them.
    fn steps_to(&self, goal: Cell) -> Vec<Option<u32>> {
        let mut steps = vec![None; Cell::COUNT];
        steps[goal.index()] = Some(0);
        let mut waiting = VecDeque::from([(goal, 0)]);
        while let Some((cell, distance)) = waiting.pop_front() {
            for next in Move::STEPS.map(|step| step.from(cell)) {
                if !self.walls[next.index()] && steps[next.index()].is_none() {
                    steps[next.index()] = Some(distance + 1);
                    waiting.push_back((next, distance + 1));
                }
            }
        }
        steps
    }
}

/// Finds the one of the cells with the least distance to all of them together. Rows and columns add up apart.
fn middle(cells: &[Cell]) -> Cell {
    let (mut rows, mut columns) = ([0u32; 64], [0u32; 64]);
    for cell in cells {
        rows[usize::from(cell.row())] += 1;
        columns[usize::from(cell.column())] += 1;
    }
    let sums = |counts: [u32; 64]| -> [u32; 64] {
        std::array::from_fn(|here| {
            let apart = |there: usize| here.abs_diff(there).min(64 - here.abs_diff(there)) as u32;
            counts.iter().enumerate().map(|(there, count)| count * apart(there)).sum()
        })
    };
    let (rows, columns) = (sums(rows), sums(columns));
    let sum = |cell: &Cell| rows[usize::from(cell.row())] + columns[usize::from(cell.column())];
    cells.iter().copied().min_by_key(sum).expect("its own cell at least")
}
