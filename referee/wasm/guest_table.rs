//! A table with guests: modules of WebAssembly, which run in this thread and are charged by the units that
//! they use.
//!
//! A unit stands for a nanosecond, so limits, banks and times in records mean the same as for programs. Other
//! seats can have programs. Guests run one after the other when all programs have answered, so they disturb
//! no program's clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::ready::Ready;
use crate::{Guest, Pause, Trap};
use referee_record::Answer;
use referee_record::play::collect::Collector;
use referee_record::play::table::{Question, Table, TableError};
use referee_record::text::without_host_paths;
use referee_rules::{BySeat, Fault, Info, Resource, Seat};
use referee_sandbox::fork_server::ForkServer;
use referee_sandbox::program::Opened;
use referee_table::clock::{Clock, CpuClock, Moment};
use referee_table::excerpt::Excerpt;
use referee_table::game_table::{GameTable, is_module};
use referee_table::process::{Echo, Leftovers, ProcessTable, Program, Setup};

/// A table with guests in some seats, and programs in others.
#[derive(Debug)]
pub(super) struct GuestTable {
    guests: BySeat<Option<GuestSeat>>,
    /// The programs, if there are any.
    programs: Option<ProcessTable>,
    stop: Arc<AtomicBool>,
    asked: Vec<Seat>,
    /// Questions to programs, and their answers.
    program_questions: Vec<Question>,
    program_answers: Vec<Answer>,
    /// Number of turns that have been collected.
    turns: u32,
}

impl GuestTable {
    pub(super) fn open(
        info: &Info,
        programs: &BySeat<Option<Program>>,
        setup: &Setup,
        ready: &Ready,
    ) -> Result<GuestTable, TableError> {
        let mut guests = Vec::new();
        let mut others = Vec::new();
        for (seat, program) in programs.iter() {
            match program {
                Some(module) if is_module(module) => {
                    guests.push(Some(GuestSeat::new(info, seat, module, setup, ready)?));
                    others.push(None);
                }
                other => {
                    guests.push(None);
                    others.push(other.clone());
                }
            }
        }
        let has_programs = others.iter().any(Option::is_some);
        let programs =
            if has_programs { Some(ProcessTable::open(info, &others.into(), setup)?) } else { None };
        Ok(GuestTable {
            programs,
            guests: guests.into(),
            stop: Arc::clone(&setup.stop),
            asked: Vec::new(),
            program_questions: Vec::new(),
            program_answers: Vec::new(),
            turns: 0,
        })
    }

    /// Takes the answer of a seat without a guest: that of its program, or of an empty seat.
    fn take_program_answer(&mut self, seat: Seat) -> Answer {
        if self.programs.is_some()
            && let Some(answer) = self.program_answers.iter_mut().find(|answer| answer.seat == seat)
        {
            return std::mem::replace(answer, Answer::empty(seat));
        }
        Answer { fault: Some(Fault::Closed), ..Answer::empty(seat) }
    }
}

impl Table for GuestTable {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        self.asked.clear();
        self.asked.extend(questions.iter().map(|question| question.seat));
        self.program_questions.clear();
        for question in questions {
            match &mut self.guests[question.seat] {
                Some(guest_seat) => guest_seat.ask(question, self.turns),
                None => self.program_questions.push(question.clone()),
            }
        }
        if let Some(programs) = &mut self.programs {
            programs.ask(&self.program_questions)?;
        }
        Ok(())
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        if let Some(programs) = &mut self.programs {
            programs.collect(&mut self.program_answers)?;
        }
        answers.resize_with(self.asked.len(), || Answer::empty(Seat::new(0)));
        for (index, answer) in answers.iter_mut().enumerate() {
            let seat = self.asked[index];
            match &mut self.guests[seat] {
                Some(guest_seat) => guest_seat.run_until_answer(&self.stop, answer)?,
                None => *answer = self.take_program_answer(seat),
            }
        }
        self.turns += 1;
        Ok(())
    }
}

impl GameTable for GuestTable {
    fn process(&self, seat: Seat) -> Option<i32> {
        self.programs.as_ref()?.process(seat)
    }

    fn farewell(self: Box<Self>) -> BySeat<Leftovers> {
        let GuestTable { mut guests, programs, stop, .. } = *self;
        let mut leftovers = match programs {
            Some(programs) => programs.farewell(),
            None => BySeat::from_fn(guests.len(), |_| Leftovers::default()),
        };
        for (seat, guest_seat) in guests.iter_mut() {
            if let Some(guest_seat) = guest_seat {
                leftovers[seat] = guest_seat.leave(&stop);
            }
        }
        leftovers
    }

    fn guests(&self) -> Vec<Seat> {
        self.guests.iter().filter(|(_, guest)| guest.is_some()).map(|(seat, _)| seat).collect()
    }
}

/// A seat with a guest.
#[derive(Debug)]
struct GuestSeat {
    seat: Seat,
    /// `None` if it could not be started.
    guest: Option<Guest>,
    /// It has one seat, [`ONLY_SEAT`]: each guest has a clock of its own.
    collector: Collector,
    /// All units that it has used, as a time.
    now: Moment,
    /// The limit of its question.
    limit: Duration,
    errors: Excerpt,
    echo: Option<Echo>,
    /// The turn of its last question.
    asked_in: Option<u32>,
    /// Memory for its output.
    output: Vec<u8>,
}

/// The only seat of a guest's collector.
const ONLY_SEAT: Seat = Seat::new(0);

/// The capacity of a pipe, in bytes. A guest that leaves more of its questions unread is deaf.
const UNREAD_MAX: usize = 64 * 1024;

/// Units that a guest may use after the end of its input.
const FAREWELL_UNITS: Duration = Duration::from_millis(10);

/// Returns a guest's limit of processor time: units are not time, and some take far longer than others. On another
/// machine a guest would not be stopped at the same unit, so the limit is much more than any guest needs.
fn processor_limit(limit: Duration) -> Duration {
    limit.saturating_mul(50).saturating_add(Duration::from_secs(1))
}

/// Watches the processor time of this thread. Reading it is a system call, so it is only read when more time
/// than the limit has passed on the clock. At least as much time passes on the clock as on the processor.
#[derive(Debug)]
struct Watch {
    clock: Clock,
    limit: Duration,
    /// The processor time at the moment when the limit had passed on the clock.
    since: Option<Duration>,
}

impl Watch {
    fn start(limit: Duration) -> Watch {
        Watch { clock: Clock::start(), limit, since: None }
    }

    /// Returns the processor time that was used if it is more than the limit. It is counted from the moment when
    /// the limit had passed on the clock.
    fn time_over_limit(&mut self) -> Option<Duration> {
        if self.clock.now().0 <= self.limit {
            return None;
        }
        let now = CpuClock::of_this_thread().read()?;
        let ran = now.saturating_sub(*self.since.get_or_insert(now));
        if ran > self.limit { Some(ran) } else { None }
    }
}

impl GuestSeat {
    /// Starts a guest. If that fails, it is a fault of the seat.
    ///
    /// # Errors
    ///
    /// If the file was changed since it was checked.
    fn new(
        info: &Info,
        seat: Seat,
        program: &Program,
        setup: &Setup,
        ready: &Ready,
    ) -> Result<GuestSeat, TableError> {
        let (mut guest, mut collector) = (None, Collector::new(1));
        match start(program, &variables(info, seat), &setup.fork_server, ready)? {
            Ok(started) => guest = Some(started),
            Err(why) => {
                collector.gone(ONLY_SEAT, Fault::StartFailed(without_host_paths(&why)), Moment::default());
            }
        }
        Ok(GuestSeat {
            seat,
            guest,
            collector,
            now: Moment::default(),
            limit: Duration::ZERO,
            errors: Excerpt::default(),
            echo: setup.echo.clone(),
            asked_in: None,
            output: Vec::new(),
        })
    }

    /// Passes on a question. The guest does not run yet.
    fn ask(&mut self, question: &Question, turn: u32) {
        self.end_turn();
        self.asked_in = Some(turn);
        let is_gone = self.collector.is_gone(ONLY_SEAT);
        let Some(guest) = &mut self.guest else { return self.collector.cannot_ask(ONLY_SEAT) };
        if is_gone || guest.unread() > UNREAD_MAX {
            return self.collector.cannot_ask(ONLY_SEAT);
        }
        self.limit = question.limit;
        guest.put(&question.line);
        guest.allow(u64::try_from(question.limit.as_nanos()).unwrap_or(u64::MAX));
        self.collector.ask(ONLY_SEAT, question.limit, self.now, 0);
        self.collector.written(ONLY_SEAT, self.now);
    }

    /// Runs the guest until it has answered, is late, or has ended.
    fn run_until_answer(&mut self, stop: &AtomicBool, answer: &mut Answer) -> Result<(), TableError> {
        let start = self.now;
        let mut watch = Watch::start(processor_limit(self.limit));
        while let Some(deadline) = self.collector.deadline(ONLY_SEAT) {
            if stop.load(Ordering::Relaxed) {
                return Err(TableError::Stopped);
            }
            let Some(pause) = self.go_on(start) else { break };
            match pause {
                Pause::Wrote | Pause::Slice => {
                    if let Some(ran) = watch.time_over_limit() {
                        self.end_by_processor_time(ran);
                    }
                }
                // It wants more than its question. It would wait until it is late.
                Pause::Waits => self.collector.expire(deadline + Duration::from_nanos(1)),
                Pause::OutOfUnits => self.collector.expire(self.now),
                Pause::Exited(status) => self.collector.gone(ONLY_SEAT, Fault::Exited(status), self.now),
                Pause::Trapped(trap) => self.end_by_trap(trap),
            }
        }
        self.collector.take(ONLY_SEAT, answer);
        answer.seat = self.seat;
        Ok(())
    }

    /// Runs the guest until its next pause, and takes its output. `start` is the time when it got its units.
    fn go_on(&mut self, start: Moment) -> Option<Pause> {
        let guest = self.guest.as_mut()?;
        let pause = guest.go_on();
        self.now = start + Duration::from_nanos(guest.used());
        self.output = guest.take_output(std::mem::take(&mut self.output));
        self.collector.bytes(ONLY_SEAT, &self.output, self.now);
        self.output.clear();
        let errors = guest.take_errors();
        self.add_errors(errors);
        Some(pause)
    }

    /// Adds to the standard error of the guest.
    fn add_errors(&mut self, bytes: Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        self.errors.push(&bytes);
        if let Some(echo) = &self.echo {
            let _ = echo.send((self.seat, bytes));
        }
    }

    /// Notes that a trap has ended the guest. It counts as the signal that a program would get.
    fn end_by_trap(&mut self, trap: Trap) {
        let signal = match trap {
            Trap::Unreachable | Trap::Other => 4,
            Trap::Arithmetic => 8,
            Trap::OutOfBounds | Trap::BadCall | Trap::Stack => 11,
        };
        self.add_errors(format!("referee: {trap}\n").into_bytes());
        self.collector.gone(ONLY_SEAT, Fault::Crashed(signal), self.now);
    }

    /// Ends the guest, since it has run for far longer than its units should take.
    fn end_by_processor_time(&mut self, ran: Duration) {
        let [ran, limit] = [ran, self.limit].map(|time| time.as_secs_f64() * 1000.0);
        let what = format!("referee: stopped after {ran:.1} ms of processor time, {limit:.1} ms allowed\n");
        self.add_errors(what.into_bytes());
        self.collector.gone(ONLY_SEAT, Fault::Resource(Resource::Cpu), self.now);
        self.guest = None;
    }

    /// Assigns the standard error so far to the turn of the last question.
    fn end_turn(&mut self) {
        if let Some(turn) = self.asked_in {
            self.errors.end_turn(turn, 0);
        }
    }

    /// Ends the guest's input, and lets the guest end.
    fn leave(&mut self, stop: &AtomicBool) -> Leftovers {
        if let Some(guest) = &mut self.guest {
            guest.close_input();
            guest.allow(FAREWELL_UNITS.as_nanos() as u64);
        }
        let start = self.now;
        while !stop.load(Ordering::Relaxed) {
            let Some(Pause::Wrote | Pause::Slice) = self.go_on(start) else { break };
        }
        self.end_turn();
        Leftovers { errors: std::mem::take(&mut self.errors), dropped: self.collector.dropped(ONLY_SEAT) }
    }
}

/// Returns the environment of a guest: the same information about its game that a program gets.
fn variables(info: &Info, seat: Seat) -> Vec<String> {
    let turn = info.time.turn_limit.as_millis();
    let first = info.time.first_limit.as_millis();
    vec![
        format!("REFEREE_GAME={}", info.name),
        format!("REFEREE_SEAT={seat}"),
        format!("REFEREE_TURN_MS={turn}"),
        format!("REFEREE_FIRST_MS={first}"),
    ]
}

/// Starts a guest, or returns why it cannot be started.
fn start(
    program: &Program,
    variables: &[String],
    server: &ForkServer,
    ready: &Ready,
) -> Result<Result<Guest, String>, TableError> {
    let opened = match Opened::open(&program.file) {
        Ok(opened) => opened,
        Err(why) => return Ok(Err(why.to_string())),
    };
    if !program.is_unchanged(&opened) {
        let what = format!("{}: the program was changed since it was checked", program.file.display());
        return Err(TableError::System { what: "cannot start a guest", error: std::io::Error::other(what) });
    }
    let arguments = program.arguments.iter().map(|argument| argument.as_encoded_bytes());
    // Its name does not depend on the folder of the file.
    let arguments: Vec<&[u8]> = [&b"bot"[..]].into_iter().chain(arguments).collect();
    Ok(ready
        .compile(&opened, server)
        .and_then(|made| made.start(&arguments, variables).map_err(|why| why.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_ends_when_the_limit_was_used_and_not_while_nothing_runs() {
        let limit = Duration::from_millis(20);
        let mut watch = Watch::start(limit);
        for _ in 0..3 {
            // The clock advances, the processor does no work.
            assert_eq!(watch.time_over_limit(), None);
            std::thread::sleep(2 * limit);
        }
        let ran = loop {
            if let Some(ran) = watch.time_over_limit() {
                break ran;
            }
        };
        assert!(ran > limit, "{ran:?}");
    }
}
