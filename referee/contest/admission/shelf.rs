//! Programs in the store: a file under its SHA-256, or a folder under that of the list of its files, of which the
//! program is the one that can be executed.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use referee_builds::Artefact;
use referee_builds::bundle::{self, SourceFile};
use referee_files::beneath::Spot;
use referee_files::walk;
use referee_record::Digest;
use referee_record::error::{Error, refused};
use referee_sandbox::program::Look;

/// A stored program, as its files look now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shelved {
    /// The program.
    pub(crate) file: PathBuf,
    /// The folder that belongs to it, with the look of each other file.
    beside: Option<(PathBuf, Vec<(PathBuf, Look)>)>,
    look: Look,
    /// The size of all of its files, in bytes.
    pub(crate) length: u64,
}

/// Maximum size of all files of a folder, in bytes: the largest that a host can allow.
const FOLDER_MAX: u64 = 4096 << 20;

impl Shelved {
    /// Looks at the program at a path of the store.
    ///
    /// # Errors
    ///
    /// If it is not there, the system refuses, or something in a folder is no regular file.
    pub(crate) fn at(root: &Path, path: &Path) -> io::Result<Shelved> {
        let spot = Spot::within(root, path);
        if !fs::symlink_metadata(path)?.is_dir() {
            let open = spot.open()?;
            let (look, length) = (Look::of(&open)?, open.metadata()?.len());
            return Ok(Shelved { file: path.to_owned(), beside: None, look, length });
        }
        let (mut program, mut others, mut length) = (None, Vec::new(), 0);
        for file in files_below(&spot)? {
            let open = Spot::within(root, &file).open()?;
            let (look, metadata) = (Look::of(&open)?, open.metadata()?);
            let mode = metadata.permissions().mode();
            length += metadata.len();
            if file.parent() == Some(path) && mode & 0o111 != 0 && program.is_none() {
                program = Some((file, look));
            } else {
                others.push((file, look));
            }
        }
        let (file, look) = program.ok_or_else(|| refused("a folder without a program"))?;
        Ok(Shelved { file, beside: Some((path.to_owned(), others)), look, length })
    }

    /// Returns how the program looks.
    pub(crate) fn look(&self) -> Look {
        self.look
    }

    /// Tells whether it sees a folder of its own.
    pub(crate) fn with_folder(&self) -> bool {
        self.beside.is_some()
    }

    /// Reads all of it, and returns its digest.
    pub(crate) fn digest(&self, root: &Path) -> io::Result<Digest> {
        match &self.beside {
            None => Digest::of_reader(Spot::within(root, &self.file).open()?),
            Some((folder, others)) => Ok(bundle::digest(&self.files(root, folder, others)?)),
        }
    }

    /// Reads the program and the files beside it; `None` if it is alone.
    pub(crate) fn folder(&self, root: &Path) -> io::Result<Option<Artefact>> {
        let Some((folder, others)) = &self.beside else { return Ok(None) };
        Ok(Some(Artefact { files: self.files(root, folder, others)?, log: Vec::new() }))
    }

    fn files(&self, root: &Path, folder: &Path, others: &[(PathBuf, Look)]) -> io::Result<Vec<SourceFile>> {
        let all = [(&self.file, true)].into_iter().chain(others.iter().map(|(file, _)| (file, false)));
        all.map(|(file, executable)| {
            let path = file.strip_prefix(folder).map_err(io::Error::other)?;
            let path = path.to_str().ok_or_else(|| refused("a name that is no text"))?.to_owned();
            Ok(SourceFile { path, executable, bytes: Spot::within(root, file).read(FOLDER_MAX)? })
        })
        .collect()
    }
}

/// Tells whether a program is in the store, as it was put there.
pub(crate) fn is_stored(root: &Path, digest: &str) -> Result<bool, Error> {
    let file = stored(root, digest);
    match Shelved::at(root, &file).and_then(|found| found.digest(root)) {
        Ok(found) if found.as_str() == digest => Ok(true),
        Ok(found) => Err(Error::file(&file, format!("the program was changed: its SHA-256 is {found}"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::system(&file, "read a stored program")(error)),
    }
}

/// Returns the path of a program in the store.
pub fn stored(root: &Path, digest: &str) -> PathBuf {
    root.join("store").join(digest.get(..2).unwrap_or("xx")).join(digest)
}

fn files_below(folder: &Spot) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let listed = walk::each_file(folder, |entry| {
        found.push(entry.path);
        Ok(())
    });
    listed.map_err(|error| refused(error.to_string()))?;
    found.sort();
    Ok(found)
}

/// The folder of the sources of programs, and of the records of their builds.
pub(crate) const SOURCES: &str = "builds";

/// Removes a source, and the records of its builds.
pub(crate) fn remove_source(root: &Path, source: &Digest) -> Result<(), Error> {
    let folder = root.join(SOURCES);
    let names =
        walk::names(&Spot::below(root, SOURCES)).map_err(Error::system(&folder, "list the folder"))?;
    for name in names.iter().filter(|name| name.starts_with(source.as_str())) {
        let file = folder.join(name);
        Spot::within(root, &file).remove().map_err(Error::system(&file, "remove the source"))?;
    }
    Ok(())
}
