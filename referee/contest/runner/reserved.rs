//! Reserved names of games that are in no schedule: each is reserved until its game is in the results, so two runs with
//! one seed in one folder play two games.

use std::fs::{File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::fixture::Fixture;
use referee_files::beneath::Spot;
use referee_files::log;
use referee_record::error::Error;

use super::game_run::log_path;

/// A name that no other run takes while this value is there.
#[derive(Debug)]
pub(crate) struct Reserved {
    spot: Spot,
    /// It holds the lock. A file that nobody has locked is left over from a run that was killed: its name is free.
    _file: File,
}

impl Reserved {
    /// Reserves the name of a game. If it is taken, gives the game that name with the first free number from 2 behind
    /// it.
    pub(crate) fn reserve(root: &Path, fixture: &mut Fixture) -> Result<Reserved, Error> {
        let wanted = fixture.id.clone();
        for number in 1.. {
            fixture.id = if number == 1 { wanted.clone() } else { format!("{wanted}-{number}") };
            let log = Spot::within(root, log_path(root, &fixture.folder, &fixture.id, fixture.log));
            let is_free = || !log::resolve_form(log.clone()).exists();
            if !is_free() {
                continue;
            }
            let spot = log.at(log.path().with_file_name(format!("{}.reserved", fixture.id)));
            // Another run may have played a game of this name before the reservation.
            if let Some(reserved) = Reserved::take(spot)?
                && is_free()
            {
                return Ok(reserved);
            }
        }
        unreachable!("numbers have no end")
    }

    /// Locks the file of a name; `None` if another run has locked it.
    fn take(spot: Spot) -> Result<Option<Reserved>, Error> {
        let failed = || Error::system(spot.path(), "reserve a game's name");
        spot.make_folders().map_err(failed())?;
        loop {
            let file = spot.append().map_err(failed())?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(failed()(error)),
            }
            // Its last owner may have removed it before this lock was taken.
            let inode = |file: &File| file.metadata().map(|found| found.ino()).ok();
            if spot.open().ok().as_ref().and_then(inode) == inode(&file) {
                return Ok(Some(Reserved { spot, _file: file }));
            }
        }
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let _ = self.spot.remove(); // the next run takes over a file that stays
    }
}
