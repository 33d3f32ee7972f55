//! Formats: which games are played next, as pure functions of the field, a seed and the results so far. No
//! format starts a program or reads a file.
//!
//! A format whose games depend on no result lists all of them in advance ([`Format::fixed`]). Any other
//! returns one round at a time ([`Format::next`]).

mod comfoosball;
mod course;
mod cup;
mod exam;
mod gauntlet;
mod knockout;
mod round_robin;
mod rounds;
mod settings;
mod swiss;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use self::course::{Course, Seeds, Stop};
use crate::rank_by::RankBy;
use crate::schedule::deal::{Block, Pairing};
use crate::season::Dealt;
use referee_games::catalog::Entry;
use referee_record::results::Scheduled;
use referee_rules::{BySeat, Parameter, Parameters, Seat, Seed, Value};

pub use self::cup::{Bye, Cup, CupGame, CupMatch, Decided};
pub use self::settings::{BadFormat, schema};

/// All kinds of format.
pub const FORMAT_KINDS: &[FormatKind] = &[
    FormatKind {
        name: rounds::NAME,
        about: "Every entrant plays one block in each round, at newly dealt tables; ranked by mean share",
        parameters: rounds::PARAMETERS,
        seats: Seats::Any,
        plan: Plan::Fixed(rounds::rounds),
    },
    FormatKind {
        name: round_robin::NAME,
        about: "All bots meet equally often, or as nearly as possible; ranked by mean share",
        parameters: round_robin::PARAMETERS,
        seats: Seats::Table,
        plan: Plan::Fixed(round_robin::rounds),
    },
    FormatKind {
        name: "gauntlet",
        about: "One entrant sits at every table, against all others; ranked by mean share",
        parameters: gauntlet::PARAMETERS,
        seats: Seats::Table,
        plan: Plan::Fixed(gauntlet::rounds),
    },
    FormatKind {
        name: "knockout",
        about: "Matches of two bots; the loser is out",
        parameters: knockout::PARAMETERS,
        seats: Seats::Two,
        plan: Plan::Adaptive(knockout::play),
    },
    FormatKind {
        name: "swiss",
        about: "Matches of two bots with similar scores; pairs repeat only when they must; nobody is \
             eliminated",
        parameters: swiss::PARAMETERS,
        seats: Seats::Two,
        plan: Plan::Adaptive(swiss::play),
    },
    FormatKind {
        name: comfoosball::NAME,
        about: "The cup of 2013: a round robin of matches, play-offs at the cut, a final of the best two",
        parameters: comfoosball::PARAMETERS,
        seats: Seats::Two,
        plan: Plan::Adaptive(comfoosball::play),
    },
    FormatKind {
        name: exam::NAME,
        about: "The first entrants are a panel, weakest first; each other entrant plays the same games with the panel \
             alone, until it is sure which of them it is above",
        parameters: exam::PARAMETERS,
        seats: Seats::Table,
        plan: Plan::Fixed(exam::rounds),
    },
];

/// One kind of format.
#[derive(Clone, Copy, Debug)]
pub struct FormatKind {
    /// Its name in files.
    pub name: &'static str,
    /// A description in a line.
    pub about: &'static str,
    /// The parameters.
    pub parameters: &'static [Parameter],
    /// The games that it supports.
    pub seats: Seats,
    plan: Plan,
}

/// The games that a format supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seats {
    /// All games.
    Any,
    /// Games with tables: not those that seat the whole field in one game.
    Table,
    /// Games of two seats.
    Two,
}

/// Rounds that depend on no result, one after another.
pub type Rounds = Box<dyn Iterator<Item = Vec<Pairing>> + Send>;

#[derive(Clone, Copy, Debug)]
enum Plan {
    /// No game depends on a result.
    Fixed(fn(&Parameters, &Contest) -> Rounds),
    /// The next pairings depend on earlier results.
    Adaptive(fn(&Parameters, &mut Course<'_>) -> Result<Ranking, Stop>),
}

/// A format with its settings, as in `[format]` of a tournament's file.
#[derive(Clone)]
pub struct Format {
    kind: &'static FormatKind,
    parameters: Parameters,
}

/// A contest: game, parameters and number of entrants. The same contest always has the same schedule.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The game.
    pub entry: &'static Entry,
    /// Its parameters.
    pub parameters: Parameters,
    /// The number of entrants. They are identified by their index, in the order of the field.
    pub entrants: usize,
    /// The author of each; empty for none. Without a list, no entrant has an author.
    pub authors: Vec<String>,
    /// The random seed.
    pub seed: Seed,
    /// The season under which the games are recorded; each sub-tournament of a tournament has its own.
    pub season: u32,
}

/// The next games of a format.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// The matches of the next round, or of the first round with missing games. None depends on another.
    Matches(Matches),
    /// The games of the next round, or of the first one with missing games, of a format that depends on no result.
    Round(Vec<Pairing>),
    /// There are no more games.
    Over(Ranking),
}

/// The matches of two in a round. All that earlier results have to do with its games is said here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matches {
    /// The round, from 1.
    pub round: u32,
    /// The number of games of each match.
    pub games: usize,
    /// The entrants of each. The first has seat 0 in the first game, the second in the second, and so on.
    pub pairs: Vec<(usize, usize)>,
}

/// A played game: its place in the schedule, its entrants and their shares.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// Its place in the schedule.
    pub scheduled: Scheduled,
    /// Entrants by seat, by index.
    pub entrants: BySeat<usize>,
    /// Shares by seat, each from 0 to 1, with six decimals as in the results.
    pub shares: BySeat<f64>,
}

/// The final ranking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// Entrants, by index, the best first; those that share a place are together, in the order of the field.
    pub places: Vec<Vec<usize>>,
    /// By entrant: the points by which the format ranks first, if it uses points.
    pub points: Option<Vec<u32>>,
    /// By entrant: the points of its opponents, by which equal points are separated, if the format does so.
    pub opponents: Option<Vec<u32>>,
    /// By entrant: its place, where that is not 1 and the number of entrants in `places` before it.
    pub numbers: Option<Vec<usize>>,
    /// Why the contest is over, in words.
    pub reason: String,
}

impl Ranking {
    /// Returns the place of an entrant, from 1.
    pub fn place_of(&self, entrant: usize) -> usize {
        let before = self.places.iter().take_while(|tied| !tied.contains(&entrant));
        self.numbers
            .as_ref()
            .map_or_else(|| 1 + before.map(Vec::len).sum::<usize>(), |numbers| numbers[entrant])
    }
}

/// A game whose bots are not those of the schedule: the field, the format or the seed has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotScheduled(pub Scheduled);

impl fmt::Display for NotScheduled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Scheduled { season, round, table, rotation } = self.0;
        write!(
            f,
            "season {season}, round {round}, table {table}, game {rotation}: its bots are not those of the \
             schedule; the field, the format or the seed was changed"
        )
    }
}

impl std::error::Error for NotScheduled {}

impl Format {
    /// Returns the kind.
    pub fn kind(&self) -> &'static FormatKind {
        self.kind
    }

    /// Returns the name of the kind.
    pub fn name(&self) -> &'static str {
        self.kind.name
    }

    /// Returns the settings.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Makes sure that this contest can be played in this format. All other methods assume that.
    ///
    /// # Errors
    ///
    /// The condition that the contest does not meet.
    pub fn check(&self, contest: &Contest) -> Result<(), BadFormat> {
        settings::check(self, contest)
    }

    /// Tells whether the rounds depend on results.
    pub fn is_adaptive(&self) -> bool {
        matches!(self.kind.plan, Plan::Adaptive(_))
    }

    /// Lists all rounds, if none depends on a result.
    pub fn fixed(&self, contest: &Contest) -> Option<Rounds> {
        match self.kind.plan {
            Plan::Fixed(rounds) => Some(rounds(&self.parameters, contest)),
            Plan::Adaptive(_) => None,
        }
    }

    /// Deals one round, from 1, if rounds depend neither on each other nor on results, and each gives every
    /// entrant one block, as the stop rule needs. `None` for other formats.
    pub fn uniform_round(&self, contest: &Contest, round: u32) -> Option<Vec<Pairing>> {
        match self.kind.name {
            rounds::NAME => rounds::uniform_round(&self.parameters, contest, round),
            exam::NAME => Some(exam::round(&self.parameters, contest, round, None)),
            _ => None,
        }
    }

    /// As [`uniform_round`](Format::uniform_round). If there is a list of bots, only these are in the race.
    pub fn round_among(
        &self,
        contest: &Contest,
        round: u32,
        racing: Option<&[usize]>,
    ) -> Option<Vec<Pairing>> {
        if self.is_exam() {
            return Some(exam::round(&self.parameters, contest, round, racing));
        }
        let dealt = self.uniform_round(contest, round)?;
        Some(match racing {
            Some(racing) => dealt.into_iter().filter_map(|game| game.among(racing)).collect(),
            None => dealt,
        })
    }

    /// Returns how its games are dealt.
    pub fn dealt(&self, contest: &Contest) -> Dealt {
        match self.kind.name {
            rounds::NAME => rounds::dealt(&self.parameters, contest),
            round_robin::NAME => Dealt::EvenlyWithoutRounds,
            _ => Dealt::WithoutRounds,
        }
    }

    /// Returns the block of a table, in a format of rounds.
    pub fn block(&self) -> Block {
        if self.kind.name == rounds::NAME { rounds::block(&self.parameters) } else { Block::OneSeating }
    }

    /// Returns what counts for its ranks and verdicts. A format of matches has its own points, made of scores.
    pub fn rank_by(&self) -> RankBy {
        let set = self.parameters.iter().find(|(name, _)| *name == RankBy::KEY);
        let named =
            |(_, value): (_, Value)| RankBy::ALL.into_iter().find(|by| value == Value::Word(by.name()));
        set.and_then(named).unwrap_or_default()
    }

    /// Returns the maximum number of rounds, for a format of rounds and an exam.
    pub fn rounds_max(&self) -> Option<u32> {
        match self.kind.name {
            rounds::NAME => Some(rounds::rounds_max(&self.parameters)),
            exam::NAME => Some(exam::rounds_max(&self.parameters)),
            _ => None,
        }
    }

    /// Tells whether it is an exam.
    pub fn is_exam(&self) -> bool {
        self.kind.name == exam::NAME
    }

    /// Returns the number of entrants that are the panel of an exam; 0 for any other format.
    pub fn panel(&self) -> usize {
        if self.is_exam() { exam::panel(&self.parameters) } else { 0 }
    }

    /// Returns the number of sub-tournaments that a contest needs: the groups of an exam's panel, else 1.
    pub fn groups(&self, seats: usize) -> usize {
        if self.is_exam() { exam::groups(&self.parameters, seats) } else { 1 }
    }

    /// Returns the next games after these, which can be in any order. Games of other seasons, or of later
    /// rounds than the next, are ignored. All games of an incomplete round are returned.
    pub fn next(&self, contest: &Contest, played: &[PlayedGame]) -> Result<Next, NotScheduled> {
        let mut course = Course::new(contest, self.seeds(), played);
        match self.play(&mut course) {
            Ok(ranking) => Ok(Next::Over(ranking)),
            Err(Stop::Wanted(matches)) => Ok(Next::Matches(matches)),
            Err(Stop::Missing(round)) => Ok(Next::Round(round)),
            Err(Stop::NotScheduled(game)) => Err(game),
        }
    }

    /// Returns the matches of a contest after these games, which are as for [`next`](Format::next). A format
    /// without matches has none.
    pub fn cup(&self, contest: &Contest, played: &[PlayedGame]) -> Result<Cup, NotScheduled> {
        let mut course = Course::new(contest, self.seeds(), played).with_cup();
        match self.play(&mut course) {
            Ok(_) | Err(Stop::Wanted(_) | Stop::Missing(_)) => Ok(course.into_cup()),
            Err(Stop::NotScheduled(game)) => Err(game),
        }
    }

    /// Deals the games of matches, which must be of this format and of entrants of the contest.
    pub fn games_of(&self, contest: &Contest, matches: &Matches) -> Vec<Pairing> {
        matches.deal(contest, self.seeds())
    }

    /// Returns the challenger, by index, if the others have met nobody else; `None` if others meet, too. Nothing orders
    /// the others but whether they did better against it than it did, or worse.
    pub fn challenger(&self, contest: &Contest) -> Option<usize> {
        let is_of_two = self.kind.name == gauntlet::NAME && contest.seats() == Some(2);
        is_of_two.then(|| gauntlet::challenger(&self.parameters))
    }

    fn seeds(&self) -> Seeds {
        if self.kind.name == comfoosball::NAME {
            comfoosball::seeds(&self.parameters)
        } else {
            Seeds::OfBlocks
        }
    }

    fn play(&self, course: &mut Course<'_>) -> Result<Ranking, Stop> {
        match self.kind.plan {
            Plan::Fixed(rounds) => {
                let contest = course.contest();
                course.play_all(rounds(&self.parameters, contest), self.challenger(contest))
            }
            Plan::Adaptive(play) => play(&self.parameters, course),
        }
    }
}

impl Contest {
    /// Returns the number of seats at a table, if it does not depend on the field.
    pub fn seats(&self) -> Option<usize> {
        self.entry.table(&self.parameters)
    }
}

/// Sorts entrants by their worth, the greatest first. Entrants of equal worth share a place.
fn places_by<K: Ord>(
    entrants: impl IntoIterator<Item = usize>,
    worth: impl Fn(usize) -> K,
) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for entrant in entrants {
        groups.entry(worth(entrant)).or_default().push(entrant);
    }
    groups.into_values().rev().collect()
}

/// Returns the places of entrants that have met nobody but a challenger, in games of two, by the mean share of each:
/// those that did better than it share the first place, those that did worse the last.
pub fn places_beside(challenger: Option<usize>, means: &[f64]) -> Vec<usize> {
    let worth = |(entrant, mean): (usize, &f64)| {
        if challenger == Some(entrant) { Ordering::Equal } else { mean.total_cmp(&0.5) }
    };
    let worth: Vec<Ordering> = means.iter().enumerate().map(worth).collect();
    worth.iter().map(|own| 1 + worth.iter().filter(|other| *other > own).count()).collect()
}

/// The reason for the end of a knockout, whose first place has a single winner.
pub const FINAL_PLAYED: &str = "the final has been played";

/// Returns the reason for the end of a tournament after all its rounds.
fn all_played(rounds: u32) -> String {
    match rounds {
        0 => "there is no opponent".to_owned(),
        1 => "the only round has been played".to_owned(),
        _ => format!("all {rounds} rounds have been played"),
    }
}

/// Lists the seats of a pairing whose score counts, with their entrants.
fn counted(pairing: &Pairing) -> impl Iterator<Item = (Seat, usize)> {
    let seats = pairing.entrants.iter().filter(|(seat, _)| !pairing.fillers.contains(seat));
    seats.map(|(seat, entrant)| (seat, *entrant))
}
