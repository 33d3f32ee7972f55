//! A turn of Invisible Target in words.

use super::{Action, Move, Seat, State, Target};
use crate::rules::{Deed, DeedName, Event, Events, Narrator, Upshot};

/// Tells what the player did whose turn it was, then what came about.
pub(super) fn tell(
    rules: &Target,
    before: &State,
    actions: &[(Seat, Action)],
    events: &Events,
    say: &mut Narrator<'_>,
) {
    for (seat, action) in actions {
        tell_move(rules, before, *seat, *action, say);
    }
    for event in events.iter() {
        let Event::Effect { name, seat, values } = event else { continue };
        match (name, seat, values) {
            ("target", _, [cell]) => {
                let deed = Deed { to: Some(*cell), secret: true, ..Deed::new(DeedName::new(name)) };
                say(deed, format_args!("the hidden cell is {cell}"));
            }
            ("wall", _, [cell, eligible]) => {
                let deed = Deed { to: Some(*cell), ..Deed::new(DeedName::new(name)) };
                say(
                    deed,
                    format_args!("a wall is put on {cell}, one of {eligible} cells that could have it"),
                );
            }
            ("distance", Some(seat), [steps]) => {
                let deed = Deed { secret: true, ..Deed::new(DeedName::new(name)).by(seat) };
                say(deed, format_args!("seat {seat} is {steps} steps from the hidden cell"));
            }
            _ => {}
        }
    }
}

fn tell_move(rules: &Target, before: &State, seat: Seat, action: Action, say: &mut Narrator<'_>) {
    let from = before.players[seat.index()];
    let number = Some(from.index() as i64);
    let deed = Deed { from: number, to: number, ..Deed::new(DeedName::new("move")).by(seat) };
    let refused = Deed { upshot: Upshot::Refused, ..deed };
    match (action, rules.bad_move(before, seat, action)) {
        (Action::Nothing, _) => say(refused, format_args!("seat {seat} stays on {from}: no answer")),
        (_, Some(bad)) => say(refused, format_args!("seat {seat} stays on {from}: {bad}")),
        (Action::Move(Move::STAY), None) => say(deed, format_args!("seat {seat} stays on {from}")),
        (Action::Move(step), None) => {
            let to = step.from(from);
            let way = ["up", "left", "", "right", "down"][step.number()];
            let deed = Deed { to: Some(to.index() as i64), ..deed };
            say(deed, format_args!("seat {seat} goes {way}, from {from} to {to}"));
        }
        (Action::Other(_), None) => {}
    }
}
