//! Turns of builds: a build may use most of a machine, so the builds of a hill wait for each other. They do not wait
//! for those of another hill, since the authors of one hill could then keep the authors of all others waiting.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use referee_files::beneath::Spot;
use referee_files::work::BuildWaits;
use referee_record::error::{Error, ErrorKind};
use referee_table::clock::Clock;

/// The time between two tests whether another build has ended.
const PAUSE: Duration = Duration::from_millis(50);

/// Waits until fewer than `at_once` builds of the hill with this folder run, for at most the time `max`. The build may
/// run as long as the file is held.
///
/// # Errors
///
/// If it is stopped, others build for that time, or the system refuses.
pub fn take(folder: &Path, at_once: u64, max: Duration, stop: &AtomicBool) -> Result<File, Error> {
    let open = |number: u64| {
        let spot = Spot::below(folder, format!("build-{number}.lock"));
        spot.lock_file().map_err(refused(spot.path()))
    };
    let files = (1..=at_once.max(1)).map(open).collect::<Result<Vec<File>, Error>>()?;
    let clock = Clock::start();
    let mut waits = None;
    loop {
        for file in &files {
            match file.try_lock() {
                Ok(()) => return file.try_clone().map_err(refused(folder)),
                Err(TryLockError::Error(error)) => return Err(refused(folder)(error)),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Stopped, "stopped".to_owned()));
        }
        if clock.now().0 >= max {
            let what = format!(
                "it has waited {} s for other builds of this hill: end or continue one that is stopped \
                 (Ctrl-Z), or raise builds_at_once in languages.toml",
                max.as_secs()
            );
            return Err(Error::new(ErrorKind::System, what));
        }
        // Counted until this function returns.
        waits.get_or_insert_with(BuildWaits::begin);
        std::thread::sleep(PAUSE);
    }
}

fn refused(path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    let path = path.to_owned();
    move |error| Error::system(&path, "wait for other builds")(error)
}
