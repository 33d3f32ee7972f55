//! Submitted files: which file a path leads to, and how large it may be.
//!
//! A host names a file that an author may control. A symbolic link there can lead to a rival's program, or to one
//! that only the host may read. So a link is followed only if root or the host made it, and a program from the hill's
//! own store is refused under any name, even a hard link.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::admission::entrants::stored;
use referee_builds::HandedIn;
use referee_record::Digest;
use referee_sandbox::program::{Look, NotAProgram, Opened};

/// The size of the largest program, in MiB, unless the host sets another.
pub(crate) const PROGRAM_MIB_MAX_DEFAULT: u64 = 256;

/// Maximum number of links on a path, as in the kernel.
const LINKS_MAX: usize = 40;

/// Opens a program that was handed in.
///
/// # Errors
///
/// Says why the file cannot be a program: also if it is larger than `max_mib`, or is in the store of `root`.
pub(crate) fn open(root: &Path, found: &HandedIn, max_mib: u64) -> Result<Opened, NotAProgram> {
    // `found` holds the file itself: its path is that of the descriptor, so this opens the same file even if its name
    // leads elsewhere by now.
    let opened = Opened::open(&found.path())?;
    if opened.length() > max_mib << 20 {
        return Err(NotAProgram::TooLarge { bytes: opened.length(), most_mib: max_mib });
    }
    let place = found.place().map_err(NotAProgram::refused)?;
    let store = root.join("store").canonicalize();
    if store.is_ok_and(|store| place.starts_with(store)) {
        return Err(NotAProgram::Stored);
    }
    Ok(opened)
}

/// Makes sure that a source that was handed in is none of the hill's own folders.
///
/// # Errors
///
/// If the source is in one of these folders, or the hill is in the source.
pub(crate) fn check_source(root: &Path, found: &HandedIn) -> Result<(), NotAProgram> {
    let place = found.place().map_err(NotAProgram::refused)?;
    let hill = root.canonicalize().map_err(NotAProgram::refused)?;
    if hill.starts_with(&place) {
        let why = format!(
            "the hill itself, {}, is in this folder: move the source into one of its own",
            root.display()
        );
        return Err(NotAProgram::Unreadable(why));
    }
    let is_kept = place.starts_with(&hill) && !place.starts_with(hill.join("inbox"));
    if is_kept { Err(NotAProgram::Stored) } else { Ok(()) }
}

/// Makes sure that an open program with this digest is not the file in the store itself, for example by a hard link.
pub(crate) fn check_not_stored(root: &Path, opened: &Opened, digest: &Digest) -> Result<(), NotAProgram> {
    let in_store = std::fs::metadata(stored(root, digest.as_str()));
    let is_stored_file = in_store.is_ok_and(|found| Look::at(&found).is_same_file(&opened.look()));
    if is_stored_file { Err(NotAProgram::Stored) } else { Ok(()) }
}

/// Follows a path step by step, each link only if its maker is trusted. Returns the file or folder at its end.
///
/// # Errors
///
/// If a stranger's link is on the way, or the system refuses.
pub(crate) fn follow(path: &Path) -> Result<HandedIn, NotAProgram> {
    let refused = |error: Errno| NotAProgram::refused(error.into());
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut reached = rustix::fs::open(".", flags, Mode::empty()).map_err(refused)?;
    let mut parts_left = parts(path);
    let mut links = 0;
    while let Some(part) = parts_left.pop() {
        let next = rustix::fs::openat(&reached, &part, flags, Mode::empty()).map_err(refused)?;
        let stat = rustix::fs::fstat(&next).map_err(refused)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink {
            reached = next;
            continue;
        }
        let target = rustix::fs::readlinkat(&next, "", Vec::new()).map_err(refused)?;
        let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
        if stat.st_uid != 0 && stat.st_uid != rustix::process::geteuid().as_raw() {
            return Err(NotAProgram::OthersLink { link: part.into(), target, owner: stat.st_uid });
        }
        links += 1;
        if links > LINKS_MAX {
            return Err(NotAProgram::refused(io::Error::from(Errno::LOOP)));
        }
        parts_left.extend(parts(&target));
    }
    HandedIn::of(reached).map_err(NotAProgram::refused)
}

/// Lists the parts of a path, the last first.
fn parts(path: &Path) -> Vec<OsString> {
    path.components().rev().map(|part| part.as_os_str().to_owned()).collect()
}
