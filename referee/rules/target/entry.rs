//! The entry of Invisible Target in the list of games.

use super::board::BOARD;
use super::{SEATS_MAX, Target};
use crate::rules::board::Board;
use crate::rules::{Kind, Listed, Parameter, Parameters, SEATS, Seating};

/// What can be set.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "seats",
        short: None,
        default: 16,
        kind: Kind::Integer { min: 2, max: SEATS_MAX as i64 },
        help: "players; follows from the bots that are named",
    },
    Parameter {
        name: "wall_one_in",
        short: None,
        default: 7,
        kind: Kind::Integer { min: 0, max: 1_000_000 },
        help: "a wall comes after a turn with a chance of one in this number (0: no walls)",
    },
    Parameter {
        name: "idle_rounds",
        short: None,
        default: 10,
        kind: Kind::Integer { min: 0, max: 1_000_000 },
        help: "end the game after this many rounds without a place for a due wall (0: never)",
    },
    Parameter {
        name: "max_rounds",
        short: None,
        default: 20_000,
        kind: Kind::Integer { min: 1, max: 1_000_000 },
        help: "end the game after this many rounds",
    },
    Parameter {
        name: "turn_ms",
        short: None,
        default: 50,
        kind: Kind::Integer { min: 1, max: 3_600_000 },
        help: "milliseconds for an answer",
    },
    Parameter {
        name: "first_ms",
        short: None,
        default: 5_000,
        kind: Kind::Integer { min: 1, max: 3_600_000 },
        help: "milliseconds for the first answer of a game",
    },
    Parameter {
        name: "ponder",
        short: None,
        default: 0,
        kind: Kind::Integer { min: 0, max: 1 },
        help: "1: bots may think while others are asked; 0: they are frozen",
    },
];

impl Listed for Target {
    const NAME: &'static str = "target";
    const ABOUT: &'static str =
        "Invisible Target: 16 players or more, a torus that fills with walls, a cell that nobody sees";
    const PARAMETERS: &'static [Parameter] = PARAMETERS;
    const SEATING: Seating = Seating::Field { least: 16 };
    const EXTREMES: &'static [(&'static str, i64)] = &[(SEATS, 2), (SEATS, 100)];
    const BOARD: Option<Board> = Some(BOARD);

    fn of_parameters(parameters: &Parameters) -> Target {
        Target::new(parameters)
    }
}
