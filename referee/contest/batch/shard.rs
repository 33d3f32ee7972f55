//! Plays the batches of a shard, several games at a time. Any number of runners can do so at once on any machines: each
//! claims a batch before it plays its games, and takes over those of runners that are gone.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use crate::batch::results::Batch;
use crate::batch::{is_done, logs_of, unit_of};
use crate::fixture::{Fixture, game_id};
use crate::lock::PAUSE;
use crate::plan::Plan;
use crate::plan::schedule_file::Game;
use crate::recorder::Recorder;
use crate::records::{Reader, Records};
use crate::runner::GameEnd;
use crate::runner::attempts::{self, Ledger};
use crate::runner::fitness::Fitness;
use crate::runner::game_run::log_path;
use crate::runner::pool::{self, Dealt, held};
use crate::runner::tries::{LostMax, Tries};
use referee_files::beneath::Spot;
use referee_files::log::{LogFile, part_of};
use referee_record::error::{Error, ErrorKind};
use referee_record::game_result::GameResult;
use referee_record::voids::VoidRow;
use referee_sandbox::Tier;
use referee_store::Claim;
use referee_table::clock::Clock;
use referee_table::process::{Setup, make_room};

/// Every `of`-th batch of a plan: those whose number leaves the remainder `number`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    pub number: usize,
    /// The number of shards.
    pub of: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((number, of)) if number < of => Ok(Shard { number, of }),
            _ => Err(format!("not a shard: {text:?} (k/n, with k from 0 to n - 1)")),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl Shard {
    /// The one shard of a tournament that is not divided.
    pub const WHOLE: Shard = Shard { number: 0, of: 1 };

    /// Returns its batches.
    pub fn batches(self, plan: &Plan) -> impl Iterator<Item = usize> {
        (self.number..plan.index.batches.len()).step_by(self.of)
    }
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
    Game(Game, GameEnd),
    /// Games of a batch that earlier attempts have finished: they need not be played.
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
    /// All batches of the shard are committed, by this runner or others.
    Complete,
    /// It was told to stop, or its time was over.
    Stopped,
}

/// Plays the rest of a shard on this machine, `jobs` games at a time. Batches that others play are waited for,
/// and taken over if their runner is gone.
///
/// # Errors
///
/// If the plan cannot be followed, or a game cannot be played here. Ended games are kept.
pub fn play(
    plan: &Plan,
    shard: Shard,
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
    let mut waiting: VecDeque<usize> = shard.batches(plan).filter(|batch| !is_done(plan, *batch)).collect();
    if waiting.is_empty() {
        return Ok(Ended::Complete);
    }
    if is_over() {
        return Ok(Ended::Stopped);
    }
    let records = Records::begin_round(plan)?;
    let take_over = match &until.take_over {
        Some(node) => Some((node.clone(), records.runners()?)),
        None => None,
    };
    let recorder = Mutex::new(Recorder::new(records));
    let (fitness, losses) = (Fitness::default(), plan.lost_max(setup.sandbox));
    let runner = BatchRunner { plan, losses, fitness, recorder, take_over };
    // After an error, no game begins.
    let no_more = AtomicBool::new(false);
    let is_over = || no_more.load(Ordering::Relaxed) || is_over();
    let mut told = BTreeSet::new();
    let play = |dealt: DealtGame<'_, '_>| {
        let came = dealt.play(setup)?;
        Ok(ShardEvent::Game(dealt.game, came))
    };
    while !waiting.is_empty() && !is_over() {
        let mut dealer = Dealer { runner: &runner, waiting, elsewhere: VecDeque::new(), told, open: None };
        let played = pool::play(jobs, &no_more, is_over, || dealer.next(), play, &mut report);
        match played {
            // The runner that has taken this one for dead has played the rest.
            Err(error) if error.kind() == ErrorKind::Busy && is_complete(plan, shard) => break,
            played => played.map_err(taken_over)?,
        }
        (waiting, told) = (dealer.elsewhere, dealer.told);
        runner.wait_for(waiting.make_contiguous(), is_over).map_err(taken_over)?;
    }
    Ok(if is_complete(plan, shard) { Ended::Complete } else { Ended::Stopped })
}

fn is_complete(plan: &Plan, shard: Shard) -> bool {
    shard.batches(plan).all(|batch| is_done(plan, batch))
}

/// A runner that others took for dead can do no more: another start can.
fn taken_over(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Busy => Error::because(ErrorKind::TryAgain, error),
        _ => error,
    }
}

/// A runner of a round, from its start to its end.
struct BatchRunner<'a> {
    plan: &'a Plan,
    losses: LostMax,
    fitness: Fitness,
    recorder: Mutex<Recorder>,
    /// The machine whose runners hang, and the runners that were there when this one began.
    take_over: Option<(String, Vec<String>)>,
}

/// Deals out the games of batches, batch by batch.
struct Dealer<'r, 'a> {
    runner: &'r BatchRunner<'a>,
    waiting: VecDeque<usize>,
    /// Batches that others are playing.
    elsewhere: VecDeque<usize>,
    /// Those of them that were reported.
    told: BTreeSet<usize>,
    open: Option<(Arc<Open<'r, 'a>>, VecDeque<Game>)>,
}

/// A game to play, with the batch that it belongs to.
struct DealtGame<'r, 'a> {
    batch: Arc<Open<'r, 'a>>,
    game: Game,
}

/// A batch that this runner plays.
struct Open<'r, 'a> {
    runner: &'r BatchRunner<'a>,
    number: usize,
    unit: String,
    logs: String,
    /// The number of games that have not ended.
    left: AtomicUsize,
}

/// The answer to a claim for a batch.
enum Claimed<'r, 'a> {
    /// This runner plays it: the games that are left, and the number of those that have ended before.
    Mine(Open<'r, 'a>, VecDeque<Game>, usize),
    /// All its games have ended: their number.
    Over(usize),
    /// Another runner is playing it, on this machine, if it has told that.
    Others(Option<String>),
}

impl<'r, 'a> Dealer<'r, 'a> {
    fn next(&mut self) -> Result<Option<Dealt<DealtGame<'r, 'a>, ShardEvent>>, Error> {
        loop {
            if let Some((batch, games)) = &mut self.open
                && let Some(game) = games.pop_front()
            {
                return Ok(Some(Dealt::Game(DealtGame { batch: Arc::clone(batch), game })));
            }
            self.open = None;
            let Some(number) = self.waiting.pop_front() else { return Ok(None) };
            if is_done(self.runner.plan, number) {
                continue;
            }
            let games = match self.runner.claim(number)? {
                Claimed::Others(node) => {
                    self.elsewhere.push_back(number);
                    if self.told.insert(number) {
                        return Ok(Some(Dealt::Event(ShardEvent::Elsewhere { batch: number, node })));
                    }
                    continue;
                }
                Claimed::Over(games) => games,
                Claimed::Mine(open, left, resumed) => {
                    self.open = Some((Arc::new(open), left));
                    resumed
                }
            };
            if games > 0 {
                return Ok(Some(Dealt::Event(ShardEvent::Resumed { batch: number, games })));
            }
        }
    }
}

impl<'a> BatchRunner<'a> {
    /// Claims a batch, if no other runner that lives has it, and sees to what those that are gone have left.
    fn claim<'r>(&'r self, number: usize) -> Result<Claimed<'r, 'a>, Error> {
        let games = self.plan.batch(number)?;
        let unit = unit_of(number);
        let names: Vec<String> = games.iter().map(|game| game_id(game.scheduled)).collect();
        let mut recorder = held(&self.recorder);
        let of_unit: Vec<&str> = names.iter().map(String::as_str).collect();
        if recorder.records.runner_at(&unit).is_none() {
            self.check_claim(&recorder, number, (&unit, &of_unit))?;
        }
        let mut claim = recorder.records.claim(&unit, &of_unit)?;
        if claim == Claim::Others {
            let node = recorder.records.node_at(&unit)?;
            let hangs = |(at, before): &&(String, Vec<String>)| {
                let is_before = |runner: &str| before.iter().any(|other| other == runner);
                node.as_ref() == Some(at) && recorder.records.runner_at(&unit).is_some_and(is_before)
            };
            if self.take_over.as_ref().filter(hangs).is_none() {
                return Ok(Claimed::Others(node));
            }
            claim = recorder.records.take_over(&unit, &of_unit)?;
        }
        let resumed = names.iter().filter(|name| recorder.records.state().came(name).is_some()).count();
        if claim == Claim::Mine {
            for (game, name) in games.iter().zip(&names) {
                if recorder.records.state().came(name).is_none() {
                    self.settle(&mut recorder, &unit, game)?;
                }
            }
        }
        let is_open = |game: &&Game| recorder.records.state().came(&game_id(game.scheduled)).is_none();
        let left: VecDeque<Game> = games.iter().filter(is_open).cloned().collect();
        if left.is_empty() {
            self.publish(&recorder, number)?;
            return Ok(Claimed::Over(resumed));
        }
        let open = Open {
            runner: self,
            number,
            logs: logs_of(number, recorder.records.try_at(&unit).unwrap_or_default()),
            unit,
            left: AtomicUsize::new(left.len()),
        };
        Ok(Claimed::Mine(open, left, resumed))
    }

    /// Makes sure that a batch whose games were recorded has a claim: if it was lost, they would be played again. Where
    /// all records are gone, they are.
    fn check_claim(
        &self,
        recorder: &Recorder,
        number: usize,
        (unit, games): (&str, &[&str]),
    ) -> Result<(), Error> {
        let logs = self.plan.folder.join("logs").join(logs_of(number, 0));
        // The logs first: a runner claims before it begins one. Only where there are some, all records are read.
        let is_new = !Spot::within(&self.plan.root, logs).exists() || recorder.records.is_claimed(unit)?;
        if is_new || !recorder.records.has_any(games)? {
            return Ok(());
        }
        let what = "missing, though games of the batch were recorded: they would be played again. Take the whole \
                    folder from a backup";
        Err(Error::file(&recorder.records.claim_of(unit), what).or(ErrorKind::Tampered))
    }

    /// Records the attempts at a game that were lost with their runners, and removes their unfinished logs.
    fn settle(&self, recorder: &mut Recorder, unit: &str, game: &Game) -> Result<(), Error> {
        let mut lost = Vec::new();
        let log_of = |folder: &str| {
            lost.push(self.unfinished(game, folder));
            lost.last().cloned()
        };
        recorder.settle_lost(unit, &game_id(game.scheduled), log_of, self.losses)?;
        // Logs that stay do no harm.
        lost.iter().for_each(|log| drop(log.remove()));
        Ok(())
    }

    /// Returns the unfinished log of a game in a folder of logs.
    fn unfinished(&self, game: &Game, folder: &str) -> Spot {
        let Fixture { id, log, .. } = self.plan.fixture(game, folder);
        Spot::within(&self.plan.root, part_of(&log_path(&self.plan.folder, folder, &id, log)))
    }

    /// Puts the results of a batch in place, whose games have all ended, and removes the unfinished logs of earlier
    /// tries.
    fn publish(&self, recorder: &Recorder, number: usize) -> Result<(), Error> {
        let games = self.plan.batch(number)?;
        let (state, mut reader) = (recorder.records.state(), Reader::of_plan(self.plan));
        let batch = Batch::of_records(self.plan, games, state, &mut reader)?;
        let batch = batch.expect("every game has an end");
        batch.publish(self.plan, number)?;
        for attempt in 0..recorder.records.try_at(&unit_of(number)).unwrap_or_default() {
            for (game, _) in &batch.games {
                // Logs that stay do no harm.
                let _ = self.unfinished(game, &logs_of(number, attempt)).remove();
            }
        }
        Ok(())
    }

    /// Waits until one of these batches, which others play, is done, or its runner is gone; or until `is_over`.
    fn wait_for(&self, batches: &[usize], is_over: impl Fn() -> bool) -> Result<(), Error> {
        if batches.is_empty() || is_over() {
            return Ok(());
        }
        held(&self.recorder).records.rest()?;
        let mut pause = PAUSE;
        while !is_over() && !batches.iter().any(|batch| is_done(self.plan, *batch)) {
            thread::sleep(pause);
            pause = (pause * 2).min(PAUSE_MAX);
            for batch in batches {
                if !matches!(self.claim(*batch)?, Claimed::Others(_)) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Maximum time between two looks of a runner that waits.
const PAUSE_MAX: Duration = Duration::from_secs(1);

impl DealtGame<'_, '_> {
    /// Plays the game, and puts the results of the batch in place if it was the last.
    fn play(&self, setup: &Setup) -> Result<GameEnd, Error> {
        let Open { runner, number, logs, left, .. } = &*self.batch;
        let fixture = runner.plan.fixture(&self.game, logs);
        let came = attempts::play(self, &fixture, setup, &runner.fitness, None)?;
        if left.fetch_sub(1, Ordering::SeqCst) == 1 {
            runner.publish(&held(&runner.recorder), *number)?;
        }
        Ok(came)
    }

    fn recorder(&self) -> MutexGuard<'_, Recorder> {
        held(&self.batch.runner.recorder)
    }
}

impl Ledger for DealtGame<'_, '_> {
    fn folder(&self) -> &Path {
        &self.batch.runner.plan.folder
    }

    fn tries(&self, fixture: &Fixture) -> Tries {
        self.recorder().tries(&fixture.id)
    }

    fn loss_limits(&self, _: Tier) -> LostMax {
        self.batch.runner.losses
    }

    fn begin(&self, fixture: &Fixture, attempt: u32) -> Result<(), Error> {
        self.recorder().begin(&self.batch.unit, fixture, attempt)
    }

    fn over(&self, fixture: &Fixture, rows: &GameResult, log: LogFile) -> Result<(), Error> {
        let mut recorder = self.recorder();
        let Err(error) = recorder.over(fixture, rows) else { return log.publish() };
        // The record can be there all the same: then the next runner gives the log its name.
        match recorder.records.counts_after_all(&fixture.id) {
            Ok(Some(false)) => drop(log),
            _ => log.leave(),
        }
        Err(error)
    }

    fn void(&self, fixture: &Fixture, row: VoidRow, tries: &mut Tries) -> Result<(), Error> {
        self.recorder().void(&self.batch.unit, fixture, &row, tries)
    }

    fn give_up(&self, fixture: &Fixture, tries: &Tries, why: &str) -> Result<(), Error> {
        self.recorder().give_up(&self.batch.unit, fixture, tries, why)
    }

    fn break_off(&self, fixture: &Fixture, error: Error) -> Error {
        self.recorder().break_off(fixture);
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
