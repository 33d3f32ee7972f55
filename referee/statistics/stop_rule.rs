//! The stop rule: a season ends when one bot is clearly the best, or some are clearly equally good. Verdicts
//! stay valid although the rule looks after every round. A function of the block means of complete rounds, in
//! their order, and of nothing else.
//!
//! For each pair of bots, the difference of their block means has the same expectation in every round, whatever
//! happened before, since no deal looks at earlier deals or at results.
//!
//! A verdict is wrong if a clear king is not better than every other (a tie for the first place is wrong, too), or if
//! none of the joint kings is the best, or one of them is worse than the best by more than epsilon. Take any one of the
//! best bots. If a wrong king is named, either the case against this bot was made, or the case against another that is
//! as good. If joint kings are wrong, the case against this bot was made, or one that is worse by more than epsilon was
//! found to be close to this bot. With betting, the first two have 0.45 alpha each, whatever the number of bots
//! ([`Contenders`]); the third has the last tenth, shared among the other bots. So all verdicts together err with a
//! probability of at most alpha.
//!
//! A clear king must not owe it to companions (`companions`): the case is made once more without
//! the rounds in which it sat with one of them. That can only take a crown away, so it adds no errors.
//!
//! A season can also end when its whole field is ranked; see [`Until::Ranked`].
//!
//! The differences that are shown with a verdict come from confidence sequences of all pairs, which share another
//! alpha. If a pair contradicts itself, the verdict is `drift`.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZero;

use crate::companions::Companions;
use crate::confidence::{self, Bets, ConfidenceSequence, Interval, Marks};
use crate::contenders::{Contenders, Forecast, Series};
use crate::halves::Halves;
use crate::order::{End, Order};
use crate::proofs::{PairProof, Proofs};
pub use crate::question::{EDITION, Method, Until, fault_of_edition};
use crate::rank_by::RankBy;
use crate::rounds::Showing;

/// The rule that stops a season.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StopRule {
    /// The question whose answer ends the season.
    pub until: Until,
    /// What counts.
    pub rank_by: RankBy,
    /// The method of the verdict.
    pub method: Method,
    /// The maximum probability of a wrong verdict in the whole season.
    pub alpha: f64,
    /// The smallest difference of mean shares that matters.
    pub epsilon: f64,
    /// Minimum number of rounds before a verdict.
    pub min_rounds: u32,
    /// Maximum number of rounds.
    pub max_rounds: u32,
}

impl Default for StopRule {
    fn default() -> StopRule {
        StopRule {
            until: Until::default(),
            rank_by: RankBy::default(),
            method: Method::default(),
            alpha: 0.05,
            epsilon: 0.01,
            min_rounds: 10,
            max_rounds: 10_000,
        }
    }
}

/// The part of alpha for a wrong king: a case against one of the best bots is made. It counts twice, once for this bot
/// and once for another that is as good.
const KING_PART: f64 = 0.45;

/// The part of alpha for joint kings of which one is worse than the best by more than epsilon.
const CLOSE_PART: f64 = 0.1;

/// The sum of `s^-2.5` over all `s` from 1.
const ZETA: f64 = 1.341_487_257_25;

impl StopRule {
    /// Returns the rule for a season of a hill, from 1. All seasons together share alpha: the part of season
    /// `s` is proportional to `s^-2.5`, and all parts add up to 1.
    #[must_use]
    pub fn in_season(self, season: u32) -> StopRule {
        let part = f64::from(season.max(1)).powf(-2.5) / ZETA;
        // Three digits, rounded down, since it is written to files.
        let digits = 10f64.powf(2.0 - (self.alpha * part).log10().floor());
        StopRule { alpha: (self.alpha * part * digits).floor() / digits, ..self }
    }

    /// Returns the minimum number of rounds before a verdict.
    pub fn least_rounds(&self) -> u32 {
        self.min_rounds.max(1)
    }

    /// Returns an estimate of the minimum number of rounds for joint kings, or for a shared place: two of `bots` equal
    /// bots, whose difference in a round has this standard deviation. `None` if no number of rounds is enough.
    pub fn joint_rounds(&self, bots: usize, deviation: f64) -> Option<f64> {
        let alpha = self.of_pairs(bots);
        let Some(pairs) = NonZero::new(bots * bots.saturating_sub(1) / 2) else { return Some(0.0) };
        // A pair has two gamblers, and each bets that the difference lies on one side of epsilon. The difference is 0.
        let stake = confidence::stake(Bets::SHARES, deviation.powi(2), self.epsilon, -self.epsilon);
        let growth = stake * self.epsilon - stake.powi(2) * (deviation.powi(2) + self.epsilon.powi(2)) / 2.0;
        let rounds = confidence::goal(alpha / pairs.get() as f64 / 2.0).ln() / growth;
        if self.epsilon > 0.0 { Some(rounds.max(f64::from(self.least_rounds()))) } else { None }
    }

    /// Returns the alpha of all pairs of this number of bots together, if only a verdict is needed.
    fn of_pairs(&self, bots: usize) -> f64 {
        match self.until {
            Until::Ranked => Order::alpha_of_all_bounds(self.alpha),
            // One of the best bots has `bots - 1` pairs. A verdict needs one of the two bounds of each, and the bounds
            // of these pairs have `CLOSE_PART`.
            Until::Winner => (CLOSE_PART * self.alpha * bots as f64).min(self.alpha),
        }
    }

    /// Returns what is wrong with the rule, if anything.
    pub fn fault(&self) -> Option<String> {
        if !(self.alpha > 0.0 && self.alpha < 1.0) {
            return Some(format!("alpha must be a probability between 0 and 1, not {}", self.alpha));
        }
        if !(self.epsilon >= 0.0 && self.epsilon < 1.0) {
            return Some(format!(
                "epsilon must be a difference of shares: at least 0 and below 1, not {}",
                self.epsilon
            ));
        }
        let StopRule { min_rounds, max_rounds, .. } = self;
        let lowest_max = self.least_rounds();
        if *max_rounds < lowest_max {
            return Some(format!(
                "max_rounds must be at least {lowest_max}, not {max_rounds} (min_rounds = {min_rounds})"
            ));
        }
        None
    }
}

impl fmt::Display for StopRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StopRule { method, alpha, epsilon, min_rounds, max_rounds, .. } = self;
        match (self.until, self.rank_by.name()) {
            (Until::Winner, _) if self.rank_by == RankBy::Score => {}
            (Until::Winner, by) => write!(f, "by {by}: ")?,
            (Until::Ranked, _) if self.rank_by == RankBy::Score => f.write_str("until ranked: ")?,
            (Until::Ranked, by) => write!(f, "until ranked by {by}: ")?,
        }
        write!(f, "{method}, alpha {alpha}, epsilon {epsilon}, {min_rounds} to {max_rounds} rounds")
    }
}

/// The reason for the end of a season. Bots are identified by their index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// This bot is better than every other.
    ClearKing(usize),
    /// These bots are unbeaten, and none is better than another by more than epsilon.
    JointKings(Vec<usize>),
    /// The field is ranked: for each pair of bots it is known which is better, or that they differ by no more than
    /// epsilon.
    Ranked {
        /// The bots of the first place.
        first: Vec<usize>,
        /// The place of each bot: 1 and the number of bots that are known to be better.
        places: Vec<usize>,
    },
    /// The rounds are used up. These bots are unbeaten; in a season until ranked, they have a pair that is undecided.
    NotSeparated(Vec<usize>),
    /// The results change with time, or depend on each other, so no king can be named. These bots show it.
    Drift(Vec<usize>),
}

impl Verdict {
    /// Returns its kind.
    pub fn kind(&self) -> VerdictKind {
        match self {
            Verdict::ClearKing(_) => VerdictKind::ClearKing,
            Verdict::JointKings(_) => VerdictKind::JointKings,
            Verdict::Ranked { .. } => VerdictKind::Ranked,
            Verdict::NotSeparated(_) => VerdictKind::NotSeparated,
            Verdict::Drift(_) => VerdictKind::Drift,
        }
    }

    /// Lists the unbeaten bots; for a drift, the bots that show it.
    pub fn kings(&self) -> &[usize] {
        match self {
            Verdict::ClearKing(king) => std::slice::from_ref(king),
            Verdict::Ranked { first, .. } => first,
            Verdict::JointKings(kings) | Verdict::NotSeparated(kings) | Verdict::Drift(kings) => kings,
        }
    }
}

/// A verdict without its bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is the verdict of the same name")]
pub enum VerdictKind {
    ClearKing,
    JointKings,
    Ranked,
    NotSeparated,
    Drift,
}

impl VerdictKind {
    /// All of them.
    pub const ALL: [VerdictKind; 5] = [
        VerdictKind::ClearKing,
        VerdictKind::JointKings,
        VerdictKind::Ranked,
        VerdictKind::NotSeparated,
        VerdictKind::Drift,
    ];

    /// Returns its name in files.
    pub fn name(self) -> &'static str {
        match self {
            VerdictKind::ClearKing => "clear_king",
            VerdictKind::JointKings => "joint_kings",
            VerdictKind::Ranked => "ranked",
            VerdictKind::NotSeparated => "not_separated",
            VerdictKind::Drift => "drift",
        }
    }
}

/// In words: `clear king`.
impl fmt::Display for VerdictKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name().replace('_', " "))
    }
}

/// How far the proof has come that the leader is the best. Reports tell the case against one rival: the one against
/// which the case is weakest.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The leader of the rounds.
    pub leader: usize,
    /// The rival against which the case is weakest, of those that can still be the best.
    pub rival: usize,
    /// The capital of that case: as much to one that the rival is not the best, 1 at the beginning.
    pub capital: f64,
    /// The capital that makes a case.
    pub goal: f64,
    /// The bots that can still be the best, without the leader.
    pub open: Vec<usize>,
    /// The bots that cannot.
    pub done: Vec<usize>,
}

/// A season under a stop rule, round by round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Race {
    rule: StopRule,
    bots: usize,
    rounds: u32,
    /// By pair, in the order (0, 1), (0, 2), ... (1, 2), ...: the differences "first minus second".
    pairs: Vec<ConfidenceSequence>,
    /// The bots that can still be the best; `None` if the season ends when the field is ranked.
    contenders: Option<Contenders>,
    /// The order of the field, if the season ends when it is ranked.
    order: Option<Order>,
    /// The proofs of pairs, for tables, unless the order has them.
    proofs: Option<Proofs>,
    /// The rounds by company, if a king must not depend on it.
    companions: Option<Companions>,
    /// The shares of all rounds, to see a lead fade.
    halves: Halves,
    /// The companions without which the case for the bot that is ahead of all others fails.
    unconfirmed: Vec<usize>,
}

impl Race {
    /// Begins a season. Bounds of differences have a precision of a thousandth, or of a hundredth with more than 64
    /// bots, which have thousands of pairs. All of them hold simultaneously with a probability of `1 - alpha`; this
    /// alpha is not that of verdicts.
    pub fn new(rule: StopRule, bots: usize, alpha: f64) -> Race {
        const BOTS_WITH_FINE_BOUNDS_MAX: usize = 64;
        let parts = if bots <= BOTS_WITH_FINE_BOUNDS_MAX { 1000 } else { 100 };
        Race::at_marks(rule, bots, alpha, &Marks::parts(parts, [-rule.epsilon, 0.0, rule.epsilon]))
    }

    /// Begins a season for a verdict alone: bounds are no finer than the verdict needs.
    pub fn for_verdict(rule: StopRule, bots: usize) -> Race {
        let race =
            Race::at_marks(rule, bots, rule.of_pairs(bots), &Marks::new([-rule.epsilon, 0.0, rule.epsilon]));
        let companions = race.companions.is_some().then(|| Companions::new(bots, true));
        // An order needs no bounds.
        let pairs = if race.order.is_some() { Vec::new() } else { race.pairs };
        Race { pairs, companions, proofs: None, ..race }
    }

    /// As [`Race::new`], with bounds of differences at these marks alone; they must have -epsilon, 0 and epsilon.
    pub fn at_marks(rule: StopRule, bots: usize, alpha: f64, marks: &Marks) -> Race {
        let count = bots * bots.saturating_sub(1) / 2;
        let pairs = if count == 0 {
            Vec::new()
        } else {
            vec![ConfidenceSequence::new(alpha / count as f64, marks); count]
        };
        let (mut contenders, mut companions, mut order, mut proofs) = (None, None, None, None);
        match rule.until {
            Until::Winner => {
                contenders = Some(Race::new_contenders(&rule, bots));
                companions = Some(Companions::new(bots, false));
                proofs = Some(Proofs::new(alpha, bots));
            }
            Until::Ranked => order = Some(Order::new(rule.alpha, rule.epsilon, bots)),
        }
        let halves = Halves::new(bots, rule.max_rounds);
        let unconfirmed = Vec::new();
        Race { rule, bots, rounds: 0, pairs, contenders, order, proofs, companions, halves, unconfirmed }
    }

    /// Returns all bots as contenders, without rounds.
    fn new_contenders(rule: &StopRule, bots: usize) -> Contenders {
        Contenders::new(Bets::SHARES, KING_PART * rule.alpha, bots)
    }

    /// Adds the next round: each bot's mean share of its block, from 0 to 1.
    ///
    /// # Panics
    ///
    /// Panics unless there is one for each bot.
    pub fn add_round(&mut self, block_means: &[f64]) {
        let exactly = |mean: &f64| Some(Interval { lower: *mean, upper: *mean });
        self.add_round_within(&block_means.iter().map(exactly).collect::<Vec<Option<Interval>>>());
    }

    /// Adds the next round, with bounds of each mean share, from 0 to 1; `None` for a bot that has left the
    /// race.
    ///
    /// # Panics
    ///
    /// Panics unless there is one for each bot.
    pub fn add_round_within(&mut self, block_means: &[Option<Interval>]) {
        let showing = |share: &Option<Interval>| share.map(Showing::without_opponents);
        self.add_showings(&block_means.iter().map(showing).collect::<Vec<Option<Showing>>>());
    }

    /// As [`add_round_within`](Race::add_round_within), with the opponents of each bot, among which companions are
    /// looked for.
    ///
    /// # Panics
    ///
    /// Panics unless there is one for each bot.
    pub fn add_showings(&mut self, showings: &[Option<Showing>]) {
        assert_eq!(showings.len(), self.bots, "a block mean for each bot");
        let block_means: Vec<Option<Interval>> =
            showings.iter().map(|showing| showing.as_ref().map(|showing| showing.share)).collect();
        let mut pairs = self.pairs.iter_mut();
        for (index, first) in block_means.iter().enumerate() {
            for second in &block_means[index + 1..] {
                let Some(pair) = pairs.next() else { break };
                if let (Some(first), Some(second)) = (first, second) {
                    let (lower, upper) = (first.lower - second.upper, first.upper - second.lower);
                    pair.add_within(Interval { lower, upper });
                }
            }
        }
        if let Some(contenders) = &mut self.contenders {
            contenders.add_round(&block_means);
        }
        if let Some(order) = &mut self.order {
            order.add_round(showings);
        }
        if let Some(proofs) = &mut self.proofs {
            proofs.add_round(showings);
        }
        let middle = |share: &Interval| (share.lower + share.upper) / 2.0;
        self.halves.add(block_means.iter().map(|share| share.as_ref().map(middle)));
        self.rounds += 1;
        let ahead = self.ahead_of_all();
        if let Some(companions) = &mut self.companions {
            companions.add(showings);
            self.unconfirmed = match ahead {
                Some(king) => companions.against(king, || Race::new_contenders(&self.rule, self.bots)),
                None => Vec::new(),
            };
        }
    }

    /// Returns the rule.
    pub fn rule(&self) -> StopRule {
        self.rule
    }

    /// Returns the number of added rounds.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Returns the interval of the difference of two bots' mean shares.
    ///
    /// # Panics
    ///
    /// Panics if they are the same bot.
    pub fn difference(&self, one: usize, other: usize) -> Interval {
        assert_ne!(one, other, "a bot does not differ from itself");
        let (first, second) = (one.min(other), one.max(other));
        let before = first * (2 * self.bots - first - 1) / 2;
        let Interval { lower, upper } = self.pairs[before + second - first - 1].interval();
        if one == first { Interval { lower, upper } } else { Interval { lower: -upper, upper: -lower } }
    }

    /// Tells whether a bot is known to be better than another.
    pub fn beats(&self, one: usize, other: usize) -> bool {
        // A bound at a mark excludes the mark: if the mean could be 0, the lower bound would be below 0.
        one != other && self.difference(one, other).lower >= 0.0
    }

    /// Tells whether a bot is proven to be better than another, by the results so far. The statement is taken back if
    /// the watch sees that their results change with time or depend on each other.
    pub fn proves(&self, one: usize, other: usize) -> bool {
        one != other && self.is_better(one, other) && self.is_steady(one, other)
    }

    fn is_better(&self, one: usize, other: usize) -> bool {
        match (&self.order, &self.proofs) {
            (Some(order), _) => order.answers().is_better(one, other),
            (None, Some(proofs)) => proofs.is_better(one, other),
            (None, None) => false,
        }
    }

    /// Tells whether nothing speaks against the results of two bots: the lead of the first has not faded, the two do
    /// not contradict each other, and no result of theirs predicts the next one.
    fn is_steady(&self, one: usize, other: usize) -> bool {
        let bots_with_memory = match (&self.order, &self.contenders) {
            (Some(order), _) => Series::bots_with_memory(order.shares()),
            (None, Some(contenders)) => Series::bots_with_memory(contenders.shares()),
            (None, None) => Vec::new(),
        };
        !self.is_better(other, one)
            && !bots_with_memory.contains(&one)
            && !bots_with_memory.contains(&other)
            && self.halves.faded(&[(one, other)]).is_none()
    }

    /// Returns the bots by which the watch sees that results change with time or depend on each other, so that nothing
    /// is proven of the leader, or of the field if it is to be ranked.
    pub fn drift(&self) -> Option<Vec<usize>> {
        let faded =
            |pairs: &[(usize, usize)]| self.halves.faded(pairs).map(|(better, worse)| vec![better, worse]);
        if let Some(order) = &self.order {
            return order.drift().or_else(|| faded(&order.answers().known()));
        }
        let contenders = self.contenders.as_ref()?;
        let remember = || contenders.remember().map(|(leader, other)| vec![leader, other]);
        self.contradiction().or_else(remember).or_else(|| faded(&contenders.leads()))
    }

    /// Lists the bots beside which a bot does unexplained well: by a test that names somebody beside an honest bot in
    /// one of twenty tables. Nothing is known until each two bots have met some times.
    pub fn helpers(&self, bot: usize) -> Vec<usize> {
        self.companions.as_ref().map(|companions| companions.noticed(bot)).unwrap_or_default()
    }

    /// Returns how far the proof has come that the leader is the best; `None` if no rival is left, or if the field is
    /// to be ranked.
    pub fn evidence(&self) -> Option<Evidence> {
        let contenders = self.contenders.as_ref()?;
        let (rival, capital) = contenders.weakest()?;
        let leader = contenders.leader();
        let (open, done) =
            (0..self.bots).filter(|bot| *bot != leader).partition(|bot| contenders.may_be_best(*bot));
        Some(Evidence { leader, rival, capital, goal: contenders.goal(), open, done })
    }

    /// Returns the pair whose answer takes longest in a season until ranked, and the number of rounds until then at the
    /// current rate; `None` if no pair is open.
    pub fn slowest_pair(&self) -> Option<(PairProof, Option<u32>)> {
        self.order.as_ref()?.slowest()
    }

    /// Returns the only bot that can still be the best, if there is just one, and if that does not depend on its
    /// company.
    pub fn clear_king(&self) -> Option<usize> {
        if self.unconfirmed.is_empty() { self.ahead_of_all() } else { None }
    }

    /// Returns the bot that is ahead of all others but cannot be king yet, with the companions without which the case
    /// for it fails; without kept rounds ([`Race::new`]), with those beside which chance hardly explains its results.
    pub fn unconfirmed(&self) -> Option<(usize, &[usize])> {
        if self.unconfirmed.is_empty() {
            return None;
        }
        Some((self.ahead_of_all()?, &self.unconfirmed))
    }

    /// Returns the only bot that can still be the best, if there is just one.
    fn ahead_of_all(&self) -> Option<usize> {
        match self.unbeaten()[..] {
            [king] => Some(king),
            _ => None,
        }
    }

    /// Returns the verdict, or `None` before the end of the season.
    pub fn verdict(&self) -> Option<Verdict> {
        let is_early = self.rounds < self.rule.least_rounds();
        let answer = match &self.order {
            _ if is_early => None,
            Some(order) => self.verdict_on_order(order),
            None => self.verdict_on_best(),
        };
        if answer.is_none() && self.rounds >= self.rule.max_rounds {
            return Some(Verdict::NotSeparated(self.open()));
        }
        answer
    }

    /// Returns the verdict in a season until ranked.
    fn verdict_on_order(&self, order: &Order) -> Option<Verdict> {
        let places = match order.end()? {
            End::Ranked(places) => places,
            End::Drift(bots) => return Some(Verdict::Drift(bots)),
        };
        if let Some((better, worse)) = self.halves.faded(&order.answers().known()) {
            return Some(Verdict::Drift(vec![better, worse]));
        }
        let first = (0..places.len()).filter(|bot| places[*bot] == 1).collect();
        Some(Verdict::Ranked { first, places })
    }

    /// Returns the verdict in a season until it has a winner.
    fn verdict_on_best(&self) -> Option<Verdict> {
        if let Some(bots) = self.contradiction() {
            return Some(Verdict::Drift(bots));
        }
        let kings = match self.clear_king() {
            Some(king) => Verdict::ClearKing(king),
            None => self.joint_kings()?,
        };
        let contenders = self.contenders.as_ref()?;
        Some(match contenders.remember().or_else(|| self.halves.faded(&contenders.leads())) {
            Some((leader, other)) => Verdict::Drift(vec![leader, other]),
            None => kings,
        })
    }

    /// Returns the verdict of joint kings, if the bots that can still be the best are known to be close.
    fn joint_kings(&self) -> Option<Verdict> {
        let unbeaten = self.unbeaten();
        let is_known = unbeaten.len() > 1 && self.are_close(&unbeaten);
        is_known.then_some(Verdict::JointKings(unbeaten))
    }

    /// Lists the bots on whose further results the verdict depends: those that can still be the best; or in a season
    /// until ranked, those with a pair that has no answer. The others can leave the race.
    pub fn open(&self) -> Vec<usize> {
        self.order.as_ref().map_or_else(|| self.unbeaten(), |order| order.answers().open())
    }

    /// Returns the number of pairs without an answer, and of all pairs. `None` unless the season ends when the field
    /// is ranked.
    pub fn open_questions(&self) -> Option<(usize, usize)> {
        self.order.as_ref().map(|order| order.answers().open_questions())
    }

    /// Lists the bots that are not known to be worse than another.
    pub fn unbeaten(&self) -> Vec<usize> {
        if let Some(order) = &self.order {
            return order.unbeaten();
        }
        match &self.contenders {
            Some(contenders) => (0..self.bots).filter(|bot| contenders.may_be_best(*bot)).collect(),
            None => (0..self.bots).collect(),
        }
    }

    /// Returns the forecast, if a rival of the leader is left; `None` if the season ends when the field is ranked.
    pub fn forecast(&self) -> Option<Forecast> {
        self.contenders.as_ref()?.forecast()
    }

    /// Lists bots with contradictory results: two whose bounds have crossed, or all if none of them can be
    /// the best. `None` in a season until ranked.
    fn contradiction(&self) -> Option<Vec<usize>> {
        self.contenders.as_ref()?;
        let mut pairs = (0..self.bots).flat_map(|one| (one + 1..self.bots).map(move |other| (one, other)));
        let have_crossed = |(one, other): &(usize, usize)| {
            let Interval { lower, upper } = self.difference(*one, *other);
            lower >= upper
        };
        if let Some((one, other)) = pairs.find(have_crossed) {
            return Some(vec![one, other]);
        }
        (self.bots > 0 && self.unbeaten().is_empty()).then(|| (0..self.bots).collect())
    }

    fn are_close(&self, bots: &[usize]) -> bool {
        self.apart(bots).0 == 0
    }

    /// Returns the number of pairs of these bots that are not known to differ by epsilon at most, and of all their
    /// pairs.
    pub fn apart(&self, bots: &[usize]) -> (usize, usize) {
        let is_close = |one: usize, other: usize| {
            let Interval { lower, upper } = self.difference(one, other);
            lower >= -self.rule.epsilon && upper <= self.rule.epsilon
        };
        let (mut apart, mut pairs) = (0, 0);
        for (index, one) in bots.iter().enumerate() {
            for other in &bots[index + 1..] {
                apart += usize::from(!is_close(*one, *other));
                pairs += 1;
            }
        }
        (apart, pairs)
    }
}
