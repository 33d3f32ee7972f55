//! The launcher: makes the sandbox, starts a bot in it, reports how the bot ended, and leaves no process
//! behind. It also answers threads of the bot that wait for something that other bots could share.
//!
//! The referee starts itself once as a fork server, and each launcher is a copy of that, so the referee never copies
//! its own memory. A launcher's standard input is a socket to the referee. When the referee is gone or has finished
//! with the bot, the socket ends, and the launcher kills all remaining processes. The server and each launcher have one
//! thread, so both may fork and do anything in the child. A launcher's children share its memory: the bot until it
//! executes its program, while the launcher waits; process 1 of the bot's namespace for ever, without touching it.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, kill_process, kill_process_group, pidfd_open, wait, waitpid,
};
use rustix::stdio::stdin;

use crate::listener::Waits;
use crate::message::{self, Descriptors, Ended, Exceeded, LauncherReport, Specification};
use crate::namespaces::Shared;
use crate::start::{self, Started};
use crate::system::{Fork, context};
use crate::{probe, system};

/// The first argument of `referee` that makes it a fork server.
pub const COMMAND: &str = "launch";

/// Runs the fork server, until no process can request a launcher any more; or the child of a probe, if there are words.
///
/// Returns the exit status, in each launcher the launcher's; 2 if this process has a second thread.
pub fn launch(words: &[String]) -> i32 {
    if !words.is_empty() {
        return probe::look_around(words);
    }
    // The copies that are made below assume that no other thread holds a lock.
    if fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() > 1) {
        return 2;
    }
    // SAFETY: nothing has been opened yet; all descriptors come from the starter of this program.
    unsafe { system::close_from(3) };
    // A Ctrl-C is for the referee, which then decides. All processes started below stay in this session,
    // which has no terminal: if each session has its own share of the cores, the system is slow to switch
    // between sessions.
    let _ = rustix::process::setsid();
    // The referee sees by its socket that a launcher has ended; no process waits for it.
    system::ignore_children(true);
    let shared = Shared::make().map_err(context("return from the shared root (setns)"));
    loop {
        let control = match message::receive_launcher(stdin()) {
            Ok(Some(control)) => control,
            Ok(None) => {
                wait_for_children();
                return 0;
            }
            Err(_) => return 2, // called by hand
        };
        // SAFETY: a launcher and its fork server have one thread.
        match unsafe { system::fork() } {
            Ok(Fork::Parent(_)) => {}
            Ok(Fork::Child) => return be_launcher(control, &shared),
            Err(error) => {
                let why = error.raw_os_error().unwrap_or(libc::EAGAIN);
                message::send_report(control.as_fd(), &LauncherReport::NoProcess(why));
            }
        }
    }
}

fn be_launcher(control: OwnedFd, shared: &io::Result<Shared>) -> i32 {
    // This closes the server's socket in the launcher.
    if rustix::stdio::dup2_stdin(&control).is_err() {
        return 1;
    }
    drop(control);
    system::ignore_children(false);
    let _ = rustix::process::setpgid(None, None);
    let (specification, descriptors) = match message::receive_specification(stdin()) {
        Ok(Some(received)) => received,
        Ok(None) | Err(_) => return 0,
    };
    let supervised = match shared {
        Ok(shared) => supervise(&specification, descriptors, shared),
        Err(error) => Err(LauncherReport::NoSandbox(error.to_string())),
    };
    let status = match supervised {
        Ok(()) => 0,
        Err(report) => {
            message::send_report(stdin(), &report);
            wait_for_children();
            1
        }
    };
    if let Some(folder) = &specification.folder {
        // The referee removes it, too, if it still runs.
        let _ = fs::remove_dir_all(folder);
    }
    status
}

/// Starts a bot, reports its end, and leaves no process behind.
fn supervise(
    specification: &Specification,
    descriptors: Descriptors<OwnedFd>,
    shared: &Shared,
) -> Result<(), LauncherReport> {
    // Processes that lose their parent become children of this process, not of process 1, and are found here
    // in the end.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let mut started = start::start(specification, descriptors, shared)?;
    let bot = started.bot;
    let [bot_number, launcher] =
        [bot, rustix::process::getpid()].map(|process| process.as_raw_nonzero().get());
    message::send_report(stdin(), &LauncherReport::Started { bot: bot_number, launcher });
    let bot_end = pidfd_open(bot, PidfdFlags::empty()).ok();
    if wait_for_end(bot_end.as_ref(), started.waits.take()) {
        kill_all(&started);
        message::send_report(stdin(), &LauncherReport::Ended(judge(specification, bot)));
        // The bot is not removed yet: no other process can get its number while the referee may still use it.
        wait_for_referee();
    }
    // First the bot: its usage is then known and counted.
    let _ = kill_process(bot, Signal::KILL);
    let _ = waitpid(Some(bot), WaitOptions::empty());
    kill_all(&started);
    remove_children(&started);
    Ok(())
}

/// Waits until the bot ends, or the referee dismisses it; meanwhile answers waiting threads. Tells whether
/// the bot has ended. Without a descriptor of the bot, this goes unnoticed.
fn wait_for_end(bot: Option<&OwnedFd>, mut waits: Option<Waits>) -> bool {
    loop {
        let pause = waits.as_mut().and_then(Waits::answer).map(system::timespec);
        let listener = waits.as_ref().and_then(Waits::listener);
        let control = stdin();
        let mut all = [bot.map(AsFd::as_fd), Some(control), listener]
            .map(|file| PollFd::from_borrowed_fd(file.unwrap_or(control), PollFlags::IN));
        let count = if listener.is_some() { 3 } else { 2 };
        match poll(&mut all[..count], pause.as_ref()) {
            Err(Errno::INTR) => continue,
            Err(_) => return false,
            Ok(_) => {}
        }
        let [bot_events, referee_events, listener_events] = all.map(|file| file.revents());
        if !referee_events.is_empty() {
            return false;
        }
        if !bot_events.is_empty() {
            return true;
        }
        if listener_events.contains(PollFlags::IN) {
            if let Some(waits) = &mut waits {
                waits.take();
            }
        } else if !listener_events.is_empty() {
            // No thread is left that could wait.
            waits = None;
        }
    }
}

/// Waits until the referee closes the socket; it sends nothing before that.
fn wait_for_referee() {
    while rustix::io::read(stdin(), &mut [0; 1][..]) == Err(Errno::INTR) {}
}

/// Returns how a bot has ended, which the launcher has not killed yet.
fn judge(specification: &Specification, bot: Pid) -> Ended {
    let limits = &specification.limits;
    match system::look_at_end(bot) {
        Ok(Some(ending)) => match ending.how {
            Err(libc::SIGXCPU) => Ended::Limit(Exceeded::Cpu),
            Err(libc::SIGXFSZ) => Ended::Limit(Exceeded::File),
            Err(libc::SIGKILL) if ending.cpu.as_secs() >= limits.cpu_seconds => Ended::Limit(Exceeded::Cpu),
            // The system does not report a refused allocation; but a program that crashes with nearly all
            // memory in use did so because it needed more.
            Err(_) if ending.memory_kib / 1024 >= limits.data_mib / 8 * 7 => Ended::Limit(Exceeded::Memory),
            Ok(status) => Ended::Exited(status),
            Err(signal) => Ended::Signal(signal),
        },
        _ => Ended::Signal(libc::SIGKILL),
    }
}

/// Waits for children that end by themselves: launchers, and processes that were started for a bot that never
/// ran.
fn wait_for_children() {
    while matches!(wait(WaitOptions::empty()), Ok(_) | Err(Errno::INTR)) {}
}

/// Kills all processes that the bot has started. None can have left its group, except without a sandbox.
fn kill_all(started: &Started) {
    let _ = kill_process_group(started.bot, Signal::KILL);
    if let Some(reaper) = &started.reaper {
        let _ = kill_process(reaper.process, Signal::KILL);
    }
}

/// Kills and removes all children, including their orphans, until there are none.
fn remove_children(started: &Started) {
    let Some(reaper) = &started.reaper else { return remove_all_children() };
    // No process in its namespace outlives it, and no orphan of that namespace becomes a child of this process. A
    // search would find the wrong processes: this process sees only the `/proc` of that namespace, with numbers that
    // mean other processes outside of it.
    let _ = waitpid(Some(reaper.process), WaitOptions::empty());
}

fn remove_all_children() {
    let mut pause = PAUSE_MIN;
    loop {
        let children = children();
        for child in &children {
            let _ = kill_process(*child, Signal::KILL);
        }
        for child in &children {
            let _ = waitpid(Some(*child), WaitOptions::empty());
        }
        // The list can miss a process while another one ends, so this waits for no child that is not killed.
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => pause = PAUSE_MIN,
            Ok(None) => {
                thread::sleep(pause);
                pause = (2 * pause).min(PAUSE_MAX);
            }
            Err(_) => return,
        }
    }
}

/// Pause before children are searched for again: at first, and the maximum.
const PAUSE_MIN: Duration = Duration::from_micros(100);
const PAUSE_MAX: Duration = Duration::from_millis(5);

fn children() -> Vec<Pid> {
    let own = rustix::process::getpid().as_raw_nonzero();
    let numbers = fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
    numbers.split_whitespace().filter_map(|number| Pid::from_raw(number.parse().ok()?)).collect()
}
