//! The rows of a game's log as text: one header for all games, one fact in each row.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use super::{Heading, Laid, Page};
use crate::rules::{Event, Fault, FaultKind, Outcome, Seat};
use crate::wire;

/// The first line of every log.
pub(super) const HEADER: &str = "row,turn,seat,name,time_us,wall_us,values,detail\n";

/// The versions of this format that are read. A log is written in the first that has all that it says: earlier versions read it.
pub(super) const FORMATS: RangeInclusive<u32> = FORMAT..=FORMAT_WITH_START;

const FORMAT: u32 = 2;
const FORMAT_WITH_ARGUMENTS: u32 = 3;
const FORMAT_WITH_START: u32 = 4;

/// Stands in the detail of the format's row if bots were charged whole microseconds: then the times of the log are those that
/// were compared with limits and taken from banks. Without it they were rounded down when they were written.
pub(super) const WHOLE_US: &str = "whole_us";

/// Appends everything that stands before the first turn.
pub(super) fn push_heading(out: &mut Vec<u8>, heading: &Heading) {
    let mut text = String::from(HEADER);
    let times = if heading.whole_us { WHOLE_US } else { "" };
    let has_arguments = heading.arguments.iter().any(|(_, arguments)| !arguments.is_empty());
    let format = match () {
        () if !heading.start.is_empty() => FORMAT_WITH_START,
        () if has_arguments => FORMAT_WITH_ARGUMENTS,
        () => FORMAT,
    };
    let _ = writeln!(text, "format,,,referee-log,,,{format},{times}");
    let _ = writeln!(text, "game,,,{},,,{},{}", heading.rules, heading.version, heading.game);
    for (name, value) in heading.parameters.iter() {
        // Numbers among the values, words in the detail.
        let (number, word) = if value.parse::<i64>().is_ok() { (&value[..], "") } else { ("", &value[..]) };
        let _ = writeln!(text, "set,,,{name},,,{number},{word}");
    }
    let _ = writeln!(text, "seed,,,,,,,{}", heading.seed);
    for (seat, bot) in heading.bots.iter() {
        let _ = writeln!(text, "seat,,{seat},{},,,{},{}", bot.name, bot.version, bot.digest);
    }
    for (seat, arguments) in heading.arguments.iter().filter(|(_, arguments)| !arguments.is_empty()) {
        let _ = writeln!(text, "arguments,,{seat},,,,,{arguments}");
    }
    for Laid { thing, seat, value } in &heading.start {
        let seat = seat.map_or(String::new(), |seat| seat.to_string());
        let _ = writeln!(text, "start,,{seat},{thing},,,{value},");
    }
    out.extend_from_slice(text.as_bytes());
}

/// Appends a turn: a row for each answer, with its dropped lines behind it, then one for each event.
pub(super) fn push_turn(out: &mut Vec<u8>, page: &Page<'_>) {
    for (answer, verdict) in page.answers.iter().zip(page.verdicts) {
        start_row(out, "answer", page.turn, Some(answer.seat));
        match verdict {
            None => out.extend_from_slice(b"ok,"),
            Some(fault) => push_name(out, fault.kind().name()),
        }
        let (charged, wall) = (answer.thinking.as_micros(), answer.wall.as_micros());
        wire::push_number(out, charged as i64);
        out.push(b',');
        if wall != charged {
            wire::push_number(out, wall as i64);
        }
        out.push(b',');
        wire::push_joined(out, &answer.integers);
        out.push(b',');
        if let Some(fault) = verdict {
            push_detail(out, fault);
        }
        out.push(b'\n');
        for (kind, count) in answer.dropped.iter().filter(|(_, count)| *count > 0) {
            push_dropped(out, page.turn, answer.seat, kind, count);
        }
    }
    for event in page.events.iter() {
        push_event(out, page.turn, event);
    }
}

/// Appends the end of a game.
pub(super) fn push_end(out: &mut Vec<u8>, turns: u32, outcome: &Outcome) {
    let mut text = String::new();
    for (seat, score) in outcome.scores.iter() {
        let _ = writeln!(text, "score,,{seat},place,,,{score},{}", outcome.place(seat));
    }
    let _ = writeln!(text, "end,{turns},,{},,,,", outcome.reason);
    out.extend_from_slice(text.as_bytes());
}

/// Appends the last row: the digest of all bytes before it.
pub(super) fn push_digest(out: &mut Vec<u8>, digest: &str) {
    out.extend_from_slice(format!("digest,,,sha256,,,,{digest}\n").as_bytes());
}

fn push_dropped(out: &mut Vec<u8>, turn: u32, seat: Seat, kind: FaultKind, count: u32) {
    start_row(out, "dropped", turn, Some(seat));
    push_name(out, kind.name());
    out.extend_from_slice(b",,");
    wire::push_number(out, count.into());
    out.extend_from_slice(b",\n");
}

fn push_event(out: &mut Vec<u8>, turn: u32, event: Event<'_>) {
    match event {
        Event::Draw { name, at, candidates, drawn } => {
            start_row(out, "draw", turn, None);
            push_name(out, name);
            out.extend_from_slice(b",,");
            wire::push_joined(out, candidates);
            out.extend_from_slice(b",at ");
            wire::push_number(out, at);
            out.extend_from_slice(b" drawn");
            wire::push_integers(out, drawn);
        }
        Event::Effect { name, seat, values } => {
            start_row(out, "effect", turn, seat);
            push_name(out, name);
            out.extend_from_slice(b",,");
            wire::push_joined(out, values);
            out.push(b',');
        }
    }
    out.push(b'\n');
}

/// Appends `row,turn,seat,`.
#[inline]
fn start_row(out: &mut Vec<u8>, row: &str, turn: u32, seat: Option<Seat>) {
    out.extend_from_slice(row.as_bytes());
    out.push(b',');
    wire::push_number(out, turn.into());
    out.push(b',');
    if let Some(seat) = seat {
        wire::push_number(out, seat.index() as i64);
    }
    out.push(b',');
}

/// Appends `name,`.
fn push_name(out: &mut Vec<u8>, name: &str) {
    out.extend_from_slice(name.as_bytes());
    out.push(b',');
}

/// Appends what there is to say of a fault, quoted where a comma or a quotation mark is in it.
fn push_detail(out: &mut Vec<u8>, fault: &Fault) {
    let mut detail = String::new();
    let _ = fault.write_detail(&mut detail);
    // One row is one line, whatever a file's name or a system's message may hold.
    let detail = detail.replace(|c: char| c.is_control(), " ");
    if detail.contains([',', '"']) {
        out.extend_from_slice(format!("\"{}\"", detail.replace('"', "\"\"")).as_bytes());
    } else {
        out.extend_from_slice(detail.as_bytes());
    }
}
