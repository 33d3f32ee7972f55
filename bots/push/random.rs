//! A bot for Push that chooses a valid push at random.
//!
//! The same seat and the same `--seed N` make the same choices again, on every machine.

use std::env;

use referee_games::push::{Action, HOMES, PLAYERS, Push, View, WAYS, valid_pushes};
use referee_rules::kit;
use referee_rules::{Dice, Seed};

/// Plays one game.
pub fn main() {
    let mut after = env::args().skip_while(|argument| argument != "--seed").skip(1);
    let seed = after.next().map_or(0, |number| number.parse().expect("--seed is a whole number"));
    kit::run::<Push>(|view, action| think(seed, view, action));
}

/// Answers one question.
pub fn think(seed: u64, view: &View, action: &mut Action) {
    // The seat is part of the seed, or all seats would make the same choices.
    let seat = view.seat.index();
    let mut dice = Dice::for_turn(Seed(seed.wrapping_mul(PLAYERS as u64) + seat as u64), view.turn);
    let pushes: Vec<_> = valid_pushes(&view.coins, view.seat).collect();
    let (slot, direction) = match pushes.len() {
        0 => (HOMES[seat], WAYS[seat][0]), // all coins are opposite: anything is accepted
        count => pushes[dice.below(count as u32) as usize],
    };
    *action = Action::Push(slot, direction);
}
