//! The headline of a game, which says who has won, and the turn that decided it; and the result of the game.

use std::fmt::Write as _;

use crate::view::story::{self, Vocabulary};
use referee_record::Heading;
use referee_record::text::{apart, count};
use referee_rules::Outcome;

use crate::page::decisive::Decisive;
use crate::page::lead::Lead;

/// Returns the headline of a game. Without an end, it is the name of the game.
pub(crate) fn headline(
    heading: &Heading,
    outcome: Option<&Outcome>,
    lead: Lead,
    why: Option<&Decisive>,
) -> String {
    let Some(outcome) = outcome else { return heading.game.clone() };
    let vocabulary = Vocabulary::of(heading);
    let mut headline = vocabulary.first(outcome);
    if let Some(fall) = why.and_then(|why| why.falls.first()) {
        let loser = vocabulary.bot(fall.seat);
        let _ = match fall.turns {
            (first, last) if first == last => write!(headline, ". Turn {first} cost {loser} most"),
            (first, last) => write!(headline, ". Turns {first} to {last} cost {loser} most"),
        };
    } else if let Some((seat, turn)) = lead.since.filter(|(_, turn)| *turn > 0)
        && outcome.place(seat) == 1
        && outcome.scores.iter().all(|(other, _)| other == seat || outcome.place(other) > 1)
    {
        let _ = write!(headline, ", ahead for good from turn {turn}");
    }
    apart(&headline).into_owned()
}

/// Returns the result of a game: why it ended, and the scores of at most this number of seats, the best first.
pub(super) fn result(outcome: &Outcome, turns: u32, vocabulary: &Vocabulary, seats_max: usize) -> String {
    let places = story::tell_places(outcome, vocabulary);
    let seats = places.iter().filter_map(|happening| happening.occurrence.seat).take(seats_max);
    let mut scores: Vec<String> = seats
        .map(|seat| format!("{}. {} {}", outcome.place(seat), vocabulary.bot(seat), outcome.scores[seat]))
        .collect();
    let others = places.len() - scores.len();
    if others > 0 {
        scores.push(format!("and {others} others"));
    }
    let (turns, end) = (count(turns.into(), "turn"), vocabulary.end(outcome.reason));
    let result = format!("The end after {turns}: {end}. Places and scores: {}.", scores.join(", "));
    apart(&result).into_owned()
}
