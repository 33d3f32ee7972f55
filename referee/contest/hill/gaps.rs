//! Gaps: scheduled games of a hill that are missing in its results. Seed, season and field determine the games of a
//! round, so a removed game is always noticed.
//!
//! A game is listed when all before it in its season have ended, so none is missing before a listed one. When a season
//! is closed, what has ended of it is listed, and the few games that were in flight are missing. A stopped run leaves
//! out the last games that it has begun: they count as not finished, because `hill run` plays them next. If many games
//! are missing before the last one that was begun, they were lost or removed. Which one that is follows from the
//! results, the records of the runners and the list of void games.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::fixture::game_id;
use crate::hill::Hill;
use crate::hill::seasons::Season;
use referee_record::results::Scheduled;

/// Maximum number of games of a season that an audit accepts as in flight.
pub(super) const IN_FLIGHT_MAX: usize = 64;

/// Maximum number of gaps that are listed for a season: results that a stranger has made can begin with any round.
const LISTED_MAX: usize = 1000;

/// A round with missing games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The season.
    pub season: u32,
    /// The round.
    pub round: u32,
    /// The names of the games that are missing.
    pub missing: Vec<String>,
    /// The number of games of the round.
    pub games: usize,
    /// The number of played games of the season that come later in the schedule than the first game that is missing
    /// here.
    pub later: usize,
    /// The number of missing games of the season from this round up to the last game that was begun.
    pub missing_in_all: usize,
    /// Whether another season has begun since: then the missing games are not played any more.
    pub is_closed: bool,
}

impl Gap {
    /// Tells whether the missing games can be those that were in flight when a run was stopped.
    pub fn is_under_way(&self) -> bool {
        (self.is_closed || self.later == 0) && self.missing_in_all <= IN_FLIGHT_MAX
    }
}

/// `season 1, round 3: 1 of 4 games is missing (s001-r00003-t001-g2); 2 later games were played`
impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMED_MAX: usize = 5;
        let Gap { season, round, missing, games, later, missing_in_all, .. } = self;
        let more = if missing.len() > NAMED_MAX { ", ..." } else { "" };
        let names = missing[..missing.len().min(NAMED_MAX)].join(", ");
        let are = if missing.len() == 1 { "is" } else { "are" };
        write!(f, "season {season}, round {round}: ")?;
        match games {
            1 => write!(f, "the game is missing ({names})")?,
            _ => write!(f, "{} of {games} games {are} missing ({names}{more})", missing.len())?,
        }
        match later {
            0 => f.write_str("; no later game was played")?,
            1 => f.write_str("; 1 later game was played")?,
            _ => write!(f, "; {later} later games were played")?,
        }
        match missing_in_all - missing.len() {
            0 => Ok(()),
            1 => f.write_str("; 1 game of later rounds is missing, too"),
            others => write!(f, "; {others} games of later rounds are missing, too"),
        }
    }
}

/// The played games of a hill, round by round. A complete round is remembered only as complete.
#[derive(Debug, Default)]
pub struct GamesPlayed {
    /// By the numbers of season and round.
    rounds: BTreeMap<(u32, u32), Round>,
    /// By season, the last game of the schedule that is known to have been begun.
    begun: BTreeMap<u32, Scheduled>,
    /// Games that are not missing though they have no result: they have ended and are not listed yet, or were given up.
    excused: BTreeSet<Scheduled>,
}

/// The played games of a round.
#[derive(Debug)]
enum Round {
    Complete,
    Open(BTreeSet<Scheduled>),
}

impl GamesPlayed {
    /// Takes a game of a round with this number of games.
    pub fn add(&mut self, place: Scheduled, games: usize) {
        self.begin(place);
        let round = self.rounds.entry((place.season, place.round)).or_insert(Round::Open(BTreeSet::new()));
        if let Round::Open(found) = round {
            found.insert(place);
            if found.len() == games {
                *round = Round::Complete;
            }
        }
    }

    /// Takes a game that is not missing though it has no result: it has ended and is not listed yet, or was given up.
    pub fn excuse(&mut self, place: Scheduled) {
        self.excused.insert(place);
    }

    /// Takes a game that was begun, whether it has ended or not.
    pub fn begin(&mut self, place: Scheduled) {
        let last = self.begun.entry(place.season).or_insert(place);
        *last = place.max(*last);
    }

    /// Lists, for each season, the rounds with missing games up to the last round that was begun.
    pub fn gaps(&self, hill: &Hill, seasons: &[Season]) -> Vec<Gap> {
        let last = seasons.last().map_or(0, |season| season.number);
        seasons.iter().flat_map(|season| self.gaps_of(hill, season, season.number < last)).collect()
    }

    fn gaps_of(&self, hill: &Hill, season: &Season, is_closed: bool) -> Vec<Gap> {
        let Some(last) = self.begun.get(&season.number) else { return Vec::new() };
        let games = hill.lengths(season);
        let (mut later, mut missing_in_all, mut gaps) = (0, 0, Vec::new());
        for number in (1..=last.round).rev() {
            let found = match self.rounds.get(&(season.number, number)) {
                Some(Round::Complete) => {
                    later += games(number);
                    continue;
                }
                Some(Round::Open(found)) => found.clone(),
                None => BTreeSet::new(),
            };
            let games = hill.games_of(season, number);
            let is_missing = |place: &Scheduled| !found.contains(place) && !self.excused.contains(place);
            let missing: Vec<Scheduled> =
                games.iter().map(|game| game.scheduled).filter(is_missing).collect();
            if missing.is_empty() {
                later += found.len();
                continue;
            }
            let after = missing.first().map_or(0, |first| found.range(first..).count());
            missing_in_all += missing.iter().filter(|place| *place <= last).count();
            gaps.push(Gap {
                season: season.number,
                round: number,
                games: games.len(),
                later: later + after,
                missing_in_all: missing_in_all.max(missing.len()),
                missing: missing.into_iter().map(game_id).collect(),
                is_closed,
            });
            later += found.len();
            if gaps.len() == LISTED_MAX {
                break;
            }
        }
        gaps.reverse();
        gaps
    }
}
