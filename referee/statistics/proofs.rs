//! Proofs: which of two bots is better, for all pairs of a field. A function of complete rounds, in their order; it
//! holds however often one looks, and whatever the shape of luck.
//!
//! For each ordered pair of bots, a gambler bets that the first is better: a case. If it is not, he expects to gain
//! nothing, so by Ville's inequality his capital ever reaches `1 / p` with a probability of at most `p`. All pairs
//! together: Holm's method on the `bots (bots - 1)` ordered pairs, with `1 / greatest capital` as the p-values, which
//! hold at any time. Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
//! Statistics 6 (1979).
//!
//! That rounds have the same expectation, whatever happened before, is assumed, and watched: if the differences of two
//! bots correlate with the next ones by `r` so far, they vary by `(1 + r) / (1 - r)` times as much as they seem to, and
//! the logarithm of the capital is divided by that. This only makes proofs rarer. The correlation is computed anew
//! after each round, so a proof can be taken back.

use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

use crate::case::Case;
use crate::confidence::{Bets, Moments, goal};
use crate::contenders::Series;
use crate::rounds::Showing;

/// The proofs of a field, round by round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Proofs {
    alpha: f64,
    bots: usize,
    /// By `one * bots + other`: the case that `one` is better, and by how much it was ahead.
    cases: Vec<(Case, Moments)>,
    /// By `one * bots + other`, if `one` is below `other`: the differences "one minus other".
    differences: Vec<Series>,
    #[serde(skip)]
    known: OnceLock<Known>,
}

/// What is known after the rounds so far.
#[derive(Clone, Debug)]
pub struct Known {
    /// By `one * bots + other`: whether `one` is known to be better.
    pub better: Vec<bool>,
    /// The capital that makes the next case.
    pub next_goal: f64,
}

/// The proof of a pair that has no answer yet: for the bot that is ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairProof {
    /// The bot that may be better.
    pub better: usize,
    /// The other one.
    pub worse: usize,
    /// The capital of the case, after the discount for correlated rounds.
    pub capital: f64,
    /// The capital that makes it.
    pub goal: f64,
    /// The number of rounds left at the current rate; `None` if it is infinite.
    pub rounds: Option<u32>,
}

impl Proofs {
    /// Begins without rounds. All that is known, at all looks, is right with a probability of at least `1 - alpha`.
    pub fn new(alpha: f64, bots: usize) -> Proofs {
        Proofs {
            alpha,
            bots,
            cases: vec![(Case::NEW, Moments::new(Bets::SHARES)); bots * bots],
            differences: vec![Series::default(); bots * bots],
            known: OnceLock::new(),
        }
    }

    /// Adds the next round; `None` for a bot without a block in it.
    ///
    /// # Panics
    ///
    /// Panics unless there is an entry for each bot.
    pub fn add_round(&mut self, showings: &[Option<Showing>]) {
        assert_eq!(showings.len(), self.bots, "a showing for each bot");
        self.known = OnceLock::new();
        let present =
            || showings.iter().enumerate().filter_map(|(bot, showing)| Some((bot, showing.as_ref()?.share)));
        for (one, first) in present() {
            for (other, second) in present().filter(|(other, _)| *other != one) {
                let at = one * self.bots + other;
                let (case, known) = &mut self.cases[at];
                let ahead = first.lower - second.upper;
                case.add(Bets::SHARES, known, ahead);
                known.add(ahead);
                if one < other {
                    self.differences[at].add((first.lower + first.upper - second.lower - second.upper) / 2.0);
                }
            }
        }
    }

    /// Returns the number by which the logarithm of the capital of a pair is divided, since rounds are correlated.
    fn discount(&self, one: usize, other: usize) -> f64 {
        let memory = self.differences[one.min(other) * self.bots + one.max(other)].correlation();
        let memory = memory.clamp(0.0, MEMORY_MAX);
        (1.0 + memory) / (1.0 - memory)
    }

    /// Tells whether a bot is known to be better than another.
    pub fn is_better(&self, one: usize, other: usize) -> bool {
        self.known().better[one * self.bots + other]
    }

    /// Returns what is known, by Holm's method.
    pub fn known(&self) -> &Known {
        self.known.get_or_init(|| {
            let logarithm = |at: usize| {
                self.cases[at].0.max_capital().ln() / self.discount(at / self.bots, at % self.bots)
            };
            let cases = (0..self.cases.len()).filter(|at| self.cases[*at].0.max_capital() > 1.0);
            let mut order: Vec<(f64, usize)> = cases.map(|at| (logarithm(at), at)).collect();
            order.sort_by(|one, other| other.0.total_cmp(&one.0));
            let mut better = vec![false; self.cases.len()];
            let mut open = self.bots * self.bots.saturating_sub(1);
            for (logarithm, at) in order {
                if logarithm < goal(self.alpha / open as f64).ln() {
                    break;
                }
                better[at] = true;
                open -= 1;
            }
            Known { better, next_goal: goal(self.alpha / open.max(1) as f64) }
        })
    }

    /// Returns how far the proof of a pair has come, for the one of the two that is ahead.
    pub fn of_pair(&self, one: usize, other: usize) -> PairProof {
        let (goal, discount) = (self.known().next_goal, self.discount(one, other));
        let proof_that = |better: usize, worse: usize| {
            let (case, known) = &self.cases[better * self.bots + worse];
            let rounds = case.rounds_left(goal.powf(discount), Bets::SHARES, known);
            let capital = case.capital().powf(1.0 / discount);
            (known.plain_mean(), PairProof { better, worse, capital, goal, rounds })
        };
        let ((lead_of_one, proof_of_one), (lead_of_other, proof_of_other)) =
            (proof_that(one, other), proof_that(other, one));
        if lead_of_other > lead_of_one { proof_of_other } else { proof_of_one }
    }

    /// Returns the mean by which a bot was ahead of another, and the variance of that.
    pub(super) fn lead(&self, one: usize, other: usize) -> (f64, f64) {
        let known = &self.cases[one * self.bots + other].1;
        (known.plain_mean(), known.variance())
    }
}

/// A greater correlation counts as this one.
const MEMORY_MAX: f64 = 0.9;
