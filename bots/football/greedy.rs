//! A bot for Parallel Football without a plan: each player goes to the nearest ball and kicks it as far home as
//! possible.
//!
//! Players who meet stay together and get in each other's way. Bots with a plan avoid that.

use referee_games::football::{Action, Cell, Football, Order, View};
use referee_rules::Step;
use referee_rules::kit;

/// Plays one game.
pub fn main() {
    kit::run::<Football>(think);
}

/// Answers one question.
pub fn think(view: &View, orders: &mut Action) {
    if view.turn == 0 {
        orders.extend((0..view.p).map(|player| Order::Place(start(view, player))));
    } else {
        orders.extend(view.own().map(|cell| order(view, cell)));
    }
}

/// Spreads the players over the quarter of the field around the home: 256 cells in reading order.
fn start(view: &View, player: usize) -> Cell {
    let mut quarter = Cell::all().filter(|cell| cell.steps(view.home()) < 16);
    quarter.nth(player * 256 / view.p).expect("p is below 256")
}

/// Chooses for one player.
fn order(view: &View, from: Cell) -> Order {
    if view.balls[from.index()] > 0 {
        // A point at distance k, rounded to a cell, is out of range for about half of all angles: such a kick is
        // void. So take the best of the cells that are in range. From within range that is the home itself.
        let in_range = Cell::all().filter(|to| view.reaches(from, *to));
        let to = in_range.min_by_key(|to| to.distance_squared(view.home()));
        return Order::Kick(to.expect("the player's cell is in range"));
    }
    let balls = Cell::all().filter(|cell| view.balls[cell.index()] > 0);
    let nearest = balls.min_by_key(|ball| (from.steps(*ball), ball.distance_squared(view.home())));
    nearest.map_or(Order::STAY, |ball| Order::Step(Step::towards(from, ball)))
}
