//! Locks: how a process waits for others that write, and what it says meanwhile.
//!
//! Any process that can open a file for reading can lock it (`flock`). So the lock of a folder is a file of its own,
//! which strangers cannot open ([`exclude`]); and a file that strangers read is [claimed](claim) by a lock that needs
//! the right to write. A reader holds no lock: it waits until nobody writes.
//!
//! A wait that lasts names the lock and the process that holds it. It ends when this process is told to stop, or at its
//! limit.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use referee_record::error::{Error, ErrorKind};

use crate::beneath::Spot;

/// Maximum wait for a lock that is held for a moment.
pub const WAIT_SHORT_MAX: Duration = Duration::from_secs(60);

/// Maximum wait for a lock under which long files are read.
pub const WAIT_LONG_MAX: Duration = Duration::from_secs(600);

/// Time after which the user is told of a wait.
const TELL_AFTER: Duration = Duration::from_secs(2);

/// Time between two looks at a lock: at first, and the maximum.
const PAUSE_MIN: Duration = Duration::from_millis(1);
const PAUSE_MAX: Duration = Duration::from_millis(20);

/// Maximum number of looks in a row at a locked file that find no writer. After one more, the lock counts as that of a
/// reader, and is ignored.
const LOOKS_MAX: u32 = 50;

/// The same for a file that a reader was found to lock before.
const LOOKS_AGAIN_MAX: u32 = 2;

/// A stop ends no wait that has lasted less than this, so that games that have ended can still be recorded.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// The files, by device and inode, that readers were found to lock. All waits of this process share this guess.
static LOCKED_BY_READERS: Mutex<BTreeSet<(u64, u64)>> = Mutex::new(BTreeSet::new());

/// Flags that end each wait of this process. Locks are taken wherever records are read, far from what makes the flags.
static STOPS: Mutex<Vec<Arc<AtomicBool>>> = Mutex::new(Vec::new());

/// The function that tells the user of a wait.
static TELL: OnceLock<fn(&str)> = OnceLock::new();

/// Ends waits of this process once a flag is set.
pub fn stop_by(stop: &Arc<AtomicBool>) {
    STOPS.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(stop));
}

/// Sets the function that tells the user of a wait. Only the first call counts.
pub fn tell_by(tell: fn(&str)) {
    let _ = TELL.set(tell);
}

/// Tells the user of a wait.
pub fn tell(what: &str) {
    if let Some(tell) = TELL.get() {
        tell(what);
    }
}

fn is_told_to_stop() -> bool {
    let stops = STOPS.lock().unwrap_or_else(PoisonError::into_inner);
    stops.iter().any(|stop| stop.load(Ordering::Relaxed))
}

/// Locks a file that is nothing but a lock; makes it if it is not there. Only those can open it who may write to its
/// folder. The lock is free when the file is closed.
///
/// # Errors
///
/// If the system refuses, this process is told to stop, or others hold the lock for `limit`.
pub fn exclude(spot: &Spot, limit: Duration) -> Result<File, Error> {
    let file = spot.lock_file().map_err(Error::system(spot.path(), "open the lock"))?;
    exclude_by(&file, spot.path(), limit)?;
    Ok(file)
}

/// As [`exclude`], for a file that is open.
pub fn exclude_by(file: &File, path: &Path, limit: Duration) -> Result<(), Error> {
    wait(file, path, limit, || match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    })
}

/// Claims a file that is open for writing: others see that it [is claimed](is_claimed). Does not wait. Returns `false`
/// if another process has claimed it, or a stranger who reads it holds a lock.
pub fn claim(file: &File) -> io::Result<bool> {
    match fcntl(file, FcntlArg::F_OFD_SETLK(&whole_file(libc::F_WRLCK))).map_err(io::Error::from) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        // POSIX allows this error, too, for a lock that another process holds.
        Err(error) if error.raw_os_error() == Some(libc::EACCES) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Gives up a claim.
pub fn release(file: &File) {
    let _ = fcntl(file, FcntlArg::F_OFD_SETLK(&whole_file(libc::F_UNLCK)));
}

/// Tells whether another writer has claimed this file. The lock of a stranger who only reads it is no claim.
pub fn is_claimed(file: &File) -> io::Result<bool> {
    let mut conflict = whole_file(libc::F_RDLCK);
    fcntl(file, FcntlArg::F_OFD_GETLK(&mut conflict)).map_err(io::Error::from)?;
    Ok(i32::from(conflict.l_type) != libc::F_UNLCK)
}

/// Claims a file, and waits for others who have claimed it. [`release`] ends the claim. The lock of a stranger who only
/// reads the file is ignored after a second: the file is then not claimed, and only other locks keep its writers apart.
/// The user is told of it the first time.
///
/// # Errors
///
/// If the system refuses, this process is told to stop, or others write for a minute.
pub fn claim_waiting(file: &File, path: &Path) -> Result<(), Error> {
    let metadata = file.metadata().map_err(Error::system(path, "look at the file"))?;
    let identity = (metadata.dev(), metadata.ino());
    let locked_by_readers = || LOCKED_BY_READERS.lock().unwrap_or_else(PoisonError::into_inner);
    let looks_max = if locked_by_readers().contains(&identity) { LOOKS_AGAIN_MAX } else { LOOKS_MAX };
    let mut looks_without_writer = 0;
    wait(file, path, WAIT_SHORT_MAX, || {
        if claim(file)? {
            return Ok(true);
        }
        // The writer can have ended between the two calls, but not each time.
        looks_without_writer = if is_claimed(file)? { 0 } else { looks_without_writer + 1 };
        let is_ignored = looks_without_writer > looks_max;
        if is_ignored && locked_by_readers().insert(identity) {
            tell(&format!(
                "{} is locked by a process that only reads it: this lock is passed",
                path.display()
            ));
        }
        Ok(is_ignored)
    })
}

/// Waits until nobody writes to a file that only grows. Returns its length then.
///
/// # Errors
///
/// If the system refuses, this process is told to stop, or others write for a minute.
pub fn settled_length(file: &File, path: &Path) -> Result<u64, Error> {
    let mut length = 0;
    // On a file system without locks no writer can be seen.
    let has_no_writer = || !is_claimed(file).unwrap_or(false);
    wait(file, path, WAIT_SHORT_MAX, || {
        let had_no_writer = has_no_writer();
        length = file.metadata()?.len();
        // A writer that began and ended between the two looks has changed the length.
        Ok(had_no_writer && has_no_writer() && file.metadata()?.len() == length)
    })?;
    Ok(length)
}

/// Waits until an attempt succeeds. Only the pauses count as waited, so a wait can last a little longer than `limit`.
fn wait(
    file: &File,
    path: &Path,
    limit: Duration,
    mut attempt: impl FnMut() -> io::Result<bool>,
) -> Result<(), Error> {
    let (mut waited, mut pause, mut has_told) = (Duration::ZERO, PAUSE_MIN, false);
    loop {
        if attempt().map_err(Error::system(path, "lock the file"))? {
            return Ok(());
        }
        if waited >= STOP_GRACE && is_told_to_stop() {
            return Err(Error::new(ErrorKind::Stopped, "stopped".to_owned()));
        }
        if waited >= limit {
            let (holder, seconds) = (Holder::of(file), limit.as_secs());
            let what = format!("{holder} has held its lock for {seconds} s: {}", holder.remedy());
            return Err(Error::new(ErrorKind::Busy, what).at(path));
        }
        if waited >= TELL_AFTER && !has_told {
            let holder = Holder::of(file);
            tell(&format!("waiting for the lock of {}: {holder} holds it", path.display()));
            has_told = true;
        }
        thread::sleep(pause);
        waited += pause;
        pause = (2 * pause).min(PAUSE_MAX);
    }
}

/// The process that holds the lock of a file, as far as this one can see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holder(Option<Process>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Process {
    pid: u32,
    name: String,
    /// Its user, if that is not the user of this process.
    user: Option<u32>,
    /// Whether a signal has stopped it.
    is_suspended: bool,
}

impl Holder {
    /// Finds the process that holds the lock of a file.
    pub fn of(file: &File) -> Holder {
        let Ok(metadata) = file.metadata() else { return Holder::default() };
        let device = metadata.dev();
        let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
        // A line of the list: `1: FLOCK ADVISORY WRITE pid major:minor:inode start end`; `->` marks one that waits.
        let inode = format!("{major:02x}:{minor:02x}:{}", metadata.ino());
        let is_it = |line: &str| line.split_whitespace().any(|word| word == inode) && !line.contains("->");
        let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
        let pid = locks.lines().filter(|line| is_it(line)).find_map(|line| {
            // The list shows -1 for the process of a claim, which does not parse here.
            let pid = line.split_whitespace().nth(4)?.parse().ok();
            pid.or_else(|| claimer(|line| line.starts_with("lock:") && is_it(line)))
        });
        Holder(pid.map(Process::read))
    }

    /// Returns what to do about it.
    pub fn remedy(&self) -> String {
        match &self.0 {
            None => "look for a process that hangs, with fuser or lsof, and end it".to_owned(),
            Some(Process { pid, is_suspended: true, .. }) => {
                format!("kill -CONT {pid} lets it go on, kill -9 {pid} ends it")
            }
            Some(Process { pid, .. }) => format!("wait for its end, or end it (kill {pid})"),
        }
    }
}

/// Returns the process of which a descriptor has this lock, as its `fdinfo` says. The system does not show the
/// descriptors of other users.
fn claimer(is_it: impl Fn(&str) -> bool) -> Option<u32> {
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mut pids = processes.filter_map(|process| process.file_name().to_str()?.parse::<u32>().ok());
    pids.find(|pid| {
        let files = fs::read_dir(format!("/proc/{pid}/fdinfo")).into_iter().flatten().flatten();
        let mut texts = files.filter_map(|file| fs::read_to_string(file.path()).ok());
        texts.any(|text| text.lines().any(&is_it))
    })
}

impl Process {
    fn read(pid: u32) -> Process {
        let read = |file: &str| fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let user = fs::metadata(format!("/proc/{pid}")).ok().map(|metadata| metadata.uid());
        let (stat, own) = (read("stat"), rustix::process::geteuid().as_raw());
        Process {
            pid,
            name: read("comm").trim_end().to_owned(),
            user: user.filter(|user| *user != own),
            // The state follows the name in brackets: T if a signal has stopped the process.
            is_suspended: stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('T')),
        }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Process { pid, name, user, is_suspended }) = &self.0 else {
            return f.write_str("a process of another machine or user");
        };
        write!(f, "process {pid}")?;
        if !name.is_empty() {
            write!(f, " ({name})")?;
        }
        if let Some(user) = user {
            write!(f, " of user {user}")?;
        }
        if *is_suspended { f.write_str(", which is stopped,") } else { Ok(()) }
    }
}

/// Describes a lock of this kind on a whole file, for `fcntl`.
fn whole_file(kind: i32) -> libc::flock {
    let (l_type, l_whence) = (kind as libc::c_short, libc::SEEK_SET as libc::c_short);
    libc::flock { l_type, l_whence, l_start: 0, l_len: 0, l_pid: 0 }
}
