//! A runner of a contest. Any number of runners, on any machines, share its games: each claims a unit of games before
//! it plays them, waits for the units of others, and takes over from runners that are gone.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use referee_files::beneath::Spot;
use referee_files::lock;
use referee_files::log::LogFile;
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::voids::VoidRow;
use referee_sandbox::Tier;
use referee_store::Claim;
use referee_table::clock::Clock;
use referee_table::process::Setup;

use crate::fixture::Fixture;
use crate::recorder::Recorder;
use crate::runner::GameEnd;
use crate::runner::attempts::{self, Ledger};
use crate::runner::fitness::Fitness;
use crate::runner::pool::{self, Dealt, held};
use crate::runner::tries::{LostMax, Tries};

/// Games that one runner claims together: on a hill one, in a tournament a batch.
pub(crate) trait Unit: Send + Sync {
    /// Returns its name in the records.
    fn name(&self) -> String;

    /// Lists the names of its games.
    fn games(&self) -> Result<Vec<String>, Error>;

    /// Returns one of its games, by its number from 0. `attempt` is the number of this try at the unit, from 0.
    fn fixture(&self, game: usize, attempt: u32) -> Fixture;
}

/// What differs between a hill and a tournament.
pub(crate) trait Contest: Sync {
    type Unit: Unit;

    /// Whether each try at a unit has a folder of logs of its own.
    const HAS_FOLDERS_OF_TRIES: bool;

    /// Returns its folder.
    fn root(&self) -> &Path;

    /// Returns the unfinished log of an attempt at a game. `folder` is what the record of the attempt names; empty if
    /// it names none.
    fn unfinished(&self, game: &str, folder: &str) -> Option<Spot>;

    /// Makes sure that a unit without a known claim, which has these games, may be claimed.
    fn check_claim(&self, _: &Recorder, _: &Self::Unit, _games: &[&str]) -> Result<(), Error> {
        Ok(())
    }

    /// Takes note of the end of a game that this runner has recorded: its rows, or `None` if it was given up. Its log
    /// does not have its final name yet.
    fn game_ended(&self, recorder: &mut Recorder, rows: Option<&GameResult>) -> Result<(), Error>;

    /// Returns the error to report of a game that could not be played.
    fn not_played(&self, error: Error) -> Error {
        error
    }
}

/// What happens while units are played.
pub(crate) enum UnitEvent<U> {
    /// A game that was just played has ended.
    Ended(Arc<U>, Fixture, GameEnd),
    /// A unit was claimed or is over, and this number of its games have ended: others have played them, or they were
    /// given up when it was claimed.
    Before(Arc<U>, usize),
    /// Another runner plays a unit, and is waited for. The machine of that runner comes with it, if it was recorded.
    Elsewhere(Arc<U>, Option<String>),
}

/// A runner, from its start to its end.
#[derive(Debug)]
pub(crate) struct Runner<C> {
    pub(crate) contest: C,
    losses: LostMax,
    fitness: Fitness,
    recorder: Mutex<Recorder>,
    take_over: Option<TakeOver>,
}

/// Whose units a runner takes over, though their runners seem to live.
#[derive(Debug)]
struct TakeOver {
    /// The machine whose runners hang.
    node: String,
    /// The runners that were there when this one began, of all machines.
    runners: Vec<String>,
}

/// A unit that this runner plays.
struct Open<'r, C: Contest> {
    runner: &'r Runner<C>,
    unit: Arc<C::Unit>,
    name: String,
}

/// A unit that this runner plays, with what is still to be dealt of it.
struct OpenGames<'r, C: Contest> {
    unit: Arc<Open<'r, C>>,
    /// The numbers of the games that are still to be dealt.
    games: VecDeque<usize>,
    /// The number of this try at the unit, from 0.
    attempt: u32,
}

/// A game to play, of a unit.
struct OpenGame<'r, C: Contest> {
    open: Arc<Open<'r, C>>,
    fixture: Fixture,
}

/// What the pool is dealt next.
type DealtOf<'r, C> = Dealt<OpenGame<'r, C>, UnitEvent<<C as Contest>::Unit>>;

/// The units that are to be dealt.
type UnitsToPlay<'d, U> = Box<dyn Iterator<Item = Arc<U>> + Send + 'd>;

/// The answer to a claim for a unit.
enum Claimed {
    /// This runner plays it.
    Mine {
        /// The numbers of the games that have not ended.
        left: VecDeque<usize>,
        /// The number of this try at the unit, from 0.
        attempt: u32,
        /// Number of games that have ended.
        ended: usize,
    },
    /// All its games have ended: their number.
    Over(usize),
    /// Another runner is playing it.
    Others,
}

/// The time after which the user is told of a wait for a runner that has recorded no machine: those of a hill record
/// none, and are other processes of this machine.
const SILENT_MAX: Duration = Duration::from_secs(10);

/// Maximum time between two looks of a runner that waits. It is a tenth of the wait so far.
const PAUSE_MAX: Duration = Duration::from_millis(200);

/// The time after which a runner that waits sees whether it is stopped, and whether the next look is due.
const MOMENT: Duration = Duration::from_millis(20);

impl<C: Contest> Runner<C> {
    pub(crate) fn new(contest: C, recorder: Recorder, losses: LostMax) -> Runner<C> {
        let (fitness, recorder) = (Fitness::default(), Mutex::new(recorder));
        Runner { contest, losses, fitness, recorder, take_over: None }
    }

    /// Takes over from the runners of a machine that are there now, though they seem to live.
    pub(crate) fn take_over_from(&mut self, node: String) -> Result<(), Error> {
        let runners = self.recorder().records.runners()?;
        self.take_over = Some(TakeOver { node, runners });
        Ok(())
    }

    pub(crate) fn recorder(&self) -> MutexGuard<'_, Recorder> {
        held(&self.recorder)
    }

    /// Plays units, `jobs` games at a time, until all their games have ended, here or elsewhere, or until `is_over`.
    /// Reports come in the order in which games were dealt. An error sets `no_more`, which `is_over` must look at.
    pub(crate) fn play(
        &self,
        units: impl Iterator<Item = C::Unit> + Send,
        (setup, jobs): (&Setup, usize),
        no_more: &AtomicBool,
        is_over: impl Fn() -> bool + Sync,
        mut report: impl FnMut(UnitEvent<C::Unit>),
    ) -> Result<(), Error> {
        let mut to_play: UnitsToPlay<'_, C::Unit> = Box::new(units.map(Arc::new));
        let mut reported = BTreeSet::new();
        loop {
            let (mut elsewhere, mut open) = (Vec::new(), None);
            let deal = || self.deal(&mut to_play, &mut elsewhere, &mut reported, &mut open);
            pool::play(jobs, no_more, &is_over, deal, |game| OpenGame::play(game, setup), &mut report)?;
            if elsewhere.is_empty() || is_over() {
                return Ok(());
            }
            self.wait_for(&elsewhere, &is_over)?;
            to_play = Box::new(elsewhere.into_iter());
        }
    }

    /// Returns the next game to play, of the open unit or of the next one, or the next event.
    fn deal<'r>(
        &'r self,
        to_play: &mut UnitsToPlay<'_, C::Unit>,
        elsewhere: &mut Vec<Arc<C::Unit>>,
        reported: &mut BTreeSet<String>,
        open: &mut Option<OpenGames<'r, C>>,
    ) -> Result<Option<DealtOf<'r, C>>, Error> {
        loop {
            if let Some(OpenGames { unit: open_unit, games, attempt }) = open
                && let Some(game) = games.pop_front()
            {
                let fixture = open_unit.unit.fixture(game, *attempt);
                return Ok(Some(Dealt::Game(OpenGame { open: Arc::clone(open_unit), fixture })));
            }
            *open = None;
            let Some(unit) = to_play.next() else { return Ok(None) };
            let ended = match self.claim(&unit)? {
                Claimed::Others => {
                    elsewhere.push(Arc::clone(&unit));
                    let name = unit.name();
                    if reported.contains(&name) {
                        continue;
                    }
                    let node = self.recorder().records.node_at(&name)?;
                    reported.insert(name);
                    return Ok(Some(Dealt::Event(UnitEvent::Elsewhere(unit, node))));
                }
                Claimed::Over(ended) => ended,
                Claimed::Mine { left: games, attempt, ended } => {
                    let open_unit = Open { runner: self, unit: Arc::clone(&unit), name: unit.name() };
                    *open = Some(OpenGames { unit: Arc::new(open_unit), games, attempt });
                    ended
                }
            };
            if ended > 0 {
                return Ok(Some(Dealt::Event(UnitEvent::Before(unit, ended))));
            }
        }
    }

    /// Claims a unit, if no other runner that lives has it. If runners that are gone have begun games of it, records
    /// these attempts as lost.
    fn claim(&self, unit: &C::Unit) -> Result<Claimed, Error> {
        let (name, games) = (unit.name(), unit.games()?);
        let games: Vec<&str> = games.iter().map(String::as_str).collect();
        let mut recorder = self.recorder();
        if recorder.records.runner_at(&name).is_none() {
            self.contest.check_claim(&recorder, unit, &games)?;
        }
        let mut claim = recorder.claim(&name, &games)?;
        if claim == Claim::Others {
            if !self.is_hanging(&recorder, &name)? {
                return Ok(Claimed::Others);
            }
            claim = recorder.records.take_over(&name, &games)?;
        }
        let has_ended = |recorder: &Recorder, game: &str| recorder.records.state().ending(game).is_some();
        for game in &games {
            if claim == Claim::Mine && !has_ended(&recorder, game) {
                self.settle(&mut recorder, &name, game)?;
            }
        }
        let left: VecDeque<usize> =
            (0..games.len()).filter(|game| !has_ended(&recorder, games[*game])).collect();
        let ended = games.len() - left.len();
        if left.is_empty() {
            return Ok(Claimed::Over(ended));
        }
        let attempt = recorder.records.try_at(&name).unwrap_or_default();
        Ok(Claimed::Mine { left, attempt, ended })
    }

    /// Tells whether the runner of a unit hangs, as the user says: then the unit is taken over though the runner seems
    /// to live.
    fn is_hanging(&self, recorder: &Recorder, unit: &str) -> Result<bool, Error> {
        let Some(TakeOver { node, runners }) = &self.take_over else { return Ok(false) };
        let Some(runner) = recorder.records.runner_at(unit) else { return Ok(false) };
        Ok(runners.iter().any(|other| other == runner)
            && recorder.records.node_at(unit)?.as_ref() == Some(node))
    }

    /// Records the attempts at a game that were lost with their runners, and removes their unfinished logs.
    fn settle(&self, recorder: &mut Recorder, unit: &str, game: &str) -> Result<(), Error> {
        let mut logs = Vec::new();
        let log_of = |folder: &str| {
            let log = self.contest.unfinished(game, folder);
            logs.extend(log.clone());
            log
        };
        recorder.settle_lost(unit, game, log_of, self.losses)?;
        for log in logs {
            let _ = log.remove(); // a log that stays does no harm
        }
        Ok(())
    }

    /// Waits until one of these units, which others play, has ended or can be claimed; or until `is_over`.
    fn wait_for(&self, units: &[Arc<C::Unit>], is_over: impl Fn() -> bool) -> Result<(), Error> {
        self.recorder().records.rest()?;
        let (clock, mut is_told, mut next_look) = (Clock::start(), false, MOMENT);
        while !is_over() {
            thread::sleep(MOMENT);
            let waited = clock.now().0;
            if waited < next_look {
                continue;
            }
            for unit in units {
                if is_over() || self.is_free(unit)? {
                    return Ok(());
                }
            }
            if waited > SILENT_MAX && !is_told {
                self.tell_wait(&units[0].name())?;
                is_told = true;
            }
            next_look = waited + (waited / 10).min(PAUSE_MAX);
        }
        Ok(())
    }

    /// Tells the user that another process of this machine is waited for. Of a runner that has recorded its machine, an
    /// event was reported.
    fn tell_wait(&self, unit: &str) -> Result<(), Error> {
        let recorder = self.recorder();
        if recorder.records.node_at(unit)?.is_none() {
            let holder = recorder.records.holder_at(unit);
            let remedy = holder.remedy();
            lock::tell(&format!("waiting for {unit}, which {holder} plays; if it hangs: {remedy}"));
        }
        Ok(())
    }

    /// Tells whether a unit of another runner has ended or can be claimed by now. If it is free, it is claimed.
    fn is_free(&self, unit: &C::Unit) -> Result<bool, Error> {
        let (name, games) = (unit.name(), unit.games()?);
        let games: Vec<&str> = games.iter().map(String::as_str).collect();
        let mut recorder = self.recorder();
        Ok(recorder.claim(&name, &games)? != Claim::Others || self.is_hanging(&recorder, &name)?)
    }
}

impl<C: Contest> OpenGame<'_, C> {
    fn play(self, setup: &Setup) -> Result<UnitEvent<C::Unit>, Error> {
        let Open { runner, unit, .. } = &*self.open;
        let end = attempts::play(&self, &self.fixture, setup, &runner.fitness, None)?;
        Ok(UnitEvent::Ended(Arc::clone(unit), self.fixture, end))
    }
}

impl<C: Contest> Ledger for OpenGame<'_, C> {
    fn folder(&self) -> &Path {
        self.open.runner.contest.root()
    }

    fn tries(&self, fixture: &Fixture) -> Tries {
        self.open.runner.recorder().tries(&fixture.id)
    }

    fn loss_limits(&self, _: Tier) -> LostMax {
        self.open.runner.losses
    }

    fn begin(&self, fixture: &Fixture, attempt: u32) -> Result<(), Error> {
        self.open.runner.recorder().begin(&self.open.name, fixture, attempt)
    }

    fn over(&self, fixture: &Fixture, rows: &GameResult, log: LogFile) -> Result<(), Error> {
        let Open { runner, .. } = &*self.open;
        let mut recorder = runner.recorder();
        if let Err(error) = recorder.over(fixture, rows) {
            // The record may count all the same: then the next runner gives the log its final name. The log is dropped
            // only if the record certainly does not count, and no other runner can be writing a log of this name by
            // now.
            match recorder.records.counts_after_all(&fixture.id) {
                Ok(Some(false)) if C::HAS_FOLDERS_OF_TRIES => drop(log),
                _ => log.leave(),
            }
            return Err(error);
        }
        log.leave();
        runner.contest.game_ended(&mut recorder, Some(rows))
    }

    fn void(&self, fixture: &Fixture, row: VoidRow, tries: &mut Tries) -> Result<(), Error> {
        self.open.runner.recorder().void(&self.open.name, fixture, &row, tries)
    }

    fn give_up(&self, fixture: &Fixture, tries: &Tries, why: &str) -> Result<(), Error> {
        let Open { runner, name, .. } = &*self.open;
        let mut recorder = runner.recorder();
        recorder.give_up(name, fixture, tries, why)?;
        runner.contest.game_ended(&mut recorder, None)
    }

    fn break_off(&self, fixture: &Fixture, error: Error) -> Error {
        self.open.runner.recorder().break_off(fixture);
        self.open.runner.contest.not_played(error)
    }
}
