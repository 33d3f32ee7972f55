//! Games between programs: what a bot's or a game's author needs.
//!
//! [`Rules`] is a game's law: positions, answers, chance and scores. [`Codec`] is its integers. No game reads a file, a
//! clock or an environment: same start, same answers, same dice make the same game, on every machine, for ever.
//!
//! In reading order: [`wire`] turns integers into lines, [`game`] hides a game's types, [`catalog`] lists the games, and
//! [`kit`] is what a bot in Rust needs.
//!
//! A whole game, between bots that answer at random:
//!
//! ```
//! use referee_rules::{Dice, Events, Parameters, Seed, catalog, game};
//!
//! let entry = catalog::find("football")?;
//! let mut game = entry.start(&Parameters::defaults(entry.parameters), Seed(7));
//! let (mut dice, mut events) = (Dice::for_start(Seed(8)), Events::default());
//! while !game.asked().is_empty() {
//!     game::play_turn(&mut *game, &mut events, |game, seat| {
//!         let mut answer = Vec::new();
//!         game.sample(seat, &mut dice, &mut answer);
//!         assert_eq!(game.answer(seat, Ok(&answer)), None, "a random legal answer has no fault");
//!     });
//! }
//! println!("{:?}", game.outcome());
//! # Ok::<(), catalog::UnknownGame>(())
//! ```

#![forbid(unsafe_code)]

pub mod board;
pub mod catalog;
pub mod conformance;
mod deed;
mod dice;
mod event;
mod fact;
mod fault;
pub mod foosball;
pub mod football;
pub mod game;
mod grid;
mod hex;
pub mod kit;
mod listed;
mod outcome;
mod parameter;
mod position;
pub mod push;
pub mod scene;
mod seat;
pub mod target;
mod to_move;
pub mod wire;

use std::fmt::Debug;
use std::time::Duration;

pub use deed::{Deed, DeedName, Narrator, Upshot};
pub use dice::{Dice, NotASeed, Seed};
pub use event::{Event, Events};
pub use fact::{Fact, Thing};
pub use fault::{Fault, FaultKind, Illegal, Malformed, Resource};
pub use grid::{Cell, Step};
pub use listed::{HouseBot, Listed, SEATS, Seating};
pub use outcome::Outcome;
pub use parameter::{BadParameter, Kind, Parameter, Parameters, Value};
pub use position::{Change, Position};
pub use seat::{BySeat, Seat};
pub use to_move::{Seats, ToMove};

/// The law of one game.
///
/// A turn: [`to_move`](Rules::to_move) says who is asked, every answer becomes an action (their own, or what
/// [`stand_in`](Rules::stand_in) puts in its place), and [`resolve`](Rules::resolve) carries all of them out at once.
pub trait Rules: Clone + Send + 'static {
    /// Everything needed to go on from here.
    type State: Clone + Debug + PartialEq + Send;
    /// What a seat answers. Any value that [`Codec::read_action`] yields may be resolved, legal or not.
    type Action: Clone + Debug + Default + PartialEq + Send;

    /// Describes the game as it is played here.
    fn info(&self) -> Info;

    /// Sets up a game.
    fn start(&self, dice: &mut Dice) -> Self::State;

    /// Returns the number of turns that have been played: the number of the turn that comes next, from 0.
    fn turn(&self, state: &Self::State) -> u32;

    /// Says who is asked in the turn that comes next.
    fn to_move(&self, state: &Self::State) -> ToMove;

    /// Says whether an action is allowed in this position.
    ///
    /// # Errors
    ///
    /// Counts what is not allowed and describes the first of it. What it costs is for `resolve` to say.
    fn check(&self, state: &Self::State, seat: Seat, action: &Self::Action) -> Result<(), Illegal>;

    /// Writes a random legal action into `action`.
    fn sample(&self, state: &Self::State, seat: Seat, dice: &mut Dice, action: &mut Self::Action);

    /// Writes into `action` what silence or nonsense amounts to.
    fn stand_in(&self, state: &Self::State, seat: Seat, fault: &Fault, action: &mut Self::Action);

    /// Plays the turn: every seat that was asked has one action here, in the order of the seats.
    fn resolve(
        &self,
        state: &mut Self::State,
        actions: &[(Seat, Self::Action)],
        dice: &mut Dice,
        events: &mut Events,
    );

    /// Returns how the game ended, or `None` while it goes on.
    fn outcome(&self, state: &Self::State) -> Option<Outcome>;

    /// Tells everything about a position that people may want in a table.
    fn describe(&self, state: &Self::State, tell: &mut dyn FnMut(Fact));

    /// Tells what those who look on need to know and no position holds, since it never changes:
    /// [`Thing::HOME`], [`Thing::BONUS`].
    fn describe_board(&self, _tell: &mut dyn FnMut(Fact)) {}

    /// Tells what chance has laid out before the first turn, if no draw and no effect says it. It stands in the log, so that the
    /// game can be replayed without dice.
    fn describe_start(&self, _start: &Self::State, _tell: &mut dyn FnMut(Fact)) {}

    /// Tells a turn to people: what each seat did, and each of the events, in words. `before` and `after` are the
    /// positions between which [`resolve`](Rules::resolve) has played these actions, and reported these events.
    fn tell(
        &self,
        before: &Self::State,
        actions: &[(Seat, Self::Action)],
        after: &Self::State,
        events: &Events,
        say: &mut Narrator<'_>,
    );

    /// Returns whose a number is that may be drawn in draws of this name; `None` if it is nobody's.
    fn drawn_seat(&self, _name: &str, _number: i64) -> Option<Seat> {
        None
    }
}

/// The integers of a game: questions and answers, both ways. It knows shapes, not what is allowed.
pub trait Codec: Rules {
    /// What one seat may know: a question, read.
    type View: Clone + Debug + PartialEq;

    /// Appends the integers of a question that are this seat's own. They stand first.
    fn write_own(&self, state: &Self::State, seat: Seat, integers: &mut Vec<i64>);

    /// Appends the integers that are the same in all questions of the turn. They stand after the seat's own,
    /// and are written once a turn for all seats.
    fn write_shared(&self, state: &Self::State, integers: &mut Vec<i64>);

    /// Reads a question.
    ///
    /// # Errors
    ///
    /// Says what does not fit if this is no question of the game.
    fn read_view(integers: &[i64]) -> Result<Self::View, Malformed>;

    /// Reads an answer into `action`, keeping its memory.
    ///
    /// # Errors
    ///
    /// Says what does not fit if it does not have the shape that is due in this position.
    fn read_action(
        &self,
        state: &Self::State,
        integers: &[i64],
        action: &mut Self::Action,
    ) -> Result<(), Malformed>;

    /// Appends the integers of an answer.
    fn write_action(action: &Self::Action, integers: &mut Vec<i64>);
}

/// A game as it is played here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Its name in files and on the command line.
    pub name: &'static str,
    /// The version of its rules. A record of another version would replay differently.
    pub version: u32,
    /// How many seats there are.
    pub seats: usize,
    /// The seats in the order in which they follow each other round the board: the games of a block move every bot
    /// along it, so that all have sat everywhere beside the same neighbours.
    pub ring: Vec<Seat>,
    /// How many games a block has: the same seed, the seats moved on along the ring each time.
    pub block: usize,
    /// The most turns that a game can have.
    pub turns_max: u32,
    /// How long a seat may think.
    pub time: TimeControl,
}

impl Info {
    /// Returns all the time that a game can give to a seat: for the first answer, and for the turns or out of the bank,
    /// whichever is less.
    pub fn budget(&self) -> Duration {
        let turns = self.time.turn_limit.saturating_mul(self.turns_max);
        self.time.first_limit.saturating_add(self.time.bank.unwrap_or(turns).min(turns))
    }
}

/// How long a seat may think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// For each answer but the first. In a game with a bank, none is longer than what is left in the bank.
    pub turn_limit: Duration,
    /// For the first answer of a game: programs take their time to start up.
    pub first_limit: Duration,
    /// For all answers of a seat together, but for the first, if the game has such a limit.
    pub bank: Option<Duration>,
    /// Whether a seat may think while it is not asked. If not, its program is frozen.
    pub ponder: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_has_its_turns_or_its_bank_whichever_is_less() {
        let seconds = Duration::from_secs;
        for (bank, due) in [(None, 210), (Some(50), 60), (Some(5_000), 210)] {
            let bank = bank.map(seconds);
            let time = TimeControl { first_limit: seconds(10), turn_limit: seconds(2), bank, ponder: false };
            let ring = vec![Seat::new(0)];
            let info = Info { name: "game", version: 1, seats: 1, ring, block: 1, turns_max: 100, time };
            assert_eq!(info.budget(), seconds(due), "{bank:?}");
        }
    }
}
