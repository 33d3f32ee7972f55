//! How often a format finds the best bot: a simulation with a model of strengths.
//!
//! Source of the model: Plackett, "The analysis of permutations" (1975), which for two bots is that of Bradley and
//! Terry (1952). Each bot has a strength. In a game, chance adds to it, and the order of the sums is that of the
//! bots. Of two bots, the one that is stronger by d wins with a probability of 1 / (1 + exp(-d)).

use referee_rules::{BySeat, Dice};

use crate::schedule::deal::{Pairing, derive};
use crate::schedule::format::course::Course;
use crate::schedule::format::{Contest, Format, Next, Played};

/// The standard deviation of strengths in the model. The better of two bots then wins about 73 of 100 games.
pub const STRENGTHS: f64 = 1.0;

/// How often a contest finds its best bot, in the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odds {
    /// The share of contests in which the strongest bot is the first, from 0 to 1. A first place that several bots
    /// share counts in part.
    pub share: f64,
    /// The mean number of games of a contest.
    pub games: f64,
    /// The number of contests that were simulated. The standard error of `share` is at most 0.5 / sqrt(contests).
    pub contests: u32,
}

/// The number of contests, if they are short.
const CONTESTS: u32 = 1000;

/// The least number of contests that says something, and the number of games that they may have together.
const CONTESTS_LEAST: u32 = 100;
const GAMES_MAX: f64 = 200_000.0;

impl Format {
    /// Simulates contests of this number of bots. The same contest has the same odds.
    ///
    /// Returns `None` if a contest is too long to simulate some hundred.
    pub fn odds(&self, contest: &Contest) -> Option<Odds> {
        let mut dice = Dice::for_start(derive(contest.seed, "odds", [contest.season, 0, 0]));
        let mut rounds = None;
        if let Some(fixed) = self.fixed(contest) {
            let mut left = (GAMES_MAX / f64::from(CONTESTS_LEAST)) as usize;
            let mut all: Vec<Vec<Pairing>> = Vec::new();
            for round in fixed {
                left = left.checked_sub(round.len())?;
                all.push(round);
            }
            rounds = Some(all);
        }
        let (mut found, mut games, mut contests) = (0.0, 0, 0);
        while contests < CONTESTS {
            if contests > 0 && f64::from(games) / f64::from(contests) * f64::from(CONTESTS_LEAST) > GAMES_MAX
            {
                return None;
            }
            if contests >= CONTESTS_LEAST && f64::from(games) > GAMES_MAX {
                break;
            }
            let (part, played) = self.simulated(contest, rounds.as_deref(), &mut dice)?;
            found += part;
            games += played;
            contests += 1;
        }
        let mean = |sum: f64| sum / f64::from(contests);
        Some(Odds { share: mean(found), games: mean(f64::from(games)), contests })
    }

    /// Simulates one contest, of these rounds if they depend on no result. Returns the part that the strongest bot
    /// has of the first place, and the number of games.
    fn simulated(
        &self,
        contest: &Contest,
        rounds: Option<&[Vec<Pairing>]>,
        dice: &mut Dice,
    ) -> Option<(f64, u32)> {
        // Lots are drawn anew each time.
        let seed = derive(contest.seed, "contest", [dice.below(PARTS), 0, 0]);
        let contest = Contest { seed, ..contest.clone() };
        let strengths: Vec<f64> = (0..contest.entrants).map(|_| STRENGTHS * normal(dice)).collect();
        let best = (0..strengths.len()).max_by(|one, other| strengths[*one].total_cmp(&strengths[*other]))?;
        let mut played: Vec<Played> = Vec::new();
        let mut play = |round: &[Pairing], played: &mut Vec<Played>| {
            played.extend(round.iter().map(|pairing| Played {
                scheduled: pairing.scheduled,
                entrants: pairing.entrants.clone(),
                shares: shares(pairing, &strengths, dice),
            }));
        };
        let ranking = match rounds {
            Some(rounds) => {
                rounds.iter().for_each(|round| play(round, &mut played));
                Course::new(&contest, &played).play_all(rounds.iter().cloned()).ok()?
            }
            None => loop {
                match self.next(&contest, &played).ok()? {
                    Next::Round(round) => play(&round, &mut played),
                    Next::Over(ranking) => break ranking,
                }
            },
        };
        let first = ranking.places.first()?;
        let part = if first.contains(&best) { 1.0 / first.len() as f64 } else { 0.0 };
        Some((part, played.len() as u32))
    }
}

/// Returns the shares of a game: in proportion to the number of opponents that are behind.
fn shares(pairing: &Pairing, strengths: &[f64], dice: &mut Dice) -> BySeat<f64> {
    let seats: Vec<usize> = pairing.entrants.as_slice().to_vec();
    // Chance of this kind makes the difference of two sums that of the model.
    let sums: Vec<f64> =
        seats.iter().map(|entrant| strengths[*entrant] - (-uniform(dice).ln()).ln()).collect();
    let all = seats.len() * seats.len().saturating_sub(1) / 2;
    let behind = |sum: &f64| sums.iter().filter(|other| *other < sum).count();
    BySeat::from(sums.iter().map(|sum| behind(sum) as f64 / all.max(1) as f64).collect::<Vec<f64>>())
}

/// The number of values of a random number.
const PARTS: u32 = 1 << 30;

/// Returns a number between 0 and 1, without both.
fn uniform(dice: &mut Dice) -> f64 {
    (f64::from(dice.below(PARTS)) + 0.5) / f64::from(PARTS)
}

/// Returns a number of the standard normal distribution (Box and Muller, 1958).
fn normal(dice: &mut Dice) -> f64 {
    (-2.0 * uniform(dice).ln()).sqrt() * (std::f64::consts::TAU * uniform(dice)).cos()
}
