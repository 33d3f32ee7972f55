//! The games of a round of a tournament: a pure function of its plan. The plan says what earlier results have decided:
//! which sub-tournaments go on, for which rounds and with which bots in the race, or which bots meet.

use std::collections::BTreeSet;
use std::fmt;
use std::iter::{self, Peekable};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, OnceLock};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::runner::pool::held;
use crate::stages::{self, Stop};
use referee_games::catalog::Entry;
use referee_record::BotName;
use referee_record::results::Scheduled;
use referee_rules::{Parameters, Seed};
use referee_statistics::schedule::deal::Pairing;
use referee_statistics::schedule::format::{
    Contest, Format, Matches, Next, NotScheduled, PlayedGame, Ranking, Rounds,
};
use referee_statistics::verdict::VerdictRow;

/// What earlier results decided of the games of a round: nothing of a format that depends on no result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Decided {
    /// The sub-tournaments that are played until clear, and are not over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stage: Vec<Stage>,
    /// The matches of a format of matches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meeting: Vec<Meeting>,
}

/// Rounds of a sub-tournament that are played before the stop rule looks at it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The number of the sub-tournament, from 1.
    pub set: u32,
    /// The first and the last round.
    pub rounds: (u32, u32),
    /// The bots in the race, if bots leave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub racing: Option<Vec<String>>,
}

/// Matches of a round of a sub-tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Meeting {
    /// The number of the sub-tournament, from 1.
    pub set: u32,
    /// The number of the round in it, from 1.
    pub round: u32,
    /// The number of games of each match.
    pub games: u32,
    /// The bots of each match. The first has seat 0 in the first game, the second in the second, and so on.
    pub pairs: Vec<(String, String)>,
}

/// The next step of a tournament.
#[derive(Debug)]
pub enum Following {
    /// The next round: of each sub-tournament that is not over, all games that are known now.
    Round(Decided),
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

/// Decides the first round: all games of a format that depends on no result, else the first stage or matches.
pub fn first(format: &Format, stop: Option<&Stop>, contests: &[Contest], bots: &[&str]) -> Decided {
    if let (Some(stop), Some(max)) = (stop, format.rounds_max()) {
        let rounds = (1, stop.end_of_stage(0, max));
        let stage = |contest: &Contest| Stage { set: contest.season, rounds, racing: None };
        return Decided { stage: contests.iter().map(stage).collect(), meeting: Vec::new() };
    }
    match after_results(format, contests, bots, &[]) {
        Ok(Following::Round(decided)) => decided,
        Ok(Following::Over(..)) | Err(_) => Decided::default(),
    }
}

/// Returns the next step after these games, in a format whose pairings depend on results.
///
/// # Errors
///
/// If a game was played by others than the schedule says.
pub fn after_results(
    format: &Format,
    contests: &[Contest],
    bots: &[&str],
    played: &[PlayedGame],
) -> Result<Following, NotScheduled> {
    let (mut meeting, mut rankings) = (Vec::new(), Vec::new());
    let name = |bot: usize| bots[bot].to_owned();
    if !format.is_adaptive() {
        return Ok(Following::Over(rankings, Vec::new()));
    }
    for contest in contests {
        match format.next(contest, played)? {
            Next::Matches(Matches { round, games, pairs }) => {
                let pairs = pairs.into_iter().map(|(one, other)| (name(one), name(other))).collect();
                meeting.push(Meeting { set: contest.season, round, games: games as u32, pairs });
            }
            Next::Over(ranking) => rankings.push(ranking),
            Next::Round(_) => {}
        }
    }
    Ok(if meeting.is_empty() {
        Following::Over(rankings, Vec::new())
    } else {
        Following::Round(Decided { stage: Vec::new(), meeting })
    })
}

/// Begins the accounts of sub-tournaments that are played until clear.
pub fn accounts(
    format: &Format,
    stop: &Stop,
    contests: &[Contest],
    bots: &[BotName],
) -> Vec<stages::StagesPlayed> {
    let begin = |contest: &Contest| {
        let rule = stop.rule(contests.len(), format);
        stages::StagesPlayed::new(contest.season, bots, format.dealt(contest), rule, contest.entry.teams())
    };
    contests.iter().map(begin).collect()
}

/// Returns the next step after a stage: the next stage of the sub-tournaments that are not clear.
pub fn after_stage(
    format: &Format,
    stop: &Stop,
    bots: &[&str],
    played: &[stages::StagesPlayed],
) -> Following {
    let before = played.iter().map(stages::StagesPlayed::last_round).max().unwrap_or(0);
    let rounds = (before + 1, stop.end_of_stage(before, format.rounds_max().unwrap_or(0)));
    let (mut stage, mut rankings, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for (played, set) in played.iter().zip(1..) {
        match played.verdict() {
            None => {
                let racing = || played.contending().into_iter().map(|bot| bots[bot].to_owned()).collect();
                stage.push(Stage { set, rounds, racing: stop.racing.then(racing) });
            }
            Some(verdict) => {
                rankings.push(played.ranking(&verdict));
                rows.push(played.row(&verdict));
            }
        }
    }
    if stage.is_empty() {
        Following::Over(rankings, rows)
    } else {
        Following::Round(Decided { stage, meeting: Vec::new() })
    }
}

/// The games of a round, in their order. They are dealt when they are asked for, so that a million of them need no
/// memory; only balanced deals are kept.
#[derive(Debug)]
pub struct Schedule {
    format: Format,
    course: Course,
    /// Minimum number of games of a batch.
    batch: u32,
    /// Maximum number of games that are dealt: a forged plan could lead to more than anybody can deal.
    games_max: u32,
    /// The rounds of balanced deals, once they were dealt: each depends on those before it, and takes long to deal.
    balanced: OnceLock<Arc<Vec<Vec<Pairing>>>>,
    /// The last game, once it was asked for.
    last: OnceLock<Option<Pairing>>,
    /// The batches behind the last one that was asked for by its number.
    next: Mutex<Option<iter::Enumerate<Batches>>>,
}

/// The rounds of a schedule.
#[derive(Clone, Debug)]
enum Course {
    /// Rounds that are dealt each by itself, among the sub-tournaments that have them.
    Uniform(Vec<Uniform>),
    /// All rounds of a format that depends on no result.
    Fixed(Vec<Contest>),
    /// A round of matches.
    Matches(Vec<(Contest, Matches)>),
}

/// Rounds of a sub-tournament that are dealt each by itself. If it has a list of bots, only these are in the race.
#[derive(Clone, Debug)]
struct Uniform {
    contest: Contest,
    rounds: RangeInclusive<u32>,
    racing: Option<Vec<usize>>,
}

/// The number of games and of batches of a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) games: u32,
    pub(super) batches: u32,
}

impl Schedule {
    /// Makes the schedule of what was decided.
    ///
    /// # Errors
    ///
    /// The key of the plan that is wrong, and why.
    pub fn new(
        format: &Format,
        decided: &Decided,
        contests: &[Contest],
        bots: &[&str],
        batch: u32,
        games_max: u32,
    ) -> Result<Schedule, (String, String)> {
        let wrong = |key: &str, what: &str| Err((key.to_owned(), what.to_owned()));
        if bots.iter().collect::<BTreeSet<_>>().len() < bots.len() {
            return wrong("entrant", "two bots have one name");
        }
        for contest in contests {
            format.check(contest).map_err(|error| ("format".to_owned(), error.to_string()))?;
            if contest.seats().is_none() {
                let seated = contest.entry.seat(&contest.parameters, contest.entrants);
                seated.map_err(|error| ("set".to_owned(), error.to_string()))?;
            }
        }
        let known = Known { format, contests, bots };
        let course = known.course(decided).map_err(|(key, what)| (key.to_owned(), what.to_owned()))?;
        let (balanced, last, next) = (OnceLock::new(), OnceLock::new(), Mutex::new(None));
        Ok(Schedule { format: format.clone(), course, batch, games_max, balanced, last, next })
    }

    /// Returns the rounds. Each has the games of all sub-tournaments, so that each of these is played equally far.
    pub fn rounds(&self) -> Rounds {
        let format = self.format.clone();
        match self.course.clone() {
            Course::Uniform(stages) => {
                let rounds = span(&stages);
                Box::new(rounds.map(move |round| games_of(&format, &stages, round)))
            }
            Course::Fixed(contests) if contests.iter().all(|contest| contest.seats() == Some(2)) => {
                fixed(&format, &contests)
            }
            Course::Fixed(contests) => {
                let deal = || Arc::new(fixed(&format, &contests).collect());
                let all = Arc::clone(self.balanced.get_or_init(deal));
                Box::new((0..all.len()).map(move |round| all[round].clone()))
            }
            Course::Matches(matches) => {
                let round = move || {
                    matches.iter().flat_map(|(contest, games)| format.games_of(contest, games)).collect()
                };
                Box::new(iter::once_with(round))
            }
        }
    }

    /// Returns the games.
    pub fn games(&self) -> impl Iterator<Item = Pairing> + Send + use<> {
        self.rounds().flatten().take(self.games_max as usize)
    }

    /// Returns the batches: games that a runner claims together, in whole blocks.
    pub fn batches(&self) -> Batches {
        let games: Box<dyn Iterator<Item = Pairing> + Send> = Box::new(self.games());
        Batches { games: games.peekable(), games_min: self.batch as usize }
    }

    /// Returns a batch. Those that are asked for in their order are dealt once.
    pub fn batch(&self, number: usize) -> Option<Vec<Pairing>> {
        let mut next = held(&self.next);
        let numbered = next.get_or_insert_with(|| self.batches().enumerate());
        if let Some((found, games)) = numbered.find(|(found, _)| *found >= number)
            && found == number
        {
            return Some(games);
        }
        // It comes before the batch that was asked for last, or there is none.
        next.insert(self.batches().enumerate()).nth(number).map(|(_, games)| games)
    }

    /// Returns the last game.
    pub fn last(&self) -> Option<&Pairing> {
        let last = || match &self.course {
            Course::Uniform(stages) => {
                span(stages).rev().find_map(|round| games_of(&self.format, stages, round).pop())
            }
            _ => self.games().last(),
        };
        self.last.get_or_init(last).as_ref()
    }

    /// Counts games and batches.
    pub(super) fn count(&self) -> Count {
        let mut count = Count::default();
        for games in self.batches() {
            count.games += games.len() as u32;
            count.batches += 1;
        }
        count
    }
}

/// The sub-tournaments and bots that a plan can name.
struct Known<'a> {
    format: &'a Format,
    contests: &'a [Contest],
    bots: &'a [&'a str],
}

impl Known<'_> {
    /// Returns the place of a bot in the list of bots.
    fn index(&self, name: &String) -> Option<usize> {
        self.bots.iter().position(|bot| bot == name)
    }

    /// Returns the sub-tournament of this number, from 1.
    fn contest(&self, set: u32) -> Option<Contest> {
        self.contests.get((set as usize).checked_sub(1)?).cloned()
    }

    /// Returns the rounds that were decided; or the key that is wrong, and why.
    fn course(&self, decided: &Decided) -> Result<Course, (&'static str, &'static str)> {
        if !decided.meeting.is_empty() && !decided.stage.is_empty() {
            return Err(("stage", "a plan has stages or meetings, not both"));
        }
        let sets_of_stages: Vec<u32> = decided.stage.iter().map(|stage| stage.set).collect();
        let sets_of_meetings: Vec<u32> = decided.meeting.iter().map(|meeting| meeting.set).collect();
        if !ascend(&sets_of_stages) || !ascend(&sets_of_meetings) {
            let key = if ascend(&sets_of_stages) { "meeting" } else { "stage" };
            return Err((key, "sub-tournaments are not in order, each once"));
        }
        if !decided.meeting.is_empty() {
            let matches = decided.meeting.iter().map(|meeting| self.matches_of(meeting));
            let matches = matches.collect::<Option<Vec<_>>>();
            let what = "no matches of bots of this plan in a format of matches";
            return matches.map(Course::Matches).ok_or(("meeting", what));
        }
        if !decided.stage.is_empty() {
            let stages = decided.stage.iter().map(|stage| self.rounds_of(stage)).collect::<Option<Vec<_>>>();
            let what = "no rounds of a sub-tournament of this plan, among its bots";
            return stages.map(Course::Uniform).ok_or(("stage", what));
        }
        let is_uniform = |contest: &Contest| self.format.uniform_round(contest, 1).is_some();
        let contests = self.contests.iter().cloned();
        Ok(match self.format.rounds_max() {
            Some(max) if self.contests.iter().all(is_uniform) => {
                let all_rounds = |contest| Uniform { contest, rounds: 1..=max, racing: None };
                Course::Uniform(contests.map(all_rounds).collect())
            }
            _ => Course::Fixed(contests.collect()),
        })
    }

    /// Returns the rounds of a stage, if the format has them.
    fn rounds_of(&self, Stage { set, rounds: (start, end), racing }: &Stage) -> Option<Uniform> {
        let indices = |bots: &Vec<String>| bots.iter().map(|bot| self.index(bot)).collect::<Option<Vec<_>>>();
        let racing = match racing {
            Some(bots) => Some(indices(bots)?),
            None => None,
        };
        let is_possible = 0 < *start && start <= end && *end <= self.format.rounds_max()?;
        let is_in_order = racing.as_ref().is_none_or(|bots| !bots.is_empty() && ascend(bots));
        let contest = self.contest(*set)?;
        self.format.uniform_round(&contest, *start)?;
        if !is_possible || !is_in_order {
            return None;
        }
        Some(Uniform { contest, rounds: *start..=*end, racing })
    }

    /// Returns the matches of a meeting, if the format has matches.
    fn matches_of(&self, meeting: &Meeting) -> Option<(Contest, Matches)> {
        let Meeting { set, round, games, pairs } = meeting;
        let pair = |(one, other): &(String, String)| Some((self.index(one)?, self.index(other)?));
        let pairs: Vec<(usize, usize)> = pairs.iter().map(pair).collect::<Option<_>>()?;
        let is_possible = self.format.is_adaptive()
            && *round > 0
            && !pairs.is_empty()
            && pairs.iter().all(|(one, other)| one != other)
            && (1..=MATCH_MAX).contains(games);
        if !is_possible {
            return None;
        }
        Some((self.contest(*set)?, Matches { round: *round, games: *games as usize, pairs }))
    }
}

/// Maximum number of games of a match: no format has more.
const MATCH_MAX: u32 = 10_000;

/// Tells whether these values ascend, each one once.
fn ascend<T: PartialOrd>(values: &[T]) -> bool {
    values.is_sorted_by(|one, next| one < next)
}

/// Returns all rounds of a format that depends on no result, each through all sub-tournaments.
fn fixed(format: &Format, contests: &[Contest]) -> Rounds {
    let mut courses: Vec<Rounds> = contests.iter().filter_map(|contest| format.fixed(contest)).collect();
    Box::new(iter::from_fn(move || {
        let rounds: Vec<Vec<Pairing>> = courses.iter_mut().filter_map(Iterator::next).collect();
        if rounds.is_empty() { None } else { Some(rounds.into_iter().flatten().collect()) }
    }))
}

/// Returns the rounds from the first to the last of some sub-tournaments.
fn span(stages: &[Uniform]) -> RangeInclusive<u32> {
    let start = stages.iter().map(|stage| *stage.rounds.start()).min().unwrap_or(1);
    start..=stages.iter().map(|stage| *stage.rounds.end()).max().unwrap_or(0)
}

/// Deals a round of the sub-tournaments that have it.
fn games_of(format: &Format, stages: &[Uniform], round: u32) -> Vec<Pairing> {
    let with_round = stages.iter().filter(|stage| stage.rounds.contains(&round));
    let games = |stage: &Uniform| format.round_among(&stage.contest, round, stage.racing.as_deref());
    with_round.filter_map(games).flatten().collect()
}

/// The batches of a schedule, one after another.
pub struct Batches {
    games: Peekable<Box<dyn Iterator<Item = Pairing> + Send>>,
    /// Minimum number of games of a batch.
    games_min: usize,
}

impl Iterator for Batches {
    type Item = Vec<Pairing>;

    fn next(&mut self) -> Option<Vec<Pairing>> {
        let block = |game: &Pairing| Scheduled { rotation: 0, ..game.scheduled };
        let mut batch = vec![self.games.next()?];
        let mut last = block(&batch[0]);
        while let Some(game) = self.games.next_if(|game| batch.len() < self.games_min || block(game) == last)
        {
            last = block(&game);
            batch.push(game);
        }
        Some(batch)
    }
}

impl fmt::Debug for Batches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Batches")
    }
}
