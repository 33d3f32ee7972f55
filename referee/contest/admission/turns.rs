//! Turns of builds: each may use most of a machine, so a user's builds wait for each other, on whatever hills they are.
//!
//! The locks are in a folder of the user, outside of the hills. In `/tmp` anybody could have made it: a folder that
//! others can write to, or a link, is not used.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use referee_files::beneath::Spot;
use referee_files::work::BuildWaits;
use referee_record::error::{Error, ErrorKind};
use referee_table::clock::Clock;

/// The time between two tests whether another build has ended.
const LOOK: Duration = Duration::from_millis(50);

/// Waits until fewer than `at_once` builds of this user run on this machine, or until it is stopped, and for at most
/// this time. The build may go on while the file is held.
///
/// # Errors
///
/// If it is stopped, others build for that time, or the system refuses.
pub fn take(folder: &Path, at_once: u64, most: Duration, stop: &AtomicBool) -> Result<File, Error> {
    let open = |number: u64| {
        let path = folder.join(format!("build-{number}"));
        Spot::within(folder, &path).append().map_err(refused(&path))
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
        if clock.now().0 >= most {
            let what = format!(
                "it has waited {} s for other builds of this user on this machine: end or continue one that is stopped \
                 (Ctrl-Z), or raise builds_at_once in languages.toml",
                most.as_secs()
            );
            return Err(Error::new(ErrorKind::System, what));
        }
        waits.get_or_insert_with(BuildWaits::begin);
        std::thread::sleep(LOOK);
    }
}

fn refused(path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    let path = path.to_owned();
    move |error| Error::system(&path, "wait for other builds")(error)
}

/// Returns the places for a user's locks, the best first: one in `/tmp`, which all processes of the user have in
/// common, and the folder of its session, which a server has not.
pub fn places(session: Option<OsString>) -> Vec<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let session = session.map(PathBuf::from).filter(|folder| folder.is_absolute());
    let session = session.map(|folder| folder.join("referee"));
    [format!("/tmp/referee-{user}").into()].into_iter().chain(session).collect()
}

/// Makes and returns the first of these folders that is the user's alone; `None` if there is none.
pub fn own_folder(places: &[PathBuf]) -> Option<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let is_own = |place: &&PathBuf| {
        let _ = fs::DirBuilder::new().mode(0o700).create(place);
        fs::symlink_metadata(place)
            .is_ok_and(|is| is.is_dir() && is.uid() == user && is.permissions().mode() & 0o077 == 0)
    };
    places.iter().find(is_own).cloned()
}
