//! The fast reader for rows of a log in their usual form. It reads them where they lie in the buffer. Any other row is
//! left to the full reader, so that every row has one meaning and every error one wording.

use std::time::Duration;

use super::columns::{COLUMNS, PassedRows};
use super::row_kind::RowKind;
use crate::Answer;
use referee_rules::Seat;
use referee_rules::wire;

/// Reads the answer of a seat in a turn from the beginning of a text, after rows of draws and effects. Returns the rows
/// that were read: the answer is the last of them. `None` if the text begins with something else, or if the answer can
/// have dropped lines; then the content of `answer` is meaningless.
pub(super) fn read_answer(text: &[u8], turn: u32, seat: Seat, answer: &mut Answer) -> Option<PassedRows> {
    let (mut rest, mut events) = (text, 0);
    while let Some(length) = event_length(rest) {
        rest = &rest[length..];
        events += 1;
    }
    let (row_turn, rest) = number(after(rest, RowKind::Answer)?)?;
    let (row_seat, rest) = number(rest)?;
    if row_turn != i64::from(turn) || row_seat != seat.index() as i64 {
        return None;
    }
    let (charged, rest) = number(rest.strip_prefix(b"ok,")?)?;
    let (wall, rest) = match rest.strip_prefix(b",") {
        Some(rest) => (charged, rest),
        None => number(rest)?,
    };
    let (cpu, rest) = match rest.strip_prefix(b",") {
        Some(rest) => (None, rest),
        None => {
            let (cpu, rest) = number(rest)?;
            (Some(Duration::from_micros(cpu as u64)), rest)
        }
    };
    answer.integers.clear();
    let rest = numbers(rest, &mut answer.integers)?.strip_prefix(b"\n")?;
    // A row of dropped lines would belong to this answer.
    if !is_answer_or_event(rest) {
        return None;
    }
    answer.thinking = Duration::from_micros(charged as u64);
    answer.wall = Duration::from_micros(wall as u64);
    answer.cpu = cpu;
    answer.dropped = Default::default();
    answer.fault = None;
    Some(PassedRows { length: text.len() - rest.len(), lines: events + 1 })
}

/// Reads a column that is a number, and the comma after it.
#[inline]
fn number(text: &[u8]) -> Option<(i64, &[u8])> {
    wire::read_short(text, |byte| byte == b',')
}

/// Reads a column of numbers with single blanks between them, and the comma after it.
fn numbers<'a>(mut text: &'a [u8], numbers: &mut Vec<i64>) -> Option<&'a [u8]> {
    loop {
        let (sign, digits) = match text {
            [b'-', digits @ ..] => (-1, digits),
            digits => (1, digits),
        };
        let (number, rest) = wire::read_short(digits, |byte| matches!(byte, b' ' | b','))?;
        numbers.push(sign * number);
        if text[text.len() - rest.len() - 1] == b',' {
            return Some(rest);
        }
        text = rest;
    }
}

/// Returns the length of the first row of a text, with its newline, if it is a draw or an effect in its usual form.
fn event_length(text: &[u8]) -> Option<usize> {
    if !is_event(text) {
        return None;
    }
    let mut commas = 0;
    for (index, byte) in text.iter().enumerate() {
        match byte {
            b'\n' => return (commas == COLUMNS - 1).then_some(index + 1),
            b',' => commas += 1,
            // A quoted cell, or a byte that is not of visible ASCII.
            b'"' | ..b' ' | 0x7f.. => return None,
            _ => {}
        }
    }
    None
}

/// Tells whether a text begins with an answer, a draw or an effect.
#[inline]
pub(super) fn is_answer_or_event(text: &[u8]) -> bool {
    after(text, RowKind::Answer).is_some() || is_event(text)
}

#[inline]
fn is_event(text: &[u8]) -> bool {
    after(text, RowKind::Draw).is_some() || after(text, RowKind::Effect).is_some()
}

/// Returns the text after the first column, if the row is of this kind.
#[inline(always)]
fn after(text: &[u8], kind: RowKind) -> Option<&[u8]> {
    text.strip_prefix(kind.name().as_bytes())?.strip_prefix(b",")
}
