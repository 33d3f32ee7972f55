//! The lock of a hill or a tournament: a runner holds it while it reads or changes the results and seasons, which takes
//! a moment. No result depends on it; it keeps two runners from writing one file at the same time.

use std::fs::File;
use std::path::Path;

use referee_files::beneath::Spot;
use referee_files::lock;
use referee_record::error::Error;

/// The lock of a contest. It is free when this value is gone, or its process.
#[derive(Debug)]
pub struct Lock {
    file: File,
    spot: Spot,
}

impl Lock {
    /// Waits until no other runner reads or changes the contest.
    ///
    /// # Errors
    ///
    /// If the system refuses, this process is told to stop, or the lock is not free for a minute.
    pub fn take(root: &Path) -> Result<Lock, Error> {
        let spot = Spot::below(root, "run.lock");
        let file = lock::exclude(&spot, lock::WAIT_SHORT_MAX)?;
        Ok(Lock { file, spot })
    }

    /// As [`take`](Lock::take), but waits as long as another runner may need to read all results.
    pub fn wait(root: &Path) -> Result<Lock, Error> {
        let spot = Spot::below(root, "run.lock");
        let file = lock::exclude(&spot, lock::WAIT_LONG_MAX)?;
        Ok(Lock { file, spot })
    }

    /// Calls `act` while no other runner reads or changes the contest. Waits as long as [`wait`](Lock::wait), since a
    /// runner that begins reads the results of a large hill under the lock.
    pub(super) fn hold<T>(&self, act: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        lock::exclude_by(&self.file, self.spot.path(), lock::WAIT_LONG_MAX)?;
        let outcome = act();
        self.release();
        outcome
    }

    /// Lets other runners read and change the contest.
    pub(super) fn release(&self) {
        let _ = self.file.unlock();
    }
}
