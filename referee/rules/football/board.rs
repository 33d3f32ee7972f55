//! Football in characters: players, balls, and the cells on which kicked balls have just landed.

use super::telling::KICK;
use super::{Cell, HOMES, TEAMS};
use crate::board::{Board, Drawing, Hue, Ink, Pen, Situation, Square};
use crate::{Completion, Seat, Thing};

pub(crate) const BOARD: Board = Board {
    drawings: &[
        Drawing {
            size: SQUARES[0].size(),
            legend: &[
                "a one player, A several of a team, * of several teams",
                ". a ball, 2 to 9, O more   + a home",
            ],
            ink: INK,
        },
        Drawing { size: SQUARES[1].size(), legend: LEGEND, ink: INK },
        Drawing {
            size: SQUARES[2].size(),
            legend: &["a a player A some of a team * of more", ". 1-2 balls : 3-6 o 7-18 O more + home"],
            ink: INK,
        },
    ],
    draw,
    sign,
};

const LEGEND: &[&str] = &["a a player A some of a team * of more", ". a ball : 2-3 o 4-9 O more + a home"];

const INK: &str = "reversed: a ball has landed here";

const SQUARES: [Square; 3] = [
    Square { side: 32, scale: (1, 1), letters: 2 },
    Square { side: 32, scale: (1, 1), letters: 1 },
    Square { side: 32, scale: (1, 2), letters: 1 },
];

fn sign(seat: Seat) -> char {
    char::from(b'a' + seat.index() as u8)
}

/// The contents of a drawn place: of one cell, or of several in a small drawing.
#[derive(Clone, Copy, Default)]
struct Contents {
    players: [u32; TEAMS],
    balls: i64,
    home: Option<Seat>,
    has_come_down: bool,
}

fn draw(situation: &Situation<'_>, drawing: usize, pen: &mut dyn Pen, at: (usize, usize)) {
    let square = SQUARES[drawing];
    let mut places = vec![Contents::default(); square.places()];
    for fact in situation.position.all(Thing::PLAYER) {
        let seat = fact.seat.expect("a player of a team");
        places[square.place(fact.value as usize)].players[seat.index()] += 1;
    }
    for fact in situation.position.all(Thing::BALLS) {
        places[square.place(fact.index.expect("a cell"))].balls += fact.value;
    }
    for (seat, home) in Seat::first(TEAMS).zip(HOMES) {
        places[square.place(home.index())].home = Some(seat);
    }
    for occurrence in situation.occurrences {
        if let (KICK, Completion::Done, Some(to)) = (occurrence.name, occurrence.completion, occurrence.to)
            && let Some(to) = Cell::from_number(to)
        {
            places[square.place(to.index())].has_come_down = true;
        }
    }
    square.draw(pen, at, |place| places[place].look(square));
}

impl Contents {
    /// Two signs where there is room: who is here, and how many balls. Else the more important of them.
    fn look(&self, square: Square) -> [(char, Ink); 2] {
        let who = self.who();
        let what = self.what(square);
        let letters = if square.letters == 1 { [who.or(what), None] } else { [who, what] };
        letters.map(|letter| {
            let (letter, ink) = letter.unwrap_or((' ', Ink::PLAIN));
            (letter, Ink { reverse: self.has_come_down, ..ink })
        })
    }

    fn who(&self) -> Option<(char, Ink)> {
        let mut teams = Seat::first(TEAMS).filter(|seat| self.players[seat.index()] > 0);
        let first = teams.next()?;
        if teams.next().is_some() {
            return Some(('*', Ink::BOLD));
        }
        let sign =
            if self.players[first.index()] > 1 { sign(first).to_ascii_uppercase() } else { sign(first) };
        Some((sign, Ink { bold: true, ..Ink::of(Hue::Seat(first.index())) }))
    }

    /// Balls by the number of cells that they lie on, so that a full field looks alike in every drawing.
    fn what(&self, square: Square) -> Option<(char, Ink)> {
        let sign = match self.balls {
            0 => return self.home.map(|seat| ('+', Ink::of(Hue::Seat(seat.index())))),
            balls if balls <= square.cells() as i64 => '.',
            balls @ 2..=9 if square.letters == 2 => char::from(b'0' + balls as u8),
            balls if balls <= 3 * square.cells() as i64 => ':',
            balls if balls <= 9 * square.cells() as i64 => 'o',
            _ => 'O',
        };
        Some((sign, Ink { bold: sign == 'O', ..Ink::PLAIN }))
    }
}
