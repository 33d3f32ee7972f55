//! Football in characters: players, balls, and the cells on which kicked balls have just landed.

use super::telling::KICK;
use super::{Cell, HOMES, TEAMS};
use referee_rules::board::{Board, Drawing, Hue, Ink, Pen, Situation, Square};
use referee_rules::{Completion, Seat, Thing};

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

#[cfg(test)]
mod tests {
    use super::*;
    use referee_rules::Occurrence;
    use referee_rules::board::paper::{Paper, fact};

    /// A row of cells within its frame.
    fn row(number: usize, cells: &str, width: usize) -> String {
        format!("{number:>4} |{cells:<width$}|")
    }

    #[test]
    fn players_balls_and_homes_are_drawn_in_each_size() {
        let player = |seat, number, cell| fact(Thing::PLAYER, Some(seat), Some(number), cell);
        let balls = |cell, count| fact(Thing::BALLS, None, Some(cell), count);
        let mut facts = vec![player(0, 0, 33), player(1, 0, 34), player(1, 1, 34), player(2, 0, 35)];
        facts.extend([player(3, 0, 35), player(3, 1, 96), balls(34, 3), balls(31, 1)]);
        let counts = [1, 2, 3, 4, 6, 7, 9, 10, 18, 19];
        facts.extend((64..).zip(counts).map(|(cell, count)| balls(cell, count)));
        let lines = |drawing| Paper::drawn(&BOARD, drawing, facts.clone(), &[]).lines();
        let edge = |width| format!("     +{}+", "-".repeat(width));

        let large = lines(0);
        assert_eq!(large[0], edge(64));
        assert_eq!(large[1], row(0, &format!(" +{:60} .", ""), 64), "a ball on a home hides it");
        assert_eq!(large[2], row(32, "  a B3*", 64));
        assert_eq!(large[3], row(64, " . 2 3 4 6 7 9 O O O", 64));
        assert_eq!(large[4], row(96, "d", 64));
        assert_eq!(large[32], row(992, &format!(" +{:60} +", ""), 64));
        assert_eq!((large[33].clone(), large.len()), (edge(64), 34));

        let heavy = Paper::drawn(&BOARD, 0, vec![balls(5, 9), balls(6, 10)], &[]).places(|ink| ink.bold);
        assert_eq!(heavy, [(6 + 2 * 6 + 1, 1)], "more than nine balls");

        let middle = lines(1);
        assert_eq!(middle[0], edge(32));
        assert_eq!(middle[1], row(0, &format!("+{:30}.", ""), 32));
        assert_eq!(middle[2..5], [row(32, " aB*", 32), row(64, ".::ooooOOO", 32), row(96, "d", 32)]);
        assert_eq!((middle[33].clone(), middle.len()), (edge(32), 34));

        let small = lines(2);
        assert_eq!(small[1], row(0, &format!("+aB*{:27}.", ""), 32), "two rows share a line");
        assert_eq!(small[2], row(64, "d.:::oooo", 32).replace("oooo ", "ooooO"));
        assert_eq!(small[16], row(960, &format!("+{:30}+", ""), 32));
        assert_eq!((small[17].clone(), small.len()), (edge(32), 18));
    }

    #[test]
    fn the_cell_is_reversed_on_which_a_kicked_ball_has_landed() {
        let kick = |to, completion| Occurrence { to: Some(to), completion, ..Occurrence::new(KICK) };
        let other = Occurrence { to: Some(1), ..Occurrence::new(referee_rules::OccurrenceName::new("step")) };
        let turn =
            [kick(99, Completion::Done), kick(7, Completion::Refused), kick(8, Completion::LostDraw), other];
        for (drawing, expected) in
            [vec![(12, 4), (13, 4)], vec![(9, 4)], vec![(9, 2)]].into_iter().enumerate()
        {
            let paper = Paper::drawn(&BOARD, drawing, Vec::new(), &turn);
            assert_eq!(paper.places(|ink| ink.reverse), expected);
        }
    }
}
