//! The lists beside the board or on a screen of their own: seats, happenings, questions and answers, help.

use crate::view::board::Drawn;
use crate::view::canvas::{Hue, Ink};
use crate::view::scene::Scene;
use crate::view::story::{HappeningKind, Vocabulary};
use referee_record::text;
use referee_rules::Seat;

/// A line of a list.
pub(super) type Line = (Ink, String);

/// The help of a replay: its keys, and the signs of its timeline.
pub const HELP: &[&str] = &[
    "space            play, pause",
    "right left       a turn forward, back     (also l h, . ,)",
    "page down, up    ten turns forward, back",
    "home end         the beginning, the end",
    "+ -              faster, slower           (also up, down)",
    "g                go to a turn: its number, then Enter",
    "n N              the next, the previous event: goal, wall, score, fault, end",
    "f F              the next, the previous fault",
    "w                actions of this turn, standard error; s: of one seat only",
    "a                questions and answers of the turn, as they were sent",
    "t                show hidden information, if the game has any",
    "?                this help",
    "q Esc            back to the board; from there, to the shell (also Ctrl-C)",
    "",
    "In lists: up, down, page up, page down, home, end.",
    "",
    "A position is numbered by the turns before it. Lists show the last of them.",
    "Turns count from 0, as in the log: after 12 turns, the last one was turn 11.",
    "",
    "The line above the keys is the whole game, from left to right:",
    "[ ] where we are   * an effect, such as a goal or a wall   ! a fault",
    ". a new score   = the end   v where an expected share fell (--why)",
];

/// Lists the seats with their bots and scores; many of them in two columns.
pub(super) fn seats(scene: &Scene, board: &Drawn, width: usize, rows: usize) -> Vec<Vec<Line>> {
    let bots = &scene.heading.bots;
    let columns = if bots.len() > 8 { 2 } else { 1 };
    let width = width / columns - (columns - 1);
    let mut entries: Vec<Line> = Vec::new();
    for (seat, bot) in bots.iter() {
        let reply = scene.turn.iter().flat_map(|turn| &turn.replies).find(|reply| reply.seat == seat);
        let score = scene.score(seat).map_or(String::new(), |score| score.to_string());
        let tail = match reply {
            _ if columns == 2 => format!("{score:>4}"),
            None => format!("{score:>5} {:>9}", ""),
            // A fault matters more than the time.
            Some(reply) if reply.fault.is_some() => format!("{score:>5} {:>9}", reply.verdict()),
            Some(reply) => {
                let time = reply.thinking.as_secs_f64() * 1000.0;
                format!("{score:>5} {:>9}", milliseconds(time))
            }
        };
        let head = format!("{:>2} {} ", seat.index(), board.sign(seat));
        let room = width.saturating_sub(head.len() + tail.len());
        let name = text::harmless(&bot.name, room);
        let gap = " ".repeat(room.saturating_sub(text::width(&name)));
        let is_asked = reply.is_some();
        let ink = Ink { bold: is_asked, ..Ink::of(Hue::Seat(seat.index())) };
        entries.push((ink, format!("{head}{name}{gap}{tail}")));
    }
    let rows = entries.len().div_ceil(columns).min(rows);
    let missing = entries.len().saturating_sub(rows * columns);
    if missing > 0 {
        entries.truncate(rows * columns - 1);
        entries.push((Ink::FAINT, format!("   and {} more", missing + 1)));
    }
    let entry = |row: usize, column: usize| entries.get(column * rows + row).cloned();
    (0..rows).map(|row| (0..columns).filter_map(|column| entry(row, column)).collect()).collect()
}

/// Returns a time in a few characters.
fn milliseconds(time: f64) -> String {
    if time >= 1000.0 { format!("{:.1} s", time / 1000.0) } else { format!("{time:.1} ms") }
}

/// Lists the happenings of the last turn, a sentence each, at this width; of one seat alone if asked.
pub(super) fn words(scene: &Scene, seat: Option<Seat>, width: usize) -> Vec<Line> {
    let all = scene.words().into_iter().filter(|(_, whose, _)| seat.is_none() || *whose == seat);
    let mut lines = Vec::new();
    for (kind, seat, words) in all {
        let hue = seat.map_or(Hue::Plain, |seat| Hue::Seat(seat.index()));
        let ink = match kind {
            HappeningKind::Action => Ink::of(hue),
            HappeningKind::Fault | HappeningKind::Fall => Ink::of(Hue::Alarm),
            HappeningKind::Effect | HappeningKind::Score | HappeningKind::End => {
                Ink { bold: true, ..Ink::of(hue) }
            }
        };
        lines.extend(text::wrap(words, width).into_iter().map(|line| (ink, line)));
    }
    let vocabulary = Vocabulary::of(&scene.heading);
    let errors = scene.turn.iter().flat_map(|turn| &turn.wrote);
    for (seat, text) in errors.filter(|(whose, _)| seat.is_none_or(|seat| seat == *whose)) {
        let ink = Ink::of(Hue::Seat(seat.index()));
        let head = format!("standard error of {}:", vocabulary.bot(*seat));
        lines.extend(text::wrap(&head, width).into_iter().map(|line| (ink, line)));
        let indented = text.lines().flat_map(|line| text::wrap(line, width.saturating_sub(2).max(1)));
        lines.extend(indented.map(|line| (Ink::PLAIN, format!("  {line}"))));
    }
    if lines.is_empty() {
        let none = if scene.turn.is_some() { "nothing happened" } else { "the game has not begun" };
        lines.push((Ink::FAINT, none.to_owned()));
    }
    lines
}

/// Lists questions and answers of the last turn.
pub(super) fn answers(scene: &Scene, questions: &[(Seat, String)], width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for reply in scene.turn.iter().flat_map(|turn| &turn.replies) {
        let seat = reply.seat;
        let name = &scene.heading.bots[seat].name;
        let [charged, wall] = [reply.thinking, reply.wall].map(|time| time.as_secs_f64() * 1000.0);
        let mut head =
            format!("seat {seat} {name}: {}, {charged:.3} ms charged, {wall:.3} elapsed", reply.verdict());
        if !reply.detail.is_empty() {
            head += &format!(": {}", reply.detail);
        }
        let dropped: u32 = reply.dropped.iter().map(|(_, count)| count).sum();
        if dropped > 0 {
            head += &format!(" ({dropped} lines dropped)");
        }
        let ink = Ink { bold: true, ..Ink::of(Hue::Seat(seat.index())) };
        lines.extend(text::wrap(&head, width).into_iter().map(|line| (ink, line)));
        let integers: Vec<String> = reply.integers.iter().map(i64::to_string).collect();
        let question = questions.iter().find(|(other, _)| *other == seat).map(|(_, line)| &**line);
        for (title, text) in [("question", question), ("answer", Some(&*integers.join(" ")))] {
            let Some(text) = text else { continue };
            for (index, part) in text::wrap(text, width.saturating_sub(10)).into_iter().enumerate() {
                let title = if index == 0 { title } else { "" };
                lines.push((Ink::PLAIN, format!("{title:<9} {part}")));
            }
        }
    }
    if lines.is_empty() {
        lines.push((Ink::FAINT, "the game has not begun".to_owned()));
    }
    lines
}
