//! The strict tier's surroundings: namespaces of its own, and in them a minimal root that cannot be written.
//!
//! The bot is process 2 or later; process 1 is a copy of the launcher that removes what ends and whose own end takes
//! everybody in there along. A bot cannot see, signal or outlive it.

use std::ffi::CString;
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::mount::{MountFlags, MountPropagationFlags, UnmountFlags};
use rustix::pipe::PipeFlags;
use rustix::process::{Pid, Signal, getegid, geteuid, getpid};
use rustix::thread::{CapabilitySet, LinkNameSpaceType, UnshareFlags, move_into_link_name_space};

use super::limits::FOLDER_FILES;
use super::message::Specification;
use super::system::{self, Fork};

/// Where a bot's program lies in there, and which folder is its own.
pub(super) const PROGRAM_FOLDER: &str = "/bot";
pub(super) const FOLDER: &str = "/tmp";

/// What a bot may read and execute of the system, where it is there.
pub(super) const SYSTEM: [&str; 8] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/// What of `/etc` runtimes want, and which tells nothing of this machine but how its programs are installed.
pub(super) const SETTINGS: [&str; 5] = [
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/openssl.cnf",
];

/// Devices that hold nothing.
/// Not `/dev/zero`: mapped and shared, it is memory that no limit counts.
pub(super) const DEVICES: [&str; 4] = ["/dev/null", "/dev/full", "/dev/random", "/dev/urandom"];

/// Settings of whatever Java is installed, seen from where `/` is the given folder.
pub(super) fn java_settings(root: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(Path::new(root).join("etc")).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name()).filter(|name| name.as_bytes().starts_with(b"java"));
    names.map(|name| Path::new("/etc").join(name)).collect()
}

/// Process 1 of a bot's namespace.
#[derive(Debug)]
pub(crate) struct Reaper {
    /// Its number out here.
    pub(crate) process: Pid,
    /// As long as this is open it lives.
    _lifeline: OwnedFd,
}

/// A network with nothing in it, not even a way to oneself.
#[derive(Debug)]
pub(crate) struct NoNetwork(OwnedFd);

impl NoNetwork {
    /// Makes one that many bots can be in, whoever starts them; `None` where only each by itself may make its own. A network
    /// takes longer to make than all other namespaces together, and what could be shared in it is behind calls that no bot
    /// has: those that make sockets.
    ///
    /// # Errors
    ///
    /// If this process cannot go back to the network that it was in.
    pub(crate) fn make() -> io::Result<Option<NoNetwork>> {
        let here = || rustix::fs::open("/proc/self/ns/net", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
        let Some(old) = here().ok().filter(|_| is_privileged()) else { return Ok(None) };
        if system::unshare(UnshareFlags::NEWNET).is_err() {
            return Ok(None);
        }
        let new = here();
        enter_network(&old)?;
        Ok(new.ok().map(NoNetwork))
    }
}

fn enter_network(network: &OwnedFd) -> io::Result<()> {
    Ok(move_into_link_name_space(network.as_fd(), Some(LinkNameSpaceType::Network))?)
}

/// Tells whether this process can make namespaces by itself, without one of users in which it may.
fn is_privileged() -> bool {
    let has_power = |power| {
        rustix::thread::capabilities(None).is_ok_and(|capabilities| capabilities.effective.contains(power))
    };
    geteuid().is_root() && has_power(CapabilitySet::SYS_ADMIN)
}

/// Moves this process into namespaces of its own, which its children will be in with all that they are; itself it stays
/// out of the namespace of processes. Then makes the root that they shall see.
pub(super) fn enter(specification: &Specification, network: Option<&NoNetwork>) -> io::Result<Reaper> {
    separate(network).map_err(context("make namespaces"))?;
    let _ = rustix::system::sethostname(b"bot");
    begin_root(specification)?;
    // Only from within, and only while the old one is still there, an ordinary user may mount a new /proc.
    let reaper = start_reaper().map_err(context("mount /proc"))?;
    end_root()?;
    Ok(reaper)
}

/// Returns what turns an error into one that says what was tried.
pub(super) fn context(what: impl Into<String>) -> impl FnOnce(io::Error) -> io::Error {
    let what = what.into();
    move |error| io::Error::new(error.kind(), format!("{what}: {error}"))
}

fn separate(network: Option<&NoNetwork>) -> io::Result<()> {
    let namespaces = UnshareFlags::NEWPID
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS
        | UnshareFlags::NEWCGROUP;
    if is_privileged() {
        // Root can do all this by itself. The bot will be somebody else, whom no file belongs to.
        return match network {
            Some(network) => enter_network(&network.0).and_then(|()| system::unshare(namespaces)),
            None => system::unshare(namespaces | UnshareFlags::NEWNET),
        };
    }
    if geteuid().is_root() {
        super::start::become_nobody(getpid())?;
        // Whoever has changed is not trusted with its own files below /proc, and the next lines write there.
        rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::Dumpable)?;
    }
    let (user, group) = (geteuid(), getegid());
    system::unshare(namespaces | UnshareFlags::NEWNET | UnshareFlags::NEWUSER)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{INSIDE} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{INSIDE} {group} 1"))
}

/// Whom a bot takes itself for.
const INSIDE: u32 = 1000;

/// Starts process 1, which first mounts `/proc`.
fn start_reaper() -> io::Result<Reaper> {
    let (there, here) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    let (told, tell) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    match system::fork()? {
        Fork::Parent(process) => {
            drop((there, tell));
            let mut number = [0; size_of::<i32>()];
            fs::File::from(told).read_exact(&mut number)?;
            match i32::from_ne_bytes(number) {
                0 => Ok(Reaper { process, _lifeline: here }),
                error => Err(io::Error::from_raw_os_error(error)),
            }
        }
        Fork::Child => {
            let error = mount_proc().err().and_then(|error| error.raw_os_error()).unwrap_or(0);
            let told = fs::File::from(tell).write_all(&error.to_ne_bytes());
            if told.is_ok() && error == 0 {
                reap(there);
            }
            std::process::exit(0)
        }
    }
}

/// Mounts a `/proc` that shows the processes of this namespace, and nothing else of the machine.
fn mount_proc() -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    Ok(rustix::mount::mount("proc", "/proc", "proc", flags, Some(c"subset=pid,hidepid=2"))?)
}

/// Removes whoever ends, until the launcher does.
fn reap(lifeline: OwnedFd) {
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    system::ignore_children(true);
    // No descriptor of the launcher's shall stay open here: the bot's streams are among them.
    let _ = rustix::stdio::dup2_stdin(&lifeline);
    system::close_from(1);
    let _ = super::start::drop_powers();
    let _ = rustix::io::read(rustix::stdio::stdin(), &mut [0; 1][..]);
    // Closed above, with all others.
    std::mem::forget(lifeline);
}

/// Makes the root, with an empty folder for `/proc` and the old root below `/old`.
fn begin_root(specification: &Specification) -> io::Result<()> {
    let _ = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    rustix::mount::mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .map_err(|error| context("detach the mounts")(error.into()))?;
    let nothing = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    // Mounted over some folder, and then made the root, the old one in a folder below it for as long as it is needed.
    mount_tmpfs(BASE, MountFlags::NOSUID, "size=1m,nr_inodes=1024,mode=755")?;
    let old = Path::new(BASE).join("old");
    fs::create_dir(&old)?;
    rustix::process::pivot_root(BASE, &old).map_err(|error| context("change the root")(error.into()))?;
    rustix::process::chdir("/")?;

    for folder in SYSTEM {
        show(Path::new(folder))?;
    }
    for file in SETTINGS.iter().map(PathBuf::from).chain(java_settings("/old")) {
        show(&file)?;
    }
    for folder in &specification.folders {
        show(folder)?;
    }
    for device in DEVICES {
        let (from, to) = (below_old(Path::new(device)), Path::new(device));
        make_place(to, false)?;
        rustix::mount::mount_bind(&from, to)
            .map_err(|error| context(format!("show {device}"))(error.into()))?;
    }
    for (name, target) in [("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")]
    {
        symlink(target, Path::new("/dev").join(name))?;
    }
    let name = specification.program.file_name().unwrap_or("bot".as_ref());
    bind(&below_old(&specification.program), &Path::new(PROGRAM_FOLDER).join(name))
        .map_err(context("show the program"))?;

    fs::create_dir(FOLDER)?;
    let folder = format!("size={}m,nr_inodes={FOLDER_FILES},mode=1777", specification.limits.folder_mib);
    mount_tmpfs(FOLDER, nothing, &folder)?;
    fs::create_dir("/proc")
}

/// Leaves the old root for good.
fn end_root() -> io::Result<()> {
    rustix::mount::unmount("/old", UnmountFlags::DETACH)?;
    fs::remove_dir("/old")?;
    system::protect_mount(c"/", 0, false).map_err(context("write-protect the root"))
}

/// Any folder that is always there.
const BASE: &str = "/tmp";

fn mount_tmpfs(path: &str, flags: MountFlags, options: &str) -> io::Result<()> {
    let options = CString::new(options).map_err(io::Error::other)?;
    rustix::mount::mount("bot", path, "tmpfs", flags, Some(options.as_c_str()))
        .map_err(|error| context(format!("mount {path}"))(error.into()))
}

/// Shows a file or folder of the old root at the same place in the new one. What is not there stays away; a link
/// stays a link.
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
    bind(&from, path).map_err(context(format!("show {}", path.display())))
}

fn bind(from: &Path, to: &Path) -> io::Result<()> {
    make_place(to, from.is_dir())?;
    rustix::mount::mount_bind_recursive(from, to)?;
    let to = CString::new(to.as_os_str().as_bytes()).map_err(io::Error::other)?;
    system::protect_mount(&to, libc::MOUNT_ATTR_NODEV, true)
}

/// Makes what something can be mounted on.
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
