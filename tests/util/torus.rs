//! Positions of Invisible Target: set up, and played through the public interface.

use referee_games::target::walls::Walls;
use referee_games::target::{Cell, PARAMETERS, State, Target};
use referee_rules::game::{Game, Playing};
use referee_rules::{Event, Events, Fault, Parameters, Seat, Seed};

/// A game whose answers a test controls.
#[derive(Debug)]
pub struct Torus {
    game: Playing<Target>,
    pub events: Events,
}

impl Torus {
    /// Starts a game with this number of seats, with rare walls and no early end, unless `set` says so.
    pub fn new(seats: usize, seed: u64, set: &[(&str, i64)]) -> Torus {
        Torus { game: Playing::new(rules(seats, set), Seed(seed)), events: Events::default() }
    }

    /// Starts a game without further walls (unless `set` says so) from this position.
    pub fn at(target: Cell, players: &[Cell], walls: Walls, set: &[(&str, i64)]) -> Torus {
        let set: Vec<_> = [("wall_one_in", 0)].iter().chain(set).copied().collect();
        let state = State::new(target, players.to_vec(), walls);
        let game = Playing::from_state(rules(players.len(), &set), Seed(1), state);
        Torus { game, events: Events::default() }
    }

    pub fn state(&self) -> &State {
        self.game.state()
    }

    /// Returns whose turn it is.
    pub fn seat(&self) -> usize {
        self.game.asked()[0].index()
    }

    /// Plays a turn with this answer and returns the verdict.
    pub fn turn(&mut self, answer: &[i64]) -> Option<Fault> {
        let verdict = self.game.answer(Seat::new(self.seat()), Ok(answer));
        self.resolve();
        verdict
    }

    /// Plays a turn without an answer.
    pub fn silent(&mut self) {
        self.game.answer(Seat::new(self.seat()), Err(&Fault::Late));
        self.resolve();
    }

    fn resolve(&mut self) {
        self.events.clear();
        self.game.resolve(&mut self.events);
    }

    /// Returns the integers of a seat's question, without their count.
    pub fn question(&mut self, seat: usize) -> Vec<i64> {
        let mut line = Vec::new();
        self.game.question(Seat::new(seat), &mut line);
        let text = String::from_utf8(line).unwrap();
        let integers: Vec<i64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
        assert_eq!(integers[0] as usize, integers.len() - 1);
        integers[1..].to_vec()
    }

    /// Returns the values of last turn's effects of one name, with their seats.
    pub fn effects(&self, wanted: &str) -> Vec<(Option<Seat>, Vec<i64>)> {
        let effect = |event| match event {
            Event::Effect { name, seat, values } if name == wanted => Some((seat, values.to_vec())),
            _ => None,
        };
        self.events.iter().filter_map(effect).collect()
    }

    /// Returns the wall that was placed after the last turn.
    pub fn wall(&self) -> Option<i64> {
        self.effects("wall").first().map(|(_, values)| values[0])
    }

    /// Why the game is over, if it is.
    pub fn reason(&self) -> Option<&'static str> {
        self.game.outcome().map(|outcome| outcome.reason)
    }

    /// The scores of a game that is over.
    pub fn scores(&self) -> Vec<i64> {
        self.game.outcome().expect("a game that is over").scores.as_slice().to_vec()
    }
}

pub fn rules(seats: usize, set: &[(&str, i64)]) -> Target {
    let mut parameters = Parameters::defaults(PARAMETERS);
    for (name, value) in [("seats", seats as i64)].iter().chain(set) {
        parameters.set(name, *value).unwrap();
    }
    Target::new(&parameters)
}

pub fn cell(row: u16, column: u16) -> Cell {
    Cell::at(row, column)
}

pub fn number(cell: Cell) -> i64 {
    cell.index() as i64
}

/// Walls everywhere except on these cells.
pub fn walls_but(free: &[Cell]) -> Walls {
    Cell::all().filter(|cell| !free.contains(cell)).collect()
}

/// Cells that can be reached from one without crossing walls: a plain search, as a reference for tests.
pub fn reachable(walls: &Walls, from: Cell) -> Vec<bool> {
    let mut reached = vec![false; Cell::COUNT];
    let mut waiting = vec![from];
    while let Some(cell) = waiting.pop() {
        if !walls.has(cell) && !std::mem::replace(&mut reached[cell.index()], true) {
            let (row, column) = (cell.row(), cell.column());
            waiting.extend([
                Cell::at((row + 1) % 64, column),
                Cell::at((row + 63) % 64, column),
                Cell::at(row, (column + 1) % 64),
                Cell::at(row, (column + 63) % 64),
            ]);
        }
    }
    reached
}
