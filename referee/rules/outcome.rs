//! How a game ended: scores, shares, places, and why.

use super::{BySeat, Seat};

/// The end of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The score by the game's own count.
    pub scores: BySeat<i64>,
    /// The score as a share of what could be had, from 0 to 1: what rankings are made of.
    pub shares: BySeat<f64>,
    /// Why the game is over: one word, such as `no_balls`.
    pub reason: &'static str,
}

impl Outcome {
    /// Returns the place of a seat: 1 and the number of seats that scored more. Equal scores share a place.
    pub fn place(&self, seat: Seat) -> usize {
        1 + self.scores.iter().filter(|(_, score)| **score > self.scores[seat]).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_scores_share_a_place() {
        let scores = BySeat::from(vec![3, 5, 3, 1]);
        let outcome = Outcome { shares: BySeat::from_fn(4, |_| 0.0), scores, reason: "over" };
        let places: Vec<usize> = Seat::first(4).map(|seat| outcome.place(seat)).collect();
        assert_eq!(places, [2, 1, 2, 4]);
    }
}
