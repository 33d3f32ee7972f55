//! The strict tier's surroundings: namespaces of its own, with a minimal root.
//!
//! The launcher starts process 1 of the namespace of processes, which removes ended processes. When process 1 ends, the
//! kernel kills all other processes there. The bot is process 2 or later. It cannot see, signal or outlive process 1.

use std::ffi::c_int;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::pipe::PipeFlags;
use rustix::process::{Pid, Signal, getegid, geteuid, getpid};
use rustix::thread::{CapabilitySet, LinkNameSpaceType, UnshareFlags, move_into_link_name_space};

use super::capabilities::{self, Nobodies, has_other_users};
use super::message::Specification;
use super::root::{self, Carried, CommonRoot};
use super::system::{self, context};

/// Process 1 of a bot's namespace.
#[derive(Debug)]
pub(crate) struct Reaper {
    /// Its number outside the namespace.
    pub(crate) process: Pid,
    /// Process 1 lives as long as this is open.
    _lifeline: OwnedFd,
    /// Ends once process 1 has given up its rights.
    ready: OwnedFd,
    /// Whether the bot has a root of its own, and has not left the old one yet.
    sees_old_root: bool,
}

impl Reaper {
    /// Completes the root. To be called in a process of the namespace.
    pub(super) fn complete_root(&self) -> io::Result<()> {
        // An ordinary user may mount a new /proc only from within the namespace, and only while the old one is there.
        root::mount_proc().map_err(context("show it processes (mount /proc)"))?;
        if self.sees_old_root { root::end() } else { Ok(()) }
    }

    /// Waits until process 1 has given up its rights.
    pub(super) fn wait_until_ready(&self) -> io::Result<()> {
        rustix::io::retry_on_intr(|| rustix::io::read(&self.ready, &mut [0; 1][..]))?;
        Ok(())
    }
}

/// The parts that bots of a privileged host share, made once.
#[derive(Debug)]
pub(crate) struct Shared {
    network: Option<NoNetwork>,
    root: Option<CommonRoot>,
    /// The users that bots become if root starts them.
    nobodies: Nobodies,
}

impl Shared {
    /// Makes the parts that this process is allowed to make.
    ///
    /// # Errors
    ///
    /// If this process cannot return to its former namespaces.
    pub(crate) fn make() -> io::Result<Shared> {
        if !is_privileged() {
            return Ok(Shared { network: None, root: None, nobodies: Nobodies::default() });
        }
        // Without this capability, no process may go from one root to another.
        let root = if has_capability(CapabilitySet::SYS_CHROOT) { CommonRoot::make()? } else { None };
        Ok(Shared { network: NoNetwork::make()?, root, nobodies: Nobodies::default() })
    }

    /// Returns the number of the user that the bot of this launcher becomes if root starts it.
    pub(super) fn nobody(&self, launcher: Pid) -> u32 {
        self.nobodies.user_for(launcher)
    }
}

/// A network with nothing in it, not even a loopback device.
#[derive(Debug)]
struct NoNetwork(OwnedFd);

impl NoNetwork {
    /// Makes one for the bots of all launchers; `None` if each bot has to make its own. A network takes longer
    /// to make than all other namespaces together. Sharing it is safe: no bot may make a socket.
    ///
    /// # Errors
    ///
    /// If this process cannot return to its former network.
    fn make() -> io::Result<Option<NoNetwork>> {
        let present =
            || rustix::fs::open("/proc/self/ns/net", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
        let Ok(old) = present() else { return Ok(None) };
        // SAFETY: a launcher and its fork server have one thread.
        if unsafe { system::unshare(UnshareFlags::NEWNET) }.is_err() {
            return Ok(None);
        }
        let new = present();
        enter_network(&old)?;
        Ok(new.ok().map(NoNetwork))
    }
}

fn enter_network(network: &OwnedFd) -> io::Result<()> {
    Ok(move_into_link_name_space(network.as_fd(), Some(LinkNameSpaceType::Network))?)
}

/// Tells whether this process can make namespaces without a user namespace.
fn is_privileged() -> bool {
    has_other_users() && has_capability(CapabilitySet::SYS_ADMIN)
}

fn has_capability(capability: CapabilitySet) -> bool {
    rustix::thread::capabilities(None).is_ok_and(|sets| sets.effective.contains(capability))
}

/// What a bot takes along into its namespaces.
pub(super) struct Inside<'a> {
    pub(super) specification: &'a Specification,
    /// The program, open.
    pub(super) program: &'a OwnedFd,
    /// Its interpreter, open.
    pub(super) interpreter: Option<&'a OwnedFd>,
}

/// The files of [`Inside`], which can be shown wherever this process goes.
struct Luggage<'a> {
    /// The program, alone or with its folder.
    program: Carried,
    /// Its interpreter and the place where it is shown, if it is shown as a single file.
    interpreter: Option<(&'a Path, Carried)>,
}

impl Inside<'_> {
    /// Takes the program along from the mounts that are visible now, and its interpreter if that is shown as
    /// a single file. `None` if another file is in the place of one of them.
    fn carry(&self) -> io::Result<Option<Luggage<'_>>> {
        let Specification { program, interpreter, shown, .. } = self.specification;
        let carry = if self.specification.with_folder { Carried::folder_of } else { Carried::from };
        let carried = carry(program, self.program).map_err(context("carry the program (open_tree)"))?;
        let Some(program) = carried else { return Ok(None) };
        let (Some((place, _)), Some(file)) = (interpreter, self.interpreter) else {
            return Ok(Some(Luggage { program, interpreter: None }));
        };
        let real = fs::canonicalize(place)?;
        let Some(place) = shown.iter().find(|shown| **shown == real) else {
            return Ok(Some(Luggage { program, interpreter: None }));
        };
        let carried = Carried::from(place, file).map_err(context("carry the interpreter (open_tree)"))?;
        let Some(interpreter) = carried else { return Ok(None) };
        Ok(Some(Luggage { program, interpreter: Some((place, interpreter)) }))
    }
}

/// Moves this process into namespaces of its own, and begins to make their root, which one of its children must
/// complete with [`complete_root`](Reaper::complete_root). Only its children are in the new namespace of processes.
/// `None` if an opened file is no longer in its place.
pub(super) fn enter(inside: &Inside<'_>, shared: &Shared) -> io::Result<Option<Reaper>> {
    let _ = rustix::process::umask(root::FILES);
    let specification = inside.specification;
    let separate = || separate(shared).map_err(context("make namespaces"));
    let common = shared.root.as_ref().filter(|root| specification.shown.is_empty() && root.is_up_to_date());
    let luggage = match common {
        Some(common) => {
            let luggage = inside.carry()?;
            common.enter().map_err(context("enter the root (setns)"))?;
            separate()?;
            luggage
        }
        None => {
            separate()?;
            let luggage = inside.carry()?;
            root::begin()?;
            luggage
        }
    };
    let Some(luggage) = luggage else { return Ok(None) };
    let _ = rustix::system::sethostname(b"bot");
    let name = specification.program.file_name().unwrap_or("bot".as_ref());
    let is_program_shown = root::furnish(&luggage.program, name.as_ref(), specification)?;
    let interpreter = luggage.interpreter.as_ref().map(|(place, file)| (*place, file));
    if !root::show_also(&specification.shown, interpreter)? || !is_program_shown {
        return Ok(None);
    }
    root::link_own(specification)?;
    start_reaper(common.is_none()).map(Some).map_err(context("start process 1 (clone)"))
}

/// Makes the namespaces, all but that of the network if that is shared.
fn separate(shared: &Shared) -> io::Result<()> {
    let namespaces = UnshareFlags::NEWPID
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS
        | UnshareFlags::NEWCGROUP;
    // SAFETY: a launcher and its fork server have one thread.
    let unshare =
        |namespaces| unsafe { system::unshare(namespaces) }.map_err(context("leave the old ones (unshare)"));
    let enter_network = |network| enter_network(network).map_err(context("enter the network (setns)"));
    let map = |file: &str, line: &str| fs::write(file, line).map_err(context("map its user (write uid_map)"));
    if is_privileged() {
        // Root needs no user namespace. The bot will be another user, who owns no file.
        return match &shared.network {
            Some(network) => enter_network(&network.0).and_then(|()| unshare(namespaces)),
            None => unshare(namespaces | UnshareFlags::NEWNET),
        };
    }
    if has_other_users() {
        capabilities::become_nobody(shared.nobody(getpid()))
            .map_err(context("give up being root (setresuid)"))?;
        // A process that has changed its user may not use its own files below /proc, and the next lines write
        // there.
        rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::Dumpable)?;
    }
    let (user, group) = (geteuid(), getegid());
    unshare(namespaces | UnshareFlags::NEWNET | UnshareFlags::NEWUSER)?;
    map("/proc/self/setgroups", "deny")?;
    map("/proc/self/uid_map", &format!("{USER_INSIDE} {user} 1"))?;
    map("/proc/self/gid_map", &format!("{USER_INSIDE} {group} 1"))
}

/// The number of the user that a bot sees itself as.
const USER_INSIDE: u32 = 1000;

/// Starts process 1.
fn start_reaper(sees_old_root: bool) -> io::Result<Reaper> {
    let (lifeline_end, lifeline) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    // Process 1 closes its copy of the writer when it has given up its rights.
    let (ready, _writer) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    // SAFETY: `reap` uses nothing but the arguments of its system calls.
    let process = unsafe { system::fork_beside(reap, lifeline_end.as_raw_fd()) }?;
    Ok(Reaper { process, _lifeline: lifeline, ready, sees_old_root })
}

/// The capability that process 1 keeps if it is the same user as the bot. Process 1 does not use it, but a process
/// without it may not look into a process that has it, and the memory of process 1 is the launcher's.
const SHIELD: CapabilitySet = CapabilitySet::BLOCK_SUSPEND;

/// Runs as process 1: removes ended processes, until the launcher ends. Shares the launcher's memory, and does not
/// touch it.
fn reap(lifeline: c_int) {
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    system::ignore_children(true);
    let shield = if is_privileged() { CapabilitySet::empty() } else { SHIELD };
    let _ = capabilities::drop_capabilities(shield);
    // No descriptor of the launcher may stay open here: the bot's streams are among them.
    // SAFETY: this process owns no descriptor, and the lifeline is open for as long as the launcher has it.
    unsafe { system::keep_only(lifeline) };
    let _ = rustix::io::read(rustix::stdio::stdin(), &mut [0; 1][..]);
}
