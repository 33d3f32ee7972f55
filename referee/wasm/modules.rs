//! Modules as the guests of a table.

use referee_record::play::table::TableError;
use referee_rules::{BySeat, Info};
use referee_sandbox::fork_server::ForkServer;
use referee_sandbox::program::Opened;
use referee_table::game_table::GameTable;
use referee_table::guests::Guests;
use referee_table::process::{Program, Setup};

use crate::COSTS;
use crate::guest_table::GuestTable;
use crate::ready::{self, Ready};

/// Executes modules. It keeps those that it has prepared recently, for all its games.
#[derive(Debug, Default)]
pub struct Modules {
    ready: Ready,
}

impl Guests for Modules {
    fn clock(&self) -> String {
        format!("units-{COSTS}")
    }

    fn check(&self, module: &Opened, server: &ForkServer) -> Result<(), String> {
        self.ready.compile(module, server).map(drop)
    }

    fn check_here(&self) -> i32 {
        ready::try_here()
    }

    fn open(
        &self,
        info: &Info,
        programs: &BySeat<Option<Program>>,
        setup: &Setup,
    ) -> Result<Box<dyn GameTable>, TableError> {
        Ok(Box::new(GuestTable::open(info, programs, setup, &self.ready)?))
    }
}
