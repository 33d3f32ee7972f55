//! Opens the table that a game needs: for programs of this machine, or, if a bot is a module of WebAssembly,
//! also for guests.

use crate::game_table::{GameTable, is_module};
use crate::process::{ProcessTable, Program, Setup};
use referee_record::play::table::TableError;
use referee_rules::{BySeat, Info, Seat};

/// Opens a table with a program for each seat. A program that cannot be started is a fault of the seat. A
/// seat without a program never answers.
pub fn open(
    info: &Info,
    programs: &BySeat<Option<Program>>,
    setup: &Setup,
) -> Result<Box<dyn GameTable>, TableError> {
    if let Some(guests) = &setup.guests
        && programs.iter().any(|(_, program)| program.as_ref().is_some_and(is_module))
    {
        return guests.open(info, programs, setup);
    }
    Ok(Box::new(ProcessTable::open(info, programs, setup)?))
}

/// Opens a table with a program for one seat; the others never answer.
pub fn alone(
    info: &Info,
    seat: Seat,
    program: &Program,
    setup: &Setup,
) -> Result<Box<dyn GameTable>, TableError> {
    let programs = BySeat::from_fn(info.seats, |other| (other == seat).then(|| program.clone()));
    open(info, &programs, setup)
}
