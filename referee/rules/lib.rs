//! Games between programs: the interface for authors of bots and games.
//!
//! [`Rules`] defines a game: positions, answers, chance and scores. [`Codec`] defines its integers. No game
//! reads a file, a clock or an environment: the same start, answers and dice make the same game, on every
//! machine, for ever.
//!
//! In reading order: [`wire`] turns integers into lines, [`game`] hides a game's types, [`entry`] describes a
//! game for a list, [`conformance`] checks the requirements on all games, and [`kit`] is for bots in Rust.
//! The crate `referee-games` contains four games.
//!
//! A question becomes a line, and the line of an answer becomes integers:
//!
//! ```
//! use referee_rules::wire;
//!
//! // Integers that all seats are told are written once a turn. Each seat's own integers precede them.
//! let (mut shared, mut line) = (Vec::new(), Vec::new());
//! wire::push_integers(&mut shared, &[10, -3]);
//! wire::push_question(&mut line, &[7], &shared, 2);
//! assert_eq!(line, b"3 7 10 -3\n");
//!
//! // A bot can put the number of the question before its answer.
//! let (question, rest) = wire::split_tag(b"@1 4 5");
//! let mut integers = Vec::new();
//! wire::read_integers(rest, &mut integers)?;
//! assert_eq!((question, integers), (Some(1), vec![4, 5]));
//! assert!(wire::read_integers(b"4 five", &mut Vec::new()).is_err());
//! # Ok::<(), referee_rules::Malformed>(())
//! ```

#![forbid(unsafe_code)]

pub mod board;
pub mod conformance;
mod dice;
pub mod entry;
mod event;
mod fact;
mod fault;
pub mod game;
mod grid;
pub mod hex;
pub mod kit;
mod listed;
pub mod moment;
pub mod occurrence;
mod outcome;
mod parameter;
pub mod picture;
mod position;
pub mod scene;
mod seat;
pub mod thinker;
mod to_move;
pub mod wire;

use std::fmt::Debug;
use std::time::Duration;

pub use dice::{Dice, NotASeed, Seed};
pub use event::{Event, Events};
pub use fact::{Fact, Thing};
pub use fault::{Fault, FaultKind, Illegal, Malformed, Resource};
pub use grid::{Cell, Step};
pub use listed::{HouseBot, Listed, SEATS, Seating};
pub use occurrence::{Completion, Narrator, Occurrence, OccurrenceName};
pub use outcome::Outcome;
pub use parameter::{BadParameter, Parameter, ParameterKind, Parameters, Value};
pub use position::{Change, Position};
pub use seat::{BySeat, Seat};
pub use to_move::{Seats, ToMove};

/// The rules of one game.
///
/// In a turn, [`to_move`](Rules::to_move) names the seats that are asked. Each answer becomes an action;
/// [`stand_in`](Rules::stand_in) replaces missing and wrong ones. [`resolve`](Rules::resolve) carries all actions out
/// at once.
pub trait Rules: Clone + Send + 'static {
    /// A position: everything that is needed to continue the game.
    type State: Clone + Debug + PartialEq + Send;
    /// The action of a seat. `resolve` accepts any value that [`Codec::read_action`] yields, legal or not.
    type Action: Clone + Debug + Default + PartialEq + Send;

    /// Describes the game with its parameters.
    fn info(&self) -> Info;

    /// Returns the start position.
    fn start(&self, dice: &mut Dice) -> Self::State;

    /// Returns the number of turns that have been played, which is the number of the next turn, from 0.
    fn turn(&self, state: &Self::State) -> u32;

    /// Returns the seats that are asked in the next turn.
    fn to_move(&self, state: &Self::State) -> ToMove;

    /// Checks whether an action is legal in this position.
    ///
    /// # Errors
    ///
    /// The number of illegal parts, and the first one. `resolve` decides what they cost.
    fn check(&self, state: &Self::State, seat: Seat, action: &Self::Action) -> Result<(), Illegal>;

    /// Writes a random legal action into `action`.
    fn sample(&self, state: &Self::State, seat: Seat, dice: &mut Dice, action: &mut Self::Action);

    /// Writes into `action` the action that replaces a missing or wrong answer.
    fn stand_in(&self, state: &Self::State, seat: Seat, fault: &Fault, action: &mut Self::Action);

    /// Plays the turn. `actions` has one action for each asked seat, in the order of the seats.
    fn resolve(
        &self,
        state: &mut Self::State,
        actions: &[(Seat, Self::Action)],
        dice: &mut Dice,
        events: &mut Events,
    );

    /// Returns the outcome, or `None` before the end of the game.
    fn outcome(&self, state: &Self::State) -> Option<Outcome>;

    /// Reports all facts of a position, for tables and viewers.
    fn describe(&self, state: &Self::State, tell: &mut dyn FnMut(Fact));

    /// Reports facts for viewers that never change and so are not part of a position: [`Thing::HOME`],
    /// [`Thing::BONUS`].
    fn describe_board(&self, _tell: &mut dyn FnMut(Fact)) {}

    /// Reports random choices before the first turn that no draw or effect records. They are written to the log, so
    /// that the game can be replayed without dice.
    fn describe_start(&self, _start: &Self::State, _tell: &mut dyn FnMut(Fact)) {}

    /// Narrates a turn: the actions of each seat, and the events. `before` and `after` are the positions around the
    /// call of [`resolve`](Rules::resolve) with these actions, which reported these events.
    fn tell(
        &self,
        before: &Self::State,
        actions: &[(Seat, Self::Action)],
        after: &Self::State,
        events: &Events,
        say: &mut Narrator<'_>,
    );
}

/// The integers of a game: reads and writes questions and answers. It checks their shape, not whether they
/// are legal.
pub trait Codec: Rules {
    /// A question that has been read: the part of a position that one seat may know.
    type View: Clone + Debug + PartialEq;

    /// Appends the integers of a question that differ from seat to seat. They come first.
    fn write_own(&self, state: &Self::State, seat: Seat, integers: &mut Vec<i64>);

    /// Appends the integers that are the same in all questions of the turn. They follow the seat's own integers, and
    /// are written once a turn for all seats.
    fn write_shared(&self, state: &Self::State, integers: &mut Vec<i64>);

    /// Reads a question.
    fn read_view(integers: &[i64]) -> Result<Self::View, Malformed>;

    /// Reads an answer into `action`, keeping its memory.
    fn read_action(
        &self,
        state: &Self::State,
        integers: &[i64],
        action: &mut Self::Action,
    ) -> Result<(), Malformed>;

    /// Appends the integers of an answer.
    fn write_action(action: &Self::Action, integers: &mut Vec<i64>);
}

/// A game with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Its name in files and on the command line.
    pub name: &'static str,
    /// The version of its rules. Another version replays a record differently.
    pub version: u32,
    /// Number of seats.
    pub seats: usize,
    /// The seats in their order round the board. The games of a block move every bot along it, so that each
    /// bot plays once in every seat, next to the same neighbours.
    pub ring: Vec<Seat>,
    /// Number of games in a block: the same seed, with the seats moved along the ring each time.
    pub block: usize,
    /// Maximum number of turns of a game.
    pub turns_max: u32,
    /// Time limits of a seat.
    pub time: TimeControl,
}

impl Info {
    /// Returns the maximum total time of a seat: for the first answer, and for the turns or from the bank,
    /// whichever is less.
    pub fn budget(&self) -> Duration {
        let turns = self.time.turn_limit.saturating_mul(self.turns_max);
        self.time.first_limit.saturating_add(self.time.bank.unwrap_or(turns).min(turns))
    }
}

/// Time limits of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// Limit of each answer after the first. In a game with a bank, also limited by the rest of the bank.
    pub turn_limit: Duration,
    /// Limit of the first answer of a game: programs need time to start.
    pub first_limit: Duration,
    /// Limit of all answers of a seat together, without the first, if the game has such a limit.
    pub bank: Option<Duration>,
    /// Whether a seat may think while it is not asked. If not, its program is frozen meanwhile.
    pub ponder: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_has_its_turns_or_its_bank_whichever_is_less() {
        let seconds = Duration::from_secs;
        for (bank, expected) in [(None, 210), (Some(50), 60), (Some(5_000), 210)] {
            let bank = bank.map(seconds);
            let time = TimeControl { first_limit: seconds(10), turn_limit: seconds(2), bank, ponder: false };
            let ring = vec![Seat::new(0)];
            let info = Info { name: "game", version: 1, seats: 1, ring, block: 1, turns_max: 100, time };
            assert_eq!(info.budget(), seconds(expected), "{bank:?}");
        }
    }
}
