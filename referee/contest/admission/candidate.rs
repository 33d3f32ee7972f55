//! A candidate: the copy of a submitted program during its check game. It has a folder in the store. An admitted
//! program is moved from there; a refused one leaves nothing behind.

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags};
use tempfile::TempDir;

use crate::admission::entrants::stored;
use crate::admission::shelf::Shelved;
use referee_builds::Artefact;
use referee_record::Digest;
use referee_record::error::Error;
use referee_sandbox::program::{Look, Opened};

/// A copy of a program, or what was built, read-only, on trial.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// Its own folder below the store, which is removed with it; `None` if the program is at its place in the store.
    folder: Option<TempDir>,
    /// While it is held, the folder is not taken for a leftover.
    _lock: Option<File>,
    /// The program.
    pub(crate) file: PathBuf,
    /// The file or folder that is moved to its place in the store; `None` if it is there.
    place: Option<PathBuf>,
    /// Whether the program sees its folder.
    pub(crate) with_folder: bool,
    pub(crate) digest: Digest,
    /// The program's file when its digest was made.
    pub(crate) look: Look,
}

/// Prefix of the names of the folders.
const PREFIX: &str = ".checking-";

impl Candidate {
    /// Copies an open program, and removes leftovers of earlier candidates whose check games were killed. To be called
    /// under the submitter's lock.
    pub(crate) fn copy(root: &Path, program: &Opened) -> Result<Candidate, Error> {
        let store = prepared(root)?;
        let copied = copy(&store, program);
        copied.map_err(Error::system(&store, "copy the program into the store"))
    }

    /// Writes what was built: a program, or a folder if there are files beside it. To be called under the submitter's
    /// lock.
    pub(crate) fn lay_out(root: &Path, artefact: &Artefact) -> Result<Candidate, Error> {
        let store = prepared(root)?;
        let laid_out = lay_out(&store, artefact);
        let laid_out = laid_out.map_err(Error::system(&store, "write the built program into the store"))?;
        // The program plays from the store later, so the store must find the same program in what was written.
        let place = laid_out.place.as_deref().unwrap_or(&laid_out.file);
        // Not below `root`, which can be a relative path: that of the folder is absolute.
        let base = place.parent().unwrap_or(place);
        let found = Shelved::at(base, place).and_then(|shelved| Ok((shelved.digest(base)?, shelved)));
        let (digest, shelved) = found.map_err(|error| {
            Error::input(format!("what was built cannot be stored as a program: {error}"))
        })?;
        if digest != laid_out.digest
            || shelved.file != laid_out.file
            || shelved.with_folder() != laid_out.with_folder
        {
            let what = "what was built cannot be stored as a program: it would be another one";
            return Err(Error::input(what));
        }
        Ok(laid_out)
    }

    /// Makes a candidate of a program that is in the store already.
    pub(crate) fn in_store(shelved: Shelved, digest: Digest) -> Candidate {
        let (with_folder, look) = (shelved.with_folder(), shelved.look());
        Candidate { folder: None, _lock: None, file: shelved.file, place: None, with_folder, digest, look }
    }

    /// Moves the copy to its place in the store, and returns when it is on the disk.
    ///
    /// # Errors
    ///
    /// If the system refuses, or a program that was in the store is not there any more.
    pub(crate) fn keep(self, root: &Path) -> Result<(), Error> {
        let path = stored(root, self.digest.as_str());
        let is_program = |base: &Path, path: &Path| {
            let digest = Shelved::at(base, path).and_then(|shelved| shelved.digest(base));
            digest.is_ok_and(|digest| digest == self.digest)
        };
        if is_program(root, &path) {
            return Ok(());
        }
        let own = self.place.as_ref().zip(self.folder.as_ref());
        let Some((place, own)) = own.filter(|(place, own)| is_program(own.path(), place)) else {
            let what = "its files were changed during its check game: a bot must leave them as they are";
            return Err(Error::input(what));
        };
        let folder = path.parent().unwrap_or(root);
        fs::create_dir_all(folder).map_err(Error::system(folder, "create the folder"))?;
        let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|is| is.is_dir());
        // Exchanged in one step, so that a damaged program in the store is at no time missing. It is then removed with
        // the candidate's own folder.
        if is_folder(place) || is_folder(&path) {
            let exchanged = rustix::fs::renameat_with(CWD, place, CWD, &path, RenameFlags::EXCHANGE);
            if exchanged.is_ok() {
                let synced = File::open(folder).and_then(|folder| folder.sync_all());
                return synced.map_err(Error::system(&path, "store the program"));
            }
        }
        // A rename replaces a file by a file, but no folder. So where the file system has no exchange (NFS), a damaged
        // folder is moved aside first.
        let aside = if is_folder(place) || is_folder(&path) {
            match fs::rename(&path, own.path().join("damaged")) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            }
        } else {
            Ok(())
        };
        let stored =
            aside.and_then(|()| fs::rename(place, &path)).and_then(|()| File::open(folder)?.sync_all());
        stored.map_err(Error::system(&path, "store the program"))
    }
}

/// Returns the store, without the leftovers of killed processes.
fn prepared(root: &Path) -> Result<PathBuf, Error> {
    let store = root.join("store");
    fs::create_dir_all(&store).map_err(Error::system(&store, "create the folder"))?;
    remove_left_over(&store);
    Ok(store)
}

/// Makes a folder, and locks it.
fn locked_folder(store: &Path) -> io::Result<(TempDir, File)> {
    let mode = Permissions::from_mode(0o755);
    let folder = tempfile::Builder::new().prefix(PREFIX).permissions(mode).tempdir_in(store)?;
    let lock = File::open(folder.path())?;
    lock.lock()?;
    Ok((folder, lock))
}

fn lay_out(store: &Path, artefact: &Artefact) -> io::Result<Candidate> {
    let (folder, lock) = locked_folder(store)?;
    let digest = artefact.digest();
    let with_folder = artefact.files.len() > 1;
    let place = folder.path().join(digest.as_str());
    let paths = artefact.files.iter().map(|file| Path::new(&file.path));
    let folders: BTreeSet<PathBuf> = if with_folder {
        paths.flat_map(|path| path.ancestors().skip(1)).map(|above| place.join(above)).collect()
    } else {
        BTreeSet::new()
    };
    // In order, so that each is made before those in it.
    for folder in &folders {
        fs::create_dir(folder)?;
        fs::set_permissions(folder, Permissions::from_mode(0o755))?;
    }
    for file in &artefact.files {
        let path = if with_folder { place.join(&file.path) } else { place.clone() };
        let mut made = File::create_new(&path)?;
        made.write_all(&file.bytes)?;
        let mode = if file.executable { 0o555 } else { 0o444 };
        made.set_permissions(Permissions::from_mode(mode))?;
        made.sync_all()?;
    }
    folders.iter().try_for_each(|folder| File::open(folder)?.sync_all())?;
    let file = if with_folder { place.join(&artefact.program().path) } else { place.clone() };
    let look = Look::of(&File::open(&file)?)?;
    Ok(Candidate {
        folder: Some(folder),
        _lock: Some(lock),
        file,
        place: Some(place),
        with_folder,
        digest,
        look,
    })
}

fn copy(store: &Path, program: &Opened) -> io::Result<Candidate> {
    let (folder, lock) = locked_folder(store)?;
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
    let look = Look::of(&File::open(&file)?)?;
    let place = Some(file.clone());
    Ok(Candidate { folder: Some(folder), _lock: Some(lock), file, place, with_folder: false, digest, look })
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
