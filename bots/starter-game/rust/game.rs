//! Tron: two to four riders on a square grid, each with a trail behind it that nobody can cross. A rider that leaves
//! the grid or enters a trail is out, and so are two that ride to the same cell. The last one wins.

use std::fmt::Debug;
use std::time::Duration;

use referee_rules::scene::{self, Grid, Ground, Scene};
use referee_rules::{
    Codec, Dice, Events, Fact, Fault, Illegal, Info, Listed, Malformed, Narrator, Occurrence, OccurrenceName,
    Outcome, Parameter, Parameters, Rules, SEATS, Seat, Seating, Seats, Thing, TimeControl, ToMove,
};

/// The directions in the order of their numbers: up, right, down, left. Rows and columns.
pub(crate) const STEPS: [(i64, i64); 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];

/// The cell of a rider that is out.
const OUT: usize = usize::MAX;

/// The rules with their parameters.
#[derive(Clone, Debug)]
pub(crate) struct Tron {
    seats: usize,
    side: usize,
    time: TimeControl,
}

/// A position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    turn: u32,
    /// By seat: the cell, or [`OUT`].
    riders: Vec<usize>,
    /// By seat: the direction of the last step.
    headings: Vec<usize>,
    /// By cell: 0, or 1 and the seat whose trail is there.
    trails: Vec<u8>,
    /// By seat: how many turns it has ridden.
    scores: Vec<i64>,
}

/// An answer: a direction, 0 to 3.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Action(pub(crate) i64);

/// A question: all information that a seat gets.
///
/// | integers | meaning | range |
/// | --- | --- | --- |
/// | 1 | your seat | 0 to 3 |
/// | 1 | the number of the turn, from 0 | |
/// | 1 | seats | 2 to 4 |
/// | 1 | the side of the grid | 5 to 40 |
/// | seats | the cell of each rider, row by row; -1: out | -1 to side * side - 1 |
/// | side * side | each cell: 0 free, else 1 and the seat whose trail is there | 0 to 4 |
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct View {
    /// Your seat.
    pub(crate) seat: usize,
    /// The side of the grid.
    pub(crate) side: usize,
    /// The cell of each rider.
    pub(crate) riders: Vec<usize>,
    /// Whose trail is on each cell.
    pub(crate) trails: Vec<u8>,
}

/// Returns the cell that a step leads to; `None` if that is off the grid.
pub(crate) fn step(side: usize, cell: usize, (rows, columns): (i64, i64)) -> Option<usize> {
    let side = side as i64;
    let (row, column) = (cell as i64 / side + rows, cell as i64 % side + columns);
    ((0..side).contains(&row) && (0..side).contains(&column)).then_some((row * side + column) as usize)
}

impl State {
    fn riding(&self) -> impl Iterator<Item = Seat> {
        Seat::first(self.riders.len()).filter(|seat| self.riders[seat.index()] != OUT)
    }
}

impl Tron {
    fn ground(&self) -> Ground {
        Ground::Grid(Grid { rows: self.side, columns: self.side, ..Grid::default() })
    }
}

impl Listed for Tron {
    const NAME: &'static str = "tron";
    const ABOUT: &'static str =
        "Tron: two to four riders, each with a trail that nobody can cross; the last wins";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::integer(SEATS, 4, 2..=4, "riders"),
        Parameter::integer("side", 15, 5..=40, "cells along each side of the grid"),
        Parameter::turn_ms(200),
        Parameter::first_ms(),
    ];
    const SEATING: Seating = Seating::Range { least: 2, most: 4 };

    fn of_parameters(parameters: &Parameters) -> Tron {
        let time = |name| Duration::from_millis(parameters.get(name) as u64);
        let (turn_limit, first_limit) = (time("turn_ms"), time("first_ms"));
        Tron {
            seats: parameters.get(SEATS) as usize,
            side: parameters.get("side") as usize,
            time: TimeControl { turn_limit, first_limit, bank: None, ponder: false },
        }
    }
}

impl Rules for Tron {
    type State = State;
    type Action = Action;

    fn info(&self) -> Info {
        Info {
            name: Self::NAME,
            version: 1,
            seats: self.seats,
            ring: Seat::first(self.seats).collect(),
            block: self.seats,
            turns_max: (self.side * self.side) as u32,
            time: self.time,
        }
    }

    /// All begin near corners, two riders near opposite ones. Their places are drawn at random.
    fn start(&self, dice: &mut Dice) -> State {
        let (near, far) = (1, self.side - 2);
        let mut places =
            [(near, near, 1), (far, far, 3), (near, far, 2), (far, near, 0)][..self.seats].to_vec();
        dice.shuffle(&mut places);
        let mut trails = vec![0; self.side * self.side];
        let riders: Vec<usize> = places.iter().map(|(row, column, _)| row * self.side + column).collect();
        riders.iter().zip(1..).for_each(|(cell, mark)| trails[*cell] = mark);
        let headings = places.iter().map(|(.., heading)| *heading).collect();
        State { turn: 0, riders, headings, trails, scores: vec![0; self.seats] }
    }

    fn turn(&self, state: &State) -> u32 {
        state.turn
    }

    fn to_move(&self, state: &State) -> ToMove {
        let riding: Seats = state.riding().collect();
        if riding.iter().count() > 1 { ToMove::Some(riding) } else { ToMove::Nobody }
    }

    fn check(&self, _state: &State, _seat: Seat, action: &Action) -> Result<(), Illegal> {
        let is_direction = (0..4).contains(&action.0);
        let first = || format!("{} is no direction from 0 to 3", action.0);
        if is_direction { Ok(()) } else { Err(Illegal { count: 1, of: 1, first: first() }) }
    }

    fn sample(&self, _state: &State, _seat: Seat, dice: &mut Dice, action: &mut Action) {
        action.0 = dice.below(4).into();
    }

    /// A rider without an answer goes straight on.
    fn stand_in(&self, state: &State, seat: Seat, _fault: &Fault, action: &mut Action) {
        action.0 = state.headings[seat.index()] as i64;
    }

    fn resolve(&self, state: &mut State, actions: &[(Seat, Action)], _dice: &mut Dice, events: &mut Events) {
        let mut next = vec![None; self.seats];
        for (seat, Action(direction)) in actions {
            let seat = seat.index();
            // An invalid direction means straight on, too.
            state.headings[seat] =
                usize::try_from(*direction).ok().filter(|way| *way < 4).unwrap_or(state.headings[seat]);
            let cell = step(self.side, state.riders[seat], STEPS[state.headings[seat]]);
            next[seat] = cell.filter(|cell| state.trails[*cell] == 0);
        }
        for (seat, _) in actions {
            let own = next[seat.index()];
            let is_alone = next.iter().filter(|other| **other == own).count() == 1;
            match own.filter(|_| is_alone) {
                Some(cell) => {
                    state.riders[seat.index()] = cell;
                    state.scores[seat.index()] += 1;
                }
                None => {
                    events.effect("out", Some(*seat), &[state.riders[seat.index()] as i64]);
                    state.riders[seat.index()] = OUT;
                }
            }
        }
        for cell in next.iter().zip(1..).filter_map(|(cell, mark)| Some((cell.as_ref()?, mark))) {
            state.trails[*cell.0] = cell.1;
        }
        state.turn += 1;
    }

    fn outcome(&self, state: &State) -> Option<Outcome> {
        // A share is the part of the others who were out before, half of those who were out at the same time.
        let share = |own: &i64| {
            let of = |count: usize| count as f64 / (self.seats - 1) as f64;
            let before = state.scores.iter().filter(|score| *score < own).count();
            let with = state.scores.iter().filter(|score| *score == own).count() - 1;
            of(before) + of(with) / 2.0
        };
        (self.to_move(state) == ToMove::Nobody).then(|| Outcome {
            scores: state.scores.iter().copied().collect(),
            shares: state.scores.iter().map(share).collect(),
            reason: "one_left",
        })
    }

    fn describe(&self, state: &State, tell: &mut dyn FnMut(Fact)) {
        for seat in Seat::first(self.seats) {
            tell(Fact {
                thing: Thing::SCORE,
                seat: Some(seat),
                index: None,
                value: state.scores[seat.index()],
            });
        }
        let cell = |(place, mark): (usize, &u8)| {
            let owner = usize::from(*mark).checked_sub(1).map(Seat::new)?;
            Some(scene::Cell { place, owner: Some(owner), number: 0 })
        };
        let token = |seat: Seat| {
            let place = state.riders[seat.index()];
            scene::Token { place, owner: Some(seat), number: None, glyph: None }
        };
        let scene = Scene {
            cells: state.trails.iter().enumerate().filter_map(cell).collect(),
            tokens: state.riding().map(token).collect(),
            ..Scene::new(self.ground())
        };
        scene.tell(tell);
    }

    /// Reports the grid, which never changes.
    fn describe_board(&self, tell: &mut dyn FnMut(Fact)) {
        self.ground().tell(tell);
    }

    /// Reports who begins where.
    fn describe_start(&self, start: &State, tell: &mut dyn FnMut(Fact)) {
        for (seat, cell) in Seat::first(self.seats).zip(&start.riders) {
            tell(Fact { thing: Thing::PLAYER, seat: Some(seat), index: None, value: *cell as i64 });
        }
    }

    fn tell(&self, before: &State, _: &[(Seat, Action)], after: &State, _: &Events, say: &mut Narrator<'_>) {
        const WORDS: [&str; 4] = ["up", "right", "down", "left"];
        for seat in before.riding() {
            let (from, to) = (before.riders[seat.index()], after.riders[seat.index()]);
            let way = WORDS[after.headings[seat.index()]];
            let occurrence = Occurrence {
                from: Some(from as i64),
                ..Occurrence::new(OccurrenceName::new("ride")).by(seat)
            };
            match to {
                OUT => say(
                    Occurrence { name: OccurrenceName::new("out"), ..occurrence },
                    format_args!("seat {seat} rides {way} and is out"),
                ),
                _ => say(
                    Occurrence { to: Some(to as i64), ..occurrence },
                    format_args!("seat {seat} rides {way}"),
                ),
            }
        }
    }
}

impl Codec for Tron {
    type View = View;

    fn write_own(&self, _state: &State, seat: Seat, integers: &mut Vec<i64>) {
        integers.push(seat.index() as i64);
    }

    fn write_shared(&self, state: &State, integers: &mut Vec<i64>) {
        integers.extend([state.turn.into(), self.seats as i64, self.side as i64]);
        integers.extend(state.riders.iter().map(|cell| if *cell == OUT { -1 } else { *cell as i64 }));
        integers.extend(state.trails.iter().map(|mark| i64::from(*mark)));
    }

    fn read_view(integers: &[i64]) -> Result<View, Malformed> {
        let wrong = || Malformed::new("not a question of this game");
        let number =
            |at: usize| integers.get(at).and_then(|value| usize::try_from(*value).ok()).ok_or_else(wrong);
        let (seat, seats, side) = (number(0)?, number(2)?, number(3)?);
        let cells = side.checked_mul(side).and_then(|cells| cells.checked_add(4 + seats));
        if cells != Some(integers.len()) || seat >= seats {
            return Err(wrong());
        }
        let (riders, trails) = integers[4..].split_at(seats);
        let riders = riders.iter().map(|cell| usize::try_from(*cell).unwrap_or(OUT)).collect();
        Ok(View { seat, side, riders, trails: trails.iter().map(|mark| *mark as u8).collect() })
    }

    fn read_action(&self, _state: &State, integers: &[i64], action: &mut Action) -> Result<(), Malformed> {
        let [direction] = integers else {
            return Err(Malformed::new(format!("{} integers instead of 1", integers.len())));
        };
        action.0 = *direction;
        Ok(())
    }

    fn write_action(action: &Action, integers: &mut Vec<i64>) {
        integers.push(action.0);
    }
}
