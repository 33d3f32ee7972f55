//! A run of a hill: the missing games of its season, and their play.

use std::collections::BTreeSet;
use std::iter;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::PoisonError;

use crate::fixture::{self, Entrant, Fixture};
use crate::hill::Hill;
use crate::hill::HillAccount;
use crate::hill::races::STAGE;
use crate::hill::runner::{HillRunner, whole_rounds};
use crate::hill::seasons::Season;
use crate::runner::GameEnd;
use referee_record::error::Error;
use referee_record::results::Scheduled;
use referee_record::voids::VoidRow;
use referee_statistics::schedule::deal::Pairing;
use referee_table::process::Setup;
use serde::{Deserialize, Serialize};

/// A hill during a run.
#[derive(Debug)]
pub struct Run<'a> {
    pub(super) hill: &'a Hill,
    pub(super) runner: HillRunner<'a>,
    pub(super) bots: Vec<Entrant>,
    /// The number of the season.
    pub(super) season: u32,
    /// The games that were listed or given up when the run began.
    pub(super) played: BTreeSet<Scheduled>,
    /// Messages for the user about the beginning of the run.
    pub notices: Vec<String>,
    /// The games that were lost with the run before; the notices tell of them.
    pub lost: Vec<VoidRow>,
}

/// Number of games that are played before the stop rule looks at them; one round if that has more.
const STEP_GAMES: usize = 4;

/// Number of games that are listed at a time: each takes some KiB until it is played.
const LISTED_GAMES: usize = 4096;

impl Run<'_> {
    /// Returns the folder of the hill.
    pub fn root(&self) -> &Path {
        &self.hill.root
    }

    /// Returns the runner.
    pub fn runner(&self) -> &HillRunner<'_> {
        &self.runner
    }

    /// Returns the number of the season.
    pub fn season(&self) -> u32 {
        self.season
    }

    /// Returns the first round of the season with a missing game.
    pub fn first_open_round(&self) -> u32 {
        let field = self.field();
        let complete_rounds = whole_rounds(&self.played, self.season, self.hill.lengths(&field));
        (complete_rounds + 1..).find(|round| !self.missing(*round).is_empty()).expect("rounds have no end")
    }

    /// Tells whether bots leave the race once all their pairs are decided.
    pub fn is_racing(&self) -> bool {
        self.field().terms.is_racing
    }

    /// Returns the season, as far as its races are known.
    fn field(&self) -> Season {
        self.runner.field().lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Finds out who is in the race from this round on; all earlier rounds have ended. Returns the last round that can
    /// be played before this must be found out again.
    pub fn begin_stage(&self, account: &mut HillAccount<'_>, round: u32) -> Result<u32, Error> {
        if !self.is_racing() {
            return Ok(u32::MAX);
        }
        account.set_seasons(self.runner.look_at_race(self.hill)?);
        Ok(round.next_multiple_of(STAGE))
    }

    /// Counts the games of some rounds that were missing when the run began. In a race it can be fewer, since bots
    /// leave it.
    pub fn missing_games(&self, rounds: RangeInclusive<u32>) -> u64 {
        let field = self.field();
        let all: u64 = if field.races.is_empty() {
            self.hill.round_games(self.bots.len()) as u64
                * (u64::from(*rounds.end()) + 1).saturating_sub(u64::from(*rounds.start()))
        } else {
            let games = self.hill.lengths(&field);
            rounds.clone().map(|round| games(round) as u64).sum()
        };
        let first = Scheduled { season: self.season, round: *rounds.start(), table: 0, rotation: 0 };
        let played = self
            .played
            .range(first..)
            .take_while(|place| place.season == self.season && rounds.contains(&place.round));
        all.saturating_sub(played.count() as u64)
    }

    /// Lists the missing games of some rounds, a part at a time, in the order of the schedule.
    pub fn fixtures(&self, rounds: RangeInclusive<u32>) -> impl Iterator<Item = Vec<Fixture>> {
        let rounds_at_once = LISTED_GAMES.div_ceil(self.hill.round_games(self.bots.len()).max(1));
        let mut rounds = rounds.peekable();
        iter::from_fn(move || {
            rounds.peek()?;
            Some(rounds.by_ref().take(rounds_at_once).flat_map(|round| self.fixtures_of(round)).collect())
        })
    }

    /// Returns the last of the rounds that are played together with this one, under a stop rule. Short rounds are
    /// played several at a time, to keep more than one core busy; the rule looks at each.
    pub fn end_of_step(&self, round: u32) -> u32 {
        let games = self.hill.round_games(self.bots.len()).max(1);
        let step = STEP_GAMES.div_ceil(games) as u32;
        round.div_ceil(step) * step
    }

    /// Lists the games of a round that were missing when the run began.
    pub fn fixtures_of(&self, round: u32) -> Vec<Fixture> {
        self.missing(round).iter().map(|pairing| self.fixture(pairing)).collect()
    }

    /// Plays games, `jobs` at a time, except those that other runners play meanwhile. `report` is called for each game
    /// that has ended or was given up, by any runner: for games that this run plays, in the order of the schedule.
    ///
    /// # Errors
    ///
    /// If the referee is in trouble or told to stop, or this machine is unfit. Games in flight are then given up; all
    /// others are in the results.
    pub fn play(
        &self,
        fixtures: Vec<Fixture>,
        setup: &Setup,
        jobs: usize,
        report: impl FnMut(&Fixture, GameEnd),
    ) -> Result<(), Error> {
        self.runner.play_all(fixtures, setup, jobs, report)
    }

    fn missing(&self, round: u32) -> Vec<Pairing> {
        let mut games = self.hill.games_of(&self.field(), round);
        games.retain(|game| !self.played.contains(&game.scheduled));
        games
    }

    fn fixture(&self, pairing: &Pairing) -> Fixture {
        let (folder, log) = (fixture::folder_of(pairing.scheduled), self.hill.host().log);
        let fixture = Fixture::new(pairing, self.hill.entry, &self.bots, folder, log);
        Fixture { live: self.hill.settings.live, ..fixture }
    }
}

/// The outcome of a run, as `hill run --format json` says it to other programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// How it ended.
    pub ended: RunEnd,
    /// Why, if its rounds are not complete.
    #[serde(default, rename = "told", skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What the season says, if games of it count.
    #[serde(default, flatten, skip_serializing_if = "Option::is_none")]
    pub season: Option<SeasonReport>,
}

/// The season of a run, for other programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeasonReport {
    /// Its number.
    pub season: u32,
    /// Number of complete rounds.
    pub rounds: u32,
    /// The king, if its verdict names one.
    pub king: Option<String>,
    /// The kind of its verdict, if it has one.
    pub verdict: Option<String>,
    /// How far the proof is, as in the standings.
    pub evidence: serde_json::Value,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// Its rounds are complete.
    Complete,
    /// Somebody stopped it.
    Stopped,
    /// It failed.
    Failed,
}
