//! The entry of Parallel Football in the list of games.

use super::board::BOARD;
use super::{Football, TEAMS};
use referee_rules::board::Board;
use referee_rules::picture::Draw;
use referee_rules::{Listed, Parameter, Parameters, Seating};

/// The parameters.
pub const PARAMETERS: &[Parameter] = &[
    Parameter::integer("p", 10, 1..=255, "players of each team").letter('p'),
    Parameter::integer("k", 10, 1..=46, "kick range, in cells").letter('k'),
    Parameter::integer("max_turns", 50_000, 1..=1_000_000, "end the game after this many turns of orders"),
    Parameter::integer(
        "stall_turns",
        2_000,
        0..=1_000_000,
        "end the game after this many turns without a goal (0: never)",
    ),
    Parameter::turn_ms(100),
    Parameter::first_ms(),
];

impl Listed for Football {
    const NAME: &'static str = "football";
    const ABOUT: &'static str = "Parallel Football: four teams, 32x32 cells, 1,020 balls, all move at once";
    const PARAMETERS: &'static [Parameter] = PARAMETERS;
    const SEATING: Seating = Seating::Fixed(TEAMS);
    const EXTREMES: &'static [(&'static str, i64)] = &[("p", 1), ("p", 255), ("k", 1), ("k", 46)];
    const BOARD: Option<Board> = Some(BOARD);
    const PAGE_BOARD: Option<&str> = Some(include_str!("board.js"));
    const PICTURE: Option<Draw> = Some(super::picture::draw);
    const COLUMNS: Option<i64> = Some(32);
    const ENDS: &'static [(&'static str, &'static str)] = super::telling::ENDS;

    fn of_parameters(parameters: &Parameters) -> Football {
        Football::new(parameters)
    }
}
