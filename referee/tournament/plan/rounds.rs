//! The games of a plan: a pure function of the seed, the field, the format and what was played before.

use crate::catalog::Entry;
use crate::rules::{Parameters, Seed};
use crate::tournament::format::{Contest, Format, Next, NotScheduled, Played, Ranking};
use crate::tournament::schedule::Pairing;

/// What comes next in a tournament.
#[derive(Clone, Debug, PartialEq)]
pub enum Following {
    /// These games: of each sub-tournament that is not over, all that can be known now.
    Games(Vec<Pairing>),
    /// Nothing. The rankings of the sub-tournaments, if their format has its own.
    Over(Vec<Ranking>),
}

/// Returns each sub-tournament as a contest, with a season of its own, from 1.
pub fn contests(
    entry: &'static Entry,
    seed: Seed,
    sets: &[Parameters],
    entrants: usize,
) -> impl Iterator<Item = Contest> {
    sets.iter().zip(1..).map(move |(set, season)| Contest {
        entry,
        parameters: set.clone(),
        entrants,
        seed,
        season,
    })
}

/// Says what comes after these games. A format that depends on no result has all its games in the first plan.
///
/// # Errors
///
/// If a game was played by others than the schedule says.
pub fn following(
    format: &Format,
    contests: impl Iterator<Item = Contest>,
    played: &[Played],
) -> Result<Following, NotScheduled> {
    let contests: Vec<Contest> = contests.collect();
    if !format.is_adaptive() {
        let games = if played.is_empty() { all(format, &contests) } else { Vec::new() };
        return Ok(if games.is_empty() { Following::Over(Vec::new()) } else { Following::Games(games) });
    }
    let (mut games, mut rankings) = (Vec::new(), Vec::new());
    for contest in &contests {
        match format.next(contest, played)? {
            Next::Round(round) => games.extend(round),
            Next::Over(ranking) => rankings.push(ranking),
        }
    }
    Ok(if games.is_empty() { Following::Over(rankings) } else { Following::Games(games) })
}

/// Lists all games of a format that depends on no result.
fn all(format: &Format, contests: &[Contest]) -> Vec<Pairing> {
    let mut courses: Vec<_> = contests.iter().filter_map(|contest| format.fixed(contest)).collect();
    let mut games = Vec::new();
    // Round by round through all sub-tournaments: whoever looks early sees as much of each.
    loop {
        let rounds: Vec<Vec<Pairing>> = courses.iter_mut().filter_map(Iterator::next).collect();
        if rounds.is_empty() {
            return games;
        }
        games.extend(rounds.into_iter().flatten());
    }
}
