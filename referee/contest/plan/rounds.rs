//! The games of a plan: a pure function of the seed, the field, the format and earlier results.

use std::fmt;

use crate::stages::{self, Stop};
use referee_games::catalog::Entry;
use referee_record::BotName;
use referee_rules::{Parameters, Seed};
use referee_statistics::schedule::deal::Pairing;
use referee_statistics::schedule::format::{Contest, Format, Next, NotScheduled, Played, Ranking};
use referee_statistics::verdict::VerdictRow;

/// Games in the order of a schedule, dealt one by one, so that a million of them need no memory.
pub struct Games(Box<dyn Iterator<Item = Pairing>>);

impl Iterator for Games {
    type Item = Pairing;

    fn next(&mut self) -> Option<Pairing> {
        self.0.next()
    }
}

impl fmt::Debug for Games {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Games")
    }
}

/// The next step of a tournament.
#[derive(Debug)]
pub enum Following {
    /// These games: of each sub-tournament that is not over, all that are known now.
    Games(Games),
    /// The tournament is over. The rankings of the sub-tournaments, if their format has its own, and the verdicts of a
    /// stop rule.
    Over(Vec<Ranking>, Vec<VerdictRow>),
}

/// Returns each sub-tournament as a contest among bots of these authors, with a season of its own, from 1.
pub fn contests(
    entry: &'static Entry,
    seed: Seed,
    sets: &[Parameters],
    authors: Vec<String>,
) -> impl Iterator<Item = Contest> {
    sets.iter().zip(1..).map(move |(set, season)| Contest {
        entry,
        parameters: set.clone(),
        entrants: authors.len(),
        authors: authors.clone(),
        seed,
        season,
    })
}

/// Lists the games of the first plan: all games of a format that depends on no result, else the first stage or round.
pub fn first(format: &Format, stop: Option<&Stop>, contests: impl Iterator<Item = Contest>) -> Games {
    let contests: Vec<Contest> = contests.collect();
    match (stop, format.rounds_max()) {
        (Some(stop), Some(max)) => {
            let all = contests.into_iter().map(|contest| (contest, None));
            stage(format, all.collect(), 1..=stop.end_of_stage(0, max))
        }
        _ if !format.is_adaptive() => all(format, &contests),
        _ => match after_results(format, contests.into_iter(), &[]) {
            Ok(Following::Games(games)) => games,
            Ok(Following::Over(..)) | Err(_) => Games(Box::new(std::iter::empty())),
        },
    }
}

/// Returns the next step after these games, in a format whose pairings depend on results.
///
/// # Errors
///
/// If a game was played by others than the schedule says.
pub fn after_results(
    format: &Format,
    contests: impl Iterator<Item = Contest>,
    played: &[Played],
) -> Result<Following, NotScheduled> {
    let (mut games, mut rankings) = (Vec::new(), Vec::new());
    for contest in contests {
        match format.next(&contest, played)? {
            Next::Round(round) => games.extend(round),
            Next::Over(ranking) => rankings.push(ranking),
        }
    }
    Ok(if games.is_empty() {
        Following::Over(rankings, Vec::new())
    } else {
        Following::Games(Games(Box::new(games.into_iter())))
    })
}

/// Begins the accounts of sub-tournaments that are played until clear.
pub fn accounts(format: &Format, stop: &Stop, contests: &[Contest], bots: &[BotName]) -> Vec<stages::Played> {
    let begin = |contest: &Contest| {
        let rule = stop.rule(contests.len(), format);
        stages::Played::new(contest.season, bots, format.dealt(contest), rule)
    };
    contests.iter().map(begin).collect()
}

/// Returns the next step after a stage: the next stage of the sub-tournaments that are not clear.
pub fn after_stage(
    format: &Format,
    stop: &Stop,
    contests: &[Contest],
    played: &[stages::Played],
) -> Following {
    let mut open = Vec::new();
    let (mut rankings, mut rows) = (Vec::new(), Vec::new());
    for (contest, played) in contests.iter().zip(played) {
        match played.verdict() {
            None => open.push((contest.clone(), stop.racing.then(|| played.contending()))),
            Some(verdict) => {
                rankings.push(played.ranking(&verdict));
                rows.push(played.row(&verdict));
            }
        }
    }
    if open.is_empty() {
        return Following::Over(rankings, rows);
    }
    let before = played.iter().map(stages::Played::last_round).max().unwrap_or(0);
    let end = stop.end_of_stage(before, format.rounds_max().unwrap_or(0));
    Following::Games(stage(format, open, before + 1..=end))
}

/// Lists the games of some rounds, round by round through all sub-tournaments. If a sub-tournament has a list of bots,
/// only these are in the race.
fn stage(
    format: &Format,
    contests: Vec<(Contest, Option<Vec<usize>>)>,
    rounds: std::ops::RangeInclusive<u32>,
) -> Games {
    let format = format.clone();
    let of_round = move |round| -> Vec<Pairing> {
        let games = |(contest, race): &(Contest, Option<Vec<usize>>)| {
            let games = format.uniform_round(contest, round)?.into_iter();
            Some(match race {
                None => games.collect(),
                Some(racing) => games.filter_map(|game| game.among(racing)).collect::<Vec<Pairing>>(),
            })
        };
        contests.iter().filter_map(games).flatten().collect()
    };
    Games(Box::new(rounds.flat_map(of_round)))
}

/// Lists all games of a format that depends on no result.
fn all(format: &Format, contests: &[Contest]) -> Games {
    let mut courses: Vec<_> = contests.iter().filter_map(|contest| format.fixed(contest)).collect();
    // Round by round through all sub-tournaments: an early look then sees as much of each.
    let next = move || {
        let rounds: Vec<Vec<Pairing>> = courses.iter_mut().filter_map(Iterator::next).collect();
        (!rounds.is_empty()).then(|| rounds.into_iter().flatten())
    };
    Games(Box::new(std::iter::from_fn(next).flatten()))
}
