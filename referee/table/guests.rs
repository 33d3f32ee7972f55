//! Guests: bots that are modules of WebAssembly. What plays them is not in this crate; it is passed in.

use std::fmt;

use referee_record::play::table::TableError;
use referee_rules::{BySeat, Info};
use referee_sandbox::fork_server::ForkServer;
use referee_sandbox::program::Opened;

use crate::game_table::GameTable;
use crate::process::{Program, Setup};

/// The word after [`launcher::COMMAND`](referee_sandbox::launcher::COMMAND) with which a copy of this program is to
/// call [`Guests::check_here`].
pub const CHECK: &str = "module";

/// What executes guests.
pub trait Guests: fmt::Debug + Send + Sync {
    /// Returns the clock of guests, in results: the version of the costs of instructions, such as `units-2`.
    fn clock(&self) -> String;

    /// Makes sure that a module can be a bot. A module can make that take long, so a copy of this program tries it
    /// first.
    fn check(&self, module: &Opened, server: &ForkServer) -> Result<(), String>;

    /// Does the work of [`check`](Guests::check) for the module on standard input, in this process, which has limits
    /// and does nothing else. Returns the exit status.
    fn check_here(&self) -> i32;

    /// Opens a table with guests in the seats that have modules, and programs in the others.
    fn open(
        &self,
        info: &Info,
        programs: &BySeat<Option<Program>>,
        setup: &Setup,
    ) -> Result<Box<dyn GameTable>, TableError>;
}
