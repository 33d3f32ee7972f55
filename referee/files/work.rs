//! How far long work has come: the number of games that this process has read, audited or written about so far.
//!
//! A line of progress looks at it from time to time, so readers and audits need no function for that.

use std::sync::atomic::{AtomicU64, Ordering};

static GAMES: AtomicU64 = AtomicU64::new(0);

/// Counts a game as done.
pub fn game_done() {
    GAMES.fetch_add(1, Ordering::Relaxed);
}

/// Returns the number of games that are done since the process started.
pub fn games_done() -> u64 {
    GAMES.load(Ordering::Relaxed)
}
