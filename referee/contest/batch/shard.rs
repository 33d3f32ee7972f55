//! A shard: the part of a tournament's batches that a runner plays, several games at a time. Any number of runners can
//! play at once on any machines: each claims a batch before it plays its games, and takes over the batches of runners
//! that are gone.

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

/// A shard of a plan: the batches whose numbers leave the remainder `number` when they are divided by `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The number of the shard, from 0.
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
            Shard::WHOLE => {
                let (missing, _) = missing(plan)?;
                Ok(missing.batches().collect())
            }
            _ if list::is_listed(plan) => Ok(Vec::new()),
            shard => open_among(plan, &shard.batches(plan).collect::<Vec<usize>>()),
        }
    }
}

/// Lists those of these batches of which a game has not ended. Only the records of their runners are read.
fn open_among(plan: &Plan, batches: &[usize]) -> Result<Vec<usize>, Error> {
    let (mut recorded, mut open) = (Recorded::new(plan), Vec::new());
    recorded.follow(batches.iter().copied())?;
    for batch in batches {
        if !plan.batch(*batch)?.iter().all(|game| has_ended(game, &recorded.state)) {
            open.push(*batch);
        }
    }
    Ok(open)
}

/// How a runner plays a shard: when it begins no more games, and from whom it takes over. Games in flight are given up
/// when [`Setup::stop`] is set.
#[derive(Clone, Debug, Default)]
pub struct ShardOptions {
    /// If it is set, no game begins.
    pub stop: Arc<AtomicBool>,
    /// The time from the start after which no game begins.
    pub time: Option<Duration>,
    /// A machine whose runners hang. Batches are taken over from those of its runners that were there when this one
    /// began, though they seem to live.
    pub take_over: Option<String>,
}

/// An event while a shard is played. Events are reported in the order in which games were begun, with any number of
/// jobs.
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
        /// The machine of that runner, if the runner has recorded it.
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

/// Plays the open batches of a shard on this machine, `jobs` games at a time. Batches that others play are waited for,
/// and taken over if their runner is gone.
///
/// # Errors
///
/// If the plan cannot be followed, or a game cannot be played here. Ended games are kept.
pub fn play(
    plan: &Plan,
    open: &[usize],
    (setup, options): (&Setup, &ShardOptions),
    jobs: usize,
    mut report: impl FnMut(ShardEvent),
) -> Result<Ended, Error> {
    make_room(jobs.max(1), plan.seats_max()).map_err(not_played)?;
    let clock = Clock::start();
    // After an error, no game begins.
    let no_more = AtomicBool::new(false);
    let is_over = || {
        no_more.load(Ordering::Relaxed)
            || options.stop.load(Ordering::Relaxed)
            || setup.stop.load(Ordering::Relaxed)
            || options.time.is_some_and(|time| clock.now().0 >= time)
    };
    if list::is_listed(plan) {
        return Ok(Ended::Complete);
    }
    if is_over() {
        return Ok(Ended::Stopped);
    }
    // Where runners keep the list, this one has to list what has ended.
    if open.is_empty() && !list::is_kept(plan) {
        return Ok(Ended::Complete);
    }
    let runner = begin(plan, setup, options)?;
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
        // Another runner has taken this one for dead, and has played the rest.
        Err(error) if error.kind() == ErrorKind::Busy && open_among(plan, open)?.is_empty() => ended = games,
        played => played.map_err(busy_to_try_again)?,
    }
    runner.contest.end(&mut runner.recorder())?;
    Ok(if ended == games { Ended::Complete } else { Ended::Stopped })
}

/// Begins a runner of a plan.
fn begin<'a>(plan: &'a Plan, setup: &Setup, options: &ShardOptions) -> Result<Runner<Batches<'a>>, Error> {
    let (recorder, list) = list::begin(plan).map_err(busy_to_try_again)?;
    let losses = plan.contents.host.lost_max(setup.sandbox);
    let mut runner = Runner::new(Batches { plan, list }, recorder, losses);
    if let Some(node) = &options.take_over {
        runner.take_over_from(node.clone())?;
    }
    Ok(runner)
}

/// Turns the error of a runner that others have taken for dead, or keep waiting, into one to try again: this runner can
/// do no more, but another start can.
fn busy_to_try_again(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Busy => Error::because(ErrorKind::TryAgain, error),
        _ => error,
    }
}

impl ShardEvent {
    fn from_unit(event: UnitEvent<OneBatch<'_>>) -> ShardEvent {
        match event {
            UnitEvent::Ended(batch, fixture, end) => {
                let (games, number) = batch.find(&fixture);
                ShardEvent::Game { game: games[number].clone(), end, is_last: number + 1 == games.len() }
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
    /// Its games, once they were read: before it is claimed.
    games: OnceLock<Vec<Pairing>>,
}

impl OneBatch<'_> {
    /// Returns its games, which are read at the first call.
    fn read(&self) -> Result<&[Pairing], Error> {
        if let Some(games) = self.games.get() {
            return Ok(games);
        }
        let games = self.plan.batch(self.number)?;
        Ok(self.games.get_or_init(|| games))
    }

    /// Returns its games, and the number of that of a fixture.
    fn find(&self, fixture: &Fixture) -> (&[Pairing], usize) {
        let games = self.games.get().expect("its games were read before it was claimed");
        let number = games.iter().position(|game| Some(game.scheduled) == fixture.scheduled);
        (games, number.expect("a fixture of this batch"))
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

    /// Makes sure that the claim of this batch was not lost: if a game of it was recorded, a runner had claimed the
    /// batch, and a new claim would play its games again.
    fn check_claim(&self, recorder: &Recorder, batch: &OneBatch<'a>, games: &[&str]) -> Result<(), Error> {
        let logs = logs_of(self.plan.contents.round, batch.number, 0);
        let (unit, logs) = (batch.name(), self.plan.root.join("logs").join(logs));
        // All records are read at last, since that takes long: a batch without logs was never begun.
        if !Spot::within(&self.plan.root, logs).exists()
            || recorder.records.is_claimed(&unit)?
            || !recorder.records.has_any(games)?
        {
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
            // Somebody has made the list meanwhile, which names its logs.
            Err(error) if error.kind() == io::ErrorKind::NotFound && whole.exists() => Ok(()),
            renamed => renamed.map_err(Error::system(&log, "rename the log")),
        }
    }

    fn not_played(&self, error: Error) -> Error {
        if error.kind() == ErrorKind::Busy { error } else { not_played(error) }
    }
}

/// Turns an error into one to try again, except a stop: another machine may succeed, and a workflow engine sees only
/// the exit status.
fn not_played(error: impl Into<Error>) -> Error {
    let error = error.into();
    let is_stop = error.kind() == ErrorKind::Stopped;
    let kind = if is_stop { ErrorKind::Stopped } else { ErrorKind::TryAgain };
    Error::because(kind, error).context("a game could not be played here")
}
