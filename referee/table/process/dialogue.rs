//! A dialogue with one program, byte by byte: for examinations, not for games. It does not judge answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};

use crate::clock::{Clock, Moment};
use crate::excerpt::Excerpt;
use crate::process::bot::{self, Bot};
use crate::process::memory::LastLook;
use crate::process::yield_policy::YieldPolicy;
use crate::process::{CHUNK_BYTES, Program, Setup, WAIT_MAX, patiently};
use referee_record::play::table::TableError;
use referee_rules::{Fault, Info, Seat};
use referee_sandbox::launcher::Patience;
use referee_sandbox::timespec;

/// A program that runs, its input and its output.
#[derive(Debug)]
pub struct Dialogue {
    bot: Bot,
    clock: Clock,
    stop: Arc<AtomicBool>,
    /// The output so far.
    output: Vec<u8>,
    /// How many bytes of it [`listen`](Dialogue::listen) has returned.
    taken_bytes: usize,
    /// Whether more output came than is kept.
    has_lost: bool,
    yield_policy: YieldPolicy,
    memory_look: LastLook,
    buffer: Box<[u8; CHUNK_BYTES]>,
}

/// The output within some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// A line, without its newline.
    Line(Vec<u8>),
    /// No whole line came in time, or it is longer than [`LINE_MAX`]; this is its beginning.
    Part(Vec<u8>),
    /// The output was closed, after this part of a line.
    End(Vec<u8>),
}

impl Dialogue {
    /// Starts a program, as for a seat of a game.
    ///
    /// # Errors
    ///
    /// If the system refuses, the program cannot be confined, or the referee is told to stop.
    pub fn open(info: &Info, seat: Seat, program: &Program, setup: &Setup) -> Result<Dialogue, TableError> {
        if setup.stop.load(Ordering::Relaxed) {
            return Err(TableError::Stopped);
        }
        patiently(setup, || Dialogue::try_open(info, seat, program, setup))
    }

    fn try_open(info: &Info, seat: Seat, program: &Program, setup: &Setup) -> Result<Dialogue, TableError> {
        let started = bot::start(info, seat, program, setup);
        let mut bot = started.map_err(|error| TableError::System { what: bot::NO_PROCESS, error })?;
        let started = bot.wait_for_start(seat, &Patience::until(&setup.stop));
        let dialogue = Dialogue {
            bot,
            clock: Clock::start(),
            stop: Arc::clone(&setup.stop),
            output: Vec::new(),
            taken_bytes: 0,
            has_lost: false,
            yield_policy: YieldPolicy::default(),
            memory_look: LastLook::default(),
            buffer: Box::new([0; CHUNK_BYTES]),
        };
        started?;
        Ok(dialogue)
    }

    /// Returns the time since it was started.
    pub fn now(&self) -> Moment {
        self.clock.now()
    }

    /// Writes to its input. If the pipe is full, waits up to a second. The program need not read it.
    pub fn write(&mut self, bytes: &[u8]) {
        let mut is_sent = self.bot.send(bytes);
        let deadline = self.clock.now() + FULL_PIPE_MAX;
        while !is_sent && self.bot.stdin.is_some() && self.clock.now() < deadline {
            let _ = self.pause(Duration::from_millis(1));
            is_sent = self.bot.send_rest();
        }
    }

    /// Returns the number of bytes of its input that it has not read.
    pub fn unread(&self) -> u64 {
        bot::unread_bytes(self.bot.stdin.as_ref())
    }

    /// Closes its input.
    pub fn close_input(&mut self) {
        self.bot.stdin = None;
    }

    /// Waits for the next line, for `patience` at most.
    pub fn listen(&mut self, patience: Duration) -> Output {
        let mut deadline = None;
        loop {
            let output = &self.output[self.taken_bytes..];
            if let Some(end) = memchr::memchr(b'\n', output) {
                let line = output[..end].to_vec();
                self.taken_bytes += end + 1;
                return Output::Line(line);
            }
            if self.bot.stdout.is_none() {
                return Output::End(self.take_rest());
            }
            let is_long = output.len() >= LINE_MAX;
            let is_first = deadline.is_none();
            let left = *deadline.get_or_insert_with(|| self.clock.now() + patience) - self.clock.now();
            if is_long || left.is_zero() || self.stop.load(Ordering::Relaxed) {
                return Output::Part(self.take_rest());
            }
            // A program that shares the core may have answered by the time the referee has it back.
            if is_first && let Some(now) = self.yield_policy.leave_core_to_bots(&self.clock) {
                self.watch_memory(now);
                if self.read_output() {
                    continue;
                }
            }
            let _ = self.pause(left.min(WAIT_MAX));
        }
    }

    /// Tells whether some output was lost: more than [`LINE_MAX`] came between two reads.
    pub fn has_lost(&self) -> bool {
        self.has_lost
    }

    /// Returns all output that [`listen`](Dialogue::listen) has not returned.
    fn take_rest(&mut self) -> Vec<u8> {
        let rest = self.output.split_off(self.taken_bytes);
        (self.taken_bytes, self.output) = (0, Vec::new());
        rest
    }

    /// Waits until it has ended by itself, for `patience` at most. Returns how it ended, or why it never began; `None`
    /// if it still runs.
    pub fn end(&mut self, patience: Duration) -> Option<Fault> {
        let deadline = self.clock.now() + patience;
        while self.bot.exit().is_none() && self.clock.now() < deadline && !self.stop.load(Ordering::Relaxed) {
            let _ = self.pause(Duration::from_millis(10));
        }
        let fault = self.bot.exit()?;
        Some(self.bot.explain(fault, &mut *self.buffer))
    }

    /// Returns its standard error so far.
    pub fn errors(&mut self) -> Vec<u8> {
        self.bot.empty_errors(&mut *self.buffer);
        self.bot.errors.to_bytes()
    }

    /// Ends it, and returns its standard error.
    pub fn farewell(mut self) -> Excerpt {
        self.bot.remove(&mut *self.buffer, &Patience::until(&self.stop));
        std::mem::take(&mut self.bot.errors)
    }

    /// Waits for output, for `time_max` at most, and reads it.
    fn pause(&mut self, time_max: Duration) -> rustix::io::Result<()> {
        let open_pipes = [&self.bot.stdout, &self.bot.stderr].into_iter().flatten();
        let mut pipes: Vec<PollFd<'_>> = open_pipes.map(|pipe| PollFd::new(pipe, PollFlags::IN)).collect();
        poll(&mut pipes, Some(&timespec(time_max)))?;
        let mut is_ready = pipes.iter().map(|pipe| !pipe.revents().is_empty());
        let has_spoken = self.bot.stdout.is_some() && is_ready.next().unwrap_or(false);
        let has_complained = is_ready.next().unwrap_or(false);
        self.watch_memory(self.clock.now());
        if has_complained {
            self.bot.empty_errors(&mut *self.buffer);
        }
        if has_spoken {
            self.read_output();
        }
        Ok(())
    }

    fn watch_memory(&mut self, now: Moment) {
        if self.memory_look.is_long_ago(now) {
            self.bot.watch_memory();
        }
    }

    /// Reads the available output, without a wait. Tells whether there was any.
    fn read_output(&mut self) -> bool {
        let Some(pipe) = &self.bot.stdout else { return false };
        match rustix::io::read(pipe, &mut self.buffer[..]) {
            Ok(0) => {
                self.bot.stdout = None;
                return true;
            }
            Ok(count) if self.output.len() - self.taken_bytes < LINE_MAX => {
                self.output.drain(..std::mem::take(&mut self.taken_bytes));
                self.output.extend_from_slice(&self.buffer[..count]);
            }
            Ok(_) => self.has_lost = true,
            Err(_) => return false,
        }
        self.bot.has_spoken = true;
        true
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        self.bot.remove(&mut *self.buffer, &Patience::until(&self.stop));
    }
}

/// Maximum wait for a full pipe.
const FULL_PIPE_MAX: Duration = Duration::from_secs(1);

/// Maximum length of a line, and maximum output that is kept between two reads, in bytes.
pub const LINE_MAX: usize = 1 << 20;
