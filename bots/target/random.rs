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
    /// The cell of the first question, which chooses the dice.
    start: u32,
    /// How often they were thrown.
    throws: u32,
    dice: Option<Dice>,
}

impl Random {
    /// Begins a game.
    pub fn new(seed: u64) -> Random {
        Random { walls: vec![false; Cell::COUNT], seed: Seed(seed), start: 0, throws: 0, dice: None }
    }

    /// Returns the same with dice from a seed. With its own seed, they go on where they are.
    #[must_use]
    pub fn with_seed(&self, seed: Seed) -> Random {
        let mut made = Random { walls: self.walls.clone(), ..Random::new(seed.0) };
        if seed == self.seed {
            made.start = self.start;
            (0..self.throws).for_each(|_| made.throw(&mut { Move::STEPS }));
        }
        made
    }

    /// Answers one question.
    pub fn think(&mut self, view: &View) -> Action {
        // Each wall is reported once.
        if let Some(wall) = view.wall {
            self.walls[wall.index()] = true;
        }
        // All start on different cells: so they make different choices.
        if self.throws == 0 {
            self.start = view.own.index() as u32;
        }
        let mut moves = Move::STEPS;
        self.throw(&mut moves);
        let is_free = |cell: Cell| !self.walls[cell.index()] && !view.enemies.contains(&cell);
        let free = moves.into_iter().find(|step| is_free(step.from(view.own)));
        Action::Move(free.unwrap_or(Move::STAY))
    }

    /// Shuffles the moves.
    fn throw(&mut self, moves: &mut [Move]) {
        let dice = self.dice.get_or_insert_with(|| Dice::for_turn(self.seed, self.start));
        dice.shuffle(moves);
        self.throws += 1;
    }
}
