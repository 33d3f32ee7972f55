//! Opens the table that a game needs: for programs of this machine, or, if a bot is a module of WebAssembly, for
//! guests, too.

use super::process::{Leftovers, ProcessTable, Program, Setup};
use super::program::{NotAProgram, Opened};
use super::{Table, TableError};
use crate::rules::{BySeat, Info, Seat};

/// A table with bots, whatever they are.
pub trait GameTable: Table {
    /// Returns the process number of a seat's program, while it runs as a process of its own.
    fn process(&self, seat: Seat) -> Option<i32>;

    /// Ends the game for the bots, and returns what they leave behind.
    fn farewell(self: Box<Self>) -> BySeat<Leftovers>;

    /// Returns the seats whose bots are guests: modules of WebAssembly, charged by units.
    fn guests(&self) -> Vec<Seat>;
}

impl GameTable for ProcessTable {
    fn process(&self, seat: Seat) -> Option<i32> {
        ProcessTable::process(self, seat)
    }

    fn farewell(self: Box<Self>) -> BySeat<Leftovers> {
        ProcessTable::farewell(*self)
    }

    fn guests(&self) -> Vec<Seat> {
        Vec::new()
    }
}

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

/// Tells whether a program is a module of WebAssembly.
pub fn is_module(program: &Program) -> bool {
    Opened::open(&program.file).is_ok_and(|opened| opened.is_module())
}

/// Returns the clock of guests, in results: the version of the costs of instructions. `None`: this program was built
/// without an engine for them.
pub fn guest_clock() -> Option<String> {
    #[cfg(feature = "wasm")]
    return Some(format!("units-{}", referee_wasm::COSTS));
    #[cfg(not(feature = "wasm"))]
    None
}

/// Makes sure that a module can be a bot.
#[cfg(feature = "wasm")]
pub(crate) fn check_module(program: &Opened, setup: &Setup) -> Result<(), NotAProgram> {
    super::guests::compile(program, setup.engine).map(drop).map_err(NotAProgram::BadModule)
}

/// Without the engine, no module can be one.
#[cfg(not(feature = "wasm"))]
pub(crate) fn check_module(_program: &Opened, _setup: &Setup) -> Result<(), NotAProgram> {
    Err(NotAProgram::Module)
}
