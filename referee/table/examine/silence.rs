//! Silence: why no whole line came in answer to the first question. Reasons are tried, not guessed: the input is
//! closed, the program is asked again and waited for longer, and it is asked so often that any buffer of its output
//! is full.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use crate::examine::{
    FIRST as TEST, Mistake, PATIENCE, SEAT, Step, Subject, TestResult, diagnosis, last_lines, ms, questions,
    shown,
};
use crate::process::dialogue::{Dialogue, Heard};
use referee_record::error::Error;
use referee_rules::Info;

/// How long a program can write output that it held back, after its input is closed.
const FLUSH: Duration = Duration::from_secs(3);

/// What a program held back comes this soon after its input is closed, if it has read the question. All else is perhaps
/// just late.
const AT_ONCE: Duration = Duration::from_millis(100);

/// Minimum time that a program is waited for in an examination before it counts as silent.
pub(super) const START: Duration = Duration::from_secs(20);

/// The waits of the tries, but for those that follow from the limits of the game.
pub(super) const LONGEST: Duration = FLUSH.saturating_add(PATIENCE).saturating_add(PATIENCE);

/// Output that no usual buffer holds back, in bytes: those of programs have 4 to 64 KiB.
const NO_BUFFER: usize = 80_000;

/// Maximum input to fill a buffer, in bytes.
const INPUT_MAX: usize = 8 << 20;

/// Returns the likely reason for a missing line. `part` is what did arrive of the line. A late answer is waited for
/// during `patience`.
pub(super) fn reason(
    subject: &Subject<'_>,
    info: &Info,
    mut dialogue: Dialogue,
    (patience, part): (Duration, &[u8]),
    next: &mut dyn FnMut(Step<'_>),
) -> Result<TestResult, Error> {
    let found = |mistake, what: String| TestResult::found(TEST, mistake, what);
    if ends_in_return(part) {
        return Ok(found(Mistake::CarriageReturn, format!("it wrote {}", shown(part))));
    } else if !part.is_empty() {
        return Ok(found(Mistake::NoNewline, format!("it wrote {}, and no newline", shown(part))));
    }
    let has_read = dialogue.unread() == 0;
    dialogue.close_input();
    let closed = dialogue.now();
    let heard = dialogue.listen(PATIENCE.min(FLUSH));
    let after = dialogue.now() - closed;
    let errors = last_lines(&dialogue.errors());
    let has_ended = dialogue.end(Duration::ZERO).is_some();
    drop(dialogue);
    match heard {
        Heard::Line(line) if has_read && after < AT_ONCE => {
            return held_back(subject, info, &line).map(|found| found.with_errors(errors));
        }
        Heard::End(part) if ends_in_return(&part) => {
            return Ok(found(Mistake::CarriageReturn, format!("it wrote {}", shown(&part))));
        }
        Heard::End(part) if !part.is_empty() => {
            let what = format!("once its input was closed it wrote {}, and no newline", shown(&part));
            return Ok(found(Mistake::NoNewline, what));
        }
        // A program that leaves when its input is closed has read all of it.
        Heard::End(_) if has_ended => {}
        heard => {
            next(Step::Test("a late answer"));
            if let Some(late) = late_answer(subject, info, patience)? {
                return Ok(late);
            }
            if let Heard::Line(line) = heard {
                return held_back(subject, info, &line).map(|found| found.with_errors(errors));
            }
        }
    }
    let silent = "it wrote nothing";
    let finding = if diagnosis::reads_numbers_one_by_one(subject, info)? {
        found(Mistake::NumberALine, format!("{silent}; but it answers when each number is on its own line"))
    } else {
        found(Mistake::Silent, silent.to_owned())
    };
    Ok(finding.with_errors(errors))
}

fn ends_in_return(part: &[u8]) -> bool {
    part.ends_with(b"\r")
}

/// Asks once more, and waits for longer. Returns the time of the first answer, if one came.
fn late_answer(subject: &Subject<'_>, info: &Info, patience: Duration) -> Result<Option<TestResult>, Error> {
    let mut dialogue = Dialogue::open(info, SEAT, subject.program, subject.setup)?;
    let began = dialogue.now();
    dialogue.write(&questions(subject)?[0]);
    let heard = dialogue.listen(patience);
    let (took, limit) = (dialogue.now() - began, info.time.first_limit);
    Ok(matches!(heard, Heard::Line(_)).then(|| {
        let what = match took > limit {
            true => format!("its first answer comes after {}, and the limit is {}", ms(took), ms(limit)),
            false => {
                format!("this time it answered after {}: its start takes more time at some times", ms(took))
            }
        };
        TestResult::found(TEST, Mistake::LateStart, what).with_errors(last_lines(&dialogue.errors()))
    }))
}

/// Finds out why a program answers only after its input is closed: its output waits in a buffer, or it reads all of its
/// input first. If it is asked often enough, a buffer becomes full, and answers come while the input is open.
fn held_back(subject: &Subject<'_>, info: &Info, line: &[u8]) -> Result<TestResult, Error> {
    let question = &questions(subject)?[0];
    let count = (NO_BUFFER / (line.len() + 1) + 1).min(INPUT_MAX / question.len().max(1));
    let mut dialogue = Dialogue::open(info, SEAT, subject.program, subject.setup)?;
    let began = dialogue.now();
    let (mut heard, mut asked) = (Heard::Part(Vec::new()), 0);
    while asked < count && matches!(heard, Heard::Part(_)) && dialogue.now() - began < PATIENCE {
        dialogue.write(question);
        asked += 1;
        if asked % 16 == 0 {
            heard = dialogue.listen(Duration::from_micros(100));
        }
    }
    if matches!(heard, Heard::Part(_)) {
        heard = dialogue.listen(PATIENCE);
    }
    let wrote = format!("it wrote {} after its input was closed", shown(line));
    let (mistake, what) = match heard {
        Heard::Line(_) => {
            let flush = flush_of(subject).map_or_else(String::new, |how| format!("; to flush: {how}"));
            let what = format!("{wrote}, or after {asked} questions: its output waits in a buffer{flush}");
            (Mistake::NotFlushed, what)
        }
        Heard::Part(_) if asked == count => (
            Mistake::ReadsAll,
            format!("{wrote}, and nothing to {asked} questions before: it reads to the end"),
        ),
        // The same question again and again can be too much for it.
        Heard::Part(_) | Heard::End(_) => (Mistake::NotFlushed, wrote),
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
