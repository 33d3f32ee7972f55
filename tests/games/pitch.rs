//! Football positions: set up and played through the public interface, read from the questions.

use referee_games::catalog;
use referee_rules::game::Game;
use referee_rules::{Dice, Event, Events, Fault, Outcome, Parameters, Seat, Seed};

/// The order to stay.
pub(crate) const STAY: i64 = 4;

/// The homes by seat.
pub(crate) const HOMES: [i64; 4] = [0, 31, 992, 1023];

/// A game of football whose orders a test controls.
#[derive(Debug)]
pub(crate) struct Pitch {
    game: Box<dyn Game>,
    p: usize,
    events: Events,
}

impl Pitch {
    /// Starts a game that ends neither soon nor for lack of goals, unless `more` says so.
    pub(crate) fn new(p: usize, k: i64, seed: u64, more: &[(&str, i64)]) -> Pitch {
        let entry = catalog::find("football").unwrap();
        let mut parameters = Parameters::defaults(entry.parameters);
        let usual = [("p", p as i64), ("k", k), ("max_turns", 1_000_000), ("stall_turns", 0)];
        for (name, value) in usual.iter().chain(more) {
            parameters.set(name, *value).unwrap();
        }
        Pitch { game: entry.start(&parameters, Seed(seed)), p, events: Events::default() }
    }

    /// Starts a game and places the players of each seat on these cells.
    pub(crate) fn placed(k: i64, seed: u64, cells: [&[i64]; 4], more: &[(&str, i64)]) -> Pitch {
        let mut pitch = Pitch::new(cells[0].len(), k, seed, more);
        assert_eq!(pitch.turn(cells), [None, None, None, None]);
        pitch
    }

    /// Starts a game with one player a team: seat 0 on this cell, the others on their homes.
    pub(crate) fn alone(k: i64, row: i64, column: i64, more: &[(&str, i64)]) -> Pitch {
        Pitch::placed(k, 1, [&[cell(row, column)], &HOMES[1..2], &HOMES[2..3], &HOMES[3..]], more)
    }

    /// Plays a turn in which only the player of seat 0 acts; returns the number of its bad orders.
    pub(crate) fn order(&mut self, order: i64) -> u32 {
        bad_parts(&self.turn([&[order], &[STAY], &[STAY], &[STAY]])[0])
    }

    /// Judges an answer; it counts unless another follows.
    pub(crate) fn judge(&mut self, seat: usize, integers: &[i64]) -> Option<Fault> {
        self.game.answer(Seat::new(seat), Ok(integers))
    }

    /// Plays a turn and returns the verdicts.
    pub(crate) fn turn(&mut self, answers: [&[i64]; 4]) -> [Option<Fault>; 4] {
        let verdicts = std::array::from_fn(|seat| self.judge(seat, answers[seat]));
        self.resolve();
        verdicts
    }

    /// Plays a turn with the answers judged so far; the others are silent.
    pub(crate) fn resolve(&mut self) {
        self.events.clear();
        self.game.resolve(&mut self.events);
    }

    /// Draws a legal answer.
    pub(crate) fn sample(&self, seat: usize, dice: &mut Dice) -> Vec<i64> {
        let mut integers = Vec::new();
        self.game.sample(Seat::new(seat), dice, &mut integers);
        integers
    }

    /// Lists the draws of the last turn: cell, candidates, drawn.
    pub(crate) fn draws(&self) -> Vec<(i64, &[i64], &[i64])> {
        let draw = |event| match event {
            Event::Draw { at, candidates, drawn, .. } => Some((at, candidates, drawn)),
            Event::Effect { .. } => None,
        };
        self.events.iter().filter_map(draw).collect()
    }

    /// Lists the goals of the last turn: seat of the home, player, cell that the ball came from.
    pub(crate) fn goals(&self) -> Vec<(usize, i64, i64)> {
        let goal = |event| match event {
            Event::Effect { name: "goal", seat: Some(home), values: &[player, from] } => {
                Some((home.index(), player, from))
            }
            _ => None,
        };
        self.events.iter().filter_map(goal).collect()
    }

    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    /// Why the game is over, if it is.
    pub(crate) fn reason(&self) -> Option<&'static str> {
        self.outcome().map(|outcome| outcome.reason)
    }

    pub(crate) fn scores(&mut self) -> Vec<i64> {
        self.question()[6..10].to_vec()
    }

    /// The cells of a seat's players.
    pub(crate) fn players(&mut self, seat: usize) -> Vec<i64> {
        self.question()[10 + seat * self.p..][..self.p].to_vec()
    }

    /// The number of balls on a cell.
    pub(crate) fn balls(&mut self, cell: i64) -> i64 {
        self.question()[10 + 4 * self.p + cell as usize]
    }

    /// The integers of the question of seat 0, without their count.
    fn question(&mut self) -> Vec<i64> {
        let mut line = Vec::new();
        self.game.question(Seat::new(0), &mut line);
        let text = String::from_utf8(line).unwrap();
        text.split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect()
    }
}

pub(crate) const fn cell(row: i64, column: i64) -> i64 {
    32 * row + column
}

pub(crate) const fn kick(row: i64, column: i64) -> i64 {
    9 + cell(row, column)
}

/// The number of parts of an answer that are not allowed.
pub(crate) fn bad_parts(verdict: &Option<Fault>) -> u32 {
    match verdict {
        None => 0,
        Some(Fault::Illegal(illegal)) => illegal.count,
        Some(other) => panic!("expected at most bad parts: {other}"),
    }
}

pub(crate) fn is_malformed(verdict: &Option<Fault>) -> bool {
    matches!(verdict, Some(Fault::Malformed(_)))
}
