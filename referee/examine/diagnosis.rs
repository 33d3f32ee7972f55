//! Diagnoses: the likely mistake behind a wrong or missing answer.

use std::time::Duration;

use crate::{Mistake, PATIENCE, SEAT, Subject, TestResult, game, questions, shown};
use referee_record::error::Error;
use referee_rules::wire;
use referee_rules::{Fault, Info};
use referee_table::process::dialogue::{Dialogue, Heard};

/// Returns the mistake in the line that answers the first question; `None` if the line is good.
pub(super) fn of_a_line(subject: &Subject<'_>, line: &[u8]) -> Option<(Mistake, String)> {
    let (mut integers, (_, values)) = (Vec::new(), wire::split_tag(line));
    let fault = match wire::read_integers(values, &mut integers) {
        Err(malformed) => Fault::Malformed(malformed),
        Ok(()) => game::verdict_on_first(subject, &integers)?,
    };
    Some((Mistake::behind(&fault), format!("{fault}: it wrote {}", shown(line))))
}

/// Describes a program that ended instead of answering.
pub(super) fn of_an_end(test: &'static str, dialogue: &mut Dialogue, part: &[u8]) -> TestResult {
    let fault = dialogue.end(PATIENCE).unwrap_or(Fault::Closed);
    let after = if part.is_empty() { String::new() } else { format!(" after it wrote {}", shown(part)) };
    TestResult::found(test, Mistake::behind(&fault), format!("{fault}{after}"))
}

/// Returns the likely reason for a missing line. `part` is what did arrive of the line.
pub(super) fn of_silence(dialogue: &mut Dialogue, part: &[u8]) -> (Mistake, String) {
    let ends_in_return = |part: &[u8]| part.ends_with(b"\r");
    if ends_in_return(part) {
        return (Mistake::CarriageReturn, format!("it wrote {}", shown(part)));
    } else if !part.is_empty() {
        return (Mistake::NoNewline, format!("it wrote {}, and no newline", shown(part)));
    }
    dialogue.close_input();
    match dialogue.listen(PATIENCE.min(FLUSH)) {
        Heard::Line(line) => {
            (Mistake::NotFlushed, format!("it wrote {} after its input was closed", shown(&line)))
        }
        Heard::End(part) if ends_in_return(&part) => {
            (Mistake::CarriageReturn, format!("it wrote {}", shown(&part)))
        }
        Heard::End(part) if !part.is_empty() => (
            Mistake::NoNewline,
            format!("once its input was closed it wrote {}, and no newline", shown(&part)),
        ),
        Heard::End(_) | Heard::Part(_) => (Mistake::Silent, "it wrote nothing".to_owned()),
    }
}

/// How long a program can write output that it held back, after its input is closed.
const FLUSH: Duration = Duration::from_secs(3);

/// Tells whether the program answers a question that has each number on its own line.
pub(super) fn reads_numbers_one_by_one(subject: &Subject<'_>, info: &Info) -> Result<bool, Error> {
    let mut dialogue = Dialogue::open(info, SEAT, subject.program, subject.setup)?;
    let question: Vec<u8> =
        questions(subject)?[0].iter().map(|byte| if *byte == b' ' { b'\n' } else { *byte }).collect();
    dialogue.write(&question);
    Ok(matches!(dialogue.listen(info.time.first_limit), Heard::Line(_)))
}
