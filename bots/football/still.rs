//! A bot for Parallel Football that stands still, every player on its home: the simplest answer.

use referee_games::football::{Action, Football, Order, View};
use referee_rules::kit;

/// Plays one game.
pub fn main() {
    kit::run::<Football>(think);
}

/// Answers one question.
pub fn think(view: &View, orders: &mut Action) {
    let order = if view.turn == 0 { Order::Place(view.home()) } else { Order::STAY };
    orders.resize(view.p, order);
}
