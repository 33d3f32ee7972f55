//! A game for one examined program: all other seats play random legal actions.

use std::fs;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::clock::Clock;
use crate::examine::{Mistake, PATIENCE, SEAT, SEED, Step, Subject, TestResult, heap};
use crate::game_table::is_module;
use crate::open;
use referee_record::error::{Error, ErrorKind};
use referee_record::play::alone::{Alone, Exchange};
use referee_rules::game::Game;
use referee_rules::kit;
use referee_rules::{Dice, Fault, Parameters, Seat, Seed};

/// The course of a game: faults, times and memory of the examined program.
#[derive(Debug, Default)]
pub(super) struct Course {
    questions: u32,
    mistakes: Vec<CountedMistake>,
    /// The charged time of each answer but the first, sorted.
    pub(super) times: Vec<Duration>,
    /// How many of these answers were late.
    pub(super) cut_off: usize,
    limit: Duration,
    /// Memory after [`MEMORY_AFTER`] questions, and at the end, in KiB.
    memory: Option<(u64, u64)>,
    /// How much more memory its runtime can take before it frees unused memory, in KiB.
    uncollected: u64,
    /// Its standard error.
    errors: Vec<u8>,
}

/// A mistake that was found in a game.
#[derive(Debug)]
struct CountedMistake {
    mistake: Mistake,
    /// The first fault of this kind, and its turn.
    first: Fault,
    turn: u32,
    /// Number of faults of this kind.
    count: u32,
}

/// Plays until the game is over, this number of questions has been asked, the program has ended, or [`GAME_TIME_MAX`]
/// has passed.
pub(super) fn play_game(
    subject: &Subject<'_>,
    parameters: &Parameters,
    questions: u32,
    next: &mut dyn FnMut(Step<'_>),
) -> Result<Course, Error> {
    let mut game = subject.entry.start(parameters, SEED);
    let info = game.info().clone();
    let mut table = open::alone(&info, SEAT, subject.program, subject.setup)?;
    let mut course = Course { limit: info.time.turn_limit, ..Course::default() };
    let (mut alone, clock) = (Alone::new(&mut *table, SEAT, &info), Clock::start());
    let (mut early_memory, mut is_gone) = (None, false);
    go_on(&mut *game, |game| {
        next(Step::Question);
        let Exchange { answer, verdict, .. } = alone.ask(game, Duration::ZERO)?;
        let turn = game.turn();
        course.questions += 1;
        if course.questions > 1 {
            course.times.push(answer.thinking);
            course.cut_off += usize::from(verdict == Some(Fault::Late));
        }
        if let Some(fault) = verdict {
            is_gone = is_end(&fault);
            course.note(fault, turn, 1);
        }
        course.note(Fault::Extra, turn, answer.dropped.early + answer.dropped.extra);
        if course.questions == MEMORY_AFTER {
            early_memory = alone.table.process(SEAT).and_then(memory_of);
        }
        Ok(!is_gone && course.questions < questions && clock.now().0 < GAME_TIME_MAX)
    })?;
    let late_memory = if is_gone { None } else { table.process(SEAT).and_then(memory_of) };
    course.uncollected = table.process(SEAT).map_or(0, heap::uncollected_kib);
    course.memory = early_memory.zip(late_memory);
    let leftovers = &table.farewell()[SEAT];
    if !is_gone && leftovers.dropped.early + leftovers.dropped.extra > 0 {
        course.note(Fault::Extra, game.turn(), 1);
    }
    course.errors = leftovers.errors.to_bytes();
    course.times.sort();
    Ok(course)
}

/// The answer to the first question of a game.
#[derive(Debug)]
pub(super) struct First {
    pub(super) verdict: Option<Fault>,
    /// Its charged time.
    pub(super) thinking: Duration,
    /// Its elapsed time.
    pub(super) wall: Duration,
    /// What a module wrote to standard error.
    pub(super) errors: Vec<u8>,
}

/// Puts the first question, with time charged as in a game.
pub(super) fn first(subject: &Subject<'_>) -> Result<First, Error> {
    let mut game = subject.entry.start(&subject.parameters, SEED);
    let info = game.info().clone();
    let mut table = open::alone(&info, SEAT, subject.program, subject.setup)?;
    let mut alone = Alone::new(&mut *table, SEAT, &info);
    let asked: Result<First, Error> = at_first_question(&mut *game, |game| {
        let Exchange { answer, verdict, .. } = alone.ask(game, Duration::ZERO)?;
        Ok(First { verdict, thinking: answer.thinking, wall: answer.wall, errors: Vec::new() })
    })?;
    let mut first = asked?;
    // A guest ends at once. A program could take a second to exit, so its standard error is not waited for.
    if is_module(subject.program) {
        first.errors = table.farewell()[SEAT].errors.to_bytes();
    }
    Ok(first)
}

/// Time limit for a game.
const GAME_TIME_MAX: Duration = PATIENCE.saturating_mul(3);

/// Number of questions after which a program should have all the memory that it needs.
const MEMORY_AFTER: u32 = 100;

/// Growth of memory that is reported: by more than this many KiB, and by half.
const GROWTH_KIB: u64 = 16 * 1024;

/// Returns the first questions of a seat, up to this number.
pub(super) fn questions(subject: &Subject<'_>, count: usize) -> Result<Vec<Vec<u8>>, Error> {
    let mut game = subject.entry.start(&subject.parameters, SEED);
    let mut questions = Vec::new();
    go_on(&mut *game, |game| {
        let mut line = Vec::new();
        game.question(SEAT, &mut line);
        questions.push(line);
        answer_by_chance(game, SEAT);
        Ok(questions.len() < count)
    })?;
    Ok(questions)
}

/// Judges an answer to the first question of the seat.
pub(super) fn verdict_on_first(subject: &Subject<'_>, integers: &[i64]) -> Option<Fault> {
    let mut game = subject.entry.start(&subject.parameters, SEED);
    at_first_question(&mut *game, |game| game.answer(SEAT, Ok(integers))).ok().flatten()
}

/// Plays until the first question of the seat, and returns what `ask` returns there.
fn at_first_question<T>(game: &mut dyn Game, mut ask: impl FnMut(&mut dyn Game) -> T) -> Result<T, Error> {
    let asked = kit::play_against(game, SEAT, answer_by_chance, |game| ControlFlow::Break(ask(game)));
    fail_if_rules_failed(game)?;
    Ok(asked.expect("each seat is asked at least once"))
}

/// Makes sure that the game can go on: rules that are a program can have failed.
fn fail_if_rules_failed(game: &dyn Game) -> Result<(), Error> {
    match game.trouble() {
        Some(why) => Err(Error::new(ErrorKind::Void, why.to_string())),
        None => Ok(()),
    }
}

/// Plays while `ask` returns true. It is called for each question to the seat, and answers it.
fn go_on(
    game: &mut dyn Game,
    mut ask: impl FnMut(&mut dyn Game) -> Result<bool, Error>,
) -> Result<(), Error> {
    let stopped = kit::play_against(game, SEAT, answer_by_chance, |game| match ask(game) {
        Ok(true) => ControlFlow::Continue(()),
        Ok(false) => ControlFlow::Break(Ok(())),
        Err(error) => ControlFlow::Break(Err(error)),
    });
    fail_if_rules_failed(game)?;
    stopped.unwrap_or(Ok(()))
}

fn answer_by_chance(game: &mut dyn Game, seat: Seat) {
    let mut dice = Dice::for_turn(Seed(SEED.0 + 1 + seat.index() as u64), game.turn());
    let mut integers = Vec::new();
    game.sample(seat, &mut dice, &mut integers);
    let _ = game.answer(seat, Ok(&integers));
}

/// Tells whether no more answers can come after this fault.
fn is_end(fault: &Fault) -> bool {
    fault.kind().is_end() || *fault == Fault::Deaf
}

/// Returns the resident memory of a process, in KiB.
fn memory_of(process: i32) -> Option<u64> {
    // A bot chooses its name, with any bytes.
    let status = fs::read(format!("/proc/{process}/status")).ok()?;
    let status = String::from_utf8_lossy(&status);
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

impl Course {
    /// Counts a fault this many times.
    fn note(&mut self, fault: Fault, turn: u32, count: u32) {
        if count == 0 {
            return;
        }
        let mistake = Mistake::behind(&fault);
        match self.mistakes.iter_mut().find(|known| known.mistake == mistake) {
            Some(known) => known.count += count,
            None => self.mistakes.push(CountedMistake { mistake, first: fault, turn, count }),
        }
    }

    /// Returns a result for each mistake, or one result that everything is well.
    pub(super) fn findings(&self, test: &'static str) -> Vec<TestResult> {
        let results = self.mistakes.iter().map(|CountedMistake { first, turn, count, .. }| {
            let what = format!("{count} of {} questions, first in turn {turn}: {first}", self.questions);
            TestResult::of_fault(test, first, &self.errors, what)
        });
        let mut found: Vec<TestResult> = results.collect();
        let slowest = self.times.last().copied().unwrap_or_default();
        if found.is_empty() && slowest > self.limit / 2 {
            let what = format!("the slowest answer took {} of {}", super::ms(slowest), super::ms(self.limit));
            found.push(TestResult::found(test, Mistake::Tight, what));
        }
        if found.is_empty() {
            found.push(TestResult::passed(
                test,
                format!("{} questions, all answered correctly and in time", self.questions),
            ));
        }
        found
    }

    /// Reports whether the memory grew, if the game was long enough to tell.
    pub(super) fn memory(&self) -> Option<TestResult> {
        const TEST: &str = "memory";
        let (early, late) = self.memory?;
        let mut what = format!(
            "{} MiB after {MEMORY_AFTER} questions, {} MiB after {}",
            early / 1024,
            late / 1024,
            self.questions
        );
        let uncollected_mib = self.uncollected / 1024;
        if uncollected_mib > 0 {
            what +=
                &format!("; its runtime can take {uncollected_mib} MiB more before it frees unused memory");
        }
        let has_grown = late > early + GROWTH_KIB.max(self.uncollected) && late > early * 3 / 2;
        if has_grown {
            return Some(TestResult::found(TEST, Mistake::Memory, what));
        }
        Some(TestResult::passed(TEST, what))
    }
}
