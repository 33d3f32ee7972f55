//! The outcome of a game: scores, shares, places and a reason.

use super::{BySeat, Seat};

/// The end of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The score by the game's own count.
    pub scores: BySeat<i64>,
    /// The score as a part of the highest possible one, from 0 to 1. Standings are computed from shares.
    pub shares: BySeat<f64>,
    /// Why the game is over: one word, such as `no_balls`.
    pub reason: &'static str,
}

impl Outcome {
    /// Returns the place of a seat: 1 plus the number of seats with a greater share. Equal shares share a
    /// place.
    ///
    /// Places compare shares, since a game can be lost in spite of its score: by a forfeit, for example.
    pub fn place(&self, seat: Seat) -> usize {
        1 + self.shares.iter().filter(|(_, share)| **share > self.shares[seat]).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(scores: &[i64], shares: &[f64]) -> Vec<usize> {
        let (scores, shares) = (BySeat::from(scores.to_vec()), BySeat::from(shares.to_vec()));
        let outcome = Outcome { scores, shares, reason: "over" };
        Seat::first(outcome.shares.len()).map(|seat| outcome.place(seat)).collect()
    }

    #[test]
    fn equal_shares_share_a_place() {
        assert_eq!(places(&[3, 5, 3, 1], &[0.25, 0.5, 0.25, 0.1]), [2, 1, 2, 4]);
    }

    #[test]
    fn who_forfeits_loses_whatever_the_score() {
        assert_eq!(places(&[9, 2], &[0.0, 1.0]), [2, 1]);
        assert_eq!(places(&[9, 2], &[0.5, 0.5]), [1, 1]);
    }
}
