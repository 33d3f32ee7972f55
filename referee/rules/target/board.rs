//! Invisible Target in characters: players and walls, and on request the hidden cell.

use super::{TARGET, WALL};
use crate::board::{Board, Drawing, Hue, Ink, Pen, Situation, Square, number};
use crate::{Seat, Thing};

pub(crate) const BOARD: Board = Board {
    drawings: &[
        Drawing { size: SQUARES[0].size(), legend: LEGEND, ink: INK },
        Drawing { size: SQUARES[1].size(), legend: LEGEND, ink: INK },
        Drawing { size: SQUARES[2].size(), legend: LEGEND, ink: INK },
    ],
    draw,
    sign: number,
};

const LEGEND: &[&str] = &["0 a a player  * several  X hidden: t", "# a wall  + walls and ways"];

const INK: &str = "reversed: a player that moved";

const SQUARES: [Square; 3] = [
    Square { side: 64, scale: (1, 1), letters: 1 },
    Square { side: 64, scale: (1, 2), letters: 1 },
    Square { side: 64, scale: (2, 4), letters: 1 },
];

/// The contents of a drawn place: of one cell, or of several in a small drawing.
#[derive(Clone, Copy, Default)]
struct Contents {
    player: Option<Seat>,
    players: u32,
    walls: usize,
    has_moved: bool,
    is_target: bool,
}

fn draw(situation: &Situation<'_>, drawing: usize, pen: &mut dyn Pen, at: (usize, usize)) {
    let square = SQUARES[drawing];
    let mut places = vec![Contents::default(); square.places()];
    let moved = situation.changes.iter();
    let moved: Vec<_> =
        moved.filter(|change| change.thing == Thing::PLAYER).map(|change| change.seat).collect();
    for fact in situation.position.all(Thing::PLAYER) {
        let place = &mut places[square.place(fact.value as usize)];
        place.player = fact.seat;
        place.players += 1;
        place.has_moved |= moved.contains(&fact.seat);
    }
    for fact in situation.position.all(WALL) {
        places[square.place(fact.index.expect("a cell"))].walls += 1;
    }
    if let Some(target) = situation.position.get(TARGET, None, None).filter(|_| situation.hidden) {
        places[square.place(target as usize)].is_target = true;
    }
    square.draw(pen, at, |place| [places[place].look(square.cells()), (' ', Ink::PLAIN)]);
}

impl Contents {
    fn look(&self, cells: usize) -> (char, Ink) {
        let reverse = self.has_moved;
        match (self.is_target, self.player, self.players, self.walls) {
            (true, ..) => ('X', Ink { bold: true, ..Ink::of(Hue::Alarm) }),
            (_, Some(seat), 1, _) => {
                (number(seat), Ink { bold: true, reverse, ..Ink::of(Hue::Seat(seat.index())) })
            }
            (_, Some(_), ..) => ('*', Ink { reverse, ..Ink::BOLD }),
            (.., 0) => (' ', Ink::PLAIN),
            (.., walls) if walls == cells => ('#', Ink::PLAIN),
            _ => ('+', Ink::FAINT),
        }
    }
}
