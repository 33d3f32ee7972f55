//! The entry of Invisible Target in the list of games.

use super::board::BOARD;
use super::{SEATS_MAX, Target};
use referee_rules::board::Board;
use referee_rules::picture::Draw;
use referee_rules::{Listed, Parameter, Parameters, SEATS, Seating};

/// The parameters.
pub const PARAMETERS: &[Parameter] = &[
    Parameter::integer("seats", 16, 2..=SEATS_MAX as i64, "players; set by the number of named bots"),
    Parameter::integer(
        "wall_one_in",
        7,
        0..=1_000_000,
        "chance of a wall after a turn: one in this number (0: no walls)",
    ),
    Parameter::integer(
        "idle_rounds",
        10,
        0..=1_000_000,
        "end the game when no wall could be placed for this number of rounds (0: never)",
    ),
    Parameter::integer("max_rounds", 20_000, 1..=1_000_000, "end the game after this many rounds"),
    Parameter::turn_ms(50),
    Parameter::first_ms(),
    Parameter::integer("ponder", 0, 0..=1, "1: bots may think while others are asked; 0: they are frozen"),
];

impl Listed for Target {
    const NAME: &'static str = "target";
    const ABOUT: &'static str =
        "Invisible Target: 16 players or more, a torus that fills with walls, a hidden cell to find";
    const PARAMETERS: &'static [Parameter] = PARAMETERS;
    const SEATING: Seating = Seating::Field { least: 16 };
    const EXTREMES: &'static [(&'static str, i64)] = &[(SEATS, 2), (SEATS, 100)];
    const BOARD: Option<Board> = Some(BOARD);
    const PAGE_BOARD: Option<&str> = Some(include_str!("board.js"));
    const PICTURE: Option<Draw> = Some(super::picture::draw);
    const COLUMNS: Option<i64> = Some(64);
    const ENDS: &'static [(&'static str, &'static str)] = super::telling::ENDS;

    fn of_parameters(parameters: &Parameters) -> Target {
        Target::new(parameters)
    }
}
