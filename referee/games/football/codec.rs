//! The integers of football: the board in a question, one order for each player in an answer.

use super::{Action, Cell, Football, HOMES, Order, State, TEAMS};
use referee_rules::{Codec, Malformed, Seat, Step};

/// A question: everything that a team is told. Football hides nothing but the placements of turn 0.
///
/// | integers | field | meaning | range |
/// | --- | --- | --- | --- |
/// | 1 | `turn` | the number of the turn; 0: place your players | 0 to `max_turns` |
/// | 1 | `seat` | your corner | 0 to 3 |
/// | 1 | `p` | players of each team | 1 to 255 |
/// | 1 | `k` | kick range | 1 to 46 |
/// | 1 | `max_turns` | the last turn | |
/// | 1 | `turn_ms` | milliseconds for an answer | |
/// | 4 | `scores` | goals by seat | 0 to 1020 |
/// | 4p | `players` | cells of all players, seat by seat; 1024 (`None`) in turn 0 | 0 to 1024 |
/// | 1024 | `balls` | balls on each cell | 0 to 1020 |
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the table above describes each")]
pub struct View {
    pub turn: u32,
    pub seat: Seat,
    pub p: usize,
    pub k: u32,
    pub max_turns: u32,
    pub turn_ms: u32,
    pub scores: [u32; TEAMS],
    pub players: Vec<Option<Cell>>,
    pub balls: Vec<u16>,
}

impl View {
    /// Returns the cells of one team's players.
    pub fn team(&self, seat: Seat) -> &[Option<Cell>] {
        &self.players[seat.index() * self.p..][..self.p]
    }

    /// Returns the cells of your own players. Empty before they are placed.
    pub fn own(&self) -> impl Iterator<Item = Cell> {
        self.team(self.seat).iter().copied().flatten()
    }

    /// Returns your home.
    pub fn home(&self) -> Cell {
        HOMES[self.seat.index()]
    }

    /// Tells whether a kick reaches from one cell to another.
    pub fn reaches(&self, from: Cell, to: Cell) -> bool {
        from.distance_squared(to) <= self.k * self.k
    }
}

impl Codec for Football {
    type View = View;

    fn write_own(&self, state: &State, seat: Seat, integers: &mut Vec<i64>) {
        integers.extend([i64::from(state.turn), seat.index() as i64]);
    }

    fn write_shared(&self, state: &State, integers: &mut Vec<i64>) {
        integers.extend([self.players as u32, self.kick_range, self.max_turns, self.turn_ms].map(i64::from));
        integers.extend(state.scores.map(i64::from));
        if state.players.is_empty() {
            integers.extend(std::iter::repeat_n(NOWHERE, TEAMS * self.players));
        } else {
            integers.extend(state.players.iter().map(|cell| cell.index() as i64));
        }
        integers.extend(state.balls.iter().map(|&balls| i64::from(balls)));
    }

    fn read_view(integers: &[i64]) -> Result<View, Malformed> {
        let [turn, seat, p, k, max_turns, turn_ms, rest @ ..] = integers else {
            return Err(Malformed::count(HEAD, integers.len()));
        };
        let small = |name: &str, value: i64| {
            u32::try_from(value).map_err(|_| Malformed::new(format!("{name} is {value}")))
        };
        let p = small("p", *p)? as usize;
        let length = HEAD + TEAMS + TEAMS * p + Cell::COUNT;
        if integers.len() != length {
            return Err(Malformed::count(length, integers.len()));
        }
        let seat = usize::try_from(*seat).ok().filter(|seat| *seat < TEAMS);
        let (scores, rest) = rest.split_at(TEAMS);
        let (players, balls) = rest.split_at(TEAMS * p);
        let mut view = View {
            turn: small("turn", *turn)?,
            seat: Seat::new(seat.ok_or_else(|| Malformed::new("no such seat"))?),
            p,
            k: small("k", *k)?,
            max_turns: small("max_turns", *max_turns)?,
            turn_ms: small("turn_ms", *turn_ms)?,
            scores: [0; TEAMS],
            players: Vec::with_capacity(players.len()),
            balls: Vec::with_capacity(Cell::COUNT),
        };
        for (score, &value) in view.scores.iter_mut().zip(scores) {
            *score = small("a score", value)?;
        }
        for &value in players {
            let cell = Cell::from_number(value);
            if cell.is_none() && value != NOWHERE {
                return Err(Malformed::new(format!("a player's cell is {value}")));
            }
            view.players.push(cell);
        }
        for &value in balls {
            view.balls.push(u16::try_from(value).map_err(|_| Malformed::new("a number of balls"))?);
        }
        Ok(view)
    }

    fn read_action(&self, state: &State, integers: &[i64], action: &mut Action) -> Result<(), Malformed> {
        action.clear();
        if state.turn == 0 {
            if integers.len() > self.players {
                return Err(Malformed::count(self.players, integers.len()));
            }
            let place = |&number: &i64| Cell::from_number(number).map_or(Order::Other(number), Order::Place);
            action.extend(integers.iter().map(place));
        } else {
            if integers.len() != self.players {
                return Err(Malformed::count(self.players, integers.len()));
            }
            action.extend(integers.iter().map(|&number| read_order(number)));
        }
        Ok(())
    }

    fn write_action(action: &Action, integers: &mut Vec<i64>) {
        integers.extend(action.iter().map(|order| order.number()));
    }
}

/// The cell of a player that is not yet placed.
const NOWHERE: i64 = Cell::COUNT as i64;

/// Number of integers before the scores.
const HEAD: usize = 6;

fn read_order(number: i64) -> Order {
    match Step::from_number(number) {
        Some(step) => Order::Step(step),
        None => number.checked_sub(9).and_then(Cell::from_number).map_or(Order::Other(number), Order::Kick),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_knows_its_teams_and_how_far_a_kick_reaches() {
        let cell = |index| Cell::from_number(index).expect("a cell");
        let players: Vec<_> = (0..8).map(|player| Some(cell(10 * player))).collect();
        let (turn, max_turns, turn_ms, scores, balls) = (1, 9, 9, [0; TEAMS], Vec::new());
        let view = View { turn, seat: Seat::new(2), p: 2, k: 5, max_turns, turn_ms, scores, players, balls };
        assert_eq!(view.own().collect::<Vec<_>>(), [cell(40), cell(50)]);
        assert_eq!(view.team(Seat::new(3)), [Some(cell(60)), Some(cell(70))]);
        let from = Cell::at(10, 10);
        for (to, expected) in [((10, 15), true), ((13, 14), true), ((10, 16), false), ((14, 14), false)] {
            assert_eq!(view.reaches(from, Cell::at(to.0, to.1)), expected, "{to:?}");
        }
    }
}
