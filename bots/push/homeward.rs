//! A bot for Push that looks only at this turn and itself: it makes the push that adds most to its score.
//!
//! A seat cannot push a coin nearer to its home. But it can push the coin farther from the other homes, and that
//! counts as well.

use std::cmp::Reverse;

use referee_games::push::{Action, Direction, HOMES, PLAYERS, Push, Slot, View, WAYS, bonus, valid_pushes};
use referee_rules::Seat;
use referee_rules::kit;

/// Plays one game.
pub fn main() {
    kit::run::<Push>(think);
}

/// Answers one question.
pub fn think(view: &View, action: &mut Action) {
    let best = valid_pushes(&view.coins, view.seat).max_by_key(|&(slot, direction)| {
        let others = Seat::first(PLAYERS).filter(|seat| *seat != view.seat);
        let others: i32 = others.map(|seat| gain(view, seat, slot, direction)).sum();
        (gain(view, view.seat, slot, direction), Reverse(others))
    });
    let seat = view.seat.index();
    let (slot, direction) = best.unwrap_or((HOMES[seat], WAYS[seat][0])); // if there is none, anything is accepted
    *action = Action::Push(slot, direction);
}

/// Returns how much a push adds to the score of a seat, if nobody else pushes.
fn gain(view: &View, seat: Seat, slot: Slot, direction: Direction) -> i32 {
    let target = slot.neighbour(direction).expect("a valid push stays on the board");
    i32::from(view.coins[slot.index()]) * (bonus(target, seat) as i32 - bonus(slot, seat) as i32)
}
