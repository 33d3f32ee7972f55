//! The entry of Push in the list of games.

use super::board::BOARD;
use super::{PLAYERS, Push};
use referee_rules::board::Board;
use referee_rules::picture::Draw;
use referee_rules::{Listed, Parameter, Parameters, Seating};

/// The parameters.
pub const PARAMETERS: &[Parameter] = &[
    Parameter::integer("turns", 100, 1..=1_000_000, "number of turns of the game; 10 is the short game"),
    Parameter::turn_ms(1_000),
    Parameter::first_ms(),
];

impl Listed for Push {
    const NAME: &'static str = "push";
    const ABOUT: &'static str =
        "Push: six seats round a hexagon of 61 slots, a coin on each; piles are pushed home";
    const PARAMETERS: &'static [Parameter] = PARAMETERS;
    const SEATING: Seating = Seating::Fixed(PLAYERS);
    const BOARD: Option<Board> = Some(BOARD);
    const PAGE_BOARD: Option<&str> = Some(include_str!("board.js"));
    const PICTURE: Option<Draw> = Some(super::picture::draw);
    const ENDS: &'static [(&'static str, &'static str)] = super::telling::ENDS;

    fn of_parameters(parameters: &Parameters) -> Push {
        Push::new(parameters)
    }

    fn of_version(parameters: &Parameters, version: u32) -> Option<Push> {
        Push::of_version(parameters, version)
    }
}
