//! The interface of tables for games, for all kinds of bots.

use crate::process::{Leftovers, ProcessTable, Program};
use referee_record::play::table::Table;
use referee_rules::{BySeat, Seat};
use referee_sandbox::program::Opened;

/// A table with bots of any kind.
pub trait GameTable: Table {
    /// Returns the process number of a seat's program, while it runs as a process of its own.
    fn process(&self, seat: Seat) -> Option<i32>;

    /// Ends the game for the bots, and returns the output that they leave behind.
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

/// Tells whether a program is a module of WebAssembly.
pub fn is_module(program: &Program) -> bool {
    Opened::open(&program.file).is_ok_and(|opened| opened.is_module())
}
