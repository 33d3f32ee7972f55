//! The game's report on a turn, in the twin's words.

use referee_rules::{Event, Events};

use super::twin::{Draw, Goal};

pub(super) fn sort_out(events: &Events) -> (Vec<Draw>, Vec<Goal>) {
    let mut draws = Vec::new();
    let mut goals = Vec::new();
    for event in events.iter() {
        match event {
            Event::Draw { name: "kick", at, candidates, drawn } => {
                draws.push(Draw { cell: at, candidates: candidates.to_vec(), drawn: drawn.to_vec() });
            }
            Event::Effect { name: "goal", seat: Some(seat), values: &[player, from] } => {
                goals.push(Goal { home: seat.index(), player, from });
            }
            other => panic!("an event that the rules do not know: {other:?}"),
        }
    }
    (draws, goals)
}
