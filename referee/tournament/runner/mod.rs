//! The runner: plays games in parallel, each until it counts or is given up. A hill or a tournament decides what is
//! played next, and where it is recorded.

pub(super) mod attempts;
pub(super) mod fitness;
pub(super) mod flights;
pub(super) mod game_run;
pub(super) mod journal;
pub(super) mod pool;
pub mod tries;
pub mod watch;

use crate::record::game_result::GameResult;

/// The end of a game.
#[derive(Clone, Debug, PartialEq)]
pub enum GameEnd {
    /// Its rows.
    Over(GameResult),
    /// It counts for nobody: the reason.
    Void(String),
}
