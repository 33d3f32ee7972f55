//! Walks through the files below a folder that a stranger made: through no link, and only to a bounded depth and
//! number.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, DirEntry, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::beneath::Spot;
use referee_record::error::{Error, refused};

/// Maximum depth of folders. The records of a tournament have four levels.
pub const DEPTH_MAX: usize = 16;

/// Maximum number of entries of all folders together. The logs of a million games are far fewer.
pub const ENTRIES_MAX: u64 = 20_000_000;

/// A file, or anything else but a folder, that was found below a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its path.
    pub path: PathBuf,
    /// It is a symbolic link, and is not followed.
    pub is_link: bool,
}

/// Lists the folders in a folder. A folder that is not there has none.
///
/// # Errors
///
/// If the system refuses, a link is on the way, or there are too many entries.
pub fn folders(folder: &Spot) -> Result<Vec<PathBuf>, Error> {
    let not_listed = |error: io::Error| Error::system(folder.path(), "list the folder")(error);
    let opened = match folder.open_to_list() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        opened => opened.map_err(not_listed)?,
    };
    let mut found = Vec::new();
    for entry in Dir::new(opened).map_err(|error| not_listed(error.into()))?.take(FOLDERS_MAX) {
        let entry = entry.map_err(|error| not_listed(error.into()))?;
        let name = entry.file_name().to_bytes();
        if !matches!(name, b"." | b"..")
            && matches!(entry.file_type(), FileType::Directory | FileType::Unknown)
        {
            found.push(folder.path().join(OsStr::from_bytes(name)));
        }
    }
    Ok(found)
}

/// Lists the names in a folder, in no particular order. A folder that is not there has none.
///
/// # Errors
///
/// If the system refuses, a link is on the way, or a name is no text.
pub fn names(folder: &Spot) -> io::Result<Vec<String>> {
    let opened = match folder.open_to_list() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        opened => opened?,
    };
    let mut names = Vec::new();
    for entry in Dir::new(opened)? {
        let entry = entry?;
        let name = entry.file_name().to_str().map_err(|_| refused("a name that is no text in UTF-8"))?;
        if !matches!(name, "." | "..") {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// Maximum number of entries of a folder that are listed: a tournament has no million rounds.
const FOLDERS_MAX: usize = 1_000_000;

/// Hands over all files below a folder, and all else that is no folder, in no particular order. A folder that is not
/// there has none. Keeps one folder open for each level.
///
/// # Errors
///
/// If the system refuses, folders are too deep or have too many entries, or `take` fails.
pub fn each_file(folder: &Spot, mut take: impl FnMut(Entry) -> Result<(), Error>) -> Result<(), Error> {
    let not_listed = |path: &Path, error: Errno| Error::system(path, "list the folder")(error.into());
    let opened = match folder.open_to_list() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(Error::system(folder.path(), "list the folder"))?,
    };
    let list = |fd: OwnedFd, path: &Path| Dir::new(fd).map_err(|error| not_listed(path, error));
    // The open folders, from the top down to the one whose entries are read.
    let mut levels = vec![(list(opened, folder.path())?, folder.path().to_owned())];
    let mut count = 0;
    while let Some((entries, path)) = levels.last_mut() {
        let Some(entry) = entries.read() else {
            levels.pop();
            continue;
        };
        let entry = entry.map_err(|error| not_listed(path, error))?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        count += 1;
        if count > ENTRIES_MAX {
            let what = format!(
                "more than {ENTRIES_MAX} files below it, the maximum of a record; remove files that do \
                 not belong to it"
            );
            return Err(Error::file(folder.path(), what));
        }
        let path = path.join(OsStr::from_bytes(name.to_bytes()));
        let parent = entries.fd().map_err(|error| not_listed(&path, error))?;
        let kind = kind_of(&entry, parent).map_err(|error| not_listed(&path, error))?;
        if kind != FileType::Directory {
            take(Entry { path, is_link: kind == FileType::Symlink })?;
            continue;
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(parent, name, flags, Mode::empty());
        let opened = opened.map_err(|error| not_listed(&path, error))?;
        if levels.len() == DEPTH_MAX {
            let what = format!("folders more than {DEPTH_MAX} deep, which no record has; remove them");
            return Err(Error::file(&path, what));
        }
        levels.push((list(opened, &path)?, path));
    }
    Ok(())
}

/// Returns the kind of an entry of a folder. Some file systems do not list the kind.
fn kind_of(entry: &DirEntry, folder: BorrowedFd<'_>) -> Result<FileType, Errno> {
    match entry.file_type() {
        FileType::Unknown => {
            let stat = rustix::fs::statat(folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(FileType::from_raw_mode(stat.st_mode))
        }
        kind => Ok(kind),
    }
}
