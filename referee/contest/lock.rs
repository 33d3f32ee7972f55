//! The lock of a hill: who reads or changes its results and seasons. Each runner holds it only for a moment. No result
//! depends on it; it keeps two runners from writing one file at the same time.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::Duration;

use referee_files::beneath::Spot;
use referee_record::error::{Error, ErrorKind};

/// The lock of a hill. It is free when this value is gone, or its process.
#[derive(Debug)]
pub struct Lock {
    file: File,
    spot: Spot,
}

/// Time between two looks of a runner that waits.
pub(super) const PAUSE: Duration = Duration::from_millis(20);

/// Number of looks before a runner stops waiting for the lock: a minute.
const LOOKS: u32 = 3_000;

impl Lock {
    /// Waits until no other runner reads or changes the hill. Each of them holds the lock only for a moment.
    ///
    /// # Errors
    ///
    /// If the system refuses, or the lock is not free for a minute.
    pub fn take(root: &Path) -> Result<Lock, Error> {
        let spot = Spot::below(root, "run.lock");
        let path = spot.path();
        let file = spot.append().map_err(Error::system(path, "open the lock"))?;
        for _ in 0..LOOKS {
            match file.try_lock() {
                Ok(()) => return Ok(Lock { file, spot }),
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => return Err(Error::system(path, "lock the hill")(error)),
            }
        }
        let what = "locked for a minute by another run: wait for its end, or stop it if it hangs";
        Err(Error::new(ErrorKind::Busy, what).at(root))
    }

    /// Calls `act` while no other runner reads or changes the hill.
    ///
    /// # Errors
    ///
    /// If the system refuses; or an error of `act`.
    pub(super) fn hold<T>(&self, act: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        self.file.lock().map_err(Error::system(self.spot.path(), "lock the hill"))?;
        let done = act();
        self.release();
        done
    }

    /// Lets other runners read and change the hill.
    pub(super) fn release(&self) {
        let _ = self.file.unlock();
    }
}
