//! What a server knows of a hill or a tournament at a moment. A follower makes it, pages show it.

use std::cell::Cell;
use std::ops::Deref;
use std::sync::Arc;

use parking_lot::{RwLock, RwLockReadGuard};
use referee_report::pages::show::ContestSummary;
use tokio::sync::watch;

use crate::index::Index;

/// A snapshot of a hill or a tournament.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// Number of changes so far; 0 before the first look.
    pub(crate) number: u64,
    pub(crate) games: usize,
    /// Whether the list of bots could be read.
    pub(crate) knows_field: bool,
    /// What is seen of it.
    pub(crate) contest: ContestSummary,
    /// Why the records cannot be read, for the host.
    pub(crate) trouble: Option<String>,
}

/// What is followed of a contest: its index, and a channel with the latest snapshot.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    pub(crate) index: RwLock<Index>,
    pub(crate) now: watch::Sender<Arc<Snapshot>>,
}

impl Followed {
    /// Returns the latest snapshot.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.now.borrow())
    }

    /// Locks the index for reading. Do not hold it across an `await`, and lock it once: if the follower waits to write,
    /// a second lock of the same thread waits for the follower, which waits for the first one. A debug build panics.
    pub(crate) fn index(&self) -> IndexRead<'_> {
        debug_assert!(!READS.replace(true), "the index is locked twice by a thread");
        IndexRead(self.index.read())
    }
}

thread_local! {
    /// Whether this thread holds a lock of an index; kept in debug builds.
    static READS: Cell<bool> = const { Cell::new(false) };
}

/// The index, locked for reading.
pub(crate) struct IndexRead<'a>(RwLockReadGuard<'a, Index>);

impl Deref for IndexRead<'_> {
    type Target = Index;

    fn deref(&self) -> &Index {
        &self.0
    }
}

impl Drop for IndexRead<'_> {
    fn drop(&mut self) {
        READS.set(false);
    }
}
