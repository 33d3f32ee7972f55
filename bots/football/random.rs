//! A bot for Parallel Football that moves at random, and kicks at random but rather towards its home.
//!
//! The same seat and the same `--seed N` make the same choices again, on every machine.

use std::env;

use referee_games::football::{Action, Cell, Football, Order, View};
use referee_rules::kit;
use referee_rules::{Dice, Seed, Step};

/// Number of random kicks, of which it takes the one that lands nearest its home.
const KICKS: u32 = 16;

/// Plays one game.
pub fn main() {
    let mut after = env::args().skip_while(|argument| argument != "--seed").skip(1);
    let seed = after.next().map_or(0, |number| number.parse().expect("--seed is a whole number"));
    kit::run::<Football>(|view, orders| think(seed, view, orders));
}

/// Answers one question.
pub fn think(seed: u64, view: &View, orders: &mut Action) {
    // The seat is part of the seed, or all seats would make the same choices.
    let mut dice = Dice::for_turn(Seed(seed.wrapping_mul(4) + view.seat.index() as u64), view.turn);
    if view.turn == 0 {
        orders.extend((0..view.p).map(|_player| Order::Place(random_cell(&mut dice))));
    } else {
        orders.extend(view.own().map(|cell| order(view, cell, &mut dice)));
    }
}

/// Chooses for one player.
fn order(view: &View, from: Cell, dice: &mut Dice) -> Order {
    if view.balls[from.index()] > 0 {
        let kicks = (0..KICKS).filter_map(|_try| random_kick(view, from, dice));
        if let Some(to) = kicks.min_by_key(|to| to.distance_squared(view.home())) {
            return Order::Kick(to);
        }
    }
    let step = Step::from_number(dice.below(9).into()).expect("nine steps");
    if step.from(from).is_some() { Order::Step(step) } else { Order::STAY }
}

/// Draws a cell from the square around the player; `None` if it is out of range or off the field.
fn random_kick(view: &View, from: Cell, dice: &mut Dice) -> Option<Cell> {
    let k = view.k as i32;
    let mut coordinate = || dice.below(2 * view.k + 1) as i32 - k;
    let to = from.offset(coordinate(), coordinate())?;
    view.reaches(from, to).then_some(to)
}

fn random_cell(dice: &mut Dice) -> Cell {
    Cell::from_number(dice.below(Cell::COUNT as u32).into()).expect("a cell below the count")
}
