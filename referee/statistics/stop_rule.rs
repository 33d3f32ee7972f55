//! When a season may end: one bot is clearly the best, or some are clearly as good as each other. It may look after
//! every round without fooling itself. A function of the block means of complete rounds, in their order, and of nothing
//! else.
//!
//! For each pair of bots the difference of their block means in a round has the same expectation in every round,
//! whatever was before, since no deal looks at earlier deals or at results. So each pair has a confidence sequence; all of
//! them together err with a probability of at most alpha.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::statistics::confidence::{ConfidenceSequence, Interval, Marks};

/// What a season is stopped by.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StopRule {
    /// The probability of anything wrong being said, in the whole season.
    pub alpha: f64,
    /// A difference of mean shares that nobody cares about.
    pub epsilon: f64,
    /// No verdict before so many rounds.
    pub min_rounds: u32,
    /// After so many rounds it is over, whatever is known.
    pub max_rounds: u32,
}

impl Default for StopRule {
    fn default() -> StopRule {
        StopRule { alpha: 0.05, epsilon: 0.01, min_rounds: 10, max_rounds: 10_000 }
    }
}

impl StopRule {
    /// Says what is wrong with it, if anything.
    pub fn fault(&self) -> Option<String> {
        if !(self.alpha > 0.0 && self.alpha < 1.0) {
            return Some(format!("alpha is a probability between 0 and 1, not {}", self.alpha));
        }
        if !(self.epsilon >= 0.0 && self.epsilon < 1.0) {
            return Some(format!(
                "epsilon is a difference of shares from 0 to below 1, not {}",
                self.epsilon
            ));
        }
        let least = self.min_rounds.max(1);
        if self.max_rounds < least {
            let (max, min) = (self.max_rounds, self.min_rounds);
            return Some(format!(
                "max_rounds = {max} is out of range: at least {least} (min_rounds = {min})"
            ));
        }
        None
    }
}

impl fmt::Display for StopRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StopRule { alpha, epsilon, min_rounds, max_rounds } = self;
        write!(f, "alpha {alpha}, epsilon {epsilon}, {min_rounds} to {max_rounds} rounds")
    }
}

/// Why a season is over. Bots are told by their index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// This one is better than every other.
    ClearKing(usize),
    /// These are beaten by nobody, and none is better than another by more than epsilon.
    JointKings(Vec<usize>),
    /// The rounds are used up. These are beaten by nobody yet.
    NotSeparated(Vec<usize>),
}

impl Verdict {
    /// Returns of which kind it is.
    pub fn kind(&self) -> VerdictKind {
        match self {
            Verdict::ClearKing(_) => VerdictKind::ClearKing,
            Verdict::JointKings(_) => VerdictKind::JointKings,
            Verdict::NotSeparated(_) => VerdictKind::NotSeparated,
        }
    }

    /// Lists who is beaten by nobody.
    pub fn kings(&self) -> &[usize] {
        match self {
            Verdict::ClearKing(king) => std::slice::from_ref(king),
            Verdict::JointKings(kings) | Verdict::NotSeparated(kings) => kings,
        }
    }
}

/// A verdict without its bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the verdict of the same name")]
pub enum VerdictKind {
    ClearKing,
    JointKings,
    NotSeparated,
}

impl VerdictKind {
    /// All of them.
    pub const ALL: [VerdictKind; 3] =
        [VerdictKind::ClearKing, VerdictKind::JointKings, VerdictKind::NotSeparated];

    /// Returns its name in files.
    pub fn name(self) -> &'static str {
        match self {
            VerdictKind::ClearKing => "clear_king",
            VerdictKind::JointKings => "joint_kings",
            VerdictKind::NotSeparated => "not_separated",
        }
    }
}

/// In words: `clear king`.
impl fmt::Display for VerdictKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name().replace('_', " "))
    }
}

/// A season under a stop rule, round by round.
#[derive(Clone, Debug)]
pub struct Race {
    rule: StopRule,
    bots: usize,
    rounds: u32,
    /// Of the differences "first minus second", for each two bots, in the order (0, 1), (0, 2), ... (1, 2), ...
    pairs: Vec<ConfidenceSequence>,
}

impl Race {
    /// Begins a season. Bounds are found to a thousandth.
    pub fn new(rule: StopRule, bots: usize) -> Race {
        Race::with_marks(rule, bots, &Marks::thousandths([-rule.epsilon, 0.0, rule.epsilon]))
    }

    /// Begins a season of which nothing is asked but a verdict: bounds are no finer than it needs.
    pub fn for_verdict(rule: StopRule, bots: usize) -> Race {
        Race::with_marks(rule, bots, &Marks::new([-rule.epsilon, 0.0, rule.epsilon]))
    }

    fn with_marks(rule: StopRule, bots: usize, marks: &Marks) -> Race {
        let pairs = bots * bots.saturating_sub(1) / 2;
        let sequence = (pairs > 0).then(|| ConfidenceSequence::new(rule.alpha / pairs as f64, marks));
        Race { rule, bots, rounds: 0, pairs: sequence.into_iter().cycle().take(pairs).collect() }
    }

    /// Takes the next round: each bot's mean share of its block, from 0 to 1.
    ///
    /// # Panics
    ///
    /// Panics unless there is one for each bot.
    pub fn add_round(&mut self, block_means: &[f64]) {
        let known = |mean: &f64| Interval { lower: *mean, upper: *mean };
        self.add_round_within(&block_means.iter().map(known).collect::<Vec<Interval>>());
    }

    /// Takes the next round, of which no more is known than where each mean share lies, within 0 and 1.
    ///
    /// # Panics
    ///
    /// Panics unless there is one for each bot.
    pub fn add_round_within(&mut self, block_means: &[Interval]) {
        assert_eq!(block_means.len(), self.bots, "a block mean for each bot");
        let mut pairs = self.pairs.iter_mut();
        for (index, first) in block_means.iter().enumerate() {
            for second in &block_means[index + 1..] {
                let difference =
                    Interval { lower: first.lower - second.upper, upper: first.upper - second.lower };
                pairs.next().expect("each pair has a sequence").add_within(difference);
            }
        }
        self.rounds += 1;
    }

    /// Returns how many rounds it has seen.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Returns what is known of the difference of two bots' mean shares.
    ///
    /// # Panics
    ///
    /// Panics if they are one and the same.
    pub fn difference(&self, one: usize, other: usize) -> Interval {
        assert_ne!(one, other, "a bot does not differ from itself");
        let (first, second) = (one.min(other), one.max(other));
        let before = first * (2 * self.bots - first - 1) / 2;
        let Interval { lower, upper } = self.pairs[before + second - first - 1].interval();
        if one == first { Interval { lower, upper } } else { Interval { lower: -upper, upper: -lower } }
    }

    /// Tells whether a bot is known to be better than another.
    pub fn beats(&self, one: usize, other: usize) -> bool {
        // A bound on a mark says that the mean is beyond it: a mean of 0 would not have been rejected.
        one != other && self.difference(one, other).lower >= 0.0
    }

    /// Returns the first and the last place that a bot may have.
    pub fn ranks(&self, bot: usize) -> (usize, usize) {
        let others = || 0..self.bots;
        let better = others().filter(|other| self.beats(*other, bot)).count();
        let worse = others().filter(|other| self.beats(bot, *other)).count();
        (1 + better, self.bots - worse)
    }

    /// Says why the season is over, or `None` while it goes on.
    pub fn verdict(&self) -> Option<Verdict> {
        if self.rounds < self.rule.min_rounds.max(1) {
            return None;
        }
        let is_king = |bot: &usize| (0..self.bots).all(|other| other == *bot || self.beats(*bot, other));
        if let Some(king) = (0..self.bots).find(is_king) {
            return Some(Verdict::ClearKing(king));
        }
        let unbeaten = self.unbeaten();
        if unbeaten.len() > 1 && self.are_close(&unbeaten) {
            return Some(Verdict::JointKings(unbeaten));
        }
        (self.rounds >= self.rule.max_rounds).then_some(Verdict::NotSeparated(unbeaten))
    }

    /// Lists who is not known to be worse than another.
    pub fn unbeaten(&self) -> Vec<usize> {
        (0..self.bots).filter(|bot| !(0..self.bots).any(|other| self.beats(other, *bot))).collect()
    }

    fn are_close(&self, bots: &[usize]) -> bool {
        bots.iter().enumerate().all(|(index, one)| {
            bots[index + 1..].iter().all(|other| {
                let Interval { lower, upper } = self.difference(*one, *other);
                lower >= -self.rule.epsilon && upper <= self.rule.epsilon
            })
        })
    }
}
