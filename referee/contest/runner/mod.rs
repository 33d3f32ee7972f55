//! The runner: plays games in parallel, each until it counts or is given up. A hill or a tournament decides which games
//! are played, and where they are recorded.

pub(super) mod attempts;
pub mod fitness;
pub(super) mod game_run;
pub mod pool;
pub(super) mod reserved;
pub mod standing;
pub mod tries;
pub(super) mod units;
pub mod watch;

use referee_record::game_result::GameResult;

/// The end of a game.
#[derive(Clone, Debug, PartialEq)]
pub enum GameEnd {
    /// The game was played to its end: its rows.
    Over(GameResult),
    /// The game was given up and does not count: the reason.
    Void(String),
}
