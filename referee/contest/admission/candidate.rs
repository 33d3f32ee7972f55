//! A candidate: the copy of a submitted program during its check game. It has a folder in the store. An admitted
//! program is moved from there; a refused one leaves nothing behind.

use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::admission::entrants::stored;
use referee_files::digest;
use referee_record::Digest;
use referee_record::error::Error;
use referee_sandbox::program::{Look, Opened};

/// A copy of a program, read-only, on trial.
#[derive(Debug)]
pub(crate) struct Candidate {
    _folder: TempDir,
    /// While it is held, the folder is not taken for a leftover.
    _lock: File,
    pub(crate) file: PathBuf,
    pub(crate) digest: Digest,
    /// The file of the digest.
    pub(crate) seen: Look,
}

/// Prefix of the names of the folders.
const PREFIX: &str = ".checking-";

impl Candidate {
    /// Copies an open program, and removes leftovers of earlier candidates whose check games were killed. To be called
    /// under the submitter's lock.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(crate) fn copy(root: &Path, program: &Opened) -> Result<Candidate, Error> {
        let store = root.join("store");
        fs::create_dir_all(&store).map_err(Error::system(&store, "create the folder"))?;
        remove_left_over(&store);
        let copied = copy(&store, program);
        copied.map_err(Error::system(&store, "copy the program into the store"))
    }

    /// Moves the copy to its place in the store, and returns when it is on the disk.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(crate) fn keep(self, root: &Path) -> Result<(), Error> {
        let path = stored(root, self.digest.as_str());
        if digest::of_file(&path).is_ok_and(|there| there == self.digest) {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(root);
        fs::create_dir_all(folder).map_err(Error::system(folder, "create the folder"))?;
        let kept = fs::rename(&self.file, &path).and_then(|()| File::open(folder)?.sync_all());
        kept.map_err(Error::system(&path, "store the program"))
    }
}

fn copy(store: &Path, program: &Opened) -> io::Result<Candidate> {
    let mode = Permissions::from_mode(0o755);
    let folder = tempfile::Builder::new().prefix(PREFIX).permissions(mode).tempdir_in(store)?;
    let lock = File::open(folder.path())?;
    lock.lock()?;
    let made = folder.path().join("program");
    let mut copy = File::create_new(&made)?;
    // A file that grows meanwhile is copied at its earlier length.
    io::copy(&mut program.file().take(program.length()), &mut copy)?;
    copy.sync_all()?;
    drop(copy); // a file that is open for writing cannot be executed
    let digest = Digest::of_reader(File::open(&made)?)?;
    // Under the name that it will have if it is admitted.
    let file = folder.path().join(digest.as_str());
    fs::rename(&made, &file)?;
    fs::set_permissions(&file, Permissions::from_mode(0o555))?;
    let seen = Look::of(&File::open(&file)?)?;
    Ok(Candidate { _folder: folder, _lock: lock, file, digest, seen })
}

fn remove_left_over(store: &Path) {
    for folder in fs::read_dir(store).into_iter().flatten().flatten() {
        let is_one = folder.file_name().to_string_lossy().starts_with(PREFIX)
            && folder.file_type().is_ok_and(|kind| kind.is_dir());
        if is_one && File::open(folder.path()).is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(folder.path());
        }
    }
}
