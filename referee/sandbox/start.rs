//! Starts a bot from a launcher, which has one thread: makes a process, removes everything that a bot must
//! not have, and executes the bot's program.

use std::ffi::{CString, OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, geteuid, getpid, kill_process, pidfd_open, waitpid,
};
use rustix::thread::CapabilitySet;

use super::Tier;
use super::capabilities::{become_nobody, drop_capabilities, drop_means, has_other_users};
use super::filter::{Filters, Terms};
use super::landlock::{self, Rules};
use super::listener::{self, Waits};
use super::message::{Descriptors, LauncherReport, Specification};
use super::moved_clock;
use super::namespaces::{self, Inside, Reaper, Shared};
use super::root;
use super::runtimes;
use super::system::{self, context};
use super::warden::Warden;
use crate::priority::yield_to_the_referee;
use crate::program::{loader_of, shown};

/// A running bot.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) bot: Pid,
    pub(crate) reaper: Option<Reaper>,
    /// The waits of its threads (see `listener`); `None` without a sandbox.
    pub(crate) waits: Option<Waits>,
    _warden: Option<Warden>,
}

/// Starts a bot, which takes over the descriptors of its streams. The error says whether the bot or the sandbox is to
/// blame.
pub(crate) fn start(
    specification: &Specification,
    descriptors: Descriptors<OwnedFd>,
    shared: &Shared,
) -> Result<Started, LauncherReport> {
    if let Some(why) = &specification.refused {
        return Err(LauncherReport::NotStarted(why.clone()));
    }
    let Descriptors { streams, program, interpreter } = descriptors;
    let program = program.ok_or_else(|| no_sandbox(io::Error::other("no program came")))?;
    // In its own namespace each bot has the same number, so the number of its launcher stands for it.
    let launcher = getpid();
    let tier = specification.tier;
    // The namespaces that this process enters below have no other users.
    let nobody = (tier != Tier::Off && has_other_users()).then(|| shared.nobody(launcher));
    let warden = start_warden(specification)?;
    let tasks_before = tasks_before(tier).map_err(context("count tasks (open /proc)")).map_err(no_sandbox)?;
    let words = words(specification).map_err(LauncherReport::NotStarted)?;
    let inside = Inside { specification, program: &program, interpreter: interpreter.as_ref() };
    let reaper = enter(&inside, shared)?;
    let sockets = (tier != Tier::Off).then(listener::sockets).transpose();
    let sockets = sockets.map_err(context("hear of its waits (socketpair)")).map_err(no_sandbox)?;
    let child = Child {
        specification,
        listener_socket: sockets.as_ref().map(|(_, for_child)| for_child),
        streams: &streams,
        launcher: pidfd_open(launcher, PidfdFlags::empty()).ok(),
        warden: warden.as_ref(),
        reaper: reaper.as_ref(),
        program,
        interpreter,
        words,
        tasks_before,
        nobody,
    };
    for _ in 0..specification.processes_before {
        use_up_a_number()?;
    }
    let bot = match child.start() {
        Ok(bot) => bot,
        Err(report) => {
            if let Some(warden) = warden {
                warden.kill();
            }
            return Err(report);
        }
    };
    let socket = sockets.map(|(for_launcher, _)| for_launcher);
    let waits = take_over_calls(bot, socket, specification).map_err(|error| {
        // The bot may be waiting at its start for this process, and nothing else would end it.
        let _ = kill_process(bot, Signal::KILL);
        no_sandbox(error)
    })?;
    Ok(Started { bot, reaper, waits, _warden: warden })
}

fn no_sandbox(error: io::Error) -> LauncherReport {
    LauncherReport::NoSandbox(error.to_string())
}

/// Starts a warden, if the bot can start processes that nothing else would end.
fn start_warden(specification: &Specification) -> Result<Option<Warden>, LauncherReport> {
    let Specification { tier, may_fork, .. } = *specification;
    let needs_warden = tier == Tier::Off || tier == Tier::Landlock && may_fork;
    let warden = needs_warden.then(Warden::start).transpose();
    warden.map_err(context("start a warden (clone)")).map_err(no_sandbox)
}

/// Enters the bot's namespaces in the strict tier. In other tiers, makes sure that the program is still the one that
/// was opened.
fn enter(inside: &Inside<'_>, shared: &Shared) -> Result<Option<Reaper>, LauncherReport> {
    if inside.specification.tier == Tier::Strict {
        let reaper = namespaces::enter(inside, shared).map_err(no_sandbox)?;
        return Ok(Some(reaper.ok_or_else(exchanged)?));
    }
    let is_same = root::is_same(&inside.specification.program, inside.program).map_err(no_sandbox)?;
    if is_same { Ok(None) } else { Err(exchanged()) }
}

/// Starts a process that ends at once, so that the next process gets another number.
fn use_up_a_number() -> Result<(), LauncherReport> {
    // SAFETY: a launcher has one thread; the process ends at once.
    let process = unsafe { system::fork_and_wait(|| ()) };
    let process = process.map_err(context("start a process (clone)")).map_err(no_sandbox)?;
    let _ = waitpid(Some(process), WaitOptions::empty());
    Ok(())
}

/// Receives the listener for a bot's calls over this socket. If its clock is moved, removes the vDSO, so that each
/// reading of the clock is such a call.
fn take_over_calls(
    bot: Pid,
    socket: Option<OwnedFd>,
    specification: &Specification,
) -> io::Result<Option<Waits>> {
    let Some(socket) = socket else { return Ok(None) };
    let waits = Waits::receive_listener(socket.as_fd(), specification.clock)?;
    if specification.clock.is_some() {
        moved_clock::remove_vdso(bot).map_err(context(NOT_MOVED))?;
    }
    Ok(Some(waits))
}

/// A process that is about to become a bot.
struct Child<'a> {
    specification: &'a Specification,
    streams: &'a [OwnedFd; 3],
    /// The socket over which it sends the listener for its calls to the launcher; `None` without a sandbox.
    listener_socket: Option<&'a OwnedFd>,
    /// A descriptor of the launcher, readable once the launcher has ended.
    launcher: Option<OwnedFd>,
    warden: Option<&'a Warden>,
    reaper: Option<&'a Reaper>,
    program: OwnedFd,
    interpreter: Option<OwnedFd>,
    /// The program's arguments; the first one is the executed file.
    words: Vec<CString>,
    tasks_before: u64,
    /// The user that it becomes if root starts it, who owns nothing.
    nobody: Option<u32>,
}

impl Child<'_> {
    /// Starts the process, and waits until it is the bot. Returns the bot's number, or the reason why there is no bot.
    fn start(&self) -> Result<Pid, LauncherReport> {
        // The process shares this memory until it executes the bot. If it fails, it leaves the reason here.
        let mut failure = None;
        let become_bot = || failure = Some(self.become_bot());
        // SAFETY: a launcher has one thread; the work becomes a program, or ends after writing down no more than
        // the reason of the failure.
        let bot = unsafe { system::fork_and_wait(become_bot) };
        let bot = bot.map_err(context("start the bot (clone)")).map_err(no_sandbox)?;
        match failure {
            Some(report) => Err(report),
            None => Ok(bot),
        }
    }

    /// Becomes the bot. Returns the reason if that fails.
    fn become_bot(&self) -> LauncherReport {
        match self.confine() {
            Ok(variables) => self.execute(&variables),
            Err(error) => LauncherReport::NoSandbox(error.to_string()),
        }
    }

    /// Gives up everything that a bot must not have. Returns the bot's environment variables.
    fn confine(&self) -> io::Result<Vec<CString>> {
        let Specification { tier, limits, reserves, .. } = self.specification;
        let variables = self.variables()?;
        self.take_over_streams().map_err(|error| context("take over its streams (dup2)")(error.into()))?;
        rustix::process::setpgid(None, None)
            .map_err(|error| context("make a group (setpgid)")(error.into()))?;
        if let Some(warden) = self.warden {
            warden.watch_over_this_process()?;
        }
        if let Some(reaper) = self.reaper {
            reaper.complete_root()?;
        }
        yield_to_the_referee();
        rustix::process::chdir(self.folder())
            .map_err(|error| context("enter its folder (chdir)")(error.into()))?;
        // The rules are made here, while the process can still open every path in them.
        let (landlock, filters) = match tier {
            Tier::Off => (None, None),
            Tier::Strict | Tier::Landlock => self.locks()?,
        };
        // After the next step, it is another user, who does not own its files below /proc.
        system::set_oom_score(1000);
        self.give_up_rights()?;
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        if self.launcher_is_gone() {
            return Err(io::Error::other("the launcher has ended"));
        }
        if let Some(reaper) = self.reaper {
            reaper.wait_until_ready()?;
        }
        // The listener is made here, since the limits can forbid another descriptor.
        if let Some(socket) = self.listener_socket {
            let is_clock_moved = self.specification.clock.is_some();
            listener::listen(socket.as_fd(), is_clock_moved)?;
            if is_clock_moved {
                moved_clock::ask_to_be_stopped().map_err(context(NOT_MOVED))?;
            }
        }
        // Little memory can be left after this.
        limits.apply(*reserves, self.tasks_before).map_err(context("set limits (setrlimit)"))?;
        if let Some(rules) = landlock {
            landlock::enforce(rules).map_err(context("restrict by Landlock (landlock_restrict_self)"))?;
        }
        system::reset_signals();
        if let Some(filters) = filters {
            filters.apply().map_err(context("filter system calls (seccomp)"))?;
        }
        Ok(variables)
    }

    fn take_over_streams(&self) -> rustix::io::Result<()> {
        let [stdin, stdout, stderr] = self.streams;
        rustix::stdio::dup2_stdin(stdin)?;
        rustix::stdio::dup2_stdout(stdout)?;
        rustix::stdio::dup2_stderr(stderr)
    }

    fn give_up_rights(&self) -> io::Result<()> {
        if let Some(number) = self.nobody
            && geteuid().is_root()
        {
            drop_means();
            become_nobody(number).map_err(context("give up being root (setresuid)"))?;
        }
        if self.specification.tier != Tier::Off {
            drop_capabilities(CapabilitySet::empty()).map_err(context("give up capabilities (capset)"))?;
            let given_up = rustix::thread::set_no_new_privs(true);
            given_up.map_err(|error| context("give up new rights (prctl)")(error.into()))?;
        }
        Ok(())
    }

    /// Makes the rules of Landlock, where the kernel has it, and the filters of system calls.
    fn locks(&self) -> io::Result<(Option<::landlock::RulesetCreated>, Option<Filters>)> {
        let Specification { tier, purpose, may_fork, landlock_version_max, .. } = self.specification;
        let version = landlock::version(*landlock_version_max);
        let rules = match (tier, version) {
            (Tier::Strict, 0) => None,
            (_, 0) => return Err(no_landlock()),
            _ => {
                let prepared = landlock::prepare(&self.rules(), version);
                Some(prepared.map_err(context("prepare Landlock (landlock_create_ruleset)"))?)
            }
        };
        let has_own_namespace = *tier == Tier::Strict;
        let terms = Terms {
            purpose: *purpose,
            may_fork: *may_fork,
            has_own_signals: has_own_namespace || version >= LANDLOCK_WITH_SIGNALS,
            has_own_namespace,
        };
        let filters = Filters::new(terms).map_err(context("make the filter"))?;
        Ok((rules, Some(filters)))
    }

    fn rules(&self) -> Rules<'_> {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let own_folders = match self.specification.tier {
            Tier::Strict => [self.folder(), root::SHARED_MEMORY.as_ref()].map(Path::to_owned).to_vec(),
            _ => Vec::new(),
        };
        Rules {
            // The inspected files themselves: another file in the place of one stays closed.
            open: [&self.program].into_iter().chain(&self.interpreter).map(AsFd::as_fd).collect(),
            read: [
                paths(&root::SYSTEM),
                paths(&root::SETTINGS),
                paths(&runtimes::FILES),
                runtimes::settings("/").found,
                self.specification.shown.iter().filter(|path| path.is_dir()).cloned().collect(),
                vec![self.folder().to_owned()],
                self.program_folder().into_iter().collect(),
                // Not the folder: it also contains what concerns the whole machine, such as its connections,
                // and which folders outside contain the files that are shown inside.
                OWN_FILES.map(|name| Path::new("/proc/self").join(name)).to_vec(),
            ]
            .concat(),
            write: [own_folders, paths(&root::DEVICES)].concat(),
        }
    }

    /// Returns the folder that is shown with the program, if it is shown.
    fn program_folder(&self) -> Option<PathBuf> {
        if !self.specification.with_folder {
            return None;
        }
        place_of(self.specification).parent().map(Path::to_owned)
    }

    fn folder(&self) -> &Path {
        self.specification.folder.as_deref().unwrap_or(root::FOLDER.as_ref())
    }

    fn variables(&self) -> io::Result<Vec<CString>> {
        let own = ["HOME", "TMPDIR"].map(|name| (OsString::from(name), self.folder().into()));
        let all = self.specification.variables.iter().cloned().chain(own);
        all.map(|(name, value)| text(OsStr::from_bytes(&[name.as_bytes(), b"=", value.as_bytes()].concat())))
            .collect()
    }

    fn launcher_is_gone(&self) -> bool {
        let Some(launcher) = &self.launcher else { return false };
        let mut look = [PollFd::new(launcher, PollFlags::IN)];
        let _ = poll(&mut look, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
        !look[0].revents().is_empty()
    }

    fn execute(&self, variables: &[CString]) -> LauncherReport {
        let words = &self.words;
        let executed = self.interpreter.as_ref().unwrap_or(&self.program);
        let place = Path::new(OsStr::from_bytes(words[0].as_bytes()));
        if root::is_another(place, executed) {
            return exchanged();
        }
        let mut error = io::Error::other("not tried");
        for _ in 0..TRIES {
            error = system::execute(&words[0], words, variables);
            // The path can lead through a folder that only root can enter. Or Landlock keeps it closed, since there is
            // another file by now. The open file can be executed in both cases.
            if error.raw_os_error() == Some(libc::EACCES) && self.specification.tier != Tier::Off {
                error = system::execute_open(executed.as_fd(), words, variables);
            }
            if error.raw_os_error() != Some(libc::ETXTBSY) {
                break;
            }
            thread::sleep(PAUSE);
        }
        // Only the program's own loader is named, not that of the host's interpreter.
        let program = self.interpreter.is_none().then_some(self.program.as_fd());
        LauncherReport::NotStarted(explain(&error, program))
    }
}

/// The action that has failed if clocks cannot be moved.
pub const NOT_MOVED: &str = "move its clock (ptrace)";

/// Why there is no Landlock.
fn no_landlock() -> io::Error {
    let none = "the kernel has no Landlock, or it is switched off (landlock_create_ruleset)";
    match system::ask_for_landlock() {
        Err(error) => context(none)(error),
        Ok(_) => io::Error::other(none),
    }
}

/// Returns the path at which the bot sees its program.
fn place_of(specification: &Specification) -> PathBuf {
    let program = &specification.program;
    match specification.tier {
        Tier::Strict => Path::new(root::PROGRAM_FOLDER).join(program.file_name().unwrap_or("bot".as_ref())),
        _ => program.clone(),
    }
}

/// Returns the words with which the program or its interpreter is called, or the reason why that is
/// impossible.
fn words(specification: &Specification) -> Result<Vec<CString>, String> {
    let mut words: Vec<OsString> = Vec::new();
    if let Some((interpreter, arguments)) = &specification.interpreter {
        words.push(interpreter.into());
        words.extend(arguments.iter().cloned());
    }
    words.push(place_of(specification).into());
    words.extend(specification.arguments.iter().cloned());
    let texts: io::Result<Vec<CString>> = words.iter().map(|word| text(word)).collect();
    texts.map_err(|_| "called with a zero byte in a word".to_owned())
}

fn exchanged() -> LauncherReport {
    LauncherReport::NotStarted("the file was replaced while the program was being started".to_owned())
}

/// Number of tries to execute a program that is open for writing, and the pause between them. A file that was just
/// stored can be open in a process that is being started at the same time. On a busy machine that process can wait for
/// a core for a second.
const TRIES: u32 = 2000;
const PAUSE: Duration = Duration::from_millis(5);

/// Files of `/proc/self` that runtimes read.
const OWN_FILES: [&str; 8] = ["cmdline", "fd", "limits", "maps", "schedstat", "stat", "statm", "status"];

/// Landlock keeps signals inside since this version.
const LANDLOCK_WITH_SIGNALS: i32 = 6;

fn text(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes()).map_err(io::Error::other)
}

/// Maximum length of the name of a loader that is recorded, in bytes.
const LOADER_MAX: usize = 100;

/// Returns why a program does not start. This is recorded, so it does not name where the host keeps the program. The
/// loader is a name in the program itself.
fn explain(error: &io::Error, program: Option<BorrowedFd<'_>>) -> String {
    match error.raw_os_error() {
        Some(libc::ENOEXEC) => "damaged: the system does not know how to run it".to_owned(),
        Some(libc::ENOENT) => {
            let loader = program.and_then(loader_of).filter(|name| name.as_os_str().len() <= LOADER_MAX);
            let loader = loader.map_or_else(String::new, |name| format!(": {}", shown(&name)));
            format!("needs a program loader or library that is not here{loader}")
        }
        _ => error.to_string(),
    }
}

/// Returns the number of other tasks that count against a bot's limit: if the bot has no user of its own, the tasks of
/// all processes of its user.
fn tasks_before(tier: Tier) -> io::Result<u64> {
    if tier == Tier::Strict || has_other_users() {
        return Ok(2); // the launcher and process 1
    }
    let processes = fs::read_dir("/proc")?
        .flatten()
        .filter(|entry| entry.file_name().as_bytes().first().is_some_and(u8::is_ascii_digit));
    let statuses = processes.filter_map(|entry| fs::read(entry.path().join("status")).ok());
    Ok(statuses.filter_map(|status| threads_of(&status, geteuid().as_raw())).sum())
}

/// Returns the number of threads of a process from its `status`, if it is this user's. The text is parsed line by line,
/// since a bot chooses its `Name:`, which can contain any bytes.
fn threads_of(status: &[u8], user: u32) -> Option<u64> {
    let status = String::from_utf8_lossy(status);
    let value = |key: &str| status.lines().find_map(|line| line.strip_prefix(key)?.split_whitespace().next());
    if value("Uid:")? != user.to_string() {
        return None;
    }
    value("Threads:")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threads_of_a_process_count_by_whatever_name_it_goes() {
        for name in [&b"plain"[..], b"\xff) R 1", b"Uid:\t7 Threads: 9", b"Uid:\\nThreads:\\n"] {
            let status =
                [b"Name:\t", name, b"\nUmask:\t0022\nUid:\t1000\t1000\t1000\t1000\nThreads:\t5\n"].concat();
            assert_eq!(threads_of(&status, 1000), Some(5), "{name:?}");
            assert_eq!(threads_of(&status, 100), None, "{name:?}");
        }
    }
}
