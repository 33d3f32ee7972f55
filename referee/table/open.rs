//! Opens the table that a game needs: for programs of this machine, or, if a bot is a module of WebAssembly, for
//! guests, too.

use super::game_table::GameTable;
#[cfg(feature = "wasm")]
use super::game_table::is_module;
use super::process::{ProcessTable, Program, Setup};
use referee_play::table::TableError;
use referee_rules::{BySeat, Info, Seat};

/// Opens a table with a program for each seat. If it cannot be started, that is a fault of the seat. A seat without a
/// program never answers.
///
/// # Errors
///
/// If the system refuses pipes, a scratch folder or another process.
pub fn open(
    info: &Info,
    programs: &BySeat<Option<Program>>,
    setup: &Setup,
) -> Result<Box<dyn GameTable>, TableError> {
    #[cfg(feature = "wasm")]
    if programs.iter().any(|(_, program)| program.as_ref().is_some_and(is_module)) {
        return Ok(Box::new(super::guests::GuestTable::open(info, programs, setup)?));
    }
    Ok(Box::new(ProcessTable::open(info, programs, setup)?))
}

/// Opens a table with a program for one seat; the others never answer.
///
/// # Errors
///
/// As for [`open`].
pub fn alone(
    info: &Info,
    seat: Seat,
    program: &Program,
    setup: &Setup,
) -> Result<Box<dyn GameTable>, TableError> {
    let programs = BySeat::from_fn(info.seats, |other| (other == seat).then(|| program.clone()));
    open(info, &programs, setup)
}

/// Returns the clock of guests, in results: the version of the costs of instructions. `None`: this program was built
/// without an engine for them.
pub fn guest_clock() -> Option<String> {
    #[cfg(feature = "wasm")]
    return Some(format!("units-{}", referee_wasm::COSTS));
    #[cfg(not(feature = "wasm"))]
    None
}
