//! Local copies of a plan's programs. Many machines can share the tournament's folder, so nothing runs from there.
//! The bots and the referee itself are copied to a local folder, checked by their digests, run, and removed at the
//! end.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::FdFlags;

use crate::node;
use crate::plan::{self, Plan, THIS_PROGRAM};
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};
use referee_sandbox::program::Look;

/// A folder on this machine from which this program runs, with the bots of a plan beside it. What this process has put
/// there is removed when this is dropped.
#[derive(Debug)]
pub struct Local {
    folder: PathBuf,
}

/// Names of the folders: while they are made, and afterwards.
const MAKING: &str = "referee-making-";
const MADE: &str = "referee-run-";

/// A file in each folder, locked as long as a runner uses it: a folder whose lock is free is left over from a runner
/// that was killed. It begins with [`MARK`], then names the process.
pub const LOCK: &str = "lock";

/// What tells a lock of ours from any other file of that name.
pub const MARK: &str = "copies of programs for a tournament, removed when their referee ends; process ";

/// The longest text of a lock, in bytes.
const LOCK_MAX: u64 = 200;

/// Slurm's variable for a task's own folder, on sites that have one.
const SLURM_FOLDER: &str = "SLURM_TMPDIR";

impl Local {
    /// Returns the folder from which this program runs, if this process has made it: by [`move_there`].
    pub fn here() -> Option<Local> {
        let program = std::env::current_exe().ok()?;
        let folder = program.parent()?;
        let is_made = folder.file_name()?.to_string_lossy().starts_with(MADE);
        let process = marked(&open_folder(folder).ok()?)?;
        (is_made && process == std::process::id()).then(|| Local { folder: folder.to_owned() })
    }

    /// Makes sure that the copies are the planned programs, and starts the plan's bots from them.
    ///
    /// # Errors
    ///
    /// If a copy is not the planned program. If that in the store is not either, the error is about the store.
    pub fn use_copies(&self, plan: &mut Plan) -> Result<(), Error> {
        for (bot, planned) in plan.entrants.iter_mut().zip(&plan.contents.entrant) {
            let digest = &*planned.digest;
            let copy = self.folder.join(digest);
            let looked = File::open(&copy).and_then(|open| Ok((Look::of(&open)?, Digest::of_reader(open)?)));
            let seen = looked.ok().filter(|(_, found)| found.as_str() == digest).map(|(seen, _)| seen);
            if seen.is_none() {
                plan::is_planned(bot, digest)?;
                let what = format!("{}: the copy of {} is damaged", copy.display(), bot.name.name);
                return Err(Error::new(ErrorKind::TryAgain, what));
            }
            (bot.program.file, bot.program.seen) = (copy, seen);
        }
        Ok(())
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        let _ = remove_copies(&self.folder); // if this fails, the next runner removes it
    }
}

/// Copies the programs of a plan, and this one, to a local folder, and replaces this process by the copy, with these
/// words. Returns only if that fails.
///
/// # Errors
///
/// If no folder is good enough, with a reason for each; or if a program is not in the store.
pub fn move_there(plan: &Plan, words: &[OsString]) -> Result<Infallible, Error> {
    let mut reasons = Vec::new();
    for base in bases() {
        match try_to_move(plan, &base, words) {
            Err(Trouble::Here(why)) => reasons.push(format!("{}: {why}", base.display())),
            Err(Trouble::Store(error)) => return Err(error),
            Ok(never) => match never {},
        }
    }
    Err(Error::new(
        ErrorKind::TryAgain,
        format!(
            "this machine has no local folder to run programs from: {}; set TMPDIR to a folder on a local \
             disk from which programs can be started",
            reasons.join("; ")
        ),
    ))
}

/// Possible places of local folders: of a task, of the user, of the system.
fn bases() -> Vec<PathBuf> {
    let mut bases: Vec<PathBuf> = Vec::new();
    let task = std::env::var_os(SLURM_FOLDER).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    for base in task.into_iter().chain([std::env::temp_dir(), PathBuf::from("/tmp")]) {
        if !bases.contains(&base) {
            bases.push(base);
        }
    }
    bases
}

enum Trouble {
    /// Another folder may do.
    Here(String),
    /// No folder will.
    Store(Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Here(error.to_string())
    }
}

fn try_to_move(plan: &Plan, base: &Path, words: &[OsString]) -> Result<Infallible, Trouble> {
    if let Some(kind) = node::network_file_system(base) {
        return Err(Trouble::Here(format!("on a network ({kind})")));
    }
    remove_left_over(base);
    let bots = plan.entrants.iter().zip(&plan.contents.entrant);
    let bots = bots.map(|(bot, planned)| (&*bot.program.file, &*planned.digest));
    // The same program may play under several names; and a house bot is this one.
    let mut programs: BTreeMap<&str, &Path> = bots.map(|(file, digest)| (digest, file)).collect();
    programs.insert(&plan.contents.build, Path::new(THIS_PROGRAM));
    let needed = programs.values().map(|file| fs::metadata(file).map_or(0, |found| found.len()));
    node::room(base, needed.sum::<u64>() + ROOM_LEFT).map_err(Trouble::Here)?;

    let made = tempfile::Builder::new()
        .prefix(MAKING)
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(base)?;
    let mut lock = File::create(made.path().join(LOCK))?;
    lock.lock()?;
    write!(lock, "{MARK}{}", std::process::id())?;
    // Only a locked folder gets the name by which others find folders that are left over.
    let name = made.path().file_name().unwrap_or_default().to_string_lossy().replacen(MAKING, MADE, 1);
    let local = Local { folder: base.join(name) };
    fs::rename(made.keep(), &local.folder)?;
    for (digest, file) in programs {
        let copy = local.folder.join(digest);
        let mut source = File::open(file).map_err(|error| Trouble::Store(plan::unreadable(file, error)))?;
        io::copy(&mut source, &mut File::create(&copy)?)?;
        fs::set_permissions(&copy, Permissions::from_mode(0o555))?;
    }
    // The lock stays with this process when it becomes the copied program.
    rustix::io::fcntl_setfd(&lock, FdFlags::empty()).map_err(io::Error::from)?;
    let error = Command::new(local.folder.join(&plan.contents.build)).args(words).exec();
    Err(Trouble::Here(format!("no program can be started there: {error}")))
}

/// Free space for files of bots, beside the programs, in bytes.
const ROOM_LEFT: u64 = 64 << 20;

/// Removes the folders of runners that were killed.
pub fn remove_left_over(base: &Path) {
    for folder in fs::read_dir(base).into_iter().flatten().flatten() {
        let path = folder.path();
        let is_left = || -> io::Result<bool> {
            let folder = open_folder(&path)?;
            let is_mine = rustix::fs::fstat(&folder)?.st_uid == rustix::process::geteuid().as_raw();
            Ok(is_mine && marked(&folder).is_some() && open_lock(&folder)?.try_lock().is_ok())
        };
        if folder.file_name().to_string_lossy().starts_with(MADE) && is_left().unwrap_or(false) {
            let _ = remove_copies(&path); // the next runner tries again
        }
    }
}

/// Removes the copies in a folder, its lock, and the folder, if nothing else is there: whatever somebody else has put
/// there stays, and the folder with it.
fn remove_copies(path: &Path) -> io::Result<()> {
    let folder = open_folder(path)?;
    for entry in rustix::fs::Dir::read_from(&folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy();
        let is_file = || {
            let stat = rustix::fs::statat(&folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW);
            stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile)
        };
        if Digest::parse(&name).is_some() && is_file() {
            rustix::fs::unlinkat(&folder, entry.file_name(), AtFlags::empty())?;
        }
    }
    // Elsewhere, a lock without a folder would be left, and nobody would know whose it is.
    let is_alone = rustix::fs::Dir::read_from(&folder)?.flatten().all(|entry| {
        let name = entry.file_name().to_bytes();
        [&b"."[..], b"..", LOCK.as_bytes()].contains(&name)
    });
    if is_alone {
        rustix::fs::unlinkat(&folder, LOCK, AtFlags::empty())?;
        fs::remove_dir(path)?;
    }
    Ok(())
}

fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

/// Opens the lock in a folder. Any user can make a folder with a pipe of that name, which would block.
fn open_lock(folder: &OwnedFd) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(folder, LOCK, flags, Mode::empty())?.into())
}

/// Returns the process that a folder's lock names; `None` if it is no lock of ours.
fn marked(folder: &OwnedFd) -> Option<u32> {
    let lock = open_lock(folder).ok().filter(|lock| lock.metadata().is_ok_and(|found| found.is_file()))?;
    let mut text = String::new();
    lock.take(LOCK_MAX).read_to_string(&mut text).ok()?;
    text.strip_prefix(MARK)?.parse().ok()
}
