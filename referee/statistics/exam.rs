//! Exams: which bots of a panel is a student's bot surely above? A function of the games of an exam, round by round.
//!
//! In each game the student's bot finishes before, after, or level with each bot of the panel that sits with it. It is
//! *above* a bot if it finishes before it more often than after it. Two gamblers begin with 1 for each pair: one bets
//! that the student is above, the other that it is below. Each stakes parts of the capital from 0 to all of it, in
//! equal amounts, on each game: the capital after `before` games won and `after` games lost is the mean of
//! `(1 + stake)^before (1 - stake)^after` over the stakes. So the order of the games does not matter, and anybody
//! can compute it from two counts.
//!
//! If the student is not above, the capital is not expected to grow over a round, in which the student has each seat
//! once: its mean chances in the games of a round are at most even, and the product of factors whose mean is at
//! most 1 is at most 1. By Ville's inequality the capital ever reaches `1 / p` with a probability of at most `p`.
//! The games of a round have seeds and companies of their own, so they do not depend on each other. (Source: as for
//! [`confidence`](crate::confidence); the mixture of stakes is Cover's.)
//!
//! A student passes the bots of the panel in their order, the weakest first, and each counts only after those before
//! it. The first that is passed wrongly is an error, whatever comes behind it: so the level is not divided among the
//! panel, but among students, and between the two gamblers. A student can be called below any one of the panel, so that
//! the level of this claim is divided among the panel, too.

use std::cmp::Ordering;

use referee_rules::{Dice, Seed};
use serde::{Deserialize, Serialize};
use statrs::distribution::{Beta, ContinuousCDF};
use statrs::function::beta::ln_beta;

/// Number of stakes of a gambler.
const STAKES: u32 = 64;

/// The games of a student with one bot of the panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Number of games in which the student finished before it.
    pub before: u32,
    /// Number of games in which both finished level.
    pub level: u32,
    /// Number of games in which the student finished after it.
    pub after: u32,
    /// Number of games without a result. They count against whatever is claimed.
    pub lost: u32,
}

impl Tally {
    /// Returns the number of games, lost ones too.
    pub fn games(&self) -> u32 {
        self.before + self.level + self.after + self.lost
    }

    /// Returns the capital of the gambler who bets that the student is above.
    pub fn evidence_above(&self) -> f64 {
        evidence(self.before, self.after + self.lost)
    }

    /// Returns the capital of the gambler who bets that the student is below.
    pub fn evidence_below(&self) -> f64 {
        evidence(self.after, self.before + self.lost)
    }

    /// Returns the part of the games with a result in which the student finished before; a level game is half of one.
    /// `None` without a game.
    pub fn part(&self) -> Option<f64> {
        let games = self.before + self.level + self.after;
        (games > 0).then(|| (f64::from(self.before) + f64::from(self.level) / 2.0) / f64::from(games))
    }

    /// Adds a game by the places of the student and of the bot; the first is 1.
    pub fn add_places(&mut self, student: usize, bot: usize) {
        match student.cmp(&bot) {
            Ordering::Less => self.before += 1,
            Ordering::Equal => self.level += 1,
            Ordering::Greater => self.after += 1,
        }
    }

    /// Adds the games of another tally.
    pub fn add(&mut self, other: Tally) {
        self.before += other.before;
        self.level += other.level;
        self.after += other.after;
        self.lost += other.lost;
    }

    /// Returns the number of games until the evidence that the student is above reaches this, at the rate so far.
    /// `None` if it does not grow.
    pub fn games_left(&self, goal: f64) -> Option<u32> {
        let games = f64::from(self.games());
        if self.before <= self.after + self.lost {
            return None;
        }
        let needed = |more: f64| {
            let scaled = |count: u32| (f64::from(count) * (1.0 + more / games)).round() as u32;
            evidence(scaled(self.before), scaled(self.after + self.lost))
        };
        (0..=LEFT_MAX).step_by(2).find(|more| needed(f64::from(*more)) >= goal)
    }
}

/// Maximum number of games of a forecast.
const LEFT_MAX: u32 = 2_000;

/// Returns the mean of `(1 + stake)^won (1 - stake)^lost` over the stakes.
pub fn evidence(won: u32, lost: u32) -> f64 {
    let capital = |number: u32| {
        let stake = f64::from(number) / f64::from(STAKES);
        (f64::from(won) * stake.ln_1p() + f64::from(lost) * (-stake).ln_1p()).exp()
    };
    let all: f64 = (1..STAKES).map(capital).sum();
    // The last one stakes everything.
    let bold = if lost == 0 { 2f64.powi(won.min(1_000) as i32) } else { 0.0 };
    (all + bold) / f64::from(STAKES)
}

/// Returns the evidence that a claim needs, in an exam of this number of students, so that all claims together are
/// right with a probability of at least `1 - alpha`.
pub fn goal(alpha: f64, students: usize) -> f64 {
    2.0 * students.max(1) as f64 / alpha
}

/// An exam whose length is forecast.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Number of games of a student in a round with a group of the panel.
    pub seats: u32,
    /// Number of groups of the panel.
    pub groups: usize,
    /// Maximum number of rounds.
    pub rounds: u32,
    /// The evidence that a claim needs.
    pub goal: f64,
}

/// Exams that a forecast plays for each student.
const PLAYED: u32 = 20;

/// What the exam of a student will probably be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    /// Number of games.
    pub games: f64,
    /// Probability that it is decided.
    pub decided: f64,
}

/// Forecasts the exam of each student of a class, by the games of each with each bot of the panel. What they leave open
/// is drawn: a student of whom little is known is like the others.
pub fn expected(students: &[&[Tally]], size: Size, seed: Seed) -> Vec<Expected> {
    let mut dice = Dice::for_start(seed);
    let panel = students.first().map_or(0, |met| met.len());
    let class: Vec<Class> = (0..panel).map(|bot| Class::of(students.iter().map(|met| met[bot]))).collect();
    let mut expected = Vec::new();
    for met in students {
        let (mut games, mut decided) = (0, 0);
        for _ in 0..PLAYED {
            let chances: Vec<Chance> =
                met.iter().zip(&class).map(|(tally, all)| Chance::draw(tally, all, &mut dice)).collect();
            let (played, state) = play(&chances, size, &mut dice);
            games += played;
            decided += u32::from(state != ExamState::Undecided);
        }
        let mean = |sum: u32| f64::from(sum) / f64::from(PLAYED);
        expected.push(Expected { games: mean(games), decided: mean(decided) });
    }
    expected
}

/// Plays an exam of a student who has these chances against the panel. Returns its number of games, and its end.
fn play(chances: &[Chance], size: Size, dice: &mut Dice) -> (u32, ExamState) {
    let mut exam = Exam::new(chances.len());
    let mut games = 0;
    for _ in 0..size.rounds {
        let mut round = Vec::new();
        for group in 0..size.groups {
            let bots = group * chances.len() / size.groups..(group + 1) * chances.len() / size.groups;
            if bots.end <= exam.passed() {
                continue;
            }
            games += size.seats;
            for bot in bots {
                let mut tally = Tally::default();
                (0..size.seats).for_each(|_| chances[bot].play(&mut tally, dice));
                round.push((bot, tally));
            }
        }
        exam.add_round(&round, size.goal);
        if exam.state() != ExamState::Undecided {
            break;
        }
    }
    (games, exam.state())
}

/// The chances of a student in a game with a bot of the panel.
#[derive(Clone, Copy, Debug)]
struct Chance {
    level: f64,
    /// That of finishing before it, if they do not finish level.
    before: f64,
}

/// How the chances of a class against a bot are spread.
#[derive(Clone, Copy, Debug)]
struct Class {
    level: f64,
    /// The mean chance of finishing before it, if they do not finish level; 0.5 without games.
    before: f64,
    /// How alike its students are: the number of games that this mean counts for, beside those of a student.
    alike: f64,
}

/// The values of `alike` that are compared. With the first one and even odds, any chance is as likely as another.
const ALIKE: [f64; 4] = [2.0, 8.0, 32.0, 128.0];

impl Class {
    /// Reads the games of its students with a bot: `alike` is the value that makes them most likely.
    fn of(tallies: impl Iterator<Item = Tally> + Clone) -> Class {
        let mut all = Tally::default();
        tallies.clone().for_each(|tally| all.add(tally));
        let part = |count: u32, all: u32| (f64::from(count) + 0.5) / (f64::from(all) + 1.0);
        let before = part(all.before, all.before + all.after);
        let level = if all.games() == 0 { 0.0 } else { f64::from(all.level) / f64::from(all.games()) };
        let likelihood = |alike: f64| -> f64 {
            let (won, lost) = (alike * before, alike * (1.0 - before));
            let of = |tally: Tally| ln_beta(won + f64::from(tally.before), lost + f64::from(tally.after));
            tallies.clone().map(|tally| of(tally) - ln_beta(won, lost)).sum()
        };
        let alike =
            ALIKE.into_iter().rev().max_by(|one, other| likelihood(*one).total_cmp(&likelihood(*other)));
        Class { level, before, alike: alike.expect("there are some") }
    }
}

impl Chance {
    /// Draws what the games of a student leave open (Bayes). Beforehand a student is one of the class.
    fn draw(tally: &Tally, class: &Class, dice: &mut Dice) -> Chance {
        let Class { level, before, alike } = *class;
        let won = alike.mul_add(before, f64::from(tally.before));
        let lost = alike.mul_add(1.0 - before, f64::from(tally.after));
        let beta = Beta::new(won, lost).expect("both are above 0");
        let level = alike.mul_add(level, f64::from(tally.level)) / (alike + f64::from(tally.games()));
        Chance { level, before: beta.inverse_cdf(uniform(dice)) }
    }

    /// Plays a game.
    fn play(self, tally: &mut Tally, dice: &mut Dice) {
        if uniform(dice) < self.level {
            tally.level += 1;
        } else if uniform(dice) < self.before {
            tally.before += 1;
        } else {
            tally.after += 1;
        }
    }
}

/// Draws a number between 0 and 1.
fn uniform(dice: &mut Dice) -> f64 {
    (f64::from(dice.below(1 << 16)) + 0.5) / 65_536.0
}

/// What an exam says of a student.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExamState {
    /// The student is surely above the whole panel.
    Passed,
    /// The student is surely below the next bot of the panel.
    Below,
    /// Neither is sure yet.
    Undecided,
}

/// The exam of one student.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exam {
    tallies: Vec<Tally>,
    /// The games after which it was sure that the student is above each bot of the panel, from the weakest.
    passed: Vec<Tally>,
    /// The games after which it was sure that the student is below the next bot.
    below: Option<Tally>,
}

impl Exam {
    /// Begins the exam of a student before this number of panel bots.
    pub fn new(panel: usize) -> Exam {
        Exam { tallies: vec![Tally::default(); panel], passed: Vec::new(), below: None }
    }

    /// Adds the games of a whole round with some bots of the panel, each with its number. What was sure stays sure.
    pub fn add_round(&mut self, games: &[(usize, Tally)], goal: f64) {
        for (bot, tally) in games {
            self.tallies[*bot].add(*tally);
        }
        if self.below.is_some() {
            return;
        }
        while let Some(next) =
            self.tallies.get(self.passed.len()).filter(|next| next.evidence_above() >= goal)
        {
            self.passed.push(*next);
        }
        // Each bot of the panel can be the one that a student is called below, so these claims share the level.
        let goal_below = goal * self.tallies.len() as f64;
        let next = self.tallies.get(self.passed.len());
        self.below = next.filter(|next| next.evidence_below() >= goal_below).copied();
    }

    /// Returns the games with each bot of the panel.
    pub fn tallies(&self) -> &[Tally] {
        &self.tallies
    }

    /// Returns the games with a bot of the panel that a claim about it follows from: those until it was sure, or all.
    pub fn decisive(&self, bot: usize) -> Tally {
        let below = self.below.filter(|_| bot == self.passed.len());
        self.passed.get(bot).copied().or(below).unwrap_or(self.tallies[bot])
    }

    /// Returns the number of bots of the panel, from the weakest, that the student is surely above.
    pub fn passed(&self) -> usize {
        self.passed.len()
    }

    /// Returns what is known.
    pub fn state(&self) -> ExamState {
        if self.passed.len() == self.tallies.len() {
            ExamState::Passed
        } else if self.below.is_some() {
            ExamState::Below
        } else {
            ExamState::Undecided
        }
    }
}
