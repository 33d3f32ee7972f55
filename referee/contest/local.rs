//! Local copies of a plan's programs. Many machines can share the tournament's folder, so nothing runs from there.
//! The bots and the referee itself are copied to a local folder, checked by their digests, run, and removed at the
//! end.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::io::FdFlags;

use crate::node;
use crate::plan::{self, Plan, THIS_PROGRAM};
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};
use referee_sandbox::program::Look;

/// A folder on this machine from which this program runs, with the bots of a plan beside it. It is removed when this is
/// dropped.
#[derive(Debug)]
pub struct Local {
    folder: PathBuf,
}

/// Names of the folders: while they are made, and afterwards.
const MAKING: &str = "referee-making-";
const MADE: &str = "referee-run-";

/// A file in each folder, locked as long as a runner uses it: a folder whose lock is free is left over from a runner
/// that was killed.
pub const LOCK: &str = "lock";

/// Slurm's variable for a task's own folder, on sites that have one.
const SLURM_FOLDER: &str = "SLURM_TMPDIR";

impl Local {
    /// Returns the folder from which this program runs, if it was started by [`move_there`].
    pub fn here() -> Option<Local> {
        let program = std::env::current_exe().ok()?;
        let folder = program.parent()?;
        let is_made = folder.file_name()?.to_string_lossy().starts_with(MADE);
        (is_made && folder.join(LOCK).is_file()).then(|| Local { folder: folder.to_owned() })
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
        let _ = fs::remove_dir_all(&self.folder); // if this fails, the next runner removes it
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
    let lock = File::create(made.path().join(LOCK))?;
    lock.lock()?;
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
        let lock = folder.path().join(LOCK);
        // Any user can make folders there. A pipe of that name would block.
        let is_file = || fs::symlink_metadata(&lock).is_ok_and(|found| found.is_file());
        if !folder.file_name().to_string_lossy().starts_with(MADE) || !is_file() {
            continue;
        }
        if File::open(&lock).is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(folder.path()); // another user's stays
        }
    }
}
