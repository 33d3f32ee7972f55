//! A bot for Invisible Target that walks at random, and knows the walls.
//!
//! The same start and the same `--seed N` make the same choices again, on every machine.

use std::env;

use referee_games::target::{Action, Cell, Move, Target, View};
use referee_rules::kit;
use referee_rules::{Dice, Seed};

/// Plays one game.
pub fn main() {
    let mut after = env::args().skip_while(|argument| argument != "--seed").skip(1);
    let seed = after.next().map_or(0, |number| number.parse().expect("--seed is a whole number"));
    let mut bot = Random::new(seed);
    kit::run::<Target>(|view, action| *action = bot.think(view));
}

/// The bot with its memory.
#[derive(Debug)]
pub struct Random {
    walls: Vec<bool>,
    seed: Seed,
    dice: Option<Dice>,
}

impl Random {
    /// Begins a game.
    pub fn new(seed: u64) -> Random {
        Random { walls: vec![false; Cell::COUNT], seed: Seed(seed), dice: None }
    }

    /// Returns the same with other dice.
    #[must_use]
    pub fn with_seed(&self, seed: Seed) -> Random {
        Random { walls: self.walls.clone(), seed, dice: None }
    }

    /// Answers one question.
    pub fn think(&mut self, view: &View) -> Action {
        // Each wall is reported once.
        if let Some(wall) = view.wall {
            self.walls[wall.index()] = true;
        }
        // All start on different cells: so they make different choices.
        let start = view.own.index() as u32;
        let dice = self.dice.get_or_insert_with(|| Dice::for_turn(self.seed, start));
        let mut moves = Move::STEPS;
        dice.shuffle(&mut moves);
        let is_free = |cell: Cell| !self.walls[cell.index()] && !view.enemies.contains(&cell);
        let free = moves.into_iter().find(|step| is_free(step.from(view.own)));
        Action::Move(free.unwrap_or(Move::STAY))
    }
}
