//! Plays the batches of a shard, several games at a time. Any number of runners can do so at once on any machines: each
//! claims a batch before it plays its games, and takes over those of runners that are gone.

use std::fmt;
use std::io;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::batch::recorded::Recorded;
use crate::batch::{has_ended, list, logs_of, missing, unit_of};
use crate::fixture::{Fixture, game_id};
use crate::listing::List;
use crate::plan::Plan;
use crate::recorder::Recorder;
use crate::runner::GameEnd;
use crate::runner::game_run::log_path;
use crate::runner::pool::held;
use crate::runner::units::{Contest, Runner, Unit, UnitEvent};
use referee_files::beneath::Spot;
use referee_files::log::part_of;
use referee_record::error::{Error, ErrorKind};
use referee_record::game_result::GameResult;
use referee_statistics::schedule::deal::Pairing;
use referee_table::clock::Clock;
use referee_table::process::{Setup, make_room};

/// Every `of`-th batch of a plan: those whose number leaves the remainder `number`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    pub number: usize,
    /// The number of shards.
    pub count: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((number, count)) if number < count => Ok(Shard { number, count }),
            _ => Err(format!("not a shard: {text:?} (k/n, with k from 0 to n - 1)")),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl Shard {
    /// The one shard of a tournament that is not divided.
    pub const WHOLE: Shard = Shard { number: 0, count: 1 };

    /// Returns its batches.
    pub fn batches(self, plan: &Plan) -> impl Iterator<Item = usize> {
        (self.number..plan.count_batches()).step_by(self.count)
    }

    /// Lists its batches of which a game has not ended, by the records.
    pub fn open(self, plan: &Plan) -> Result<Vec<usize>, Error> {
        match self {
            Shard::WHOLE => Ok(missing(plan)?.0.0.into_iter().flatten().collect()),
            _ if list::is_listed(plan) => Ok(Vec::new()),
            shard => still_open(plan, &shard.batches(plan).collect::<Vec<usize>>()),
        }
    }
}

/// Lists those of some batches of which a game has not ended. Of a long tournament only their records are read.
fn still_open(plan: &Plan, batches: &[usize]) -> Result<Vec<usize>, Error> {
    let (mut recorded, mut open) = (Recorded::new(plan), Vec::new());
    recorded.follow(batches.iter().copied())?;
    for batch in batches {
        let has_ended = |game| has_ended(game, &recorded.state);
        open.extend((!plan.batch(*batch)?.iter().all(has_ended)).then_some(*batch));
    }
    Ok(open)
}

/// When to begin no more games. Games in flight are given up when [`Setup::stop`] is set.
#[derive(Clone, Debug, Default)]
pub struct Until {
    /// Set from outside.
    pub stop: Arc<AtomicBool>,
    /// Time from the start after which no game begins.
    pub time: Option<Duration>,
    /// A machine whose runners hang, though they seem to live: batches are taken over from those that were there
    /// before.
    pub take_over: Option<String>,
}

/// An event while a shard is played. Events come in the order in which games were begun, with any number of jobs.
#[derive(Clone, Debug, PartialEq)]
pub enum ShardEvent {
    /// The end of a game that was just played.
    Game {
        /// The game.
        game: Pairing,
        /// Its end.
        end: GameEnd,
        /// Whether it is the last of its batch.
        is_last: bool,
    },
    /// Games of a batch that have ended already, or were given up now: they need not be played.
    Resumed {
        /// The batch.
        batch: usize,
        /// The number of these games.
        games: usize,
    },
    /// Another runner plays a batch. It is waited for.
    Elsewhere {
        /// The batch.
        batch: usize,
        /// The machine of that runner, if it has told it.
        node: Option<String>,
    },
}

/// How a runner's work on a shard ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All games of these batches have ended, played by this runner or others.
    Complete,
    /// It was told to stop, or its time was over.
    Stopped,
}

/// Plays these batches of a plan on this machine, `jobs` games at a time: those of a shard that are open. Batches that
/// others play are waited for, and taken over if their runner is gone.
///
/// # Errors
///
/// If the plan cannot be followed, or a game cannot be played here. Ended games are kept.
pub fn play(
    plan: &Plan,
    open: &[usize],
    (setup, until): (&Setup, &Until),
    jobs: usize,
    mut report: impl FnMut(ShardEvent),
) -> Result<Ended, Error> {
    make_room(jobs.max(1), plan.seats_max()).map_err(not_played)?;
    let clock = Clock::start();
    let is_over = || {
        until.stop.load(Ordering::Relaxed)
            || setup.stop.load(Ordering::Relaxed)
            || until.time.is_some_and(|time| clock.now().0 >= time)
    };
    if list::is_listed(plan) {
        return Ok(Ended::Complete);
    }
    if is_over() {
        return Ok(Ended::Stopped);
    }
    if open.is_empty() && !list::is_kept(plan) {
        return Ok(Ended::Complete);
    }
    let (recorder, list) = list::begin(plan).map_err(taken_over)?;
    let mut runner =
        Runner::new(Batches { plan, list }, recorder, plan.contents.host.lost_max(setup.sandbox));
    if let Some(node) = &until.take_over {
        runner.take_over_from(node.clone())?;
    }
    // After an error, no game begins.
    let no_more = AtomicBool::new(false);
    let is_over = || no_more.load(Ordering::Relaxed) || is_over();
    let games = plan.games_in(open) as usize;
    let batches = open.iter().map(|&number| OneBatch { plan, number, games: OnceLock::new() });
    let mut ended = 0;
    let tell = |event: UnitEvent<OneBatch<'_>>| {
        let event = ShardEvent::from_unit(event);
        ended += match event {
            ShardEvent::Game { .. } => 1,
            ShardEvent::Resumed { games, .. } => games,
            ShardEvent::Elsewhere { .. } => 0,
        };
        report(event);
    };
    match runner.play(batches, (setup, jobs), &no_more, is_over, tell) {
        // The runner that has taken this one for dead has played the rest.
        Err(error) if error.kind() == ErrorKind::Busy && still_open(plan, open)?.is_empty() => ended = games,
        played => played.map_err(taken_over)?,
    }
    runner.contest.end(&mut runner.recorder())?;
    Ok(if ended == games { Ended::Complete } else { Ended::Stopped })
}

/// A runner that others took for dead, or that others keep waiting, can do no more: another start can.
fn taken_over(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Busy => Error::because(ErrorKind::TryAgain, error),
        _ => error,
    }
}

impl ShardEvent {
    fn from_unit(event: UnitEvent<OneBatch<'_>>) -> ShardEvent {
        match event {
            UnitEvent::Ended(batch, fixture, end) => {
                let (game, is_last) = batch.game(&fixture);
                ShardEvent::Game { game: game.clone(), end, is_last }
            }
            UnitEvent::Before(batch, games) => ShardEvent::Resumed { batch: batch.number, games },
            UnitEvent::Elsewhere(batch, node) => ShardEvent::Elsewhere { batch: batch.number, node },
        }
    }
}

/// A batch, which is claimed as a whole.
struct OneBatch<'a> {
    plan: &'a Plan,
    number: usize,
    /// Its games, once they were read.
    games: OnceLock<Vec<Pairing>>,
}

impl OneBatch<'_> {
    /// Reads its games.
    fn read(&self) -> Result<&[Pairing], Error> {
        if let Some(games) = self.games.get() {
            return Ok(games);
        }
        let games = self.plan.batch(self.number)?;
        Ok(self.games.get_or_init(|| games))
    }

    /// Returns the game of a fixture, and whether it is the last one.
    fn game(&self, fixture: &Fixture) -> (&Pairing, bool) {
        let games = self.games.get().expect("its games were read before it was claimed");
        let of_fixture = games.iter().position(|game| Some(game.scheduled) == fixture.scheduled);
        let number = of_fixture.expect("a fixture of this batch");
        (&games[number], number + 1 == games.len())
    }
}

impl Unit for OneBatch<'_> {
    fn name(&self) -> String {
        unit_of(self.number)
    }

    fn games(&self) -> Result<Vec<String>, Error> {
        Ok(self.read()?.iter().map(|game| game_id(game.scheduled)).collect())
    }

    fn fixture(&self, game: usize, attempt: u32) -> Fixture {
        let games = self.games.get().expect("its games were read before it was claimed");
        self.plan.fixture(&games[game], &logs_of(self.plan.contents.round, self.number, attempt))
    }
}

/// The batches of a round, and the list of their games, where its runners keep it.
#[derive(Debug)]
struct Batches<'a> {
    plan: &'a Plan,
    list: Option<List>,
}

impl Batches<'_> {
    /// Lists what others have ended meanwhile, and waits until the list is on the disk.
    fn end(&self, recorder: &mut Recorder) -> Result<(), Error> {
        let Some(list) = &self.list else { return Ok(()) };
        list.lock.hold(|| {
            list.list_all(recorder)?;
            held(&list.listing).sync()
        })
    }
}

impl<'a> Contest for Batches<'a> {
    type Unit = OneBatch<'a>;

    const HAS_FOLDERS_OF_TRIES: bool = true;

    fn root(&self) -> &Path {
        &self.plan.root
    }

    fn unfinished(&self, game: &str, folder: &str) -> Option<Spot> {
        let form = self.plan.contents.host.log;
        let log = log_path(&self.plan.root, folder, game, form);
        Some(Spot::within(&self.plan.root, part_of(&log)))
    }

    /// Makes sure that a batch whose games were recorded has a claim: if it was lost, they would be played again. Where
    /// all records are gone, they are.
    fn check_claim(&self, recorder: &Recorder, batch: &OneBatch<'a>, games: &[&str]) -> Result<(), Error> {
        let logs = logs_of(self.plan.contents.round, batch.number, 0);
        let (unit, logs) = (batch.name(), self.plan.root.join("logs").join(logs));
        // The logs first: a runner claims before it begins one. Only where there are some, all records are read.
        let is_new = !Spot::within(&self.plan.root, logs).exists() || recorder.records.is_claimed(&unit)?;
        if is_new || !recorder.records.has_any(games)? {
            return Ok(());
        }
        let what = "missing, though games of the batch were recorded: they would be played again. Take the whole \
                    folder from a backup";
        Err(Error::record(&recorder.records.claim_of(&unit), what))
    }

    fn game_ended(&self, recorder: &mut Recorder, rows: Option<&GameResult>) -> Result<(), Error> {
        if let Some(list) = &self.list {
            return list.game_ended(recorder);
        }
        let Some(rows) = rows else { return Ok(()) };
        let log = self.plan.root.join(rows.log());
        let whole = Spot::within(&self.plan.root, &log);
        match Spot::within(&self.plan.root, part_of(&log)).rename(&whole) {
            // A list was made meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound && whole.exists() => Ok(()),
            named => named.map_err(Error::system(&log, "rename the log")),
        }
    }

    fn not_played(&self, error: Error) -> Error {
        if error.kind() == ErrorKind::Busy { error } else { not_played(error) }
    }
}

/// Turns an error into one to try again: another machine may succeed, and an engine sees only the exit status.
fn not_played(error: impl Into<Error>) -> Error {
    let error = error.into();
    let stopped = error.kind() == ErrorKind::Stopped;
    let kind = if stopped { ErrorKind::Stopped } else { ErrorKind::TryAgain };
    Error::because(kind, error).context("a game could not be played here")
}
