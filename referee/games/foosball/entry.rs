//! The entry of comFoosball in the list of games.

use super::board::BOARD;
use super::{Foosball, TEAMS};
use referee_rules::board::Board;
use referee_rules::picture::Draw;
use referee_rules::{Listed, Parameter, ParameterKind, Parameters, Seating};

/// The parameters.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "variant",
        short: None,
        default: 0,
        kind: ParameterKind::Choice(&["text", "server2013"]),
        help: "the order of steps in a round: as in the contest's rules, or as on its server of 2013",
    },
    Parameter::integer(
        "bank_ms",
        60_000,
        1..=3_600_000,
        "milliseconds for all answers of a team together, except the first",
    ),
    Parameter::first_ms(),
];

impl Listed for Foosball {
    const NAME: &'static str = "foosball";
    const ABOUT: &'static str = "comFoosball 2013: two teams of 26 men on nine rows, one ball, 800 rounds";
    const PARAMETERS: &'static [Parameter] = PARAMETERS;
    const SEATING: Seating = Seating::Fixed(TEAMS);
    const BOARD: Option<Board> = Some(BOARD);
    const PAGE_BOARD: Option<&str> = Some(include_str!("board.js"));
    const PICTURE: Option<Draw> = Some(super::picture::draw);
    const ENDS: &'static [(&'static str, &'static str)] = super::telling::ENDS;

    fn of_parameters(parameters: &Parameters) -> Foosball {
        Foosball::new(parameters)
    }
}
