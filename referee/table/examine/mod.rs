//! The examination of a bot: it talks to a program in friendly and unfriendly ways, and names its mistakes and
//! how to fix them. [`doctor`] examines the machine: whether bots are confined, and whether its clock can be
//! fair.
//!
//! Start reading with [`examine`], then the list of mistakes in `mistake`.

mod cause;
mod diagnosis;
pub mod doctor;
mod game;
mod heap;
mod mistake;
mod options;
mod silence;

use std::thread;
use std::time::Duration;

use crate::charge::wall_limit;
use crate::game_table::is_module;
use crate::process::dialogue::{Dialogue, Output};
use crate::process::{Program, Setup};
use referee_games::catalog::Entry;
use referee_record::error::Error;
use referee_rules::{BadParameter, Fault, Info, Parameters, Seat, Seed, TimeControl};

pub use self::cause::{Cause, Reader, first_grave};
use self::game::play_game;
pub use self::mistake::Mistake;
use self::silence::Silence;

/// The subject of an examination.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// The game.
    pub entry: &'static Entry,
    /// The parameters.
    pub parameters: Parameters,
    /// The program.
    pub program: &'a Program,
    /// How it is started.
    pub setup: &'a Setup,
}

/// The result of one test of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct TestResult {
    /// The test.
    pub test: &'static str,
    /// The grade of the result.
    pub grade: Grade,
    /// What is wrong with the program, if something is.
    pub cause: Option<Cause>,
    /// The observation.
    pub what: String,
    /// The last lines on standard error, if it has failed.
    pub errors: Vec<String>,
}

/// The grade of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// All is well.
    Passed,
    /// The program plays, but not as well as it could.
    Warning,
    /// The program loses games because of this.
    Failed,
}

impl Grade {
    /// Returns the word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Grade::Passed => "passed",
            Grade::Warning => "warning",
            Grade::Failed => "failed",
        }
    }
}

/// All findings, and the speed of the program.
#[derive(Clone, Debug)]
pub struct Examined {
    /// The result of each test.
    pub findings: Vec<TestResult>,
    /// The charged time of each answer of the game but the first, sorted.
    pub times: Vec<Duration>,
    /// The limit of each of these answers.
    pub limit: Duration,
    /// How many of them were late: their true times are longer, since nobody waited.
    pub cut_off: usize,
    /// Whether it is a guest, a module of WebAssembly: each nanosecond of these times is a unit.
    pub is_guest: bool,
}

/// A step of an examination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// A test of this name begins.
    Test(&'a str),
    /// A question of a game is put.
    Question,
}

/// Examines a program. `next` is called before each step.
pub fn examine(subject: &Subject<'_>, mut next: impl FnMut(Step<'_>)) -> Result<Examined, Error> {
    let info = subject.entry.info(&subject.parameters);
    next(Step::Test(FIRST));
    let first = first_question(subject, &info, &mut next)?;
    let has_answered = first.grade != Grade::Failed;
    let is_guest = is_module(subject.program);
    let mut examined = Examined {
        findings: vec![first],
        times: Vec::new(),
        limit: info.time.turn_limit,
        cut_off: 0,
        is_guest,
    };
    if !has_answered {
        return Ok(examined);
    }
    next(Step::Test("a game"));
    let mut played = play_game(subject, &subject.parameters, QUESTIONS, &mut next)?;
    examined.findings.extend(played.findings("a game"));
    examined.findings.extend(played.memory());
    examined.times = std::mem::take(&mut played.times);
    examined.cut_off = played.cut_off;
    next(Step::Test("other sizes"));
    examined.findings.extend(other_sizes(subject, &mut next)?);
    if is_guest {
        // Guests get whole questions, and are not processes that could stay.
        return Ok(examined);
    }
    next(Step::Test("split question"));
    examined.findings.push(split_question(subject, &info)?);
    next(Step::Test("end of input"));
    // A program that stays is waited for once, not twice.
    let (end, half) = thread::scope(|scope| {
        let half = scope.spawn(|| half_a_question(subject, &info));
        let end = end_of_input(subject, &info);
        (end, half.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    examined.findings.extend([end?, half?]);
    Ok(examined)
}

/// Finds out, by trying, why a program is late with its first answer. `None` if it is in time now. The program is
/// waited for until its limit, in the longest try for twice as long.
pub fn reason_of_silence(subject: &Subject<'_>) -> Result<Option<Cause>, Error> {
    let info = subject.entry.info(&subject.parameters);
    let limit = info.time.first_limit;
    let waits = Waits { charged: limit, first: limit, late: limit.saturating_mul(2) };
    let TestResult { cause, what, .. } = ask_again(subject, &info, &Fault::Late, waits, &mut |_| ())?;
    Ok(cause.map(|cause| Cause { what, ..cause }))
}

/// Returns how long [`reason_of_silence`] can take on a quiet machine.
pub fn longest_silence(time: &TimeControl) -> Duration {
    time.first_limit.saturating_mul(4).saturating_add(silence::LONGEST)
}

/// The test of the first question.
const FIRST: &str = "first question";

/// The seat that the program takes, and the seed of its game.
const SEAT: Seat = Seat::new(0);
const SEED: Seed = Seed(1);

/// Number of questions in a game, and in a game of another size.
const QUESTIONS: u32 = 1000;
const FEW_QUESTIONS: u32 = 20;

/// Maximum wait in cases for which the referee itself would not wait.
const PATIENCE: Duration = Duration::from_secs(10);

impl TestResult {
    fn passed(test: &'static str, what: impl Into<String>) -> TestResult {
        TestResult { test, grade: Grade::Passed, cause: None, what: what.into(), errors: Vec::new() }
    }

    fn found(test: &'static str, cause: impl Into<Cause>, what: impl Into<String>) -> TestResult {
        let cause = cause.into();
        let grade = cause.mistake.grade();
        TestResult { test, grade, cause: Some(cause), what: what.into(), errors: Vec::new() }
    }

    fn with_errors(self, errors: Vec<String>) -> TestResult {
        TestResult { errors, ..self }
    }

    /// A fault, with what the program wrote to standard error.
    fn of_fault(test: &'static str, fault: &Fault, errors: &[u8], what: String) -> TestResult {
        TestResult::found(test, Cause::of(fault, errors), what).with_errors(last_lines(errors))
    }

    /// Returns the mistake of the program, if there is one.
    pub fn mistake(&self) -> Option<Mistake> {
        Some(self.cause.as_ref()?.mistake)
    }
}

/// Returns the first two questions of a game in which all seats answer at random. If there is only one, it is
/// used for both.
fn questions(subject: &Subject<'_>) -> Result<[Vec<u8>; 2], Error> {
    let mut questions = game::questions(subject, 2)?.into_iter();
    let first = questions.next().ok_or_else(|| Error::input("the game never asks the first seat"))?;
    let second = questions.next().unwrap_or_else(|| first.clone());
    Ok([first, second])
}

/// Plays a short game of each extreme size. A mistake that is found in several is reported once, with all these sizes,
/// in the words of the first.
fn other_sizes(subject: &Subject<'_>, next: &mut dyn FnMut(Step<'_>)) -> Result<Vec<TestResult>, Error> {
    let mut found: Vec<(Vec<String>, TestResult)> = Vec::new();
    for extreme in extremes(subject) {
        let (parameters, name) = extreme.expect("values within their ranges");
        for finding in play_game(subject, &parameters, FEW_QUESTIONS, next)?.findings("other sizes") {
            match found.iter_mut().find(|(_, known)| known.mistake() == finding.mistake()) {
                Some((names, _)) => names.push(name.clone()),
                None => found.push((vec![name.clone()], finding)),
            }
        }
    }
    let findings = found.into_iter().map(|(names, finding)| TestResult {
        what: format!("{}: {}", names.join(", "), finding.what),
        ..finding
    });
    Ok(findings.collect())
}

/// Returns the parameters with each of the settings that make questions shortest or longest.
fn extremes(subject: &Subject<'_>) -> Vec<Result<(Parameters, String), BadParameter>> {
    let extreme = |(name, value): &(&'static str, i64)| {
        let mut parameters = subject.parameters.clone();
        parameters.set(name, *value)?;
        Ok((parameters, format!("{name} = {value}")))
    };
    subject.entry.extremes.iter().map(extreme).collect()
}

fn first_question(
    subject: &Subject<'_>,
    info: &Info,
    next: &mut dyn FnMut(Step<'_>),
) -> Result<TestResult, Error> {
    const TEST: &str = FIRST;
    let limit = info.time.first_limit;
    let first = game::first(subject)?;
    let charged = first.thinking;
    let Some(fault) = first.verdict else {
        let what = format!("answered after {}", ms(charged));
        if charged > limit / 2 {
            return Ok(TestResult::found(TEST, Mistake::SlowStart, format!("{what} of {}", ms(limit))));
        }
        return Ok(TestResult::passed(TEST, what));
    };
    if is_module(subject.program) {
        let what = format!("{fault}, after {} of {}", ms(charged), ms(limit));
        return Ok(TestResult::of_fault(TEST, &fault, &first.errors, what));
    }
    if let Some(options) = options::that_help(subject, &fault)? {
        return Ok(TestResult::found(
            TEST,
            Mistake::NeedsOption,
            format!("{fault}; with {options} it answers"),
        ));
    }
    // It gets the wall time that it had before.
    let waits = Waits { charged, first: limit.max(first.wall), late: silence::START };
    ask_again(subject, info, &fault, waits, next)
}

/// The times of a first question that is put once more.
struct Waits {
    /// What the program was charged for the question before.
    charged: Duration,
    /// How long it is waited for.
    first: Duration,
    /// How long it is waited for if it is silent and asked yet another time.
    late: Duration,
}

/// Puts the first question once more, to see what a program writes, and names the mistake behind its fault.
fn ask_again(
    subject: &Subject<'_>,
    info: &Info,
    fault: &Fault,
    waits: Waits,
    next: &mut dyn FnMut(Step<'_>),
) -> Result<TestResult, Error> {
    const TEST: &str = FIRST;
    let limit = info.time.first_limit;
    let mut dialogue = Dialogue::open(info, SEAT, subject.program, subject.setup)?;
    dialogue.write(&questions(subject)?[0]);
    let finding = match dialogue.listen(waits.first) {
        Output::Line(line) => {
            let (cause, what) = diagnosis::of_a_line(subject, &line).unwrap_or_else(|| {
                let what = format!("{fault}, after {} of {}", ms(waits.charged), ms(limit));
                (Cause::of(fault, &dialogue.errors()), what)
            });
            TestResult::found(TEST, cause, what).with_errors(last_lines(&dialogue.errors()))
        }
        Output::End(part) => diagnosis::of_an_end(TEST, &mut dialogue, &part),
        Output::Part(part) => {
            let silence = Silence { dialogue, part: &part, patience: waits.first.max(waits.late) };
            let found = silence::reason(subject, info, silence, next)?;
            TestResult { what: format!("no answer within {}: {}", ms(limit), found.what), ..found }
        }
    };
    Ok(finding)
}

/// Returns the maximum wait for an answer to a first question outside a game: the wait of a game on the
/// busiest machine.
fn first_patience(info: &Info) -> Duration {
    wall_limit(info.time.first_limit)
}

/// Puts a question as usual, and the next one in three pieces.
fn split_question(subject: &Subject<'_>, info: &Info) -> Result<TestResult, Error> {
    const TEST: &str = "split question";
    let mut dialogue = Dialogue::open(info, SEAT, subject.program, subject.setup)?;
    let [whole, split] = &questions(subject)?;
    // Until it has answered, it may still be starting: its answer to the first question could be mistaken for
    // one to a piece.
    dialogue.write(whole);
    let _ = dialogue.listen(first_patience(info));
    for _ in 0..EXTRA_LINES_MAX {
        if !matches!(dialogue.listen(PAUSE), Output::Line(_)) {
            break;
        }
    }
    let found = |what| {
        Ok(TestResult::found(TEST, Mistake::Pieces, format!("given a question in three pieces, it {what}")))
    };
    for piece in split.chunks(split.len().div_ceil(3)) {
        dialogue.write(piece);
        let is_last = piece.ends_with(b"\n");
        match dialogue.listen(if is_last { info.time.turn_limit.max(PATIENCE) } else { PAUSE }) {
            Output::Line(line) if !is_last => return found(format!("wrote {}", shown(&line))),
            Output::Line(_) => {} // whether that is a good answer is for the game to say
            Output::End(_) => return found("ended".to_owned()),
            Output::Part(_) if is_last => return found("wrote nothing".to_owned()),
            Output::Part(_) => {}
        }
    }
    Ok(TestResult::passed(TEST, "a question that arrives in pieces is answered once it is complete"))
}

/// Maximum number of further lines to one question that are read. A program that writes more has failed a test
/// before.
const EXTRA_LINES_MAX: u32 = 100;

/// Pause between two pieces of a question.
const PAUSE: Duration = Duration::from_millis(30);

/// Tests how a program ends if its input is closed after a question.
fn end_of_input(subject: &Subject<'_>, info: &Info) -> Result<TestResult, Error> {
    let mut dialogue = Dialogue::open(info, SEAT, subject.program, subject.setup)?;
    dialogue.write(&questions(subject)?[0]);
    let _ = dialogue.listen(first_patience(info));
    dialogue.close_input();
    Ok(test_of_exit("end of input", "after the end of input", &mut dialogue))
}

/// Tests how a program ends if its input is closed in the middle of a question.
fn half_a_question(subject: &Subject<'_>, info: &Info) -> Result<TestResult, Error> {
    let mut dialogue = Dialogue::open(info, SEAT, subject.program, subject.setup)?;
    let question = &questions(subject)?[0];
    dialogue.write(&question[..question.len() / 2]);
    dialogue.close_input();
    Ok(test_of_exit("half a question", "after half a question and the end of input", &mut dialogue))
}

/// Returns the result for a program whose input was closed, by how it ends.
fn test_of_exit(test: &'static str, when: &str, dialogue: &mut Dialogue) -> TestResult {
    match dialogue.end(PATIENCE) {
        None => {
            TestResult::found(test, Mistake::Stays, format!("still runs {} s {when}", PATIENCE.as_secs()))
        }
        Some(Fault::Crashed(signal)) => {
            TestResult::found(test, Mistake::BadEnd, format!("is ended by signal {signal} {when}"))
        }
        Some(Fault::Exited(status)) if status != 0 => {
            TestResult::found(test, Mistake::BadEnd, format!("exits with status {status} {when}"))
        }
        Some(_) => TestResult::passed(test, format!("exits {when}")),
    }
}

/// Returns the last lines of a program's standard error, each cut to a length for people.
fn last_lines(errors: &[u8]) -> Vec<String> {
    const LINES: usize = 5;
    const SHOWN: usize = 300;
    let text = String::from_utf8_lossy(errors);
    let lines = text.lines().rev().filter(|line| !line.trim().is_empty()).take(LINES);
    let mut lines: Vec<String> = lines.map(|line| line.chars().take(SHOWN).collect()).collect();
    lines.reverse();
    lines
}

/// Returns a time in milliseconds.
fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

/// Returns a line of a program, made visible and short for people.
fn shown(line: &[u8]) -> String {
    const SHOWN: usize = 60;
    let dots = if line.len() > SHOWN { "..." } else { "" };
    format!("\"{}{dots}\"", line[..line.len().min(SHOWN)].escape_ascii())
}
