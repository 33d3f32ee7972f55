//! The entry of comFoosball in the list of games.

use super::board::BOARD;
use super::{Foosball, TEAMS};
use crate::board::Board;
use crate::{Kind, Listed, Parameter, Parameters, Seating};

/// What can be set.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "variant",
        short: None,
        default: 0,
        kind: Kind::Choice(&["text", "server2013"]),
        help: "the order of steps in a round: as in the text, or as on the server of 2013",
    },
    Parameter {
        name: "bank_ms",
        short: None,
        default: 60_000,
        kind: Kind::Integer { min: 1, max: 3_600_000 },
        help: "milliseconds for all answers of a team together, but for the first",
    },
    Parameter {
        name: "first_ms",
        short: None,
        default: 5_000,
        kind: Kind::Integer { min: 1, max: 3_600_000 },
        help: "milliseconds for the first answer of a game",
    },
];

impl Listed for Foosball {
    const NAME: &'static str = "foosball";
    const ABOUT: &'static str = "comFoosball 2013: two teams of 26 men on nine rows, one ball, 800 rounds";
    const PARAMETERS: &'static [Parameter] = PARAMETERS;
    const SEATING: Seating = Seating::Fixed(TEAMS);
    const BOARD: Option<Board> = Some(BOARD);

    fn of_parameters(parameters: &Parameters) -> Foosball {
        Foosball::new(parameters)
    }
}
