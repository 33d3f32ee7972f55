//! Spectators: people who follow a game while it is played. They can only make it wait between two turns, when no bot
//! is asked, so charges stay the same.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use referee_files::work;
use referee_record::Answer;
use referee_record::error::Error;
use referee_record::log::{GameLog, Sink};
use referee_record::{Heading, Page, Recorder};
use referee_rules::Outcome;
use referee_rules::game::Game;
use referee_table::clock::Clock;

/// An event for spectators.
#[derive(Debug)]
pub enum WatchEvent {
    /// A game begins, or begins anew after a void attempt.
    Begins(Heading, Box<dyn Game>),
    /// A turn was answered.
    Turn(Vec<Answer>),
}

/// The runner's end of the channel to spectators: it sends the events of a game, and waits at their pace.
#[derive(Debug)]
pub struct Broadcast {
    events: Sender<WatchEvent>,
    pace: Pace,
}

/// The delay between two turns, which spectators can change.
#[derive(Clone, Debug, Default)]
pub struct Pace(Arc<(Mutex<Waiting>, Condvar)>);

/// How a game waits between two turns.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    delay: Duration,
    /// Whether the game stands still until this changes.
    is_paused: bool,
}

impl Broadcast {
    /// Returns both ends of the channel, and the pace that they share.
    pub fn new(delay: Duration) -> (Broadcast, Receiver<WatchEvent>, Pace) {
        let (sender, receiver) = mpsc::channel();
        let pace = Pace::default();
        pace.set(delay, false);
        (Broadcast { events: sender, pace: pace.clone() }, receiver, pace)
    }

    /// Shows that a game begins.
    pub(super) fn begins(&self, heading: &Heading, game: &dyn Game) {
        self.show(WatchEvent::Begins(heading.clone(), game.copied()));
    }

    /// Sends an event. The receiver may be gone.
    fn show(&self, event: WatchEvent) {
        let _ = self.events.send(event);
    }
}

impl Pace {
    /// Sets the delay between two turns, or pauses the game until the next call.
    pub fn set(&self, delay: Duration, is_paused: bool) {
        let (waiting, changed) = &*self.0;
        *waiting.lock().unwrap_or_else(PoisonError::into_inner) = Waiting { delay, is_paused };
        changed.notify_all();
    }

    /// Lets the game go on as fast as it can.
    pub fn release(&self) {
        self.set(Duration::ZERO, false);
    }

    /// Waits between two turns.
    fn wait(&self) {
        let (waiting, changed) = &*self.0;
        let guard = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let delay = guard.delay;
        if !delay.is_zero() {
            // A new pace ends this delay, and counts from the next one.
            let waited = changed.wait_timeout(guard, delay).unwrap_or_else(PoisonError::into_inner);
            drop(waited);
        } else {
            drop(guard);
        }
        let guard = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        drop(changed.wait_while(guard, |waiting| waiting.is_paused).unwrap_or_else(PoisonError::into_inner));
    }
}

/// A log of a game, with its spectators if there are some.
pub(super) struct Watched<'a, S> {
    log: &'a mut GameLog<S>,
    watch: Option<&'a Broadcast>,
    live: Option<Live>,
    /// Whether the log is written after each turn.
    is_each_turn: bool,
}

impl<'a, S> Watched<'a, S> {
    pub(super) fn new(
        log: &'a mut GameLog<S>,
        watch: Option<&'a Broadcast>,
        flush: FlushWhen,
    ) -> Watched<'a, S> {
        let live = if flush == FlushWhen::Timed { Some(Live::start()) } else { None };
        Watched { log, watch, live, is_each_turn: flush == FlushWhen::EachTurn }
    }
}

/// When a log is written to its file while its game is played, always between two turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlushWhen {
    /// When a block of text is full.
    BlockFull,
    /// Also after a while, so that spectators can follow the game.
    Timed,
    /// After each turn, before the next one is asked, so that the log shows how far the game came if it is lost again.
    EachTurn,
}

/// The least time between two writes of a log that spectators follow.
const WRITE_EVERY: Duration = Duration::from_millis(250);

/// When a log that spectators follow was last written.
struct Live {
    clock: Clock,
    written: Duration,
}

impl Live {
    fn start() -> Live {
        Live { clock: Clock::start(), written: Duration::ZERO }
    }

    /// Tells whether the log is to be written now, and notes that it is.
    fn take_due(&mut self) -> bool {
        let now = self.clock.now().0;
        let is_due = now - self.written >= WRITE_EVERY;
        if is_due {
            self.written = now;
        }
        is_due
    }
}

impl<S: Sink> Recorder for Watched<'_, S> {
    fn turn(&mut self, page: &Page<'_>) {
        self.log.turn(page);
        if let Some(watch) = self.watch {
            watch.show(WatchEvent::Turn(page.answers.to_vec()));
        }
    }

    fn turn_at_once(&mut self, page: &Page<'_>) -> Result<bool, Error> {
        if self.is_each_turn {
            self.turn(page);
            self.log.flush()?;
        }
        Ok(self.is_each_turn)
    }

    fn flush_if_full(&mut self) -> Result<(), Error> {
        // This is called once in each turn, while no bot is asked.
        work::turn_done();
        if self.live.as_mut().is_some_and(Live::take_due) {
            self.log.flush()?;
        } else {
            self.log.flush_if_full()?;
        }
        if let Some(watch) = self.watch {
            watch.pace.wait();
        }
        Ok(())
    }

    fn end(&mut self, turns: u32, outcome: &Outcome) -> Result<(), Error> {
        self.log.end(turns, outcome)
    }
}
