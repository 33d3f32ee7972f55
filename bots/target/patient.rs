//! A bot for Invisible Target that walks to the dead end that has stayed open longest.
//!
//! The free end of a dead end is a place for a wall: nobody is cut off by it. Sooner or later one is put there, unless a
//! player stands there or it is the target. Until it sees a dead end it walks at random.

use std::collections::VecDeque;

use referee::kit;
use referee::rules::target::{Action, Cell, Move, Target, View};
use referee::rules::{Dice, Seed};

/// Plays one game.
pub fn main() {
    let mut bot = Patient::default();
    kit::run::<Target>(|view, action| *action = bot.think(view));
}

/// A dead end that has been open for so many of its turns is hardly open by chance.
const LONG: u32 = 20;

/// What it remembers.
#[derive(Debug)]
pub struct Patient {
    walls: Vec<bool>,
    /// For how many of its turns each cell has been the end of a dead end, with nobody on it.
    open: Vec<u32>,
    dice: Option<Dice>,
}

impl Default for Patient {
    fn default() -> Patient {
        Patient { walls: vec![false; Cell::COUNT], open: vec![0; Cell::COUNT], dice: None }
    }
}

impl Patient {
    /// Answers one question.
    pub fn think(&mut self, view: &View) -> Action {
        // Each wall is told once.
        if let Some(wall) = view.wall {
            self.walls[wall.index()] = true;
        }
        self.watch_dead_ends(view);
        let is_free = |cell: Cell| !self.walls[cell.index()] && !view.enemies.contains(&cell);
        let mut moves = Move::STEPS;
        // All start on different cells: so they make different choices.
        let start = view.own.index() as u32;
        self.dice.get_or_insert_with(|| Dice::for_turn(Seed(0), start)).shuffle(&mut moves);
        let free = moves.into_iter().filter(|step| is_free(step.from(view.own)));
        let goal = self.goal(view);
        if goal == Some(view.own) && self.open[view.own.index()] >= LONG {
            return Action::Move(Move::STAY);
        }
        let steps = goal.map(|goal| self.steps_to(goal));
        let distance = |step: &Move| steps.as_ref().map_or(0, |steps| steps[step.from(view.own).index()]);
        Action::Move(free.min_by_key(distance).unwrap_or(Move::STAY))
    }

    fn watch_dead_ends(&mut self, view: &View) {
        for cell in Cell::all() {
            let is_way = |step: &&Move| !self.walls[step.from(cell).index()];
            let is_dead_end = !self.walls[cell.index()] && Move::STEPS.iter().filter(is_way).count() <= 1;
            let open = &mut self.open[cell.index()];
            if !is_dead_end {
                *open = 0;
            } else if cell != view.own && !view.enemies.contains(&cell) {
                *open += 1; // while somebody stands there it tells nothing
            }
        }
    }

    /// Finds the end that has been open longest, among those that can be reached.
    fn goal(&self, view: &View) -> Option<Cell> {
        if self.open.iter().all(|open| *open == 0) {
            return None;
        }
        let steps = self.steps_to(view.own);
        let is_possible = |cell: &Cell| self.open[cell.index()] > 0 && steps[cell.index()] < FAR;
        Cell::all().filter(is_possible).max_by_key(|cell| self.open[cell.index()])
    }

    /// Counts the steps from every cell to one of them: [`FAR`] where there is no way.
    fn steps_to(&self, goal: Cell) -> Vec<u32> {
        let mut steps = vec![FAR; Cell::COUNT];
        steps[goal.index()] = 0;
        let mut waiting = VecDeque::from([goal]);
        while let Some(cell) = waiting.pop_front() {
            let distance = steps[cell.index()] + 1;
            for next in Move::STEPS.map(|step| step.from(cell)) {
                if !self.walls[next.index()] && steps[next.index()] == FAR {
                    steps[next.index()] = distance;
                    waiting.push_back(next);
                }
            }
        }
        steps
    }
}

/// More steps than there are cells.
const FAR: u32 = 10_000;
