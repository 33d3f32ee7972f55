//! Counts of the turns, games and bytes that this process has gone through so far. A line of progress reads them from
//! time to time, so readers and audits need not report to it.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static TURNS: AtomicU64 = AtomicU64::new(0);
static QUESTIONS: AtomicU64 = AtomicU64::new(0);
static GAMES: AtomicU64 = AtomicU64::new(0);
static GAMES_ANNOUNCED: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static BYTES_ANNOUNCED: AtomicU64 = AtomicU64::new(0);
static BUILDS_WAITING: AtomicU64 = AtomicU64::new(0);

/// The counts since the process started. [`since`](Work::since) returns those of a part of its work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Turns that were played.
    pub turns: u64,
    /// Questions that were put in check games.
    pub questions: u64,
    /// Games that are done.
    pub games: u64,
    /// Games that were announced, done or not; 0 if their number is not known.
    pub games_announced: u64,
    /// Bytes that were read of long files.
    pub bytes: u64,
    /// Lengths of the long files that were opened, in bytes.
    pub bytes_announced: u64,
    /// Builds that wait for others at this moment.
    pub builds_waiting: u64,
}

impl Work {
    /// Returns the counts now.
    pub fn now() -> Work {
        Work {
            turns: TURNS.load(Relaxed),
            questions: QUESTIONS.load(Relaxed),
            games: GAMES.load(Relaxed),
            games_announced: GAMES_ANNOUNCED.load(Relaxed),
            bytes: BYTES.load(Relaxed),
            bytes_announced: BYTES_ANNOUNCED.load(Relaxed),
            builds_waiting: BUILDS_WAITING.load(Relaxed),
        }
    }

    /// Returns how much the counts have grown since `before`, and the builds that wait now.
    pub fn since(self, before: Work) -> Work {
        Work {
            turns: self.turns - before.turns,
            questions: self.questions - before.questions,
            games: self.games - before.games,
            games_announced: self.games_announced - before.games_announced,
            bytes: self.bytes - before.bytes,
            bytes_announced: self.bytes_announced - before.bytes_announced,
            builds_waiting: self.builds_waiting,
        }
    }
}

/// Counts a turn as played.
pub fn turn_done() {
    TURNS.fetch_add(1, Relaxed);
}

/// Counts a question of a check game as put.
pub fn question_put() {
    QUESTIONS.fetch_add(1, Relaxed);
}

/// Counts a game as done.
pub fn game_done() {
    GAMES.fetch_add(1, Relaxed);
}

/// Announces games that will be counted as done.
pub fn announce_games(games: u64) {
    GAMES_ANNOUNCED.fetch_add(games, Relaxed);
}

/// A build that waits for others, as long as this lives.
#[derive(Debug)]
pub struct BuildWaits(());

impl BuildWaits {
    /// Begins to wait.
    pub fn begin() -> BuildWaits {
        BUILDS_WAITING.fetch_add(1, Relaxed);
        BuildWaits(())
    }
}

impl Drop for BuildWaits {
    fn drop(&mut self) {
        BUILDS_WAITING.fetch_sub(1, Relaxed);
    }
}

/// Announces a file that will be read, by its length in bytes.
pub(crate) fn announce_bytes(length: u64) {
    BYTES_ANNOUNCED.fetch_add(length, Relaxed);
}

/// Counts bytes of announced files as read.
pub(crate) fn bytes_read(bytes: u64) {
    BYTES.fetch_add(bytes, Relaxed);
}
