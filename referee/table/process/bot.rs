//! One bot: its process, its pipes, and how it is started, frozen and seen off. It knows nothing of turns.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, pidfd_open, waitid,
};
use tempfile::TempDir;
use wait_timeout::ChildExt;

use super::meter::Meter;
use super::{Program, Setup};
use crate::rules::{Fault, Info, Seat};
use crate::table::excerpt::Excerpt;
use crate::table::launch;

/// How long the system may take to remove what was killed.
const REMOVAL: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub(super) struct Bot {
    /// `None` where nobody sits, and after the farewell.
    pub(super) child: Option<Running>,
    /// `None` once it is closed, from either side.
    pub(super) stdin: Option<OwnedFd>,
    pub(super) stdout: Option<OwnedFd>,
    pub(super) stderr: Option<OwnedFd>,
    /// The rest of a question that did not fit into the pipe.
    pub(super) unsent: Vec<u8>,
    pub(super) errors: Excerpt,
    pub(super) has_spoken: bool,
    /// It is stopped, and its group with it, while others are asked.
    frozen: bool,
    /// What the system says of its process, once there was need to know.
    pub(super) meter: Option<Meter>,
    /// A pipe was closed from the bot's side. If the program does not end within the turn: for this reason.
    pub(super) ending: Option<Fault>,
}

#[derive(Debug)]
pub(super) struct Running {
    child: Child,
    /// Readable once the program has ended.
    pub(super) ended: OwnedFd,
    /// An empty folder of its own, removed at the end.
    _scratch: TempDir,
}

impl Bot {
    /// Writes a line as far as the pipe takes it. Tells whether it took all.
    pub(super) fn send(&mut self, line: &[u8]) -> bool {
        let Some(pipe) = &self.stdin else { return false };
        match rustix::io::write(pipe, line) {
            Ok(count) if count == line.len() => return true,
            Ok(count) => self.unsent.extend_from_slice(&line[count..]),
            Err(Errno::AGAIN | Errno::INTR) => self.unsent.extend_from_slice(line),
            Err(_) => self.stop_reading(),
        }
        false
    }

    /// Writes what is left of the last question. Tells whether that was all.
    pub(super) fn send_rest(&mut self) -> bool {
        let line = std::mem::take(&mut self.unsent);
        !line.is_empty() && self.send(&line)
    }

    /// The bot has closed its input.
    fn stop_reading(&mut self) {
        self.stdin = None;
        self.unsent.clear();
        self.ending.get_or_insert(Fault::Deaf);
    }

    /// Returns the number of its process.
    pub(super) fn pid(&self) -> Option<Pid> {
        self.child.as_ref().map(|running| Pid::from_child(&running.child))
    }

    /// Stops the bot's process group, or lets it go on, if that is not how it is already.
    pub(super) fn freeze(&mut self, frozen: bool) {
        let Some(running) = self.child.as_ref().filter(|_| self.frozen != frozen) else { return };
        let signal = if frozen { Signal::STOP } else { Signal::CONT };
        let process = Pid::from_child(&running.child);
        // Right after its start a bot has no group of its own yet.
        if kill_process_group(process, signal).is_err() {
            let _ = kill_process(process, signal);
        }
        self.frozen = frozen;
    }

    pub(super) fn empty_errors(&mut self, buffer: &mut [u8]) {
        // Bounded: a bot that writes without end shall not hold up the others.
        for _ in 0..4 {
            let Some(pipe) = &self.stderr else { return };
            match rustix::io::read(pipe, &mut *buffer) {
                Ok(0) => self.stderr = None,
                Ok(count) => self.errors.push(&buffer[..count]),
                Err(_) => return,
            }
        }
    }

    /// Says how the program ended, if it has. It is not removed: its number must stay taken until its group is killed.
    pub(super) fn exit(&self) -> Option<Fault> {
        let running = self.child.as_ref()?;
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::PidFd(running.ended.as_fd()), options).ok()??;
        match status.exit_status() {
            Some(status) => Some(Fault::Exited(status)),
            None => Some(Fault::Crashed(status.terminating_signal().unwrap_or(0))),
        }
    }

    /// Says why there never was a bot, if the launcher says so.
    pub(super) fn start_failure(&self) -> Option<Fault> {
        let never_ran = !self.has_spoken && self.exit() == Some(Fault::Exited(launch::STATUS));
        let errors = self.errors.to_bytes();
        let why = errors.strip_prefix(launch::CANNOT_START.as_bytes()).filter(|_| never_ran)?;
        Some(Fault::StartFailed(String::from_utf8_lossy(why).trim_end().to_owned()))
    }

    /// Kills what is left of the bot's process group, and sees it off.
    pub(super) fn remove(&mut self, buffer: &mut [u8]) {
        let Some(mut running) = self.child.take() else { return };
        let group = Pid::from_child(&running.child);
        // The bot itself is not yet removed, so this number can be no other group's. Before it has a session of its
        // own there is no such group: then the process alone is killed.
        let _ = kill_process_group(group, Signal::KILL);
        let _ = running.child.kill();
        let _ = running.child.wait_timeout(REMOVAL);
        self.empty_errors(buffer);
        self.stdout = None;
        self.stderr = None;
    }
}

pub(super) fn start(info: &Info, seat: Seat, program: &Program, setup: &Setup) -> io::Result<Bot> {
    let scratch = tempfile::Builder::new().prefix("referee-bot-").tempdir()?;
    let inherited = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let mut child = Command::new(&setup.launcher)
        .arg(launch::COMMAND)
        .arg(std::path::absolute(&program.file)?)
        .args(&program.arguments)
        .env_clear()
        .env("REFEREE_GAME", info.name)
        .env("REFEREE_SEAT", seat.to_string())
        .env("REFEREE_TURN_MS", info.time.turn_limit.as_millis().to_string())
        .env("REFEREE_FIRST_MS", info.time.first_limit.as_millis().to_string())
        .env("PATH", inherited)
        .env("HOME", scratch.path())
        .env("TMPDIR", scratch.path())
        .env("LANG", "C.UTF-8")
        .current_dir(scratch.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let stdin = child.stdin.take().map(OwnedFd::from);
    let stdout = child.stdout.take().map(OwnedFd::from);
    let stderr = child.stderr.take().map(OwnedFd::from);
    for pipe in [&stdin, &stdout, &stderr].into_iter().flatten() {
        never_block(pipe.as_fd())?;
    }
    let ended = pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?;
    Ok(Bot {
        child: Some(Running { child, ended, _scratch: scratch }),
        stdin,
        stdout,
        stderr,
        ..Bot::default()
    })
}

fn never_block(pipe: BorrowedFd<'_>) -> io::Result<()> {
    rustix::io::ioctl_fionbio(pipe, true).map_err(io::Error::from)
}
