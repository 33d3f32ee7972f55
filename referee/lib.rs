//! The program `referee`, for programs that add games of their own to it.
//!
//! A referee lets programs play against each other: any executable can be a bot, which reads one line of integers a
//! turn and writes one line back. Its other libraries are separate crates, such as `referee-rules` for authors of games
//! and of bots in Rust, and `referee-record` for the turn loop.

#![forbid(unsafe_code)]

use referee_cli::addition::Addition;
use referee_cli::{MakeGuests, Parts};
use referee_rules::entry::Entry;

/// Runs the program `referee` with additional games: executes the command line, and ends the process with the exit
/// status of the command.
///
/// A program with a game of its own makes this call, as the first statement of `main`. The same program starts bots, so
/// earlier statements would be executed for each of them.
///
/// ```no_run
/// # mod tron { pub const GAME: referee_rules::entry::Entry = referee_games::catalog::GAMES[0]; }
/// fn main() {
///     referee::main(&[tron::GAME])
/// }
/// ```
pub fn main(games: &[Entry]) -> ! {
    referee_cli::main(games, PARTS)
}

/// The parts of this build.
pub const PARTS: Parts = Parts { additions: ADDITIONS, guests: GUESTS };

/// The commands that this build adds to the core.
const ADDITIONS: &[&dyn Addition] = &[
    #[cfg(feature = "book")]
    &referee_cli::book::Book,
    #[cfg(feature = "own-games")]
    &referee_cli::own_games::OwnGames,
    #[cfg(feature = "pages")]
    &referee_cli::pages::Pages,
    #[cfg(feature = "proof")]
    &referee_cli::proof::Proof,
    #[cfg(feature = "screen")]
    &referee_cli::screen::Screens,
    #[cfg(feature = "shells")]
    &referee_cli::shells::Shells,
    #[cfg(feature = "web")]
    &referee_cli::web::Web,
];

/// What plays bots in WebAssembly.
#[cfg(feature = "wasm")]
const GUESTS: Option<MakeGuests> = Some(|| std::sync::Arc::<referee_wasm::Modules>::default());
#[cfg(not(feature = "wasm"))]
const GUESTS: Option<MakeGuests> = None;
