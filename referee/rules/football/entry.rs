//! The entry of Parallel Football in the list of games.

use super::board::BOARD;
use super::{Football, TEAMS};
use crate::rules::board::Board;
use crate::rules::{Kind, Listed, Parameter, Parameters, Seating};

/// What can be set.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "p",
        short: Some('p'),
        default: 10,
        kind: Kind::Integer { min: 1, max: 255 },
        help: "players a team",
    },
    Parameter {
        name: "k",
        short: Some('k'),
        default: 10,
        kind: Kind::Integer { min: 1, max: 46 },
        help: "kick range, in cells",
    },
    Parameter {
        name: "max_turns",
        short: None,
        default: 50_000,
        kind: Kind::Integer { min: 1, max: 1_000_000 },
        help: "end the game after this many turns of orders",
    },
    Parameter {
        name: "stall_turns",
        short: None,
        default: 2_000,
        kind: Kind::Integer { min: 0, max: 1_000_000 },
        help: "end the game after this many turns without a goal (0: never)",
    },
    Parameter {
        name: "turn_ms",
        short: None,
        default: 100,
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

impl Listed for Football {
    const NAME: &'static str = "football";
    const ABOUT: &'static str = "Parallel Football: four teams, 32x32 cells, 1,020 balls, all move at once";
    const PARAMETERS: &'static [Parameter] = PARAMETERS;
    const SEATING: Seating = Seating::Fixed(TEAMS);
    const EXTREMES: &'static [(&'static str, i64)] = &[("p", 1), ("p", 255), ("k", 1), ("k", 46)];
    const BOARD: Option<Board> = Some(BOARD);

    fn of_parameters(parameters: &Parameters) -> Football {
        Football::new(parameters)
    }
}
