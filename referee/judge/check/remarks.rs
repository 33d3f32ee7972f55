//! Remarks: results of a judge that look like a mistake, but can be intended.

use referee_rules::Outcome;

/// The results of the games so far.
#[derive(Debug, Default)]
pub(super) struct Results {
    /// Number of games of equal players.
    equal_games: u32,
    /// The seat that has won all of them alone, if there is one.
    winner: Option<usize>,
    /// The first result whose shares go against its scores.
    reversed_result: Option<String>,
}

/// Minimum number of games of equal players for a remark.
pub(super) const GAMES_MIN: u32 = 8;

impl Results {
    /// Adds a result. In a game of equal players, all give samples.
    pub(super) fn add(&mut self, outcome: &Outcome, is_equal: bool) {
        let (scores, shares) = (outcome.scores.as_slice(), outcome.shares.as_slice());
        let all: Vec<(i64, f64)> = scores.iter().copied().zip(shares.iter().copied()).collect();
        let is_reversed = all.iter().any(|(score, share)| {
            all.iter().any(|(other, other_share)| score > other && share < other_share)
        });
        if is_reversed && self.reversed_result.is_none() {
            self.reversed_result = Some(format!("scores {scores:?}, shares {shares:?}"));
        }
        if !is_equal || all.len() <= 1 {
            return;
        }
        let best_share = shares.iter().copied().fold(0.0, f64::max);
        let best: Vec<usize> = (0..all.len()).filter(|seat| shares[*seat] == best_share).collect();
        let winner = if best.len() == 1 { Some(best[0]) } else { None };
        if self.equal_games == 0 {
            self.winner = winner;
        } else if self.winner != winner {
            self.winner = None;
        }
        self.equal_games += 1;
    }

    /// Returns the remarks.
    pub(super) fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let games = self.equal_games;
        if games >= GAMES_MIN
            && let Some(seat) = self.winner
        {
            remarks.push(format!(
                "seat {seat} won all {games} games of equal players: does the game favour it?"
            ));
        }
        if let Some(result) = &self.reversed_result {
            remarks.push(format!(
                "shares go against the scores: {result}. Is this meant, as where the lowest score wins?"
            ));
        }
        remarks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(scores: &[i64], shares: &[f64]) -> Outcome {
        Outcome { scores: scores.to_vec().into(), shares: shares.to_vec().into(), reason: "over" }
    }

    #[test]
    fn a_seat_that_always_wins_and_shares_against_scores_are_remarked() {
        let with = |all: &[(&[i64], &[f64])]| {
            let mut results = Results::default();
            for (scores, shares) in all {
                results.add(&outcome(scores, shares), true);
            }
            results.remarks().join("\n")
        };
        let (first, second, level): (&[f64], &[f64], &[f64]) = (&[1.0, 0.0], &[0.0, 1.0], &[0.5, 0.5]);
        let won = |last| [vec![(&[2_i64, 1][..], first); 7], vec![last]].concat();
        assert!(with(&won((&[2, 1], first))).contains("seat 0 won all 8 games"));
        assert_eq!(with(&won((&[1, 2], second))), "");
        assert_eq!(with(&won((&[1, 1], level))), "");
        assert_eq!(with(&won((&[2, 1], first))[..7]), "", "few games say nothing");
        assert!(with(&[(&[2, 1], second)]).contains("shares go against the scores: scores [2, 1]"));
        assert_eq!(with(&[(&[2, 1], level)]), "");
    }
}
