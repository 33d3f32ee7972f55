//! The rows of a game's log as text: one header for all games, one fact in each row.

use std::fmt::Display;
use std::io::Write as _;

use super::cells::quote_last_cell;
use super::row_kind::{LogColumn, RowKind};
use super::{Heading, Laid, Page};
use referee_rules::wire;
use referee_rules::{Event, Fault, FaultKind, Outcome, Seat};

/// The version of this format that is written.
pub(super) const FORMAT: u32 = 5;

/// The oldest version that is read.
pub(super) const OLDEST: u32 = 5;

/// The detail of the format's row: bots were charged whole microseconds, so the log contains the exact times that were
/// compared with limits and taken from banks.
pub(super) const WHOLE_US: &str = "whole_us";

/// The cells of a row that are not empty, besides the first.
type Cells<'a> = &'a [(LogColumn, &'a dyn Display)];

/// Appends all rows before the first turn.
pub(super) fn push_heading(out: &mut Vec<u8>, heading: &Heading) {
    use LogColumn::{Detail, Name, Seat, Values};
    let _ = writeln!(out, "{}", LogColumn::header());
    push(out, RowKind::Format, &[(Name, &"referee-log"), (Values, &FORMAT), (Detail, &WHOLE_US)]);
    let Heading { game, rules, version, seed, .. } = heading;
    push(out, RowKind::Game, &[(Name, rules), (Values, version), (Detail, game)]);
    for (name, value) in heading.parameters.iter() {
        let column = if value.parse::<i64>().is_ok() { Values } else { Detail };
        push(out, RowKind::Set, &[(Name, name), (column, value)]);
    }
    push(out, RowKind::Seed, &[(Detail, seed)]);
    for (seat, bot) in heading.bots.iter() {
        let cells: Cells<'_> =
            &[(Seat, &seat), (Name, &bot.name), (Values, &bot.version), (Detail, &bot.digest)];
        push(out, RowKind::Seat, cells);
    }
    for (seat, arguments) in heading.arguments.iter().filter(|(_, arguments)| !arguments.is_empty()) {
        push(out, RowKind::Arguments, &[(Seat, &seat), (Detail, arguments)]);
    }
    for Laid { thing, seat, value } in &heading.start {
        let seat = seat.map_or(String::new(), |seat| seat.to_string());
        push(out, RowKind::Start, &[(Seat, &seat), (Name, thing), (Values, value)]);
    }
}

/// Appends a row of the heading or the end. The many rows of turns are written byte by byte.
#[inline]
fn push(out: &mut Vec<u8>, kind: RowKind, cells: Cells<'_>) {
    debug_assert!(cells.iter().all(|(column, _)| kind.uses(*column)), "{kind} has no such column");
    let _ = write!(out, "{kind}");
    for column in LogColumn::ALL.into_iter().skip(1) {
        out.push(b',');
        let start = out.len();
        for (_, cell) in cells.iter().filter(|(other, _)| *other == column) {
            let _ = write!(out, "{cell}");
        }
        quote_last_cell(out, start);
    }
    out.push(b'\n');
}

/// Appends a turn: a row for each answer, followed by its dropped lines, then a row for each event.
pub(super) fn push_turn(out: &mut Vec<u8>, page: &Page<'_>) {
    for (answer, verdict) in page.answers.iter().zip(page.verdicts) {
        start_row(out, RowKind::Answer, page.turn, Some(answer.seat));
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
        if let Some(cpu) = answer.cpu {
            wire::push_number(out, cpu.as_micros() as i64);
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
#[inline]
pub(super) fn push_end(out: &mut Vec<u8>, turns: u32, outcome: &Outcome) {
    use LogColumn::{Detail, Name, Seat, Turn, Values};
    for (seat, score) in outcome.scores.iter() {
        let place = outcome.place(seat);
        push(out, RowKind::Score, &[(Seat, &seat), (Name, &"place"), (Values, score), (Detail, &place)]);
    }
    push(out, RowKind::End, &[(Turn, &turns), (Name, &outcome.reason)]);
}

/// Appends the last row: the digest of all bytes before it.
#[inline]
pub(super) fn push_digest(out: &mut Vec<u8>, digest: &str) {
    push(out, RowKind::Digest, &[(LogColumn::Name, &"sha256"), (LogColumn::Detail, &digest)]);
}

/// The columns of times where a row has none.
const NO_TIMES: &[u8] = b",,,";

#[inline]
fn push_dropped(out: &mut Vec<u8>, turn: u32, seat: Seat, kind: FaultKind, count: u32) {
    start_row(out, RowKind::Dropped, turn, Some(seat));
    push_name(out, kind.name());
    out.extend_from_slice(NO_TIMES);
    wire::push_number(out, count.into());
    out.extend_from_slice(b",\n");
}

fn push_event(out: &mut Vec<u8>, turn: u32, event: Event<'_>) {
    match event {
        Event::Draw { name, at, candidates, drawn } => {
            start_row(out, RowKind::Draw, turn, None);
            push_name(out, name);
            out.extend_from_slice(NO_TIMES);
            wire::push_joined(out, candidates);
            out.extend_from_slice(b",at ");
            wire::push_number(out, at);
            out.extend_from_slice(b" drawn");
            wire::push_integers(out, drawn);
        }
        Event::Effect { name, seat, values } => {
            start_row(out, RowKind::Effect, turn, seat);
            push_name(out, name);
            out.extend_from_slice(NO_TIMES);
            wire::push_joined(out, values);
            out.push(b',');
        }
    }
    out.push(b'\n');
}

/// Appends `kind,turn,seat,`.
#[inline]
fn start_row(out: &mut Vec<u8>, kind: RowKind, turn: u32, seat: Option<Seat>) {
    out.extend_from_slice(kind.name().as_bytes());
    out.push(b',');
    wire::push_number(out, turn.into());
    out.push(b',');
    if let Some(seat) = seat {
        wire::push_number(out, seat.index() as i64);
    }
    out.push(b',');
}

/// Appends `name,`.
#[inline]
fn push_name(out: &mut Vec<u8>, name: &str) {
    out.extend_from_slice(name.as_bytes());
    out.push(b',');
}

/// Appends the details of a fault.
#[inline]
fn push_detail(out: &mut Vec<u8>, fault: &Fault) {
    let mut detail = String::new();
    let _ = fault.write_detail(&mut detail);
    // One row is one line. A file's name or a system's message can contain line breaks.
    let detail = detail.replace(|c: char| c.is_control(), " ");
    let start = out.len();
    out.extend_from_slice(detail.as_bytes());
    quote_last_cell(out, start);
}
