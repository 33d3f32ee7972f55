//! Starts the bot: in a launcher, which has one thread, makes a process, takes from it what a bot must not have, and
//! turns it into the bot's program.

use std::ffi::{CString, OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, PidfdFlags, Signal, geteuid, getpid, pidfd_open};
use rustix::thread::CapabilitySet;

use super::Tier;
use super::filter::{Filters, Terms};
use super::landlock::{self, Rules};
use super::message::{Report, Specification};
use super::namespaces::{self, Reaper, Shared};
use super::powers::{become_nobody, drop_powers};
use super::root;
use super::system::{self, context};
use super::warden::Warden;
use crate::table::priority::yield_to_the_referee;
use crate::table::program;

/// A bot that runs.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) bot: Pid,
    pub(crate) reaper: Option<Reaper>,
    _warden: Option<Warden>,
}

/// Starts a bot. Its streams are its own from then on.
///
/// # Errors
///
/// Returns what the referee must be told: the bot's fault, or the sandbox's.
pub(crate) fn start(
    specification: &Specification,
    streams: [OwnedFd; 3],
    shared: &Shared,
) -> Result<Started, Report> {
    let no_sandbox = |error: io::Error| Report::NoSandbox(error.to_string());
    if let Err(why) = program::inspect(&specification.program) {
        return Err(Report::NotStarted(format!("{}: {why}", specification.program.display())));
    }
    let was_root = geteuid().is_root();
    // In its own namespace each bot has the same number.
    let number = getpid();
    let tier = specification.tier;
    let needs_warden = tier == Tier::Off || tier == Tier::Landlock && specification.may_fork;
    let warden = needs_warden.then(Warden::start).transpose().map_err(no_sandbox)?;
    let tasks_before = tasks_before(tier).map_err(no_sandbox)?;
    // Opened while this process may still go everywhere.
    let program = rustix::fs::open(&specification.program, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    let program = program.map_err(|error| Report::NotStarted(explain(specification, error.into())))?;
    let reaper = match tier {
        Tier::Strict => Some(namespaces::enter(specification, shared).map_err(no_sandbox)?),
        Tier::Landlock | Tier::Off => None,
    };
    let child = Child {
        specification,
        streams: &streams,
        launcher: pidfd_open(number, PidfdFlags::empty()).ok(),
        warden: warden.as_ref(),
        reaper: reaper.as_ref(),
        program,
        tasks_before,
        nobody: (was_root && tier != Tier::Off).then_some(number),
    };
    let mut trouble = None;
    let bot = system::fork_and_wait(|| trouble = Some(child.become_bot())).map_err(no_sandbox)?;
    match trouble {
        None => Ok(Started { bot, reaper, _warden: warden }),
        Some(report) => {
            warden.into_iter().for_each(Warden::dismiss);
            Err(report)
        }
    }
}

/// A process on its way to be a bot.
struct Child<'a> {
    specification: &'a Specification,
    streams: &'a [OwnedFd; 3],
    /// Tells whether the launcher has ended.
    launcher: Option<OwnedFd>,
    warden: Option<&'a Warden>,
    reaper: Option<&'a Reaper>,
    program: OwnedFd,
    tasks_before: u64,
    /// Root no more: it becomes somebody to whom nothing belongs, after the launcher's number.
    nobody: Option<Pid>,
}

impl Child<'_> {
    /// Returns only if that fails, and why.
    fn become_bot(&self) -> Report {
        match self.confine() {
            Ok((words, variables)) => self.execute(&words, &variables),
            Err(error) => Report::NoSandbox(error.to_string()),
        }
    }

    fn confine(&self) -> io::Result<(Vec<CString>, Vec<CString>)> {
        let Specification { tier, limits, reserves, .. } = self.specification;
        let (words, variables) = (self.words()?, self.variables()?);
        let [stdin, stdout, stderr] = self.streams;
        rustix::stdio::dup2_stdin(stdin)?;
        rustix::stdio::dup2_stdout(stdout)?;
        rustix::stdio::dup2_stderr(stderr)?;
        rustix::process::setpgid(None, None).map_err(|error| context("make a group")(error.into()))?;
        self.warden.map_or(Ok(()), Warden::watch_over_this_process)?;
        self.reaper.map_or(Ok(()), Reaper::settle)?;
        yield_to_the_referee();
        rustix::process::chdir(self.folder()).map_err(|error| context("enter its folder")(error.into()))?;
        // Made while all can still be opened that they name.
        let (landlock, filters) = match tier {
            Tier::Off => (None, None),
            Tier::Strict | Tier::Landlock => self.locks()?,
        };
        if let Some(number) = self.nobody.filter(|_| geteuid().is_root()) {
            become_nobody(number).map_err(context("give up being root"))?;
        }
        if *tier != Tier::Off {
            drop_powers(CapabilitySet::empty()).map_err(context("give up capabilities"))?;
            rustix::thread::set_no_new_privs(true)?;
        }
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        if self.launcher_is_gone() {
            return Err(io::Error::other("the launcher has ended"));
        }
        self.reaper.map_or(Ok(()), Reaper::wait_until_ready)?;
        // From here on there may be little memory left.
        limits.apply(*reserves, self.tasks_before).map_err(context("set limits"))?;
        if let Some(rules) = landlock {
            landlock::enforce(rules).map_err(context("restrict by Landlock"))?;
        }
        system::reset_signals();
        if let Some(filters) = filters {
            filters.apply().map_err(context("filter system calls"))?;
        }
        Ok((words, variables))
    }

    fn locks(&self) -> io::Result<(Option<::landlock::RulesetCreated>, Option<Filters>)> {
        let Specification { tier, may_fork, landlock_version_max, .. } = self.specification;
        let version = landlock::version(*landlock_version_max);
        let rules = match (tier, version) {
            (Tier::Strict, 0) => None,
            (_, 0) => return Err(io::Error::other("the kernel has no Landlock, or it is switched off")),
            _ => Some(landlock::prepare(&self.rules(), version).map_err(context("prepare Landlock"))?),
        };
        let alone = *tier == Tier::Strict || version >= LANDLOCK_WITH_SIGNALS;
        let filters =
            Filters::new(Terms { may_fork: *may_fork, alone }).map_err(context("make the filter"))?;
        Ok((rules, Some(filters)))
    }

    fn rules(&self) -> Rules {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let own_folder = match self.specification.tier {
            Tier::Strict => vec![self.folder().to_owned()],
            _ => Vec::new(),
        };
        Rules {
            read: [
                paths(&root::SYSTEM),
                paths(&root::SETTINGS),
                root::java_settings("/"),
                self.specification.folders.clone(),
                vec![self.path(), self.folder().to_owned()],
                // Not the folder: below it lies what concerns the whole machine, its connections for one, and in which
                // folders out there lies what is shown in here.
                OWN_FILES.map(|name| Path::new("/proc/self").join(name)).to_vec(),
            ]
            .concat(),
            write: [own_folder, paths(&root::DEVICES)].concat(),
        }
    }

    fn folder(&self) -> &Path {
        self.specification.folder.as_deref().unwrap_or(root::FOLDER.as_ref())
    }

    /// Where the program lies for the bot.
    fn path(&self) -> PathBuf {
        let program = &self.specification.program;
        match self.specification.tier {
            Tier::Strict => {
                Path::new(root::PROGRAM_FOLDER).join(program.file_name().unwrap_or("bot".as_ref()))
            }
            _ => program.clone(),
        }
    }

    fn words(&self) -> io::Result<Vec<CString>> {
        let mut words: Vec<OsString> = Vec::new();
        if let Some((interpreter, arguments)) = &self.specification.interpreter {
            words.push(interpreter.into());
            words.extend(arguments.iter().cloned());
        }
        words.push(self.path().into());
        words.extend(self.specification.arguments.iter().cloned());
        words.iter().map(|word| text(word)).collect()
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

    fn execute(&self, words: &[CString], variables: &[CString]) -> Report {
        let mut error = io::Error::other("not tried");
        for _ in 0..TRIES {
            let is_script = self.specification.interpreter.is_some();
            error = system::execute(&words[0], words, variables);
            // It may lie where only root can go: but it was opened before.
            if error.raw_os_error() == Some(libc::EACCES) && !is_script && self.nobody.is_some() {
                error = system::execute_open(self.program.as_fd(), words, variables);
            }
            if error.raw_os_error() != Some(libc::ETXTBSY) {
                break;
            }
            thread::sleep(PAUSE);
        }
        Report::NotStarted(explain(self.specification, error))
    }
}

/// How often, and how long apart, a program is tried again that somebody is still writing: a file that was just
/// stored can be open for a moment in a process that is being started next to this one.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(5);

/// What runtimes want to know of their own process.
const OWN_FILES: [&str; 8] = ["cmdline", "fd", "limits", "maps", "schedstat", "stat", "statm", "status"];

/// From this version on Landlock keeps signals inside.
const LANDLOCK_WITH_SIGNALS: i32 = 6;

fn text(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes()).map_err(io::Error::other)
}

fn explain(specification: &Specification, error: io::Error) -> String {
    let why = match error.raw_os_error() {
        Some(libc::ENOEXEC) => "damaged: the system does not know how to run it".to_owned(),
        Some(libc::ENOENT) => "needs a program loader or library that is not here".to_owned(),
        _ => error.to_string(),
    };
    format!("{}: {why}", specification.program.display())
}

/// Counts the tasks that count against a bot's limit and are not its own: without a user of its own, those of all
/// its user's processes.
fn tasks_before(tier: Tier) -> io::Result<u64> {
    if tier == Tier::Strict || geteuid().is_root() {
        return Ok(2); // the launcher and process 1
    }
    let own = |status: &String| {
        let user = status.lines().find_map(|line| line.strip_prefix("Uid:")?.split_whitespace().next());
        user.is_some_and(|user| user == geteuid().as_raw().to_string())
    };
    let processes = fs::read_dir("/proc")?
        .flatten()
        .filter(|entry| entry.file_name().as_bytes().first().is_some_and(u8::is_ascii_digit));
    let statuses = processes.filter_map(|entry| fs::read_to_string(entry.path().join("status")).ok());
    let threads = statuses.filter(own).filter_map(|status| {
        status.lines().find_map(|line| line.strip_prefix("Threads:")?.trim().parse::<u64>().ok())
    });
    Ok(threads.sum())
}
