//! Parallel Football: four teams, 32x32 cells, 1,020 balls. Kick them to your home corner.
//!
//! Quotations are from the game's text, with comments on what it leaves open.

mod ahead;
mod board;
mod codec;
mod entry;
mod order;
mod picture;
mod telling;

use std::time::Duration;

use referee_rules::{
    Dice, Events, Fact, Fault, Illegal, Info, Narrator, Outcome, Parameters, Rules, Seat, Step, Thing,
    TimeControl, ToMove,
};

pub use codec::View;
pub use entry::PARAMETERS;
pub use order::Order;

use order::BadOrder;

/// A cell of the field: `32 * row + column`.
pub type Cell = referee_rules::Cell<32>;

/// The number of teams, one in each corner.
pub const TEAMS: usize = 4;

/// The number of balls at the start: one on each cell that is nobody's home.
pub const BALLS: u32 = 1020;

/// The homes by seat: top left, top right, bottom left, bottom right.
pub const HOMES: [Cell; TEAMS] = [Cell::at(0, 0), Cell::at(0, 31), Cell::at(31, 0), Cell::at(31, 31)];

/// The rules with their parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Football {
    players: usize,
    kick_range: u32,
    max_turns: u32,
    stall_turns: u32,
    turn_ms: u32,
    first_ms: u32,
}

impl Football {
    /// Makes the rules with these values of [`PARAMETERS`].
    pub fn new(parameters: &Parameters) -> Football {
        let number = |name| parameters.get(name) as u32;
        Football {
            players: number("p") as usize,
            kick_range: number("k"),
            max_turns: number("max_turns"),
            stall_turns: number("stall_turns"),
            turn_ms: number("turn_ms"),
            first_ms: number("first_ms"),
        }
    }

    /// Returns how far a kick reaches, in cells.
    pub fn kick_range(&self) -> u32 {
        self.kick_range
    }

    /// Returns the number of the last turn.
    pub fn max_turns(&self) -> u32 {
        self.max_turns
    }

    /// Plays a turn as [`Rules::resolve`] does, but `choose` decides the draws: where a cell has more valid
    /// kicks than balls. It gets the kicks, in the order of the players, and the number of balls, and moves
    /// the kicks that get a ball to the front.
    ///
    /// # Panics
    ///
    /// Panics if the number of balls has changed: each must be on the field or scored.
    pub fn resolve_with(
        &self,
        state: &mut State,
        actions: &[(Seat, Action)],
        events: &mut Events,
        choose: impl FnMut(&mut [Kick], usize),
    ) {
        if state.turn == 0 {
            self.place_players(state, actions);
        } else {
            let balls_before = state.balls_left;
            // Every order is judged on the position at the turn's start: a player that kicks does not move, a
            // player that moves does not kick, and balls that land cannot be kicked before the next turn.
            self.move_players_and_collect_kicks(state, actions);
            take_balls(state, events, choose);
            land_balls(state, events);
            state.goalless_turns = if state.balls_left < balls_before { 0 } else { state.goalless_turns + 1 };
        }
        state.turn += 1;
        debug_assert_eq!(state.balls.iter().map(|&balls| u32::from(balls)).sum::<u32>(), state.balls_left);
        assert_eq!(
            state.balls_left + state.scores.iter().sum::<u32>(),
            BALLS,
            "every ball is on a cell or a goal"
        );
    }
}

/// A position.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    turn: u32,
    goalless_turns: u32,
    scores: [u32; TEAMS],
    /// Seat by seat; empty until the teams have placed their players.
    players: Vec<Cell>,
    balls: Vec<u16>,
    balls_left: u32,
    scratch: Scratch,
}

/// A team's answer: one order for each of its players.
pub type Action = Vec<Order>;

impl Rules for Football {
    type State = State;
    type Action = Action;

    fn info(&self) -> Info {
        Info {
            name: "football",
            version: 1,
            seats: TEAMS,
            ring: [0, 1, 3, 2].map(Seat::new).to_vec(),
            block: TEAMS,
            turns_max: self.max_turns + 1,
            time: TimeControl {
                turn_limit: Duration::from_millis(self.turn_ms.into()),
                first_limit: Duration::from_millis(self.first_ms.into()),
                bank: None,
                ponder: false,
            },
        }
    }

    fn start(&self, _dice: &mut Dice) -> State {
        let mut balls = vec![1; Cell::COUNT];
        for home in HOMES {
            balls[home.index()] = 0; // "Home cells never contain footballs"
        }
        State {
            turn: 0,
            goalless_turns: 0,
            scores: [0; TEAMS],
            players: Vec::with_capacity(TEAMS * self.players),
            balls,
            balls_left: BALLS,
            scratch: Scratch::default(),
        }
    }

    fn turn(&self, state: &State) -> u32 {
        state.turn
    }

    fn to_move(&self, state: &State) -> ToMove {
        if self.end(state).is_some() { ToMove::Nobody } else { ToMove::All }
    }

    fn check(&self, state: &State, seat: Seat, action: &Action) -> Result<(), Illegal> {
        let mut placed = self.team(state, seat).iter().zip(action);
        if state.turn > 0 && placed.all(|(cell, order)| self.bad_order(&state.balls, *cell, *order).is_none())
        {
            return Ok(());
        }
        let mut bad =
            (0..self.players).filter_map(|player| Some((player, self.bad(state, seat, player, action)?)));
        let Some((player, first)) = bad.next() else { return Ok(()) };
        Err(Illegal {
            count: 1 + bad.count() as u32,
            of: self.players as u32,
            first: format!("player {player}: {first}"),
        })
    }

    fn sample(&self, state: &State, seat: Seat, dice: &mut Dice, action: &mut Action) {
        action.clear();
        for player in 0..self.players {
            action.push(match self.team(state, seat).get(player) {
                None => Order::Place(random_cell(dice)),
                Some(&cell) => self.sample_order(state, cell, dice),
            });
        }
    }

    /// Without a valid answer, all players start at home before turn 1, and later all stay.
    fn stand_in(&self, state: &State, _seat: Seat, _fault: &Fault, action: &mut Action) {
        action.clear();
        if state.turn > 0 {
            action.resize(self.players, Order::STAY);
        }
    }

    fn resolve(&self, state: &mut State, actions: &[(Seat, Action)], dice: &mut Dice, events: &mut Events) {
        self.resolve_with(state, actions, events, |rivals, balls| dice.choose(rivals, balls));
    }

    fn outcome(&self, state: &State) -> Option<Outcome> {
        let reason = self.end(state)?;
        Some(Outcome {
            scores: state.scores.iter().map(|&score| i64::from(score)).collect(),
            shares: state.scores.iter().map(|&score| f64::from(score) / f64::from(BALLS)).collect(),
            reason,
        })
    }

    /// Scores, players (none before they are placed), and the cells that hold balls.
    fn describe(&self, state: &State, tell: &mut dyn FnMut(Fact)) {
        for (seat, score) in Seat::first(TEAMS).zip(state.scores) {
            tell(Fact { thing: Thing::SCORE, seat: Some(seat), index: None, value: score.into() });
        }
        for (index, cell) in state.players.iter().enumerate() {
            let (seat, player) = (Seat::new(index / self.players), index % self.players);
            tell(Fact {
                thing: Thing::PLAYER,
                seat: Some(seat),
                index: Some(player),
                value: cell.index() as i64,
            });
        }
        for (cell, balls) in state.balls.iter().enumerate().filter(|(_, balls)| **balls > 0) {
            tell(Fact { thing: Thing::BALLS, seat: None, index: Some(cell), value: i64::from(*balls) });
        }
    }

    /// The homes.
    fn describe_board(&self, tell: &mut dyn FnMut(Fact)) {
        for (seat, home) in Seat::first(TEAMS).zip(HOMES) {
            tell(Fact { thing: Thing::HOME, seat: Some(seat), index: Some(home.index()), value: 1 });
        }
    }

    fn tell(
        &self,
        before: &State,
        actions: &[(Seat, Action)],
        _after: &State,
        events: &Events,
        say: &mut Narrator<'_>,
    ) {
        telling::tell(self, before, actions, events, say);
    }
}

impl Football {
    /// Returns why the game is over, if it is. Balls that are left on the field count for no team.
    fn end(&self, state: &State) -> Option<&'static str> {
        if state.balls_left == 0 {
            Some("no_balls")
        } else if state.turn > self.max_turns {
            Some("max_turns")
        } else if self.stall_turns > 0 && state.goalless_turns >= self.stall_turns {
            Some("stalled")
        } else {
            None
        }
    }

    /// The cells of one team's players; empty before they are placed.
    fn team<'a>(&self, state: &'a State, seat: Seat) -> &'a [Cell] {
        let first = seat.index() * self.players;
        state.players.get(first..first + self.players).unwrap_or_default()
    }

    /// All placements at once and unseen. If a cell is missing or off the grid, the player starts at home.
    fn place_players(&self, state: &mut State, actions: &[(Seat, Action)]) {
        for (seat, action) in actions {
            for player in 0..self.players {
                state.players.push(match action.get(player) {
                    Some(Order::Place(cell)) => *cell,
                    _ => HOMES[seat.index()],
                });
            }
        }
    }

    /// Returns what is wrong with one player's order, if anything.
    fn bad(&self, state: &State, seat: Seat, player: usize, action: &Action) -> Option<BadOrder> {
        let order = action.get(player).copied();
        match self.team(state, seat).get(player) {
            Some(&cell) => self.bad_order(&state.balls, cell, order.unwrap_or(Order::STAY)),
            None => match order {
                Some(Order::Place(_)) => None,
                Some(order) => Some(BadOrder::NoCell(order.number())),
                None => Some(BadOrder::NoPlace),
            },
        }
    }

    #[inline]
    fn bad_order(&self, balls: &[u16], cell: Cell, order: Order) -> Option<BadOrder> {
        match order {
            Order::Step(step) => step.from(cell).is_none().then_some(BadOrder::OffTheGrid { cell, step }),
            Order::Kick(to) => self.bad_kick(balls, cell, to),
            Order::Place(cell) => Some(BadOrder::NoOrder(cell.index() as i64)),
            Order::Other(number) => Some(BadOrder::NoOrder(number)),
        }
    }

    #[inline]
    fn bad_kick(&self, balls: &[u16], from: Cell, to: Cell) -> Option<BadOrder> {
        if from.distance_squared(to) > self.kick_range * self.kick_range {
            Some(BadOrder::OutOfRange { from, to, k: self.kick_range })
        } else if balls[from.index()] == 0 {
            Some(BadOrder::NoBall(from))
        } else {
            None
        }
    }

    /// Moves all players that step: players never block each other, and opposite edges do not meet. Lists the
    /// valid kicks, player by player: invalid ones are in no draw.
    ///
    /// Both in one pass: a player's order does not depend on another's cell.
    fn move_players_and_collect_kicks(&self, state: &mut State, actions: &[(Seat, Action)]) {
        let State { players, balls, scratch: Scratch { kicks, .. }, .. } = state;
        kicks.clear();
        for (seat, action) in actions {
            let first = seat.index() * self.players;
            let team = &mut players[first..][..self.players];
            for (player, (cell, order)) in (first..).zip(team.iter_mut().zip(action)) {
                match *order {
                    Order::Step(step) => *cell = step.from(*cell).unwrap_or(*cell),
                    Order::Kick(to) if self.bad_kick(balls, *cell, to).is_none() => {
                        kicks.push(Kick { from: *cell, player: player as u16, to });
                    }
                    _ => {}
                }
            }
        }
    }

    fn sample_order(&self, state: &State, cell: Cell, dice: &mut Dice) -> Order {
        if state.balls[cell.index()] > 0 && dice.below(2) == 0 {
            let width = 2 * self.kick_range + 1;
            for _ in 0..100 {
                let rows = dice.below(width) as i32 - self.kick_range as i32;
                let columns = dice.below(width) as i32 - self.kick_range as i32;
                let order = cell.offset(rows, columns).map(Order::Kick);
                if let Some(order) =
                    order.filter(|order| self.bad_order(&state.balls, cell, *order).is_none())
                {
                    return order;
                }
            }
        }
        loop {
            let step = Step::from_number(dice.below(9).into()).expect("nine steps");
            if step.from(cell).is_some() {
                return Order::Step(step);
            }
        }
    }
}

/// Takes the kicked balls from their cells. If a cell has more valid kickers than balls: "assign the
/// remaining footballs to players at random", all teams alike; the others stay put.
fn take_balls(state: &mut State, events: &mut Events, mut choose: impl FnMut(&mut [Kick], usize)) {
    let State { balls, scratch: Scratch { kicks, unserved, rivals, candidates }, .. } = state;
    unserved.clear();
    kicks.retain(|kick| {
        let balls = &mut balls[kick.from.index()];
        if *balls == 0 {
            unserved.push(*kick);
            return false;
        }
        *balls -= 1;
        true
    });
    if unserved.is_empty() {
        return;
    }
    // A player who has just taken a ball that another wants puts it back, and all of them draw.
    unserved.sort_unstable();
    let is_wanted = |cell| unserved.binary_search_by_key(&cell, |kick| kick.from).is_ok();
    rivals.clear();
    for kick in kicks.extract_if(.., |kick| is_wanted(kick.from)) {
        balls[kick.from.index()] += 1;
        rivals.push(kick);
    }
    rivals.extend_from_slice(unserved);
    rivals.sort_unstable(); // by cell, then by player
    for rivals in rivals.chunk_by_mut(|one, other| one.from == other.from) {
        let cell = rivals[0].from.index();
        let player = |kick: &Kick| i64::from(kick.player);
        let balls = usize::from(std::mem::take(&mut balls[cell]));
        candidates.extend(rivals.iter().map(player));
        choose(rivals, balls);
        let winners = &mut rivals[..balls];
        winners.sort_unstable();
        events.draw("kick", cell as i64, candidates.drain(..), winners.iter().map(player));
        kicks.extend_from_slice(winners);
    }
}

/// Lands the kicked balls: "immediately removed from the game and the team scores a point" on a home, for any
/// kicker; otherwise they stay on the cell.
fn land_balls(state: &mut State, events: &mut Events) {
    for kick in &state.scratch.kicks {
        match HOMES.iter().position(|home| *home == kick.to) {
            Some(owner) => {
                state.scores[owner] += 1;
                state.balls_left -= 1;
                let values = [i64::from(kick.player), kick.from.index() as i64];
                events.effect("goal", Some(Seat::new(owner)), &values);
            }
            None => state.balls[kick.to.index()] += 1,
        }
    }
}

fn random_cell(dice: &mut Dice) -> Cell {
    Cell::from_number(dice.below(Cell::COUNT as u32).into()).expect("a cell below the count")
}

/// A valid kick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kick {
    /// The player's cell.
    pub from: Cell,
    /// The player's number, seat by seat.
    pub player: u16,
    /// Where the ball lands.
    pub to: Cell,
}

/// Memory that is reused in each turn. It is no part of the position: any two are equal.
#[derive(Clone, Debug, Default)]
struct Scratch {
    kicks: Vec<Kick>,
    /// Kicks for which no ball was left.
    unserved: Vec<Kick>,
    /// All kicks from the cells of those kicks.
    rivals: Vec<Kick>,
    candidates: Vec<i64>,
}

impl PartialEq for Scratch {
    fn eq(&self, _other: &Scratch) -> bool {
        true
    }
}
