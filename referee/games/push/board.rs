//! Push in characters: the hexagon with its piles, the homes with their seats, and what was pushed.

use super::telling::PUSH;
use super::{HOMES, PILE, PLAYERS, Slot};
use referee_rules::board::{Board, Drawing, Hue, Ink, Pen, Situation, number};
use referee_rules::{Completion, Seat};

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

/// Number of slots in each row.
const ROWS: [usize; 9] = [5, 6, 7, 8, 9, 8, 7, 6, 5];

/// Width of a slot, in columns.
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

#[cfg(test)]
mod tests {
    use super::*;
    use referee_rules::Occurrence;
    use referee_rules::board::paper::{Paper, fact};

    #[test]
    fn piles_homes_and_pushes_are_drawn_on_the_hexagon() {
        let pile = |slot, coins| fact(PILE, None, Some(slot), coins);
        let facts = vec![pile(0, 5), pile(1, 1), pile(60, 12), pile(30, 3)];
        let push = |from, to, completion| Occurrence {
            from: Some(from),
            to: Some(to),
            completion,
            ..Occurrence::new(PUSH)
        };
        let turn = [push(31, 30, Completion::Done), push(33, 1, Completion::Refused)];
        let small = Paper::drawn(&BOARD, 1, facts.clone(), &turn);
        let expected = [
            "            0  0[ 5]   1    .    . 1[ .]",
            "         5     .    .    .    .    .    .",
            "      11     .    .    .    .    .    .    .",
            "   18     .    .    .    .    .    .    .    .",
            " 26  5[ .]   .    .    .    3    >    .    . 2[ .]",
            "   35     .    .    .    .    .    .    .    .",
            "      43     .    .    .    .    .    .    .",
            "        50     .    .    .    .    .    .",
            "           56  4[ .]   .    .    . 3[12]",
            "",
        ];
        assert_eq!(small.lines(), expected);
        let large = Paper::drawn(&BOARD, 0, facts, &turn).lines();
        assert_eq!(large.iter().step_by(2).cloned().collect::<Vec<_>>(), expected[..9], "with rows between");
        assert!(large.iter().skip(1).step_by(2).all(String::is_empty), "{large:?}");
        assert_eq!(small.places(|ink| ink.reverse), [(27, 4), (28, 4)], "a pile has been pushed there");
        let heavy = [(17, 0), (18, 0), (27, 4), (28, 4), (37, 8), (38, 8)];
        assert_eq!(small.places(|ink| ink.bold), heavy, "more than one coin");
        let home = [(15, 0), (16, 0), (17, 0), (18, 0), (19, 0)];
        assert_eq!(small.places(|ink| ink.hue == Hue::Seat(0)), home);
    }
}
