//! Invisible Target: find a hidden cell on a torus that fills with walls. The nearest players at the end win.
//!
//! Quotations are from the game's rules, with comments on what they leave open.

mod board;
mod entry;
mod moves;
mod picture;
mod telling;
pub mod walls;

use std::fmt;
use std::time::Duration;

pub use self::entry::PARAMETERS;
pub use self::moves::Move;
use self::walls::{Search, Walls};
use referee_rules::{
    Codec, Dice, Events, Fact, Fault, Illegal, Info, Malformed, Narrator, Outcome, Parameters, Rules, Seat,
    Thing, TimeControl, ToMove,
};

/// A cell of the torus: `64 * row + column`.
pub type Cell = referee_rules::Cell<64>;

/// "Pairwise toroidal Chebyshev distance at least 3": no player starts in the 5x5 cells around another.
pub const APART: u32 = 3;

/// Maximum number of seats. Each player denies at most 25 cells to later players: 25 * 163 = 4,075 of the
/// 4,096 cells, so there is always one left for the last of 164.
pub const SEATS_MAX: usize = 164;

/// Facts: the hidden cell, and a cell that is a wall.
const TARGET: Thing = Thing::new("target");
const WALL: Thing = Thing::new("wall");

/// The rules with their parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    seats: usize,
    wall_one_in: u32,
    idle_rounds: u32,
    max_rounds: u32,
    turn_ms: u32,
    first_ms: u32,
    ponder: bool,
}

impl Target {
    /// Makes the rules with these values of [`PARAMETERS`].
    pub fn new(parameters: &Parameters) -> Target {
        let number = |name| parameters.get(name) as u32;
        Target {
            seats: number("seats") as usize,
            wall_one_in: number("wall_one_in"),
            idle_rounds: number("idle_rounds"),
            max_rounds: number("max_rounds"),
            turn_ms: number("turn_ms"),
            first_ms: number("first_ms"),
            ponder: number("ponder") == 1,
        }
    }
}

/// A position.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    turn: u32,
    target: Cell,
    /// By seat.
    players: Vec<Cell>,
    walls: Walls,
    last_wall: Option<LastWall>,
    /// Number of consecutive turns that were answered with "stay".
    stays: u32,
    /// Number of turns since a wall was due that had no place; `None` if there is a place.
    idle_turns: Option<u32>,
    end: Option<&'static str>,
    search: Scratch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LastWall {
    cell: Cell,
    /// The turn after which it was placed.
    turn: u32,
}

impl State {
    /// Sets up a position before the first turn.
    ///
    /// # Panics
    ///
    /// Panics if a player stands on a wall or on another, or is cut off from the target.
    pub fn new(target: Cell, players: Vec<Cell>, walls: Walls) -> State {
        let mut search = Search::new();
        let _ = search.eligible(&walls, target, &players);
        for (index, player) in players.iter().enumerate() {
            assert!(!walls.has(*player) && search.reached(*player), "player {index} is cut off");
            assert!(!players[..index].contains(player), "player {index} stands on another");
        }
        State {
            turn: 0,
            target,
            players,
            walls,
            last_wall: None,
            stays: 0,
            idle_turns: None,
            end: None,
            search: Scratch(search),
        }
    }

    /// Returns the same position with another target.
    pub fn with_target(self, target: Cell) -> State {
        State { target, ..self }
    }

    /// Returns the hidden target.
    pub fn target(&self) -> Cell {
        self.target
    }

    /// Returns the cells of the players, by seat.
    pub fn players(&self) -> &[Cell] {
        &self.players
    }

    /// Returns the walls.
    pub fn walls(&self) -> &Walls {
        &self.walls
    }

    /// Tells whether a player could move to a cell: "onto a wall or a player ... no move".
    fn is_free(&self, cell: Cell) -> bool {
        !self.walls.has(cell) && !self.players.contains(&cell)
    }
}

/// A player's answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// Nothing came, or nothing with the shape of an answer.
    #[default]
    Nothing,
    /// Move, or stay.
    Move(Move),
    /// An integer that is not a move.
    Other(i64),
}

/// A question: everything that a player is told. It contains neither the target nor older walls. The player
/// was told each of these walls once.
///
/// | integers | field | meaning | range |
/// | --- | --- | --- | --- |
/// | 1 | `own` | your cell | 0 to 4095 |
/// | 1 | `wall` | the wall that was put since your last turn; 4096 (`None`) if none was | 0 to 4096 |
/// | N-1 | `enemies` | the cells of the others in turn order, always the same order | 0 to 4095 |
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the table above describes each")]
pub struct View {
    pub own: Cell,
    pub wall: Option<Cell>,
    pub enemies: Vec<Cell>,
}

impl Rules for Target {
    type State = State;
    type Action = Action;

    fn info(&self) -> Info {
        Info {
            name: "target",
            version: 1,
            seats: self.seats,
            ring: Seat::first(self.seats).collect(),
            block: 1,
            turns_max: self.max_rounds * self.seats as u32,
            time: TimeControl {
                turn_limit: Duration::from_millis(self.turn_ms.into()),
                first_limit: Duration::from_millis(self.first_ms.into()),
                bank: None,
                ponder: self.ponder,
            },
        }
    }

    fn start(&self, dice: &mut Dice) -> State {
        let players = draw_starts(self.seats, dice);
        let target = random_cell(dice); // "target uniform, may lie under a player"
        State::new(target, players, Walls::none())
    }

    fn turn(&self, state: &State) -> u32 {
        state.turn
    }

    /// "Turns one seat at a time in an order fixed for the game": the order of the seats.
    fn to_move(&self, state: &State) -> ToMove {
        if state.end.is_some() { ToMove::Nobody } else { ToMove::One(self.seat_of(state.turn)) }
    }

    fn check(&self, state: &State, seat: Seat, action: &Action) -> Result<(), Illegal> {
        let bad = self.bad_move(state, seat, *action);
        match bad {
            Some(bad) => Err(Illegal { count: 1, of: 1, first: bad.to_string() }),
            None => Ok(()),
        }
    }

    fn sample(&self, state: &State, seat: Seat, dice: &mut Dice, action: &mut Action) {
        let from = state.players[seat.index()];
        let mut moves = Move::STEPS;
        dice.shuffle(&mut moves);
        let free = moves.into_iter().find(|step| state.is_free(step.from(from)));
        *action = Action::Move(free.filter(|_| dice.below(5) > 0).unwrap_or(Move::STAY));
    }

    /// "Malformed, late: no move". It does not count as "stay" either: a silent player has not agreed to end
    /// the game.
    fn stand_in(&self, _state: &State, _seat: Seat, _fault: &Fault, action: &mut Action) {
        *action = Action::Nothing;
    }

    fn resolve(&self, state: &mut State, actions: &[(Seat, Action)], dice: &mut Dice, events: &mut Events) {
        if state.turn == 0 {
            events.effect("target", None, &[state.target.index() as i64]);
        }
        for (seat, action) in actions {
            self.move_player(state, *seat, *action);
        }
        self.maybe_put_wall(state, dice, events);
        state.turn += 1;
        state.end = self.end(state);
        if state.end.is_some() {
            for (seat, player) in Seat::first(self.seats).zip(&state.players) {
                events.effect("distance", Some(seat), &[player.manhattan_wrapped(state.target).into()]);
            }
        }
    }

    /// "The winner is nearest by toroidal Manhattan distance, walls ignored; all who tie score 1."
    fn outcome(&self, state: &State) -> Option<Outcome> {
        let reason = state.end?;
        let distance = |player: &Cell| player.manhattan_wrapped(state.target);
        let nearest = state.players.iter().map(distance).min();
        let wins = |player: &Cell| Some(distance(player)) == nearest;
        Some(Outcome {
            scores: state.players.iter().map(|player| i64::from(wins(player))).collect(),
            shares: state.players.iter().map(|player| f64::from(u8::from(wins(player)))).collect(),
            reason,
        })
    }

    /// The target, the players and the cells with a wall.
    fn describe(&self, state: &State, tell: &mut dyn FnMut(Fact)) {
        let value = |cell: Cell| cell.index() as i64;
        tell(Fact { thing: TARGET, seat: None, index: None, value: value(state.target) });
        for (seat, player) in Seat::first(self.seats).zip(&state.players) {
            tell(Fact { thing: Thing::PLAYER, seat: Some(seat), index: None, value: value(*player) });
        }
        for wall in state.walls.iter() {
            tell(Fact { thing: WALL, seat: None, index: Some(wall.index()), value: 1 });
        }
    }

    fn describe_start(&self, start: &State, tell: &mut dyn FnMut(Fact)) {
        self.describe(start, tell);
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

impl Target {
    fn seat_of(&self, turn: u32) -> Seat {
        Seat::new(turn as usize % self.seats)
    }

    /// Returns what is wrong with an action, if anything.
    fn bad_move(&self, state: &State, seat: Seat, action: Action) -> Option<BadMove> {
        match action {
            Action::Move(Move::STAY) | Action::Nothing => None,
            Action::Move(step) => {
                let to = step.from(state.players[seat.index()]);
                if state.walls.has(to) {
                    Some(BadMove::Wall { step, to })
                } else {
                    state.players.contains(&to).then_some(BadMove::Player { step, to })
                }
            }
            Action::Other(number) => Some(BadMove::NoMove(number)),
        }
    }

    /// "Onto a wall or a player, malformed, late: no move."
    fn move_player(&self, state: &mut State, seat: Seat, action: Action) {
        state.stays = if action == Action::Move(Move::STAY) { state.stays + 1 } else { 0 };
        if let Action::Move(step) = action
            && self.bad_move(state, seat, action).is_none()
        {
            let player = &mut state.players[seat.index()];
            *player = step.from(*player);
        }
    }

    /// "After each turn, with `wall_chance`, a wall is put on a uniformly drawn eligible cell; after a wall none until
    /// every seat has had a turn (N more turns). None [eligible]: no wall."
    ///
    /// When a wall that was drawn has no place, idle time begins. It lasts while there is no place after any turn,
    /// whether a wall was drawn or not, since a player who moves may make one.
    fn maybe_put_wall(&self, state: &mut State, dice: &mut Dice, events: &mut Events) {
        if state.last_wall.is_some_and(|last| state.turn - last.turn < self.seats as u32) {
            return;
        }
        let is_drawn = self.wall_one_in > 0 && dice.below(self.wall_one_in) == 0;
        if !is_drawn && state.idle_turns.is_none() {
            return;
        }
        let eligible = state.search.0.eligible(&state.walls, state.target, &state.players);
        let count = eligible.len() as u32;
        state.idle_turns = if count == 0 { Some(state.idle_turns.unwrap_or(0) + 1) } else { None };
        if is_drawn && count > 0 {
            let cell = eligible[dice.below(count) as usize];
            state.walls.build(cell);
            state.last_wall = Some(LastWall { cell, turn: state.turn });
            events.effect("wall", None, &[cell.index() as i64, count.into()]);
        }
    }

    /// Returns why the game is over, if it is.
    fn end(&self, state: &State) -> Option<&'static str> {
        let seats = self.seats as u32;
        let has_room = |player: &Cell| Move::STEPS.iter().any(|step| state.is_free(step.from(*player)));
        if !state.players.iter().any(has_room) {
            Some("no_room") // "nobody has a free neighbour"
        } else if state.stays >= seats {
            Some("all_stay") // "N turns in a row all *answered* 2"
        } else if self.idle_rounds > 0
            && state.idle_turns.is_some_and(|idle| idle >= self.idle_rounds * seats)
        {
            Some("no_wall") // "no wall could be placed for `idle_rounds` rounds"
        } else if state.turn >= self.max_rounds * seats {
            Some("max_rounds")
        } else {
            None
        }
    }

    /// "The wall put since this seat's last turn": there is at most one, since there are N turns between two
    /// walls.
    fn wall_told(&self, state: &State, seat: Seat) -> Option<Cell> {
        let seats = self.seats as u32;
        let ahead = (seat.index() as u32 + seats - state.turn % seats) % seats;
        let last = state.last_wall?;
        // The seat's last turn was N turns before its next one; a wall after that very turn is new to it.
        (last.turn + seats >= state.turn + ahead).then_some(last.cell)
    }
}

/// Draws the start cells: one by one, each drawn uniformly from the cells that are far enough from all
/// earlier players ([`APART`]). There is always such a cell ([`SEATS_MAX`]). Then the players are shuffled,
/// so that the order of drawing makes no difference.
fn draw_starts(seats: usize, dice: &mut Dice) -> Vec<Cell> {
    let mut free: Vec<Cell> = Cell::all().collect();
    let mut players = Vec::with_capacity(seats);
    for _ in 0..seats {
        let player = free[dice.below(free.len() as u32) as usize];
        free.retain(|cell| cell.steps_wrapped(player) >= APART);
        players.push(player);
    }
    dice.shuffle(&mut players);
    players
}

fn random_cell(dice: &mut Dice) -> Cell {
    Cell::from_number(dice.below(Cell::COUNT as u32).into()).expect("a cell below the count")
}

impl Codec for Target {
    type View = View;

    fn write_own(&self, state: &State, seat: Seat, integers: &mut Vec<i64>) {
        let wall = self.wall_told(state, seat);
        integers.push(state.players[seat.index()].index() as i64);
        integers.push(wall.map_or(NO_WALL, |wall| wall.index() as i64));
        let enemies = Seat::first(self.seats).zip(&state.players).filter(|(other, _)| *other != seat);
        integers.extend(enemies.map(|(_, enemy)| enemy.index() as i64));
    }

    fn write_shared(&self, _state: &State, _integers: &mut Vec<i64>) {}

    fn read_view(integers: &[i64]) -> Result<View, Malformed> {
        let [own, wall, enemies @ ..] = integers else { return Err(Malformed::count(3, integers.len())) };
        let cell = |what: &str, number: i64| {
            Cell::from_number(number).ok_or_else(|| Malformed::new(format!("{what} is {number}")))
        };
        Ok(View {
            own: cell("its own cell", *own)?,
            wall: if *wall == NO_WALL { None } else { Some(cell("the wall", *wall)?) },
            enemies: enemies.iter().map(|enemy| cell("an enemy's cell", *enemy)).collect::<Result<_, _>>()?,
        })
    }

    fn read_action(&self, _state: &State, integers: &[i64], action: &mut Action) -> Result<(), Malformed> {
        let [number] = *integers else { return Err(Malformed::count(1, integers.len())) };
        *action = Move::from_number(number).map_or(Action::Other(number), Action::Move);
        Ok(())
    }

    fn write_action(action: &Action, integers: &mut Vec<i64>) {
        match action {
            Action::Nothing => {}
            Action::Move(step) => integers.push(step.number() as i64),
            Action::Other(number) => integers.push(*number),
        }
    }
}

/// The number that stands for "no wall".
const NO_WALL: i64 = Cell::COUNT as i64;

/// Memory that is reused for each wall. It is no part of the position: any two are equal.
#[derive(Clone, Debug)]
struct Scratch(Search);

impl PartialEq for Scratch {
    fn eq(&self, _other: &Scratch) -> bool {
        true
    }
}

/// A mistake in an answer.
enum BadMove {
    NoMove(i64),
    Wall { step: Move, to: Cell },
    Player { step: Move, to: Cell },
}

impl fmt::Display for BadMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadMove::NoMove(number) => write!(f, "{number} is no move"),
            BadMove::Wall { step, to } => {
                write!(f, "move {} leads onto the wall on cell {to}", step.number())
            }
            BadMove::Player { step, to } => {
                write!(f, "move {} leads onto the player on cell {to}", step.number())
            }
        }
    }
}
