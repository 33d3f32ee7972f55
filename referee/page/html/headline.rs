//! The headline of a game: who has won, and the turn that decided it. And the same for readers without JavaScript.

use std::fmt::Write as _;

use referee_record::Heading;
use referee_record::text::{apart, count};
use referee_rules::{Outcome, Position, Seat, Thing};

use crate::decisive::Decisive;

/// Maximum number of bots that are named.
const NAMED_MAX: usize = 4;

/// The turn since which one seat alone has had the highest score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lead {
    /// The seat, and the turn. `None`: several seats have the highest score, or the game has none.
    since: Option<(Seat, u32)>,
}

impl Lead {
    /// Takes the scores before a turn.
    pub(super) fn take(&mut self, turn: u32, seats: usize, position: &Position) {
        let score = |seat| position.get(Thing::SCORE, Some(seat), None).map(|score| (score, seat));
        let scores: Vec<(i64, Seat)> = Seat::first(seats).filter_map(score).collect();
        let most = scores.iter().map(|(score, _)| *score).max();
        let mut best = scores.iter().filter(|(score, _)| Some(*score) == most).map(|(_, seat)| *seat);
        let leader = best.next().filter(|_| best.next().is_none());
        if leader != self.since.map(|(seat, _)| seat) {
            self.since = leader.map(|seat| (seat, turn));
        }
    }
}

/// Returns the headline of a game; that of one without an end is its name.
pub(crate) fn headline(
    heading: &Heading,
    outcome: Option<&Outcome>,
    lead: Lead,
    why: Option<&Decisive>,
) -> String {
    let Some(outcome) = outcome else { return heading.game.clone() };
    let seats = || Seat::first(heading.bots.len());
    let first: Vec<Seat> = seats().filter(|seat| outcome.place(*seat) == 1).collect();
    let named: Vec<String> = first.iter().take(NAMED_MAX).map(|seat| short_name(heading, *seat)).collect();
    let mut headline = match (first.len() - named.len(), &*named) {
        (0, [one]) => format!("{one} wins"),
        (0, [some @ .., last]) => format!("{} and {last} share the first place", some.join(", ")),
        (others, _) => {
            format!("{} and {} share the first place", named.join(", "), count(others as u64, "other"))
        }
    };
    if let Some(fall) = why.and_then(|why| why.falls.first()) {
        let loser = short_name(heading, fall.seat);
        let _ = match fall.turns {
            (first, last) if first == last => write!(headline, ". Turn {first} cost {loser} most"),
            (first, last) => write!(headline, ". Turns {first} to {last} cost {loser} most"),
        };
    } else if let Some((_, turn)) = lead.since.filter(|(seat, turn)| first == [*seat] && *turn > 0) {
        let _ = write!(headline, ", ahead for good from turn {turn}");
    }
    headline
}

/// Returns the result of a game for readers without JavaScript: the scores, best first.
pub(super) fn result(heading: &Heading, outcome: Option<&Outcome>, turns: u32) -> String {
    const TOLD: usize = 32;
    let Some(outcome) = outcome else { return format!("The record ends after {turns} turns.") };
    let mut seats: Vec<Seat> = Seat::first(heading.bots.len()).collect();
    seats.sort_by_key(|seat| outcome.place(*seat));
    let told = |seat: &Seat| {
        format!("{}. {} {}", outcome.place(*seat), short_name(heading, *seat), outcome.scores[*seat])
    };
    let mut all: Vec<String> = seats.iter().take(TOLD).map(told).collect();
    let more = seats.len() - all.len();
    all.extend((more > 0).then(|| format!("and {more} others")));
    let end = outcome.reason.replace('_', " ");
    format!("The end after {turns} turns: {end}. Places and scores: {}.", all.join(", "))
}

/// Returns a bot's name, with its seat where another has the same.
fn short_name(heading: &Heading, seat: Seat) -> String {
    let name = &heading.bots[seat].name;
    let same = heading.bots.iter().filter(|(_, bot)| bot.name == *name).count();
    let name = apart(name);
    if same == 1 { name.into_owned() } else { format!("{name} (seat {seat})") }
}
