//! The root file system of bots in the strict tier: small, and read-only except for the bot's own folder.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, move_mount, open_tree,
};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space};

use super::limits::folder_files;
use super::message::{Purpose, Specification};
use super::runtimes::{self, Settings};
use super::system::{self, context};

/// The folder of a bot's program in this root.
pub(super) const PROGRAM_FOLDER: &str = "/bot";

/// The bot's own folder, in which it starts.
pub(super) const FOLDER: &str = "/tmp";

/// Folders of the system that a bot may read and execute, if they exist.
pub(super) const SYSTEM: [&str; 8] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/// Files of `/etc` that runtimes read. They reveal nothing about this machine except how its programs are
/// installed.
pub(super) const SETTINGS: [&str; 5] = [
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/openssl.cnf",
];

/// Tells whether a path is in the part that every bot sees.
pub fn is_of_the_system(path: &Path) -> bool {
    SYSTEM.iter().chain(&SETTINGS).any(|shown| path.starts_with(shown))
}

/// Devices that store nothing. Not `/dev/zero`: mapped and shared, it is memory that no limit counts.
pub(super) const DEVICES: [&str; 4] = ["/dev/null", "/dev/full", "/dev/random", "/dev/urandom"];

/// The part of the root that is the same for all bots, in a mount namespace: everything except `/proc` and
/// each bot's own folders.
#[derive(Debug)]
pub(crate) struct CommonRoot {
    mounts: OwnedFd,
    /// Settings of runtimes that it shows.
    settings: Settings,
    /// The state of all that it shows when it was made; `None` for a path that does not exist.
    state: Vec<Option<State>>,
}

impl CommonRoot {
    /// Makes one; `None` if each bot has to make its own. It is read-only, so bots can share it safely, which saves
    /// each bot some forty system calls.
    pub(super) fn make() -> io::Result<Option<CommonRoot>> {
        let open = |path: &str, flags| rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::empty());
        let mounts = || open("/proc/self/ns/mnt", OFlags::RDONLY);
        let (Ok(old), Ok(old_root)) = (mounts(), open("/", OFlags::PATH)) else { return Ok(None) };
        let settings = runtimes::settings("/");
        let state = state_of(&settings);
        // SAFETY: a launcher and its fork server have one thread.
        if unsafe { system::unshare(UnshareFlags::NEWNS) }.is_err() {
            return Ok(None);
        }
        let mask = rustix::process::umask(FILES);
        let made = mounts().map_err(io::Error::from).and_then(|mounts| {
            begin()?;
            end()?;
            let root = fs::metadata("/")?;
            // If some of the former mounts were hidden from this process, a process that enters the new ones from
            // outside sees another root.
            enter_mounts(&mounts)?;
            let from_outside = fs::metadata("/")?;
            let is_same = (root.dev(), root.ino()) == (from_outside.dev(), from_outside.ino());
            io::Result::Ok(is_same.then_some(mounts))
        });
        rustix::process::umask(mask);
        enter_mounts(&old)?;
        // That leads to the root of the old mounts, which need not be the former root of this process.
        rustix::process::fchdir(&old_root)?;
        rustix::process::chroot(".")?;
        Ok(made.ok().flatten().map(|mounts| CommonRoot { mounts, settings, state }))
    }

    /// Tells whether it still shows the system's present state: programs can have been installed since.
    pub(super) fn is_up_to_date(&self) -> bool {
        self.state == state_of(&self.settings)
    }

    /// Moves this process into it. To change anything there, a process needs a mount namespace of its own
    /// first.
    pub(super) fn enter(&self) -> io::Result<()> {
        enter_mounts(&self.mounts)
    }
}

/// The state of a file or folder.
#[derive(Debug, PartialEq)]
struct State {
    device: u64,
    number: u64,
    /// The time of its last change; `None` for a folder that is shown whole, where changes show by themselves.
    changed: Option<(i64, i64)>,
}

impl State {
    /// Looks at a path; `None` if it does not exist. A folder is searched, or shown whole.
    fn of(path: &Path, is_searched: bool) -> Option<State> {
        let metadata = fs::symlink_metadata(path).ok()?;
        let is_shown_whole = metadata.is_dir() && !is_searched;
        let changed = if is_shown_whole { None } else { Some((metadata.ctime(), metadata.ctime_nsec())) };
        Some(State { device: metadata.dev(), number: metadata.ino(), changed })
    }
}

fn state_of(settings: &Settings) -> Vec<Option<State>> {
    let always = SYSTEM.iter().chain(&SETTINGS).chain(&runtimes::FILES).map(Path::new);
    let shown = always.chain(settings.found.iter().map(PathBuf::as_path)).map(|path| State::of(path, false));
    shown.chain(settings.searched.iter().map(|path| State::of(path, true))).collect()
}

fn enter_mounts(mounts: &OwnedFd) -> io::Result<()> {
    Ok(move_into_link_name_space(mounts.as_fd(), Some(LinkNameSpaceType::Mount))?)
}

/// The mask for new files: others may not write them.
pub(super) const FILES: Mode = Mode::from_raw_mode(0o022);

/// A file or folder that can be shown wherever this process goes.
#[derive(Debug)]
pub(super) struct Carried(OwnedFd);

impl Carried {
    /// Takes along the file at this place of the present root. `None` if it is not the open file.
    pub(super) fn from(place: &Path, file: &OwnedFd) -> io::Result<Option<Carried>> {
        // Only a file that was opened in the present mounts can be taken along, and `file` may have been opened in
        // others, so it is opened again.
        let Some(reopened) = open_if_there(place)? else { return Ok(None) };
        if is_one_file(&reopened, file)? { Carried::tree(&reopened).map(Some) } else { Ok(None) }
    }

    /// Takes along the folder of the file at this place. `None` if that is not the open file.
    pub(super) fn folder_of(place: &Path, file: &OwnedFd) -> io::Result<Option<Carried>> {
        let Some(folder) = place.parent() else { return Ok(None) };
        let Some(folder) = open_if_there(folder)? else { return Ok(None) };
        if is_same(place, file)? { Carried::tree(&folder).map(Some) } else { Ok(None) }
    }

    /// Clones the mount of an open file or folder, with everything below it.
    fn tree(file: &OwnedFd) -> io::Result<Carried> {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE
            | OpenTreeFlags::AT_EMPTY_PATH;
        let tree = open_tree(file, c"", flags)?;
        system::protect_mount(tree.as_fd(), c"", libc::MOUNT_ATTR_NODEV, true).map_err(context(PROTECT))?;
        Ok(Carried(tree))
    }

    /// Shows it at a place that exists. Tells whether that worked: it fails if the file was removed or
    /// replaced meanwhile.
    fn show(&self, place: &Path) -> io::Result<bool> {
        match move_mount(self.0.as_fd(), c"", CWD, place, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Tells whether the file at a place is the open one.
pub(super) fn is_same(place: &Path, file: &OwnedFd) -> io::Result<bool> {
    let Some(present) = open_if_there(place)? else { return Ok(false) };
    is_one_file(&present, file)
}

/// Tells whether there is another file at a place than the open one; `false` if there is none, or none can be opened.
pub(super) fn is_another(place: &Path, file: &OwnedFd) -> bool {
    let present = rustix::fs::open(place, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    present.is_ok_and(|present| is_one_file(&present, file).is_ok_and(|is_one| !is_one))
}

/// Opens the file at a place; `None` if it is gone. That is no fault of the sandbox: its owner may have removed it just
/// now.
fn open_if_there(place: &Path) -> io::Result<Option<OwnedFd>> {
    match rustix::fs::open(place, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) {
        Ok(file) => Ok(Some(file)),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::LOOP) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Tells whether both are one file. Both are open, so their numbers cannot be reused.
fn is_one_file(one: &OwnedFd, other: &OwnedFd) -> io::Result<bool> {
    let [one, other] = [rustix::fs::fstat(one)?, rustix::fs::fstat(other)?];
    Ok((one.st_dev, one.st_ino) == (other.st_dev, other.st_ino))
}

/// Puts a bot's program, alone or with its folder, and its empty folder into an unfinished root. Tells whether the
/// program could be shown.
pub(super) fn furnish(program: &Carried, name: &Path, specification: &Specification) -> io::Result<bool> {
    let place = Path::new(PROGRAM_FOLDER);
    let not_shown = context("show the program (move_mount)");
    let is_shown = if specification.with_folder {
        program.show(place).map_err(not_shown)?
    } else {
        mount_tmpfs(PROGRAM_FOLDER, DATA_ONLY & !MountFlags::NOEXEC, "size=4k,nr_inodes=8,mode=755")?;
        fs::File::create(place.join(name))?;
        let is_shown = program.show(&place.join(name)).map_err(not_shown)?;
        protect(place, libc::MOUNT_ATTR_NODEV, false)?;
        is_shown
    };
    let link_count = if specification.with_folder { fs::read_dir(place)?.count() } else { 0 };
    let file_count = folder_files(specification.purpose) as usize + link_count;
    let options = format!("size={}m,nr_inodes={file_count},mode=1777", specification.limits.folder_mib);
    // A compiler executes programs that it has made, such as `build.rs`. A bot has no use for that.
    let flags = match specification.purpose {
        Purpose::Build => DATA_ONLY & !MountFlags::NOEXEC,
        Purpose::Play => DATA_ONLY,
    };
    mount_tmpfs(FOLDER, flags, &options)?;
    if specification.may_fork && specification.purpose == Purpose::Play {
        mount_tmpfs(SHARED_MEMORY, DATA_ONLY, "size=1m,nr_inodes=256,mode=1777")?;
    }
    Ok(is_shown)
}

/// Links everything in the folder of a bot's program, if that is shown, into the folder in which the bot starts. To be
/// called when all files that the host shows are in their places, so that no link can take such a place.
pub(super) fn link_own(specification: &Specification) -> io::Result<()> {
    if specification.with_folder { link_beside(PROGRAM_FOLDER.as_ref(), FOLDER.as_ref()) } else { Ok(()) }
}

/// Links all files and folders of a program's folder into the folder `start`, so that a program that starts there finds
/// them by their names alone. Leaves out those whose names are taken or for which there is no room.
pub fn link_beside(program_folder: &Path, start: &Path) -> io::Result<()> {
    for entry in fs::read_dir(program_folder)? {
        let entry = entry?;
        match symlink(entry.path(), start.join(entry.file_name())) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) if error.kind() == io::ErrorKind::StorageFull => return Ok(()),
            linked => linked?,
        }
    }
    Ok(())
}

/// Where processes share memory by name, and where they keep semaphores. A bot that may start other processes has one
/// of its own.
pub(super) const SHARED_MEMORY: &str = "/dev/shm";

/// Files on such a mount are only data: no programs, no devices, no capabilities.
const DATA_ONLY: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV).union(MountFlags::NOEXEC);

/// Mounts a `/proc` that shows the processes of this namespace, and nothing else of the machine.
pub(super) fn mount_proc() -> io::Result<()> {
    Ok(rustix::mount::mount("proc", "/proc", "proc", DATA_ONLY, Some(c"subset=pid,hidepid=2"))?)
}

/// Shows more paths of the old root in an unfinished root. If `file` is at one of them, shows that file there. The
/// bot's own folder must exist before, since some paths can be below it. Tells whether the file could be shown.
pub(super) fn show_also(paths: &[PathBuf], file: Option<(&Path, &Carried)>) -> io::Result<bool> {
    let mut is_file_shown = true;
    for path in paths {
        match file {
            Some((place, file)) if place == path => {
                make_place(place, false)?;
                is_file_shown &=
                    file.show(place).map_err(context(format!("show {} (move_mount)", place.display())))?;
            }
            _ => show(path)?,
        }
    }
    Ok(is_file_shown)
}

/// Makes the root, with empty folders for `/proc` and for each bot's own part, and the old root below `/old`.
pub(super) fn begin() -> io::Result<()> {
    rustix::mount::mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .map_err(|error| context("detach the mounts (mount)")(error.into()))?;
    // The new root is mounted over some folder. The old root is below it, in a folder, until `end`.
    mount_tmpfs(BASE, MountFlags::NOSUID, "size=1m,nr_inodes=1024,mode=755")?;
    let old = Path::new(BASE).join("old");
    fs::create_dir(&old)?;
    rustix::process::pivot_root(BASE, &old)
        .map_err(|error| context("change the root (pivot_root)")(error.into()))?;
    rustix::process::chdir("/")?;

    for folder in SYSTEM {
        show(Path::new(folder))?;
    }
    let settings = SETTINGS.iter().chain(&runtimes::FILES).map(PathBuf::from);
    for file in settings.chain(runtimes::settings("/old").found) {
        show(&file)?;
    }
    for device in DEVICES {
        let (from, to) = (below_old(Path::new(device)), Path::new(device));
        make_place(to, false)?;
        rustix::mount::mount_bind(&from, to)
            .map_err(|error| context(format!("show {device} (mount)"))(error.into()))?;
        // A device can still be written, but its times and its mode stay.
        protect(to, 0, false)?;
    }
    for (name, target) in [("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")]
    {
        symlink(target, Path::new("/dev").join(name))?;
    }
    for folder in [PROGRAM_FOLDER, FOLDER, SHARED_MEMORY, "/proc"] {
        fs::create_dir(folder)?;
    }
    Ok(())
}

/// Leaves the old root for good.
pub(super) fn end() -> io::Result<()> {
    rustix::mount::unmount("/old", UnmountFlags::DETACH)?;
    fs::remove_dir("/old")?;
    protect(Path::new("/"), 0, false)
}

/// The folder that the new root is mounted over: any that is always there.
const BASE: &str = "/tmp";

fn mount_tmpfs(path: &str, flags: MountFlags, options: &str) -> io::Result<()> {
    let options = CString::new(options).map_err(io::Error::other)?;
    rustix::mount::mount("bot", path, "tmpfs", flags, Some(options.as_c_str()))
        .map_err(|error| context(format!("make its folders (mount {path})"))(error.into()))
}

/// Shows a file or folder of the old root at the same place in the new one. A path that does not exist is
/// skipped; a link stays a link.
fn show(path: &Path) -> io::Result<()> {
    let from = below_old(path);
    let Ok(kind) = fs::symlink_metadata(&from) else { return Ok(()) };
    if path.symlink_metadata().is_ok() {
        return Ok(()); // shown with a folder above it
    }
    if kind.is_symlink() {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        return symlink(fs::read_link(&from)?, path);
    }
    bind(&from, path).map_err(context(format!("show {} (mount)", path.display())))
}

fn bind(from: &Path, to: &Path) -> io::Result<()> {
    make_place(to, from.is_dir())?;
    rustix::mount::mount_bind_recursive(from, to)?;
    protect(to, libc::MOUNT_ATTR_NODEV, true)
}

fn protect(mount: &Path, more_attributes: u64, recursive: bool) -> io::Result<()> {
    let path = CString::new(mount.as_os_str().as_bytes()).map_err(io::Error::other)?;
    system::protect_mount(CWD, &path, more_attributes, recursive).map_err(context(PROTECT))
}

const PROTECT: &str = "write-protect it (mount_setattr)";

/// Makes an empty file or folder to mount something on.
fn make_place(path: &Path, is_folder: bool) -> io::Result<()> {
    if is_folder {
        return fs::create_dir_all(path);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::File::create(path).map(drop)
}

fn below_old(path: &Path) -> PathBuf {
    Path::new("/old").join(path.strip_prefix("/").unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beside_a_program_are_found_by_their_names_alone() {
        let [beside, empty] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        fs::create_dir(beside.path().join("data")).unwrap();
        fs::write(beside.path().join("data/w.txt"), "30").unwrap();
        fs::write(beside.path().join("bot.py"), "").unwrap();
        link_beside(beside.path(), empty.path()).unwrap();
        assert_eq!(fs::read(empty.path().join("data/w.txt")).unwrap(), b"30");
        assert_eq!(fs::read_dir(empty.path()).unwrap().count(), 2);
        // What is there already stays.
        fs::remove_file(empty.path().join("data")).unwrap();
        fs::create_dir(empty.path().join("data")).unwrap();
        link_beside(beside.path(), empty.path()).unwrap();
        assert!(!empty.path().join("data").is_symlink());
        fs::remove_dir(empty.path().join("data")).unwrap();
        empty.close().unwrap();
        assert!(beside.path().join("data/w.txt").exists(), "links are removed, and not what they lead to");
    }
}
