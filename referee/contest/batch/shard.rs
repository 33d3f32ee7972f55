//! Plays the batches of a shard, several games at a time. Any number of runners can do so at once on any machines:
//! the first to commit a batch has played it, and the games of the others are dropped.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::batch::journal::{History, Journal};
use crate::batch::{is_done, logs_of, results, results_of};
use crate::fixture::Fixture;
use crate::node::{Machine, MachineLoad};
use crate::plan::Plan;
use crate::plan::schedule_file::Game;
use crate::publish::{self, Published};
use crate::runner::GameEnd;
use crate::runner::attempts::{self, Ledger};
use crate::runner::fitness::Fitness;
use crate::runner::game_run::log_path;
use crate::runner::pool::{self, Dealt, held};
use crate::runner::standing::LostStanding;
use crate::runner::tries::{LossLimits, Tries};
use referee_files::beneath::Spot;
use referee_files::log::{LogFile, part_of};
use referee_files::walk::{self, Entry};
use referee_record::error::{Error, ErrorKind};
use referee_record::game_result::GameResult;
use referee_record::voids::VoidRow;
use referee_sandbox::Tier;
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
}

/// How a runner's work on a shard ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All batches of the shard are committed, by this runner or others.
    Complete,
    /// It was told to stop, or its time was over.
    Stopped,
}

/// Plays the rest of a shard on this machine, `machine.jobs` games at a time.
///
/// # Errors
///
/// If the plan cannot be followed, or a game cannot be played here. Ended games are kept.
pub fn play(
    plan: &Plan,
    shard: Shard,
    (setup, until): (&Setup, &Until),
    machine: &Machine,
    report: impl FnMut(ShardEvent),
) -> Result<Ended, Error> {
    make_room(machine.jobs.max(1), plan.seats_max()).map_err(not_played)?;
    let clock = Clock::start();
    let (mut dealer, fitness) = (Dealer::new(plan, shard, machine), Fitness::default());
    let is_over = || {
        until.stop.load(Ordering::Relaxed)
            || setup.stop.load(Ordering::Relaxed)
            || until.time.is_some_and(|time| clock.now().0 >= time)
    };
    let play = |dealt: DealtGame<'_>| {
        let came = dealt.play(setup, &fitness)?;
        Ok(ShardEvent::Game(dealt.game, came))
    };
    pool::play(machine.jobs, &until.stop, is_over, || dealer.next(), play, report)?;
    Ok(if shard.batches(plan).all(|batch| is_done(plan, batch)) { Ended::Complete } else { Ended::Stopped })
}

/// Deals out the games of a shard, batch by batch.
struct Dealer<'a> {
    plan: &'a Plan,
    machine: &'a Machine,
    waiting: VecDeque<usize>,
    /// Batches that others are playing. They come last, and are then played here, too.
    postponed: VecDeque<usize>,
    open: Option<(Arc<Open<'a>>, VecDeque<Game>)>,
}

/// A game to play, with the batch that it belongs to.
struct DealtGame<'a> {
    batch: Arc<Open<'a>>,
    game: Game,
}

/// A batch that is being played.
struct Open<'a> {
    plan: &'a Plan,
    number: usize,
    logs: String,
    games: Vec<Game>,
    state: Mutex<State>,
}

struct State {
    journal: Journal,
    came: BTreeMap<u32, GameEnd>,
    tries: BTreeMap<u32, Tries>,
    before: MachineLoad,
}

impl<'a> Dealer<'a> {
    fn new(plan: &'a Plan, shard: Shard, machine: &'a Machine) -> Dealer<'a> {
        let waiting = shard.batches(plan).collect();
        Dealer { plan, machine, waiting, postponed: VecDeque::new(), open: None }
    }

    fn next(&mut self) -> Result<Option<Dealt<DealtGame<'a>, ShardEvent>>, Error> {
        loop {
            if let Some((batch, games)) = &mut self.open
                && let Some(game) = games.pop_front()
            {
                return Ok(Some(Dealt::Game(DealtGame { batch: Arc::clone(batch), game })));
            }
            self.open = None;
            let (number, last_chance) = match self.waiting.pop_front() {
                Some(number) => (number, false),
                None => match self.postponed.pop_front() {
                    Some(number) => (number, true),
                    None => return Ok(None),
                },
            };
            if is_done(self.plan, number) {
                continue;
            }
            let history = History::read(&self.plan.folder, &self.plan.id, number)?;
            if history.is_live && !last_chance {
                self.postponed.push_back(number);
                continue;
            }
            let (batch, left, resumed) = Open::begin(self.plan, number, history, &self.machine.now())?;
            if left.is_empty() {
                batch.commit(&mut held(&batch.state))?;
            } else {
                self.open = Some((Arc::new(batch), left));
            }
            if resumed > 0 {
                return Ok(Some(Dealt::Event(ShardEvent::Resumed { batch: number, games: resumed })));
            }
        }
    }
}

impl<'a> Open<'a> {
    /// Begins an attempt at a batch. Returns the games that are left to play, and the number of those that ended
    /// before.
    fn begin(
        plan: &'a Plan,
        number: usize,
        history: History,
        machine: &Machine,
    ) -> Result<(Open<'a>, VecDeque<Game>, usize), Error> {
        let games = plan.batch(number)?;
        let mut journal = Journal::begin(&plan.folder, &plan.id, number, machine)?;
        let mut came: BTreeMap<u32, GameEnd> = history
            .ended
            .into_iter()
            .map(|(game, rows)| (game, GameEnd::Over(GameResult::new(rows))))
            .collect();
        let resumed = came.len();
        let mut tries = history.tries;
        for (attempt, game) in history.unread {
            let Some(of) = games.iter().find(|of| of.number == game) else { continue };
            let folder = logs_of(number, attempt);
            let Fixture { id, log, .. } = plan.fixture(of, &folder);
            let part = part_of(&log_path(&plan.folder, &folder, &id, log));
            let standing = LostStanding::read(&Spot::within(&plan.root, part));
            if standing.is_known() {
                journal.lost(attempt, game, standing)?;
                tries.entry(game).or_default().add_standing(standing);
            }
        }
        // What a weaker tier allows is seen when the game is dealt.
        let losses = plan.losses().limits(Tier::Strict);
        for (game, why) in tries.iter().filter_map(|(game, tries)| Some((*game, tries.given_up(losses)?))) {
            came.entry(game).or_insert(GameEnd::Void(why));
        }
        let left = games.iter().filter(|game| !came.contains_key(&game.number)).cloned().collect();
        let logs = logs_of(number, journal.attempt);
        let state = Mutex::new(State { journal, came, tries, before: MachineLoad::so_far() });
        Ok((Open { plan, number, logs, games, state }, left, resumed))
    }

    fn commit(&self, state: &mut State) -> Result<(), Error> {
        self.find_ended(state)?;
        let games = self.games.iter().map(|game| {
            let came = state.came.remove(&game.number).expect("every game has an end");
            (game.clone(), came)
        });
        let games: Vec<(Game, GameEnd)> = games.collect();
        state.journal.worn(&MachineLoad::so_far().since(state.before))?;
        let text = results::text(&self.plan.id, self.number, &games);
        let path = results_of(&self.plan.folder, self.number);
        let spot = Spot::within(&self.plan.root, &path);
        if publish::once(&spot, text.as_bytes())? == Published::Others {
            self.forget(&spot, text.len());
        }
        Ok(())
    }

    /// Looks once more for games that are void: a runner whose lock could not be seen can have ended them since this
    /// attempt began.
    fn find_ended(&self, state: &mut State) -> Result<(), Error> {
        if !state.came.values().any(|came| matches!(came, GameEnd::Void(_))) {
            return Ok(());
        }
        let mut history = History::read(&self.plan.folder, &self.plan.id, self.number)?;
        for (game, came) in state.came.iter_mut().filter(|(_, came)| matches!(came, GameEnd::Void(_))) {
            if let Some(rows) = history.ended.remove(game) {
                *came = GameEnd::Over(GameResult::new(rows));
            }
        }
        Ok(())
    }

    /// Removes the logs of this attempt that are not named in the results of the attempt that came first.
    fn forget(&self, results: &Spot, length: usize) {
        // These results are of the same games, so they are about as long.
        let Ok(named) = results.read_text(2 * length as u64) else { return };
        let folder = format!("logs/{}", self.logs);
        let logs = results.at(self.plan.folder.join(&folder));
        // Logs that stay do no harm.
        let _ = walk::each_file(&logs, |Entry { path, .. }| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if !named.contains(&format!("{folder}/{name}")) {
                let _ = results.at(&path).remove();
            }
            Ok(())
        });
    }
}

impl DealtGame<'_> {
    /// Plays the game, and commits the batch if it was the last.
    fn play(&self, setup: &Setup, fitness: &Fitness) -> Result<GameEnd, Error> {
        let fixture = self.batch.plan.fixture(&self.game, &self.batch.logs);
        let came = attempts::play(self, &fixture, setup, fitness, None)?;
        let mut state = held(&self.batch.state);
        state.came.insert(self.game.number, came.clone());
        if state.came.len() == self.batch.games.len() {
            self.batch.commit(&mut state)?;
        }
        Ok(came)
    }
}

impl Ledger for DealtGame<'_> {
    fn folder(&self) -> &Path {
        &self.batch.plan.folder
    }

    fn tries(&self, _: &Fixture) -> Tries {
        held(&self.batch.state).tries.get(&self.game.number).cloned().unwrap_or_default()
    }

    fn loss_limits(&self, sandbox: Tier) -> LossLimits {
        self.batch.plan.losses().limits(sandbox)
    }

    fn begin(&self, _: &Fixture, _: u32) -> Result<(), Error> {
        held(&self.batch.state).journal.begun(self.game.number)
    }

    fn over(&self, _: &Fixture, rows: &GameResult, log: LogFile) -> Result<(), Error> {
        // The log first: rows in a journal mean that the log is there.
        log.publish()?;
        held(&self.batch.state).journal.ended(self.game.number, rows)
    }

    fn void(&self, _: &Fixture, row: VoidRow, tries: &mut Tries) -> Result<(), Error> {
        let (plan, number) = (self.batch.plan, self.game.number);
        held(&self.batch.state).journal.void(number, &row)?;
        let mut history = History::read(&plan.folder, &plan.id, self.batch.number)?;
        *tries = history.tries.remove(&number).unwrap_or_default();
        Ok(())
    }

    /// A game that is given up is entered when the batch is committed.
    fn give_up(&self, _: &Fixture, _: &Tries, _: &str) -> Result<(), Error> {
        Ok(())
    }

    fn break_off(&self, _: &Fixture, error: Error) -> Error {
        let written = held(&self.batch.state).journal.given_up(self.game.number, &error.to_string());
        written.map_or_else(|refused| refused, |()| not_played(error))
    }
}

/// Turns an error into one to try again: another machine may succeed, and an engine sees only the exit status.
fn not_played(error: impl Into<Error>) -> Error {
    let error = error.into();
    let stopped = error.kind() == ErrorKind::Stopped;
    let kind = if stopped { ErrorKind::Stopped } else { ErrorKind::TryAgain };
    Error::because(kind, error).context("a game could not be played here")
}
