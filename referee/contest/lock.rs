//! The lock of a hill: who reads or changes its results and seasons. Each runner holds it only for a moment. No result
//! depends on it; it keeps two runners from writing one file at the same time.

use std::fs::File;
use std::path::Path;

use referee_files::beneath::Spot;
use referee_files::lock;
use referee_record::error::Error;

/// The lock of a hill. It is free when this value is gone, or its process.
#[derive(Debug)]
pub struct Lock {
    file: File,
    spot: Spot,
}

impl Lock {
    /// Waits until no other runner reads or changes the hill. Each of them holds the lock only for a moment.
    ///
    /// # Errors
    ///
    /// If the system refuses, this process is told to stop, or the lock is not free for a minute.
    pub fn take(root: &Path) -> Result<Lock, Error> {
        let spot = Spot::below(root, "run.lock");
        let file = lock::exclude(&spot, lock::MOMENT)?;
        Ok(Lock { file, spot })
    }

    /// As [`take`](Lock::take), but waits as long as another runner may need to read all results.
    pub fn wait(root: &Path) -> Result<Lock, Error> {
        let spot = Spot::below(root, "run.lock");
        let file = lock::exclude(&spot, lock::WORK)?;
        Ok(Lock { file, spot })
    }

    /// Calls `act` while no other runner reads or changes the hill. Waits longer than [`take`](Lock::take): a runner that
    /// begins reads the results of a large hill under the lock.
    ///
    /// # Errors
    ///
    /// As for [`take`](Lock::take); or an error of `act`.
    pub(super) fn hold<T>(&self, act: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        lock::exclude_by(&self.file, self.spot.path(), lock::WORK)?;
        let done = act();
        self.release();
        done
    }

    /// Lets other runners read and change the hill.
    pub(super) fn release(&self) {
        let _ = self.file.unlock();
    }
}
