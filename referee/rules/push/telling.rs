//! A turn of Push in words.

use super::{Fate, PLAYERS, Seat, State};
use crate::occurrence::Few;
use crate::{Completion, Event, Events, Narrator, Occurrence, OccurrenceName};

pub(super) const PUSH: OccurrenceName = OccurrenceName::new("push");

/// Narrates each attempt and its fate, then the draws and scores that become void.
pub(super) fn tell(before: &State, after: &State, events: &Events, say: &mut Narrator<'_>) {
    for (seat, attempt) in Seat::first(PLAYERS).zip(&after.attempts) {
        let target = attempt.slot.zip(attempt.direction).and_then(|(slot, way)| slot.neighbour(way));
        let push = Occurrence {
            from: attempt.slot.map(|slot| slot.index() as i64),
            to: target.map(|slot| slot.index() as i64),
            completion: Completion::Refused,
            ..Occurrence::new(PUSH).by(seat)
        };
        match (attempt.fate, attempt.slot, attempt.direction, target) {
            (Fate::Executed, Some(slot), Some(way), Some(target)) => {
                let push = Occurrence { completion: Completion::Done, ..push };
                let coins = match before.coins[slot.index()] {
                    1 => "a coin".to_owned(),
                    coins => format!("{coins} coins"),
                };
                say(push, format_args!("seat {seat} pushes {coins} {way}, from {slot} to {target}"));
            }
            (Fate::LostDraw, Some(slot), Some(way), _) => {
                let push = Occurrence { completion: Completion::LostDraw, ..push };
                say(push, format_args!("seat {seat} would push {slot} {way}, but another was drawn"));
            }
            (Fate::Invalid, Some(slot), Some(way), _) => {
                say(push, format_args!("seat {seat} may not push {slot} {way}"));
            }
            (Fate::Invalid, ..) => say(push, format_args!("seat {seat} gives an answer that is no push")),
            (Fate::NothingToPush, ..) => say(push, format_args!("seat {seat} has nothing to push")),
            _ => say(push, format_args!("seat {seat} pushes nothing")),
        }
    }
    for event in events.iter() {
        match event {
            Event::Draw { at, candidates, drawn, .. } => {
                let seats: Vec<String> = candidates.iter().map(|seat| format!("seat {seat}")).collect();
                let occurrence =
                    Occurrence { from: Some(at), ..Occurrence::new(OccurrenceName::new("draw")) };
                say(
                    occurrence,
                    format_args!("{} push the pile on {at}: seat {} is drawn", Few(&seats), drawn[0]),
                );
            }
            Event::Effect { seat: Some(seat), .. } => {
                say(
                    Occurrence::new(OccurrenceName::new("void")).by(seat),
                    format_args!("the score of seat {seat} is void for good"),
                );
            }
            Event::Effect { .. } => {}
        }
    }
}
