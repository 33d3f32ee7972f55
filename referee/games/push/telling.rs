//! A turn of Push in words.

use super::{Attempt, Fate, PLAYERS, Seat, State};
use referee_rules::occurrence::Few;
use referee_rules::{Completion, Event, Events, Narrator, Occurrence, OccurrenceName};

pub(super) const PUSH: OccurrenceName = OccurrenceName::new("push");

/// The ends of a game in words.
pub(super) const ENDS: &[(&str, &str)] = &[("turns", "all {turns} turns were played")];

/// Narrates each attempt and its fate, then the draws and scores that become void.
pub(super) fn tell(before: &State, after: &State, events: &Events, say: &mut Narrator<'_>) {
    for (seat, attempt) in Seat::first(PLAYERS).zip(&after.attempts) {
        tell_attempt(seat, attempt, before, say);
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

fn tell_attempt(seat: Seat, attempt: &Attempt, before: &State, say: &mut Narrator<'_>) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::push::Push;
    use referee_rules::hex::{Direction, Slot};
    use referee_rules::{Dice, Parameters, Rules, Seed};

    #[test]
    fn each_fate_has_its_sentence() {
        let rules = Push::new(&Parameters::defaults(crate::push::PARAMETERS));
        let mut before = rules.start(&mut Dice::for_start(Seed(1)));
        before.coins[1] = 7;
        let mut after = before.clone();
        let attempt = |slot: Option<usize>, fate| Attempt {
            slot: slot.map(Slot::new),
            direction: slot.map(|_| Direction::East),
            fate,
        };
        after.attempts = [
            attempt(Some(0), Fate::Executed),
            attempt(Some(1), Fate::Executed),
            attempt(Some(30), Fate::LostDraw),
            attempt(Some(33), Fate::Invalid),
            attempt(None, Fate::Invalid),
            attempt(Some(60), Fate::NothingToPush),
        ];
        let mut events = Events::default();
        events.draw("pile", 30, [2, 4, 5], [4]);
        events.effect("void", Some(Seat::new(3)), &[]);
        let narrated = |after: &State| {
            let mut narrated = Vec::new();
            tell(&before, after, &events, &mut |occurrence, words| {
                narrated.push((occurrence.from, occurrence.to, occurrence.completion, words.to_string()));
            });
            narrated
        };
        let (done, refused) = (Completion::Done, Completion::Refused);
        let expected = [
            (Some(0), Some(1), done, "seat 0 pushes a coin E, from 0 to 1"),
            (Some(1), Some(2), done, "seat 1 pushes 7 coins E, from 1 to 2"),
            (Some(30), Some(31), Completion::LostDraw, "seat 2 would push 30 E, but another was drawn"),
            (Some(33), Some(34), refused, "seat 3 may not push 33 E"),
            (None, None, refused, "seat 4 gives an answer that is no push"),
            (Some(60), None, refused, "seat 5 has nothing to push"),
            (Some(30), None, done, "seat 2, seat 4 and seat 5 push the pile on 30: seat 4 is drawn"),
            (None, None, done, "the score of seat 3 is void for good"),
        ];
        assert_eq!(
            narrated(&after),
            expected.map(|(from, to, completion, words)| (from, to, completion, words.to_owned()))
        );
        after.attempts[0] = attempt(None, Fate::NoAnswer);
        assert_eq!(narrated(&after)[0], (None, None, refused, "seat 0 pushes nothing".to_owned()));
    }

    #[test]
    fn the_board_tells_only_of_slots_that_pay() {
        let rules = Push::new(&Parameters::defaults(crate::push::PARAMETERS));
        let mut bonuses = vec![0; PLAYERS];
        rules.describe_board(&mut |fact| {
            assert!(fact.value > 0, "{fact:?}");
            if fact.thing == referee_rules::Thing::BONUS {
                bonuses[fact.seat.expect("a player").index()] += 1;
            }
        });
        assert_eq!(bonuses, [8; PLAYERS], "one, three, three and one at each distance");
    }
}
