//! A table of real programs: pipes, one poll loop, process groups, and the farewell.
//!
//! One thread plays one game. It never blocks on a bot, neither reading nor writing. The [`Collector`] decides
//! which answer counts.

mod bot;
mod charging;
mod descriptor_limit;
pub mod dialogue;
mod family;
mod host;
mod memory;
mod meter;
mod order;
mod proc_files;
mod setup;
mod threads;
mod yield_policy;

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use smallvec::SmallVec;

use self::bot::Bot;
pub use self::descriptor_limit::make_room;
use self::host::Host;
use self::memory::LastLook;
pub use self::memory::Memory;
use self::meter::{OwnThread, Stolen};
pub use self::setup::{Echo, Program, Setup, Surroundings, Timekeeping};
use self::yield_policy::YieldPolicy;
use crate::clock::{Clock, Moment};
use crate::excerpt::Excerpt;
use referee_record::play::collect::Collector;
use referee_record::play::table::{Question, Table, TableError, Void};
use referee_record::{Answer, Dropped};
use referee_rules::{BySeat, Fault, Info, Seat};
use referee_sandbox::launcher::Patience;
use referee_sandbox::timespec;

/// The output of a bot that remains after the farewell.
#[derive(Clone, Debug, Default)]
pub struct Leftovers {
    /// Its standard error.
    pub errors: Excerpt,
    /// Lines that came after its last answer.
    pub dropped: Dropped,
}

/// A table of real programs for one game.
#[derive(Debug)]
pub struct ProcessTable {
    clock: Clock,
    timekeeping: Timekeeping,
    own_thread: OwnThread,
    stolen: Stolen,
    host: Host,
    bots: BySeat<Bot>,
    collector: Collector,
    stop: Arc<AtomicBool>,
    /// Whether bots that are not asked may think; otherwise they are frozen.
    ponder: bool,
    /// Seats in which an overloaded host no longer makes the game void.
    late_if_starved: Vec<Seat>,
    /// The seats of the turn's questions.
    asked: Vec<Seat>,
    /// The seats whose answer to a question that was put is awaited.
    waited_for: Vec<Seat>,
    /// The turn's questions, if one bot thinks at a time.
    queue: Vec<Question>,
    /// How many of the turn's questions have been put.
    asked_count: usize,
    buffer: Box<[u8; CHUNK_BYTES]>,
    /// Number of turns that have been collected, which is the number of the current turn.
    turns: u32,
    memory_look: LastLook,
    turn_start: Moment,
    /// When the referee last looked at the bots, or put their questions.
    last_look: Moment,
    /// How long the referee was suspended since the questions were put: by a signal, a freezer, or another system.
    referee_absence: Duration,
    /// When the last turn ended, or all programs were started.
    gap_start: Moment,
    /// Number of further turns after which bots are frozen, since the gap may be long.
    turns_with_freeze: u32,
    yield_policy: YieldPolicy,
}

/// Number of pipes up to which a wait allocates no memory.
const INLINE_PIPES: usize = 32;

/// Number of bytes that are read at once.
const CHUNK_BYTES: usize = 16 * 1024;

/// Time limit for a bot to end after its input is closed.
const FAREWELL_MAX: Duration = Duration::from_secs(1);

/// How long a wait watches the answers alone. It watches standard error only later, so quick turns do not
/// poll twice as many pipes. The time is longer than a tick of the system's clock: a shorter timer would be
/// set in the hardware for each wait, which took 4 of 25 microseconds a turn.
const STDERR_POLL: Duration = Duration::from_millis(20);

/// How long a wait lasts before the referee checks whether it was told to stop.
const WAIT_MAX: Duration = Duration::from_millis(50);

/// Number of turns after which standard error is emptied even if no wait was longer than a [`STDERR_POLL`].
const ERRORS_EVERY: u32 = 16;

impl ProcessTable {
    /// Starts a program for each seat. A program that cannot be started is a fault of the seat. A seat
    /// without a program never answers. If the process that starts programs does not answer, another one is tried.
    ///
    /// # Errors
    ///
    /// If the system refuses pipes, a scratch folder or another process, a program cannot be confined, or the referee
    /// is told to stop meanwhile.
    pub fn open(
        info: &Info,
        programs: &BySeat<Option<Program>>,
        setup: &Setup,
    ) -> Result<ProcessTable, TableError> {
        patiently(setup, || ProcessTable::try_open(info, programs, setup))
    }

    fn try_open(
        info: &Info,
        programs: &BySeat<Option<Program>>,
        setup: &Setup,
    ) -> Result<ProcessTable, TableError> {
        make_room(1, programs.len())?;
        let mut table = ProcessTable::without_bots(info, programs.len(), setup);
        let mut bots = Vec::with_capacity(programs.len());
        let mut refusal = None;
        for (seat, program) in programs.iter() {
            let Some(program) = program else {
                table.collector.gone(seat, Fault::Closed, table.clock.now());
                bots.push(Bot::default());
                continue;
            };
            match bot::start(info, seat, program, setup) {
                Ok(bot) => bots.push(bot),
                Err(error) => refusal = Some(error),
            }
        }
        table.bots = bots.into();
        // After this, an error drops the table, which ends all started programs.
        if let Some(error) = refusal {
            return Err(TableError::System { what: bot::NO_PROCESS, error });
        }
        let patience = Patience::until(&setup.stop);
        for (seat, bot) in table.bots.iter_mut() {
            bot.wait_for_start(seat, &patience)?;
            if table.timekeeping != Timekeeping::Wall
                && let Some(meter) = bot.meter()
            {
                meter.begin(table.clock.now());
            }
        }
        table.gap_start = table.clock.now();
        Ok(table)
    }

    fn without_bots(info: &Info, seats: usize, setup: &Setup) -> ProcessTable {
        ProcessTable {
            clock: Clock::start(),
            timekeeping: setup.timekeeping,
            own_thread: OwnThread::here(),
            stolen: Stolen::new(),
            host: Host::here(),
            bots: Vec::new().into(),
            collector: Collector::new(seats),
            stop: Arc::clone(&setup.stop),
            ponder: info.time.ponder,
            late_if_starved: setup.late_if_starved.clone(),
            asked: Vec::new(),
            waited_for: Vec::new(),
            queue: Vec::new(),
            asked_count: 0,
            buffer: Box::new([0; CHUNK_BYTES]),
            turns: 0,
            memory_look: LastLook::default(),
            turn_start: Moment::default(),
            last_look: Moment::default(),
            referee_absence: Duration::ZERO,
            gap_start: Moment::default(),
            turns_with_freeze: 0,
            yield_policy: YieldPolicy::default(),
        }
    }

    /// Starts a program for one seat; the others never answer.
    pub fn alone(
        info: &Info,
        seat: Seat,
        program: &Program,
        setup: &Setup,
    ) -> Result<ProcessTable, TableError> {
        let programs = BySeat::from_fn(info.seats, |other| (other == seat).then(|| program.clone()));
        ProcessTable::open(info, &programs, setup)
    }

    /// Returns the process number of a seat's program, while it runs.
    pub fn process(&self, seat: Seat) -> Option<i32> {
        self.bots[seat].pid().map(|process| process.as_raw_nonzero().get())
    }

    /// Ends the game for the bots: closes their input, gives them a second to end, kills the rest of each
    /// process group, and returns the output that they leave behind.
    pub fn farewell(mut self) -> BySeat<Leftovers> {
        self.dismiss();
        let leftovers = self.bots.iter_mut().map(|(seat, bot)| Leftovers {
            errors: std::mem::take(&mut bot.errors),
            dropped: self.collector.dropped(seat),
        });
        leftovers.collect()
    }

    /// Lets all bots end within a second, and kills those that have not.
    fn dismiss(&mut self) {
        self.own_thread.lower_priority();
        for (_, bot) in self.bots.iter_mut() {
            bot.go_on();
            bot.stdin = None;
        }
        self.wait_for_ends();
        let now = self.clock.now();
        for (_, bot) in self.bots.iter_mut() {
            bot.kill();
        }
        let patience = Patience::until(&self.stop);
        for (seat, bot) in self.bots.iter_mut() {
            let count =
                bot.stdout.as_ref().and_then(|pipe| rustix::io::read(pipe, &mut self.buffer[..]).ok());
            self.collector.bytes(seat, &self.buffer[..count.unwrap_or(0)], now);
            bot.remove(&mut *self.buffer, &patience);
        }
    }

    /// Waits until all bots have ended, for a second at most. Does not wait for a bot that was never started, nor once
    /// the referee is told to stop.
    fn wait_for_ends(&mut self) {
        let deadline = self.clock.now() + FAREWELL_MAX;
        while !self.stop.load(Ordering::Relaxed) && self.clock.now() < deadline {
            let mut polled: Vec<PollFd<'_>> = Vec::new();
            for bot in self.bots.as_slice() {
                let Some(running) = &bot.child else { continue };
                if bot.exit().is_none() && !bot.is_lost() {
                    polled.push(PollFd::from_borrowed_fd(running.ended(), PollFlags::IN));
                    polled.extend(bot.stderr.iter().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
                }
            }
            if polled.is_empty() {
                return;
            }
            let time = (deadline - self.clock.now()).min(WAIT_MAX);
            let _ = poll(&mut polled, Some(&timespec(time)));
            self.empty_errors();
            self.watch_memory(self.clock.now());
        }
    }

    /// Ends bots that hold more memory than allowed, whether they are asked or not. Checks only from time to
    /// time.
    fn watch_memory(&mut self, now: Moment) {
        if !self.memory_look.is_long_ago(now) {
            return;
        }
        for (seat, bot) in self.bots.iter_mut() {
            if let Some(fault) = bot.watch_memory() {
                self.collector.gone(seat, fault, now);
            }
        }
    }

    fn empty_errors(&mut self) {
        for (_, bot) in self.bots.iter_mut() {
            bot.empty_errors(&mut *self.buffer);
        }
    }

    /// Writes a question, or as much of it as fits. Takes the present time, and returns the time afterwards.
    ///
    /// The bot's time begins before the write: it can have answered before the referee gets to read the clock again.
    fn ask_one(&mut self, question: &Question, has_output: bool, now: Moment) -> Moment {
        let seat = question.seat;
        let bot = &mut self.bots[seat];
        if self.collector.is_gone(seat) || !bot.unsent.is_empty() {
            // A part of the last question has not been written yet: try to write it, but put no other
            // question.
            bot.send_rest();
            self.collector.cannot_ask(seat);
            return now;
        }
        let unread = if has_output { bot::unread_bytes(bot.stdout.as_ref()) } else { 0 };
        bot.ran_before_question = std::mem::take(&mut bot.ran_unasked);
        // As if the question had been put earlier by that time.
        let charged_from = Moment(now.0.saturating_sub(bot.ran_before_question));
        self.collector.ask(seat, question.limit, charged_from, unread as usize);
        self.waited_for.push(seat);
        if bot.send(&question.line) {
            self.collector.written(seat, charged_from);
        }
        self.clock.now()
    }

    /// Puts all questions at once.
    fn ask_all(&mut self, questions: &[Question]) {
        self.waited_for.clear();
        self.referee_absence = Duration::ZERO;
        let mut now = self.clock.now();
        // The referee can be suspended while it puts the questions: the first look notices.
        self.last_look = now;
        self.note_look(now);
        if self.timekeeping == Timekeeping::Serial {
            for question in questions {
                self.charge_idle_time(question.seat, now);
            }
        }
        // Before any bot may run: one that went on earlier could compute for nothing.
        self.begin_metering(questions, now);
        self.let_go_on(questions);
        let have_output = self.end_turns_of_errors(questions);
        now = self.clock.now();
        for (question, has_output) in questions.iter().zip(have_output) {
            now = self.ask_one(question, has_output, now);
        }
    }

    /// Puts the next question if questions are put one by one and none is open. Tells whether an answer is awaited.
    fn ask_next_if_none_is_open(&mut self) -> bool {
        while self.waited_for.is_empty() && self.asked_count < self.asked.len() {
            let queue = std::mem::take(&mut self.queue);
            self.ask_all(&queue[self.asked_count..=self.asked_count]);
            self.queue = queue;
            self.asked_count += 1;
        }
        !self.waited_for.is_empty()
    }

    /// Notes how much the seats have written to standard error: that belongs to the previous turn. Returns which of
    /// them have unread output. One poll covers all, so a bot that writes nothing to standard error costs no call.
    fn end_turns_of_errors(&mut self, questions: &[Question]) -> SmallVec<[bool; INLINE_PIPES]> {
        let ready: SmallVec<[[bool; 2]; INLINE_PIPES]> = {
            let bots = || questions.iter().map(|question| &self.bots[question.seat]);
            let pipes = bots().flat_map(|bot| [&bot.stdout, &bot.stderr]).flatten();
            let mut polled: SmallVec<[PollFd<'_>; INLINE_PIPES]> =
                pipes.map(|pipe| PollFd::new(pipe, PollFlags::IN)).collect();
            // If the system refuses, each is checked individually.
            let has_failed = poll(&mut polled, Some(&timespec(Duration::ZERO))).is_err();
            let mut results = polled.iter();
            let mut is_ready = |pipe: &Option<OwnedFd>| {
                // A pipe that is closed was not polled.
                let result = if pipe.is_some() { results.next() } else { None };
                result.is_some_and(|result| has_failed || !result.revents().is_empty())
            };
            bots().map(|bot| [&bot.stdout, &bot.stderr].map(&mut is_ready)).collect()
        };
        for (question, [_, has_complained]) in questions.iter().zip(&ready) {
            self.bots[question.seat].end_turn(Some(self.turns), *has_complained);
        }
        ready.into_iter().map(|[has_output, _]| has_output).collect()
    }

    /// Waits for the next event, at most until the next deadline or for `patience`. Returns `false` if
    /// nothing happened.
    fn wait(&mut self, patience: Duration, with_errors: bool) -> Result<bool, TableError> {
        let before = self.clock.now();
        let deadlines = self.waited_for.iter().filter_map(|seat| self.collector.deadline(*seat));
        let until = deadlines.min().map_or(Duration::ZERO, |deadline| deadline - before);
        let planned = until.min(patience);
        let events = self.poll(planned, with_errors)?;
        let now = self.clock.now();
        self.begin_look(now, planned);
        let Some(Events { any, ready }) = events else { return Ok(true) };
        self.watch_memory(now);
        if any {
            for (index, _) in ready.iter().enumerate().filter(|(_, ready)| **ready) {
                self.look_at(self.waited_for[index], now)?;
            }
            if with_errors {
                self.empty_errors();
                self.fail_if_launcher_is_lost()?;
            }
        }
        self.end_waiting(self.last_look)?;
        Ok(any)
    }

    /// Notes that the referee looks at the pipes, after a wait that was planned to last this long.
    fn begin_look(&mut self, now: Moment, planned: Duration) {
        let since_look = now - std::mem::replace(&mut self.last_look, now);
        self.note_look(now);
        self.notice_absence(since_look, planned);
    }

    /// Waits until an awaited bot has written, can be written to, or has ended. `None` if a signal ended the wait.
    fn poll(&self, patience: Duration, with_errors: bool) -> Result<Option<Events>, TableError> {
        let mut polled: SmallVec<[PollFd<'_>; INLINE_PIPES]> = SmallVec::new();
        // For each awaited bot: the end of its part of `polled`.
        let mut ends: SmallVec<[usize; INLINE_PIPES]> = SmallVec::new();
        for &seat in &self.waited_for {
            let bot = &self.bots[seat];
            match (&bot.ending, &bot.child, &bot.stdout) {
                (Some(_), Some(running), _) => {
                    polled.push(PollFd::from_borrowed_fd(running.ended(), PollFlags::IN))
                }
                (None, _, Some(stdout)) => polled.push(PollFd::new(stdout, PollFlags::IN)),
                _ => {}
            }
            if !bot.unsent.is_empty() {
                polled.extend(bot.stdin.iter().map(|pipe| PollFd::new(pipe, PollFlags::OUT)));
            }
            ends.push(polled.len());
        }
        if with_errors {
            let pipes = self.bots.as_slice().iter().filter_map(|bot| bot.stderr.as_ref());
            polled.extend(pipes.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
            // Processes of a bot may hold its pipes open when its launcher was killed.
            let bots = self.waited_for.iter().filter_map(|seat| self.bots[*seat].child.as_ref());
            polled.extend(bots.map(|bot| PollFd::from_borrowed_fd(bot.ended(), PollFlags::IN)));
        }
        // One nanosecond past the deadline: at the deadline itself an answer is still in time.
        let time = timespec(patience.saturating_add(Duration::from_nanos(1)));
        let any = match poll(&mut polled, Some(&time)) {
            Ok(count) => count > 0,
            Err(Errno::INTR) => return Ok(None),
            Err(error) => {
                return Err(TableError::System { what: "cannot wait for bots", error: error.into() });
            }
        };
        let mut start = 0;
        let is_ready = |end: usize| {
            let of_bot = &polled[std::mem::replace(&mut start, end)..end];
            of_bot.iter().any(|pipe| !pipe.revents().is_empty())
        };
        Ok(Some(Events { any, ready: ends.into_iter().map(is_ready).collect() }))
    }

    /// Reads the available output, without a wait. Tells whether one of the bots is no longer awaited.
    fn look_at_all(&mut self, now: Moment) -> Result<bool, TableError> {
        self.begin_look(now, Duration::ZERO);
        self.watch_memory(now);
        let waited_for = self.waited_for.len();
        for index in 0..waited_for {
            self.look_at(self.waited_for[index], now)?;
        }
        self.end_waiting(self.last_look)?;
        Ok(self.waited_for.len() < waited_for)
    }

    /// Makes the game void if a bot's launcher was killed: nothing supervises the bot any more.
    fn fail_if_launcher_is_lost(&self) -> Result<(), TableError> {
        let Some(&seat) = self.waited_for.iter().find(|seat| self.bots[**seat].is_lost()) else {
            return Ok(());
        };
        let why = "its launcher was killed".to_owned();
        Err(TableError::Void(Void::SandboxError { seat, why }))
    }

    /// Reads the output of one bot, writes the rest of its question, and checks whether it has ended.
    fn look_at(&mut self, seat: Seat, now: Moment) -> Result<(), TableError> {
        let bot = &mut self.bots[seat];
        if !bot.unsent.is_empty() && bot.send_rest() {
            self.collector.rest_written(seat, now);
        }
        if bot.ending.is_none()
            && let Some(stdout) = &bot.stdout
        {
            match rustix::io::read(stdout, &mut self.buffer[..]) {
                Ok(0) => {
                    bot.stdout = None;
                    bot.ending = Some(Fault::Closed);
                }
                Ok(count) => {
                    bot.has_spoken = true;
                    let read_at = self.time_of_read();
                    self.charge(seat, read_at);
                    self.collector.bytes(seat, &self.buffer[..count], read_at);
                }
                Err(_) => {} // nothing there after all
            }
        }
        let bot = &mut self.bots[seat];
        if bot.ending.is_none() {
            return Ok(());
        }
        if let Some(fault) = bot.exit() {
            let fault = bot.explain(fault, &mut *self.buffer);
            self.collector.gone(seat, fault, now);
        } else {
            self.fail_if_launcher_is_lost()?;
        }
        Ok(())
    }

    /// Stops waiting for bots whose time is over. Such a bot is gone for good if it has closed a pipe or has
    /// ended, even if a child of its own holds its pipes open.
    fn end_waiting(&mut self, now: Moment) -> Result<(), TableError> {
        let is_over = |table: &ProcessTable, seat| {
            table.collector.deadline(seat).is_some_and(|deadline| now > deadline)
        };
        for index in 0..self.waited_for.len() {
            let seat = self.waited_for[index];
            if is_over(self, seat) {
                self.charge_closely(seat, now)?;
            }
            if !is_over(self, seat) {
                continue;
            }
            let bot = &mut self.bots[seat];
            if let Some(fault) = bot.exit().or_else(|| bot.ending.clone()) {
                let fault = bot.explain(fault, &mut *self.buffer);
                self.collector.gone(seat, fault, now);
            }
        }
        self.collector.expire(now);
        let (collector, bots) = (&self.collector, &mut self.bots);
        self.waited_for.retain(|seat| {
            let is_open = collector.deadline(*seat).is_some();
            bots[*seat].idle_since = (!is_open).then_some(now);
            is_open
        });
        Ok(())
    }
}

/// The events that ended a wait.
struct Events {
    /// Whether there is one, of a bot that is waited for or on a standard error.
    any: bool,
    /// For each bot that is waited for: whether it has one.
    ready: SmallVec<[bool; INLINE_PIPES]>,
}

/// Starts programs, and does so once more if the process that starts them has not answered: that is the machine's
/// fault, and no attempt at a game.
fn patiently<T>(setup: &Setup, mut start: impl FnMut() -> Result<T, TableError>) -> Result<T, TableError> {
    let unanswering_before = setup.fork_server.unanswering();
    match start() {
        Err(TableError::Void(_)) if setup.stop.load(Ordering::Relaxed) => Err(TableError::Stopped),
        Err(TableError::Void(_)) if setup.fork_server.unanswering() != unanswering_before => start(),
        started => started,
    }
}

impl Table for ProcessTable {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(TableError::Stopped);
        }
        self.asked.clear();
        self.asked.extend(questions.iter().map(|question| question.seat));
        self.turn_start = self.clock.now();
        self.end_gap(self.turn_start);
        self.begin_order();
        self.own_thread.begin();
        if self.timekeeping == Timekeeping::Serial {
            // The memory of earlier questions is used again.
            let added = questions.len().saturating_sub(self.queue.len());
            self.queue.extend_from_slice(&questions[questions.len() - added..]);
            for (queued, question) in self.queue.iter_mut().zip(questions) {
                queued.clone_from(question);
            }
            self.asked_count = 0;
            self.waited_for.clear();
            self.ask_next_if_none_is_open();
        } else {
            self.asked_count = questions.len();
            self.ask_all(questions);
        }
        Ok(())
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        if self.turns.is_multiple_of(ERRORS_EVERY) {
            self.empty_errors();
        }
        let mut asked_before = 0;
        let mut is_slow = false;
        let mut has_event = false;
        while self.ask_next_if_none_is_open() {
            let patience = if is_slow { self.keep_order() } else { STDERR_POLL };
            let has_asked = asked_before < self.asked_count;
            asked_before = self.asked_count;
            // The referee leaves its core after questions, and again as long as answers arrive, unless the turn is
            // slow.
            has_event |= has_asked;
            if has_event
                && !is_slow
                && let Some(now) = self.yield_policy.leave_core_to_bots(&self.clock)
                && self.look_at_all(now)?
            {
                continue;
            }
            has_event = self.wait(patience, is_slow)?;
            // A bot that keeps writing does not make a turn quick.
            is_slow |= !has_event || self.last_look - self.turn_start > STDERR_POLL;
            if is_slow {
                self.mark_slow();
            }
            if is_slow && self.stop.load(Ordering::Relaxed) {
                return Err(TableError::Stopped);
            }
        }
        answers.resize_with(self.asked.len(), || Answer::empty(Seat::new(0)));
        for (answer, seat) in answers.iter_mut().zip(&self.asked) {
            self.collector.take(*seat, answer);
        }
        self.turns = self.turns.wrapping_add(1);
        self.begin_gap();
        Ok(())
    }
}

impl Drop for ProcessTable {
    fn drop(&mut self) {
        self.dismiss();
    }
}
