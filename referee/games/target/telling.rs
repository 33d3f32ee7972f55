//! A turn of Invisible Target in words.

use super::{Action, Move, Seat, State, Target};
use referee_rules::{Completion, Event, Events, Narrator, Occurrence, OccurrenceName};

/// The ends of a game in words.
pub(super) const ENDS: &[(&str, &str)] = &[
    ("no_room", "no player can move"),
    ("all_stay", "all players stayed"),
    ("no_wall", "no wall could be placed for {idle_rounds} rounds"),
    ("max_rounds", "the last round was played"),
];

/// Narrates the move of the player whose turn it was, then its effects.
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
                let occurrence = Occurrence {
                    to: Some(*cell),
                    secret: true,
                    ..Occurrence::new(OccurrenceName::new(name))
                };
                say(occurrence, format_args!("the hidden cell is {cell}"));
            }
            ("wall", _, [cell, eligible]) => {
                let occurrence = Occurrence { to: Some(*cell), ..Occurrence::new(OccurrenceName::new(name)) };
                say(occurrence, format_args!("a wall is placed on {cell}, one of {eligible} cells"));
            }
            ("distance", Some(seat), [steps]) => {
                let occurrence =
                    Occurrence { secret: true, ..Occurrence::new(OccurrenceName::new(name)).by(seat) };
                say(occurrence, format_args!("seat {seat} is {steps} steps from the hidden cell"));
            }
            _ => {}
        }
    }
}

fn tell_move(rules: &Target, before: &State, seat: Seat, action: Action, say: &mut Narrator<'_>) {
    let from = before.players[seat.index()];
    let number = Some(from.index() as i64);
    let occurrence =
        Occurrence { from: number, to: number, ..Occurrence::new(OccurrenceName::new("move")).by(seat) };
    let refused = Occurrence { completion: Completion::Refused, ..occurrence };
    match (action, rules.bad_move(before, seat, action)) {
        (Action::Nothing, _) => say(refused, format_args!("seat {seat} stays on {from}: no answer")),
        (_, Some(bad)) => say(refused, format_args!("seat {seat} stays on {from}: {bad}")),
        (Action::Move(Move::STAY), None) => say(occurrence, format_args!("seat {seat} stays on {from}")),
        (Action::Move(step), None) => {
            let to = step.from(from);
            let way = ["up", "left", "", "right", "down"][step.number()];
            let occurrence = Occurrence { to: Some(to.index() as i64), ..occurrence };
            say(occurrence, format_args!("seat {seat} goes {way}, from {from} to {to}"));
        }
        (Action::Other(_), None) => {}
    }
}
