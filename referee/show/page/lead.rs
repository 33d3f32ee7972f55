//! The lead in a game: the seat that alone has had the highest score, and the turn since which it has.

use referee_rules::{Position, Seat, Thing};

/// The turn since which one seat alone has had the highest score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lead {
    /// The seat, and the turn. `None`: several seats have the highest score, or the game has none.
    pub since: Option<(Seat, u32)>,
}

impl Lead {
    /// Takes the scores before a turn.
    pub fn take(&mut self, turn: u32, seats: usize, position: &Position) {
        let score = |seat| position.get(Thing::SCORE, Some(seat), None).map(|score| (score, seat));
        let scores: Vec<(i64, Seat)> = Seat::first(seats).filter_map(score).collect();
        let max = scores.iter().map(|(score, _)| *score).max();
        let mut best = scores.iter().filter(|(score, _)| Some(*score) == max).map(|(_, seat)| *seat);
        let leader = match (best.next(), best.next()) {
            (Some(leader), None) => Some(leader),
            _ => None,
        };
        if leader != self.since.map(|(seat, _)| seat) {
            self.since = leader.map(|seat| (seat, turn));
        }
    }
}
