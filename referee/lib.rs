//! The program `referee`, for programs that are the referee with games of their own.
//!
//! A referee lets programs play against each other: any executable can be a bot, which reads one line of integers a turn
//! and writes one line back. What else of it can be used as a library is in crates of their own, such as
//! `referee-rules` for authors of games and of bots in Rust, and `referee-play` for the turn loop.

#![forbid(unsafe_code)]

use referee_rules::entry::Entry;

/// Is the program `referee`, with more games: does what the words of the command line ask for, and ends the process
/// with the exit status that came of it.
///
/// A program with a game of its own is this call, first of all in `main`: bots are started by the same program, and
/// what comes before it would be done for each of them.
///
/// ```no_run
/// # mod tron { pub const GAME: referee_rules::entry::Entry = referee_games::catalog::GAMES[0]; }
/// fn main() {
///     referee::main(&[tron::GAME])
/// }
/// ```
pub fn main(games: &[Entry]) -> ! {
    referee_cli::main(games, ENGINES)
}

/// The engines for bots in WebAssembly, the default first.
pub const ENGINES: &[referee_cli::host::GuestEngine] = &[
    #[cfg(feature = "wasmtime")]
    referee_cli::host::GuestEngine {
        name: "wasmtime",
        guests: || std::sync::Arc::new(referee_wasm::Modules(referee_wasm::Engine::Wasmtime)),
    },
    #[cfg(feature = "wasm")]
    referee_cli::host::GuestEngine {
        name: "wasmi",
        guests: || std::sync::Arc::new(referee_wasm::Modules(referee_wasm::Engine::Wasmi)),
    },
];
