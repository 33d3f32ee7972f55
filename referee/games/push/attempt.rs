//! One attempt to push: whether it is valid, and its result.

use std::fmt;

use super::WAYS;
use referee_rules::Seat;
use referee_rules::hex::{Direction, Slot};

/// Tells whether a seat may push: its slot holds a coin, its direction is one of the three, its target is on the
/// board.
pub fn is_valid(coins: &[u8; Slot::COUNT], seat: Seat, slot: Slot, direction: Direction) -> bool {
    refusal(coins, seat, slot, direction).is_none()
}

/// Lists all valid pushes of a seat. There is none only if all 61 coins lie on the opposite home.
pub fn valid_pushes(coins: &[u8; Slot::COUNT], seat: Seat) -> impl Iterator<Item = (Slot, Direction)> {
    let all = Slot::all().flat_map(move |slot| WAYS[seat.index()].map(|direction| (slot, direction)));
    all.filter(move |(slot, direction)| is_valid(coins, seat, *slot, *direction))
}

/// The attempt of a seat in one turn, and its fate: three integers of the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The slot whose pile was to be pushed; `None`, written as 61, if it was no slot.
    pub slot: Option<Slot>,
    /// The direction; `None`, written as 6, if it was no direction.
    pub direction: Option<Direction>,
    /// Its fate.
    pub fate: Fate,
}

impl Attempt {
    /// The attempts in the first question, before any turn.
    pub const NONE: Attempt = Attempt { slot: None, direction: None, fate: Fate::None };

    pub(super) fn integers(&self) -> [i64; 3] {
        let slot = self.slot.map_or(Slot::COUNT, Slot::index);
        let direction = self.direction.map_or(Direction::COUNT, Direction::index);
        [slot as i64, direction as i64, self.fate as i64]
    }

    pub(super) fn read(integers: [i64; 3]) -> Option<Attempt> {
        let [slot, direction, fate] = integers;
        let attempt = Attempt {
            slot: Slot::from_number(slot),
            direction: Direction::from_number(direction),
            fate: *Fate::ALL.get(usize::try_from(fate).ok()?)?,
        };
        (attempt.integers() == integers).then_some(attempt)
    }
}

/// The fate of an attempt. Its number in a question is its place in this list, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// There was no turn yet.
    None,
    /// The pile was pushed.
    Executed,
    /// Another seat that pushed the pile elsewhere was drawn.
    LostDraw,
    /// It was not valid: the seat's score is zero for good.
    Invalid,
    /// The seat had no valid push at all: any answer was accepted, and nothing was done.
    NothingToPush,
    /// No answer came.
    NoAnswer,
}

impl Fate {
    const ALL: [Fate; 6] =
        [Fate::None, Fate::Executed, Fate::LostDraw, Fate::Invalid, Fate::NothingToPush, Fate::NoAnswer];
}

/// Returns why a push is not valid; `None` if it is valid.
pub(super) fn refusal(
    coins: &[u8; Slot::COUNT],
    seat: Seat,
    slot: Slot,
    direction: Direction,
) -> Option<Refusal> {
    if !WAYS[seat.index()].contains(&direction) {
        Some(Refusal::WrongWay { seat, direction })
    } else if coins[slot.index()] == 0 {
        Some(Refusal::NoCoin(slot))
    } else if slot.neighbour(direction).is_none() {
        Some(Refusal::OffTheBoard { slot, direction })
    } else {
        None
    }
}

/// A mistake in an attempt.
pub(super) enum Refusal {
    NoPush,
    NoSlot(i64),
    NoDirection(i64),
    NoCoin(Slot),
    WrongWay { seat: Seat, direction: Direction },
    OffTheBoard { slot: Slot, direction: Direction },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoPush => write!(f, "no push"),
            Refusal::NoSlot(number) => write!(f, "{number} is no slot"),
            Refusal::NoDirection(number) => write!(f, "{number} is no direction"),
            Refusal::NoCoin(slot) => write!(f, "no coin on slot {slot}"),
            Refusal::WrongWay { seat, direction } => {
                let mut ways = WAYS[seat.index()].map(Direction::index);
                ways.sort_unstable();
                let [one, two, three] = ways;
                let number = direction.index();
                write!(
                    f,
                    "seat {seat} pushes in directions {one}, {two} and {three}, not {number} ({direction})"
                )
            }
            Refusal::OffTheBoard { slot, direction } => {
                write!(
                    f,
                    "direction {} ({direction}) leads off the board from slot {slot}",
                    direction.index()
                )
            }
        }
    }
}
