//! Silence: why no whole line came in answer to the first question. The reason is found by trying: the input is closed,
//! the program is asked again and waited for longer, and it is asked until any buffer of its output is full.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use crate::examine::{
    FIRST as TEST, Mistake, PATIENCE, SEAT, Step, Subject, TestResult, diagnosis, last_lines, ms, questions,
    shown,
};
use crate::process::dialogue::{Dialogue, Output};
use referee_record::error::Error;
use referee_rules::Info;

/// How long a program can write output that it held back, after its input is closed.
const FLUSH: Duration = Duration::from_secs(3);

/// A program that has read the question and holds its answer back writes it this soon after its input is closed. An
/// answer that comes later is perhaps just late.
const AT_ONCE: Duration = Duration::from_millis(100);

/// Minimum time that a program is waited for in an examination before it counts as silent.
pub(super) const START: Duration = Duration::from_secs(20);

/// The sum of the waits of all tries, without those that follow from the limits of the game.
pub(super) const LONGEST: Duration = FLUSH.saturating_add(PATIENCE).saturating_add(PATIENCE);

/// Output that no usual buffer holds back, in bytes: those of programs have 4 to 64 KiB.
const NO_BUFFER: usize = 80_000;

/// Maximum input to fill a buffer, in bytes.
const INPUT_MAX: usize = 8 << 20;

/// A program that has not answered the first question.
pub(super) struct Silence<'a> {
    pub(super) dialogue: Dialogue,
    /// What did arrive of the line.
    pub(super) part: &'a [u8],
    /// How long a late answer is waited for.
    pub(super) patience: Duration,
}

/// Returns the likely reason for a missing line.
pub(super) fn reason(
    subject: &Subject<'_>,
    info: &Info,
    silence: Silence<'_>,
    next: &mut dyn FnMut(Step<'_>),
) -> Result<TestResult, Error> {
    let Silence { mut dialogue, part, patience } = silence;
    if let Some(found) = incomplete_line(part, "it wrote") {
        return Ok(found);
    }
    let has_read = dialogue.unread() == 0;
    dialogue.close_input();
    let closed_at = dialogue.now();
    let output = dialogue.listen(PATIENCE.min(FLUSH));
    let since_close = dialogue.now() - closed_at;
    let errors = last_lines(&dialogue.errors());
    let has_ended = dialogue.end(Duration::ZERO).is_some();
    drop(dialogue);
    if let Output::End(part) = &output
        && let Some(found) = incomplete_line(part, "once its input was closed it wrote")
    {
        return Ok(found);
    }
    match output {
        Output::Line(line) if has_read && since_close < AT_ONCE => {
            return held_back(subject, info, &line).map(|found| found.with_errors(errors));
        }
        // A program that leaves when its input is closed has read all of it.
        Output::End(_) if has_ended => {}
        output => {
            next(Step::Test("a late answer"));
            if let Some(late) = late_answer(subject, info, patience)? {
                return Ok(late);
            }
            if let Output::Line(line) = output {
                return held_back(subject, info, &line).map(|found| found.with_errors(errors));
            }
        }
    }
    Ok(nothing_at_all(subject, info)?.with_errors(errors))
}

/// Returns the mistake in a line without its newline; `None` if there is no such line.
fn incomplete_line(part: &[u8], wrote: &str) -> Option<TestResult> {
    match part {
        [] => None,
        [.., b'\r'] => {
            Some(TestResult::found(TEST, Mistake::CarriageReturn, format!("it wrote {}", shown(part))))
        }
        _ => {
            let what = format!("{wrote} {}, and no newline", shown(part));
            Some(TestResult::found(TEST, Mistake::NoNewline, what))
        }
    }
}

fn nothing_at_all(subject: &Subject<'_>, info: &Info) -> Result<TestResult, Error> {
    if diagnosis::reads_numbers_one_by_one(subject, info)? {
        let what = "it wrote nothing; but it answers when each number is on its own line";
        return Ok(TestResult::found(TEST, Mistake::NumberALine, what));
    }
    Ok(TestResult::found(TEST, Mistake::Silent, "it wrote nothing"))
}

/// Asks once more, and waits for longer. Returns the time of the first answer, if one came.
fn late_answer(subject: &Subject<'_>, info: &Info, patience: Duration) -> Result<Option<TestResult>, Error> {
    let mut dialogue = Dialogue::open(info, SEAT, subject.program, subject.setup)?;
    let began = dialogue.now();
    dialogue.write(&questions(subject)?[0]);
    let output = dialogue.listen(patience);
    let (took, limit) = (dialogue.now() - began, info.time.first_limit);
    if !matches!(output, Output::Line(_)) {
        return Ok(None);
    }
    let what = if took > limit {
        format!("its first answer comes after {}, and the limit is {}", ms(took), ms(limit))
    } else {
        format!("this time it answered after {}: its start takes more time at some times", ms(took))
    };
    let found = TestResult::found(TEST, Mistake::LateStart, what);
    Ok(Some(found.with_errors(last_lines(&dialogue.errors()))))
}

/// Finds out why a program answers only after its input is closed: its output waits in a buffer, or it reads all of its
/// input first. If it is asked often enough, a buffer becomes full, and answers come while the input is open.
fn held_back(subject: &Subject<'_>, info: &Info, line: &[u8]) -> Result<TestResult, Error> {
    let question = &questions(subject)?[0];
    let count = (NO_BUFFER / (line.len() + 1) + 1).min(INPUT_MAX / question.len().max(1));
    let mut dialogue = Dialogue::open(info, SEAT, subject.program, subject.setup)?;
    let began = dialogue.now();
    let (mut output, mut asked) = (Output::Part(Vec::new()), 0);
    while asked < count && matches!(output, Output::Part(_)) && dialogue.now() - began < PATIENCE {
        dialogue.write(question);
        asked += 1;
        if asked % 16 == 0 {
            output = dialogue.listen(Duration::from_micros(100));
        }
    }
    if matches!(output, Output::Part(_)) {
        output = dialogue.listen(PATIENCE);
    }
    let wrote = format!("it wrote {} after its input was closed", shown(line));
    let (mistake, what) = match output {
        Output::Line(_) => {
            let flush = flush_of(subject).map_or_else(String::new, |how| format!("; to flush: {how}"));
            let what = format!("{wrote}, or after {asked} questions: its output waits in a buffer{flush}");
            (Mistake::NotFlushed, what)
        }
        Output::Part(_) if asked == count => (
            Mistake::ReadsAll,
            format!("{wrote}, and nothing to {asked} questions before: it reads to the end"),
        ),
        // The same question again and again can be too much for it.
        Output::Part(_) | Output::End(_) => (Mistake::NotFlushed, wrote),
    };
    Ok(TestResult::found(TEST, mistake, what))
}

/// Returns how a script of this language flushes each answer; `None` if its first line does not tell the language.
fn flush_of(subject: &Subject<'_>) -> Option<&'static str> {
    let mut start = Vec::new();
    File::open(&subject.program.file).ok()?.take(256).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let interpreter =
        line.split_ascii_whitespace().find(|word| !word.ends_with("/env") && !word.starts_with('-'))?;
    let name = Path::new(interpreter).file_name()?.to_str()?;
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    FLUSHES.iter().find(|(language, _)| *language == name).map(|(_, how)| *how)
}

/// How scripts flush their output, by the name of the interpreter.
const FLUSHES: [(&str, &str); 7] = [
    ("python", "print(answer, flush=True)"),
    ("pypy", "print(answer, flush=True)"),
    ("ruby", "$stdout.sync = true, once at the start"),
    ("perl", "$| = 1, once at the start"),
    ("lua", "io.stdout:setvbuf(\"no\"), once at the start"),
    ("php", "fflush(STDOUT) after each answer"),
    ("tclsh", "flush stdout after each answer"),
];
