//! The snapshot of a contest: what a server knows of a hill or a tournament at a moment. A follower makes it, and pages
//! show it.

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
    /// Grows with each snapshot, also over restarts of the server; 0 before the first look.
    pub(crate) number: u64,
    /// Number of games in the results.
    pub(crate) games: usize,
    /// Whether the list of bots could be read.
    pub(crate) knows_field: bool,
    pub(crate) contest: ContestSummary,
    /// Why the records cannot be read, for the host.
    pub(crate) trouble: Option<String>,
}

/// The results of a contest as they grow: its index, and a channel with the latest snapshot.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    pub(crate) index: RwLock<Index>,
    pub(crate) latest: watch::Sender<Arc<Snapshot>>,
}

impl Followed {
    /// Returns the latest snapshot.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.latest.borrow())
    }

    /// Locks the index for reading. Do not hold the lock across an `await`, and do not lock twice in a thread: if the
    /// follower waits to write, the second lock waits for the follower, which waits for the first lock. A debug build
    /// panics then.
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
