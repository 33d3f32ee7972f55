//! A referee for games between programs.
//!
//! Any executable can be a bot: it reads one line of integers a turn and writes one line back. The referee enforces
//! time limits and the rules, and writes CSV files from which anybody can check the result.
//!
//! In reading order:
//!
//! - [`rules`] is a crate of its own, for authors of bots and games. Its [`wire`], [`game`] and [`catalog`] have these
//!   names here, too.
//! - [`table`] asks questions and collects answers, [`record`] is the log and the results of a game, [`play`] is the
//!   turn loop.
//! - [`replay`] plays a record again: to audit it, to export it, to rerun it with a program.
//! - [`schedule`] says who plays whom, [`statistics`] what the results mean, [`tournament`] has hills and tournaments.
//! - [`notary`] signs the records of a hill, so that nobody can rewrite them unseen.
//! - [`view`] shows games and contests to people, a [`position`] at a time or in a report.
//! - [`doctor`] examines a machine, [`examine`] a program. [`clock`] alone reads time.

#![forbid(unsafe_code)]

// The command line names the library as any other program does.
extern crate self as referee;

#[path = "../bots/mod.rs"]
mod bots;
mod cli;

/// Is the program `referee`, with more games: does what the words of the command line ask for, and ends the process
/// with the exit status that came of it.
///
/// A program with a game of its own is this call, first of all in `main`: bots are started by the same program, and
/// what comes before it would be done for each of them.
///
/// ```no_run
/// # mod tron { pub const GAME: referee_games::catalog::Entry = referee_games::catalog::GAMES[0]; }
/// fn main() {
///     referee::main(&[tron::GAME])
/// }
/// ```
pub fn main(games: &[referee_games::catalog::Entry]) -> ! {
    cli::main(games, ENGINES)
}

/// The engines for bots in WebAssembly, the default first.
const ENGINES: &[cli::host::GuestEngine] = &[
    #[cfg(feature = "wasmtime")]
    cli::host::GuestEngine {
        name: "wasmtime",
        guests: || std::sync::Arc::new(referee_wasm::Modules(referee_wasm::Engine::Wasmtime)),
    },
    #[cfg(feature = "wasm")]
    cli::host::GuestEngine {
        name: "wasmi",
        guests: || std::sync::Arc::new(referee_wasm::Modules(referee_wasm::Engine::Wasmi)),
    },
];
