//! Push in characters: the hexagon with its piles, the homes with their seats, and what was pushed.

use super::telling::PUSH;
use super::{HOMES, PILE, PLAYERS, Slot};
use crate::board::{Board, Drawing, Hue, Ink, Pen, Situation, number};
use crate::{Completion, Seat};

pub(crate) const BOARD: Board = Board {
    drawings: &[
        Drawing { size: (WIDTH + 5, 18), legend: LEGEND, ink: INK },
        Drawing { size: (WIDTH + 5, 10), legend: LEGEND, ink: INK },
    ],
    draw,
    sign: number,
};

const LEGEND: &[&str] = &["5 a pile  . none  > pushed away", "2[5] the home of seat 2"];

const INK: &str = "reversed: a pile was pushed here";

/// Slots in the rows.
const ROWS: [usize; 9] = [5, 6, 7, 8, 9, 8, 7, 6, 5];

/// Columns of a slot.
const SLOT: usize = 5;

const WIDTH: usize = 9 * SLOT;

fn draw(situation: &Situation<'_>, drawing: usize, pen: &mut dyn Pen, (x, y): (usize, usize)) {
    let apart = if drawing == 0 { 2 } else { 1 };
    let pushes: Vec<_> = situation
        .occurrences
        .iter()
        .filter(|occurrence| occurrence.name == PUSH && occurrence.completion == Completion::Done)
        .collect();
    let mut slots = Slot::all();
    for (row, length) in ROWS.into_iter().enumerate() {
        let left = x + 5 + (9 - length) * SLOT / 2;
        for (column, slot) in slots.by_ref().take(length).enumerate() {
            let (x, y) = (left + column * SLOT, y + row * apart);
            if column == 0 {
                pen.write(x.saturating_sub(4), y, &format!("{slot:>2}"), Ink::FAINT);
            }
            let number_of_slot = Some(slot.index() as i64);
            let coins = situation.position.get(PILE, None, Some(slot.index())).unwrap_or(0);
            let has_come = pushes.iter().any(|occurrence| occurrence.to == number_of_slot);
            let has_gone = pushes.iter().any(|occurrence| occurrence.from == number_of_slot);
            let pile = match coins {
                0 if has_gone => " >".to_owned(),
                0 => " .".to_owned(),
                coins => format!("{coins:>2}"),
            };
            let home = Seat::first(PLAYERS).zip(HOMES).find(|(_, home)| *home == slot).map(|(seat, _)| seat);
            let hue = home.map_or(Hue::Plain, |seat| Hue::Seat(seat.index()));
            let ink = Ink { bold: coins > 1, ..Ink::of(hue) };
            let x = match home {
                Some(seat) => pen.write(x, y, &format!("{}[", number(seat)), Ink::of(hue)),
                None => x + 2,
            };
            let x = pen.write(x, y, &pile, Ink { reverse: has_come, ..ink });
            if home.is_some() {
                pen.write(x, y, "]", Ink::of(hue));
            }
        }
    }
}
