//! A bot for Invisible Target that goes to the dead end which has lasted the longest.
//!
//! A dead end has one way in. If no player is there, a wall there cuts nobody off, so it is allowed - unless the dead
//! end is the target. Each wall that is put elsewhere is evidence for the target, and stronger evidence if there are
//! few dead ends.

use referee_games::target::{Action, Cell, Move, Target, View};
use referee_rules::kit;

/// Plays one game.
pub fn main() {
    let mut bot = Lurker::default();
    kit::run::<Target>(|view, action| *action = bot.think(view));
}

/// The bot with its memory.
#[derive(Clone, Debug)]
pub struct Lurker {
    walls: Vec<bool>,
    /// The evidence for each cell.
    weights: Vec<f64>,
}

impl Default for Lurker {
    fn default() -> Lurker {
        Lurker { walls: vec![false; Cell::COUNT], weights: vec![0.0; Cell::COUNT] }
    }
}

impl Lurker {
    /// Answers one question.
    pub fn think(&mut self, view: &View) -> Action {
        if let Some(wall) = view.wall {
            self.walls[wall.index()] = true;
            self.weigh(view);
        }
        Action::Move(self.first_step(view))
    }

    /// Counts a wall as evidence for the dead ends on which it was not put.
    fn weigh(&mut self, view: &View) {
        let is_open = |cell: &Cell| !self.walls[cell.index()];
        let ways_in = |cell: Cell| Move::STEPS.iter().filter(|step| is_open(&step.from(cell))).count();
        let stands = |cell: &Cell| *cell == view.own || view.enemies.contains(cell);
        let ends: Vec<Cell> =
            Cell::all().filter(|cell| is_open(cell) && ways_in(*cell) == 1 && !stands(cell)).collect();
        for end in &ends {
            self.weights[end.index()] += 1.0 / ends.len() as f64;
        }
    }

    /// Returns the first step to the best of the cells that it can walk to, searching all ways, the shortest first.
    /// There it steps aside and back: no wall is put on a cell with a player, so a bot that stays would learn nothing.
    fn first_step(&self, view: &View) -> Move {
        let mut closed = self.walls.clone();
        for player in view.enemies.iter().chain([&view.own]) {
            closed[player.index()] = true;
        }
        let mut ways = vec![(view.own, Move::STAY)];
        let mut best = (0.0, Move::STAY);
        let mut next = 0;
        while let Some(&(from, first)) = ways.get(next) {
            for step in Move::STEPS {
                let to = step.from(from);
                if !std::mem::replace(&mut closed[to.index()], true) {
                    let first = if next == 0 { step } else { first };
                    ways.push((to, first));
                    if self.weights[to.index()] > best.0 || best.1 == Move::STAY {
                        best = (self.weights[to.index()], first);
                    }
                }
            }
            next += 1;
        }
        best.1
    }
}
