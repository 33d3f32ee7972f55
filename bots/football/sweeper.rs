//! A bot for Parallel Football with a plan.

use referee::kit;
use referee::rules::Step;
use referee::rules::football::{Action, Cell, Football, Order, View};

/// Plays one game.
pub fn main() {
    kit::run::<Football>(think);
}

/// Answers one question.
pub fn think(view: &View, orders: &mut Action) {
    if view.turn == 0 {
        let mut quarter = Cell::all().filter(|cell| cell.steps(view.home()) < 16).step_by(256 / view.p);
        orders.extend((0..view.p).map(|_player| Order::Place(quarter.next().expect("p is below 256"))));
        return;
    }
    let mut taken = vec![false; Cell::COUNT];
    orders.extend(view.own().map(|from| {
        let balls = Cell::all().filter(|cell| view.balls[cell.index()] > 0 && !taken[cell.index()]);
        let nearest = balls.min_by_key(|ball| (from.steps(*ball), ball.distance_squared(view.home())));
        let Some(ball) = nearest else { return Order::STAY };
        taken[ball.index()] = true;
        if ball != from {
            return Order::Step(Step::towards(from, ball));
        }
        let in_range = Cell::all().filter(|to| view.reaches(from, *to));
        let to = in_range.min_by_key(|to| to.distance_squared(view.home()));
        Order::Kick(to.expect("the own cell is in range"))
    }));
}
