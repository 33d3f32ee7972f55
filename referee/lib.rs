//! A referee for games between programs.
//!
//! Any executable plays: it is written one line of integers a turn and writes one line back. The referee holds
//! it to a time limit, applies the rules, and leaves CSV from which anybody can check the result.
//!
//! In reading order: [`rules`] is a crate of its own, what a bot's or a game's author needs; its [`wire`], [`game`] and
//! [`catalog`] are known here by these names, too. [`table`] is where questions go and answers come from, [`record`]
//! is what a game leaves behind, [`play`] is the turn loop; [`replay`] plays a record again: to compare it, to write
//! it out, to ask a program again; [`schedule`] says who plays whom, [`statistics`] what many games say,
//! [`tournament`] is hills and tournaments. [`view`] is what people look at: the story of a game, a [`position`] after
//! the other; a report of many. [`doctor`] examines a machine, [`examine`] a program. [`clock`] alone reads time.

#![forbid(unsafe_code)]

// The command line names the library as any other program does.
extern crate self as referee;

pub use referee_rules as rules;
pub use referee_rules::{catalog, game, kit, wire};

#[path = "../bots/mod.rs"]
mod bots;
mod cli;

pub mod clock;
pub mod doctor;
pub mod error;
pub mod examine;
pub mod judge;
pub mod play;
pub mod position;
pub mod record;
pub mod replay;
pub mod schedule;
pub mod statistics;
pub mod table;
pub mod text;
pub mod tournament;
pub mod view;

/// Is the program `referee`, with more games: does what the words of the command line ask for, and ends the process
/// with the exit status that came of it.
///
/// A program with a game of its own is this call, first of all in `main`: bots are started by the same program, and
/// what comes before it would be done for each of them.
///
/// ```no_run
/// # mod tron { pub const GAME: referee::catalog::Entry = referee::catalog::GAMES[0]; }
/// fn main() {
///     referee::main(&[tron::GAME])
/// }
/// ```
pub fn main(games: &[catalog::Entry]) -> ! {
    cli::main(games)
}
