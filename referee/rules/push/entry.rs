//! The entry of Push in the list of games.

use super::board::BOARD;
use super::{PLAYERS, Push};
use crate::rules::board::Board;
use crate::rules::{Kind, Listed, Parameter, Parameters, Seating};

/// What can be set.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "turns",
        short: None,
        default: 100,
        kind: Kind::Integer { min: 1, max: 1_000_000 },
        help: "number of turns of the game; 10 is the short game",
    },
    Parameter {
        name: "turn_ms",
        short: None,
        default: 1_000,
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
];

impl Listed for Push {
    const NAME: &'static str = "push";
    const ABOUT: &'static str =
        "Push: six seats round a hexagon of 61 slots, a coin on each; piles are pushed home";
    const PARAMETERS: &'static [Parameter] = PARAMETERS;
    const SEATING: Seating = Seating::Fixed(PLAYERS);
    const BOARD: Option<Board> = Some(BOARD);

    fn of_parameters(parameters: &Parameters) -> Push {
        Push::new(parameters)
    }

    fn of_version(parameters: &Parameters, version: u32) -> Option<Push> {
        Push::of_version(parameters, version)
    }
}
