//! Diagnoses: the likely mistake behind a wrong or missing answer.

use crate::examine::{Cause, Mistake, PATIENCE, SEAT, Subject, TestResult, game, questions, shown};
use crate::process::dialogue::{Dialogue, Output};
use referee_record::error::Error;
use referee_rules::wire;
use referee_rules::{Fault, Info};

/// What some languages and editors write in front of the first line of a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns the mistake in the line that answers the first question; `None` if the line is good.
pub(super) fn of_a_line(subject: &Subject<'_>, line: &[u8]) -> Option<(Cause, String)> {
    if line.starts_with(BYTE_ORDER_MARK) {
        return Some((Mistake::ByteOrderMark.into(), format!("it wrote {}", shown(line))));
    }
    let (mut integers, (_, values)) = (Vec::new(), wire::split_tag(line));
    let fault = match wire::read_integers(values, &mut integers) {
        Err(malformed) => Fault::Malformed(malformed),
        Ok(()) => game::verdict_on_first(subject, &integers)?,
    };
    Some((Cause::of(&fault, b""), format!("{fault}: it wrote {}", shown(line))))
}

/// Describes a program that ended instead of answering.
pub(super) fn of_an_end(test: &'static str, dialogue: &mut Dialogue, part: &[u8]) -> TestResult {
    let fault = dialogue.end(PATIENCE).unwrap_or(Fault::Closed);
    let after = if part.is_empty() { String::new() } else { format!(" after it wrote {}", shown(part)) };
    TestResult::of_fault(test, &fault, &dialogue.errors(), format!("{fault}{after}"))
}

/// Tells whether the program answers a question that has each number on its own line.
pub(super) fn reads_numbers_one_by_one(subject: &Subject<'_>, info: &Info) -> Result<bool, Error> {
    let mut dialogue = Dialogue::open(info, SEAT, subject.program, subject.setup)?;
    let question: Vec<u8> =
        questions(subject)?[0].iter().map(|byte| if *byte == b' ' { b'\n' } else { *byte }).collect();
    dialogue.write(&question);
    Ok(matches!(dialogue.listen(info.time.first_limit), Output::Line(_)))
}
