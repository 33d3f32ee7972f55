//! The order of a whole field: the judge of a season that ends when the field is ranked. A function of complete
//! rounds, in their order, and of nothing else.
//!
//! Each pair of bots is a question. It has an answer when one is known to be better, or when the two are known to
//! differ by no more than epsilon. A verdict comes when all pairs have one. It is wrong if any answer is.
//!
//! - **Better** is shown by [`Proofs`], at three quarters of alpha for all pairs together; also if a bot is better than
//!   a third that is better than the other.
//! - **Level** is shown by [`ConfidenceSequence`]s at the rest of alpha, shared among the pairs. If a pair is called
//!   level and is not, exactly one of its two bounds is wrong, so each bound may err with the pair's whole share.
//!
//! Neither assumes anything of the shape of results.
//!
//! Both hold however often one looks, so verdicts err with a probability of at most alpha.

use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

use crate::confidence::{Bets, ConfidenceSequence, Interval, Marks, goal, stake};
use crate::contenders::Series;
use crate::proofs::{PairProof, Proofs};
use crate::rounds::Showing;

/// The end of a season.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// All pairs have an answer: the place of each bot.
    Ranked(Vec<usize>),
    /// The results of these bots changed with time.
    Drift(Vec<usize>),
}

/// The part of alpha for pairs that are called level, though they are not.
const LEVEL_PART: f64 = 0.25;

/// The order of some bots, round by round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Order {
    epsilon: f64,
    proofs: Proofs,
    /// The maximum probability that a bound of a pair is wrong.
    bound_alpha: f64,
    /// By pair, in the order (0, 1), (0, 2), ... (1, 2), ...: the differences "first minus second".
    differences: Vec<ConfidenceSequence>,
    /// By bot: its mean shares.
    shares: Vec<Series>,
    #[serde(skip)]
    answers: OnceLock<Answers>,
}

impl Order {
    /// Begins without rounds. All answers together are right with a probability of `1 - alpha`.
    pub(super) fn new(alpha: f64, epsilon: f64, bots: usize) -> Order {
        let pairs = bots * bots.saturating_sub(1) / 2;
        let marks = Marks::new([-epsilon, epsilon]);
        let sequence = (pairs > 0).then(|| {
            ConfidenceSequence::with_bets(
                Order::alpha_of_all_bounds(alpha) / pairs as f64,
                Bets::SHARES,
                &marks,
            )
        });
        Order {
            epsilon,
            proofs: Proofs::new(alpha * (1.0 - LEVEL_PART), bots),
            bound_alpha: Order::alpha_of_all_bounds(alpha) / pairs.max(1) as f64 / 2.0,
            differences: sequence.into_iter().cycle().take(pairs).collect(),
            shares: vec![Series::default(); bots],
            answers: OnceLock::new(),
        }
    }

    /// Returns the maximum probability that any bound of a difference is wrong, if `alpha` is that of a wrong verdict.
    pub(super) fn alpha_of_all_bounds(alpha: f64) -> f64 {
        2.0 * LEVEL_PART * alpha
    }

    /// Adds the next round; `None` for a bot that sat out, since all its questions have an answer.
    pub(super) fn add_round(&mut self, showings: &[Option<Showing>]) {
        self.answers = OnceLock::new();
        let mut differences = self.differences.iter_mut();
        for (index, first) in showings.iter().enumerate() {
            for (second, pair) in showings[index + 1..].iter().zip(differences.by_ref()) {
                if let (Some(first), Some(second)) = (first, second) {
                    let (lower, upper) =
                        (first.share.lower - second.share.upper, first.share.upper - second.share.lower);
                    pair.add_within(Interval { lower, upper });
                }
            }
        }
        for (shares, showing) in self.shares.iter_mut().zip(showings) {
            if let Some(Showing { share, .. }) = showing {
                shares.add((share.lower + share.upper) / 2.0);
            }
        }
        self.proofs.add_round(showings);
    }

    /// Returns the answers so far. An answer stays, unless results begin to depend on each other: then each proof
    /// counts less.
    pub(super) fn answers(&self) -> &Answers {
        self.answers.get_or_init(|| {
            let bots = self.shares.len();
            let mut better = Relation::new(bots);
            for (at, is_better) in self.proofs.known().better.iter().enumerate() {
                if *is_better {
                    better.enter(at / bots, at % bots);
                }
            }
            better.close();
            let mut level = Relation::new(bots);
            let pairs = (0..bots).flat_map(|one| (one + 1..bots).map(move |other| (one, other)));
            for ((one, other), pair) in pairs.zip(&self.differences) {
                let Interval { lower, upper } = pair.interval();
                if -self.epsilon <= lower && lower < upper && upper <= self.epsilon {
                    level.enter(one, other);
                    level.enter(other, one);
                }
            }
            Answers { bots, better, level }
        })
    }

    /// Lists the bots that nobody is known to be better than.
    pub(super) fn unbeaten(&self) -> Vec<usize> {
        let places = self.answers().places();
        (0..places.len()).filter(|bot| places[*bot] == 1).collect()
    }

    /// Lists each bot's results.
    pub(super) fn shares(&self) -> &[Series] {
        &self.shares
    }

    /// Returns the open pair whose answer takes longest, and the number of rounds until it comes at the current rate;
    /// `None` if no pair is open.
    pub(super) fn slowest(&self) -> Option<(PairProof, Option<u32>)> {
        let answers = self.answers();
        let open = answers.pairs().filter(|(one, other)| answers.is_open(*one, *other));
        let proof_and_rounds = |(one, other): (usize, usize)| {
            let proof = self.proofs.of_pair(one, other);
            let rounds = [proof.rounds, self.rounds_until_level(one, other)].into_iter().flatten().min();
            (proof, rounds)
        };
        open.map(proof_and_rounds).max_by_key(|(_, rounds)| rounds.unwrap_or(u32::MAX))
    }

    /// Returns the number of rounds left until two bots are known to be level, if their lead stays as it is.
    fn rounds_until_level(&self, one: usize, other: usize) -> Option<u32> {
        let (lead, variance) = self.proofs.lead(one, other);
        let edge = self.epsilon - lead.abs();
        let stake = stake(Bets::SHARES, variance, edge.max(0.0), -self.epsilon);
        let growth = stake * edge - stake * stake * (variance + edge * edge) / 2.0;
        let rounds = goal(self.bound_alpha).ln() / growth - self.shares[one].count();
        (edge > 0.0 && growth > 0.0 && rounds < 1e8).then(|| rounds.ceil().max(1.0) as u32)
    }

    /// Returns bots that show that results changed with time, or depend on each other.
    pub(super) fn drift(&self) -> Option<Vec<usize>> {
        if let Some((one, other)) = self.answers().contradiction() {
            return Some(vec![one, other]);
        }
        let bots_with_memory = Series::bots_with_memory(&self.shares);
        if bots_with_memory.is_empty() { None } else { Some(bots_with_memory) }
    }

    /// Returns the end, if all pairs have an answer or answers contradict each other.
    pub(super) fn end(&self) -> Option<End> {
        let answers = self.answers();
        if let Some((one, other)) = answers.contradiction() {
            return Some(End::Drift(vec![one, other]));
        }
        if answers.open_questions().0 > 0 {
            return None;
        }
        let bots_with_memory = Series::bots_with_memory(&self.shares);
        Some(if bots_with_memory.is_empty() {
            End::Ranked(answers.places())
        } else {
            End::Drift(bots_with_memory)
        })
    }
}

/// The answers to the questions of all pairs so far.
#[derive(Clone, Debug)]
pub(super) struct Answers {
    bots: usize,
    better: Relation,
    level: Relation,
}

impl Answers {
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let bots = self.bots;
        (0..bots).flat_map(move |one| (one + 1..bots).map(move |other| (one, other)))
    }

    fn is_open(&self, one: usize, other: usize) -> bool {
        !self.better.has(one, other) && !self.better.has(other, one) && !self.level.has(one, other)
    }

    /// Lists the bots with a pair that has no answer.
    pub(super) fn open(&self) -> Vec<usize> {
        let is_open = |one: usize, other: usize| other != one && self.is_open(one, other);
        (0..self.bots).filter(|one| (0..self.bots).any(|other| is_open(*one, other))).collect()
    }

    /// Tells whether a bot is known to be better than another.
    pub(super) fn is_better(&self, one: usize, other: usize) -> bool {
        self.better.has(one, other)
    }

    /// Lists the pairs of which one is known to be better, the better one first.
    pub(super) fn known(&self) -> Vec<(usize, usize)> {
        let both = self.pairs().flat_map(|(one, other)| [(one, other), (other, one)]);
        both.filter(|(one, other)| self.better.has(*one, *other)).collect()
    }

    /// Returns the number of pairs without an answer, and of all.
    pub(super) fn open_questions(&self) -> (usize, usize) {
        let open = self.pairs().filter(|(one, other)| self.is_open(*one, *other)).count();
        (open, self.bots * self.bots.saturating_sub(1) / 2)
    }

    /// Returns two bots each of which seems to be better than the other, if there are some: the results have changed
    /// with time.
    fn contradiction(&self) -> Option<(usize, usize)> {
        self.pairs().find(|(one, other)| self.better.has(*one, *other) && self.better.has(*other, *one))
    }

    /// Returns the place of each bot: 1 plus the number of bots that are known to be better. If bots a and b are
    /// level, and so are b and c, but a is better than c, then the places are 1, 1 and 2.
    fn places(&self) -> Vec<usize> {
        let count_better = |bot: usize| (0..self.bots).filter(|other| self.better.has(*other, bot)).count();
        (0..self.bots).map(|bot| 1 + count_better(bot)).collect()
    }
}

/// A relation of bots, a row of bits for each.
#[derive(Clone, Debug)]
struct Relation {
    bots: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Relation {
    fn new(bots: usize) -> Relation {
        let words = bots.div_ceil(64);
        Relation { bots, words, bits: vec![0; bots * words] }
    }

    fn has(&self, one: usize, other: usize) -> bool {
        self.bits[one * self.words + other / 64] >> (other % 64) & 1 == 1
    }

    fn enter(&mut self, one: usize, other: usize) {
        self.bits[one * self.words + other / 64] |= 1 << (other % 64);
    }

    /// Adds the pairs that follow: if the relation has (a, b) and (b, c), it has (a, c).
    fn close(&mut self) {
        for middle in 0..self.bots {
            let row_of_middle = self.bits[middle * self.words..(middle + 1) * self.words].to_vec();
            for one in (0..self.bots).filter(|one| *one != middle) {
                if self.has(one, middle) {
                    let row = &mut self.bits[one * self.words..(one + 1) * self.words];
                    for (word, added) in row.iter_mut().zip(&row_of_middle) {
                        *word |= added;
                    }
                }
            }
        }
    }
}
