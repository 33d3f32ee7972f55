//! Invisible Target in characters: players and walls, and on request the hidden cell.

use super::{TARGET, WALL};
use referee_rules::board::{Board, Drawing, Hue, Ink, Pen, Situation, Square, number};
use referee_rules::{Seat, Thing};

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

/// The content of a drawn place: one cell, or several in a small drawing.
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

#[cfg(test)]
mod tests {
    use super::*;
    use referee_rules::Change;
    use referee_rules::board::paper::{Paper, fact};

    #[test]
    fn players_walls_and_the_target_are_drawn_in_each_size() {
        let player = |seat, cell| fact(Thing::PLAYER, Some(seat), None, cell);
        let wall = |cell| fact(WALL, None, Some(cell), 1);
        let mut facts = vec![player(0, 0), player(1, 5), player(2, 5), player(11, 40)];
        facts.push(fact(TARGET, None, None, 64 * 63 + 63));
        // A whole place of the small drawing, and a part of the next.
        let cells = (0..4).flat_map(|row| [2, 3].map(|column| 64 * row + column));
        facts.extend(cells.chain([6]).map(wall));
        let lines = |drawing| Paper::drawn(&BOARD, drawing, facts.clone(), &[]).lines();
        let row = |number, cells: &str, width| format!("{number:>4} |{cells:<width$}|");

        let large = lines(0);
        assert_eq!(large[1], row(0, &format!("0 ## *#{:33}b", ""), 64));
        assert_eq!(large[2], row(64, "  ##", 64));
        assert_eq!(large[64], row(4032, &format!("{:63}X", ""), 64));
        let middle = lines(1);
        assert_eq!(middle[1], row(0, &format!("0 ## *+{:33}b", ""), 64));
        assert_eq!(middle[32], row(3968, &format!("{:63}X", ""), 64));
        let small = lines(2);
        assert_eq!(small[1], row(0, &format!("0#*+{:16}b", ""), 32));
        assert_eq!(small[16], row(3840, &format!("{:31}X", ""), 32));
    }

    #[test]
    fn the_target_is_shown_on_request_and_players_that_moved_are_reversed() {
        let facts = vec![fact(TARGET, None, None, 70), fact(Thing::PLAYER, Some(0), None, 1)];
        let position =
            referee_rules::Position::new([facts, vec![fact(Thing::PLAYER, Some(1), None, 3)]].concat());
        let seat = Some(Seat::new(1));
        let changes = [Change { thing: Thing::PLAYER, seat, index: None, before: Some(2), after: Some(3) }];
        for (hidden, shown) in [(true, vec![(12, 2)]), (false, vec![])] {
            let situation = Situation { position: &position, occurrences: &[], changes: &changes, hidden };
            let paper = Paper::of(&BOARD, 0, &situation);
            assert_eq!(paper.places(|ink| ink.hue == Hue::Alarm), shown);
            assert_eq!(paper.places(|ink| ink.reverse), [(9, 1)]);
        }
    }
}
