//! One bot: its process, its pipes, and how it is started, frozen and seen off. It knows nothing of turns.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::{fs, io};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tempfile::TempDir;

use super::meter::Meter;
use super::{Echo, Program, Setup};
use crate::rules::{Fault, Info, Resource, Seat};
use crate::table::excerpt::Excerpt;
use crate::table::program;
use crate::table::sandbox::Tier;
use crate::table::sandbox::interpreter::{Interpreter, is_public};
use crate::table::sandbox::launcher::{ERRORS_PIPE, Launcher, Said};
use crate::table::sandbox::message::{Ended, Report, Specification};
use crate::table::{TableError, Void};

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
    /// Where they go, too.
    echo: Option<(Seat, Echo)>,
    /// It has written to standard output.
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
    launcher: Launcher,
    /// The program's number, once it runs.
    process: Option<Pid>,
    /// Why it never ran.
    failure: Option<String>,
    /// An empty folder of its own, removed at the end; in the strict tier it is in the sandbox.
    _folder: Option<TempDir>,
}

impl Running {
    /// Returns what is readable once the program has ended.
    pub(super) fn ended(&self) -> BorrowedFd<'_> {
        self.launcher.ended()
    }
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

    /// Stops the bot's process group, or lets it go on, if that is not how it is already.
    pub(super) fn freeze(&mut self, frozen: bool) {
        let Some(process) = self.pid().filter(|_| self.frozen != frozen) else { return };
        let _ = kill_process_group(process, if frozen { Signal::STOP } else { Signal::CONT });
        self.frozen = frozen;
    }

    pub(super) fn empty_errors(&mut self, buffer: &mut [u8]) {
        self.read_errors(64 * 1024, buffer);
    }

    /// Reads what is there of standard error; no more than so much: a bot that writes without end shall not hold up the
    /// others.
    fn read_errors(&mut self, most: usize, buffer: &mut [u8]) {
        for _ in 0..most.div_ceil(buffer.len()) {
            let Some(pipe) = &self.stderr else { return };
            match rustix::io::read(pipe, &mut *buffer) {
                Ok(0) => self.stderr = None,
                Ok(count) => {
                    self.errors.push(&buffer[..count]);
                    if let Some((seat, echo)) = &self.echo {
                        let _ = echo.send((*seat, buffer[..count].to_vec()));
                    }
                }
                Err(_) => return,
            }
        }
    }

    /// Nobody writes any more: reads all that the pipe can hold.
    fn read_last_errors(&mut self, buffer: &mut [u8]) {
        self.read_errors(2 * ERRORS_PIPE, buffer);
    }

    /// Returns the program's number, as long as that can be nobody else's.
    pub(super) fn pid(&self) -> Option<Pid> {
        self.child.as_ref()?.process
    }

    /// Says how the program ended, if it has.
    pub(super) fn exit(&self) -> Option<Fault> {
        let running = self.child.as_ref()?;
        if let Some(why) = &running.failure {
            return Some(Fault::StartFailed(why.clone()));
        }
        match running.launcher.says() {
            Said::This(Report::Ended(Ended::Exited(status))) => Some(Fault::Exited(status)),
            Said::This(Report::Ended(Ended::Signal(signal))) => Some(Fault::Crashed(signal)),
            Said::This(Report::Ended(Ended::Limit(limit))) => {
                Resource::from_name(&limit).map(Fault::Resource)
            }
            Said::This(_) | Said::Nothing | Said::Gone => None,
        }
    }

    /// Returns how the program ended, or why it never began: that is known once its standard error is read.
    pub(super) fn explain(&mut self, fault: Fault, buffer: &mut [u8]) -> Fault {
        self.empty_errors(buffer);
        let Fault::Exited(status) = fault else { return fault };
        let missing = || program::missing_library(status, &self.errors.to_bytes());
        (!self.has_spoken).then(missing).flatten().map_or(fault, Fault::StartFailed)
    }

    /// Tells whether its launcher has ended, and the program with it: somebody else has done that.
    pub(super) fn is_lost(&self) -> bool {
        let running = self.child.as_ref().filter(|running| running.failure.is_none());
        running.is_some_and(|running| running.launcher.says() == Said::Gone)
    }

    /// Waits until the program runs, or there is a reason why it never will.
    ///
    /// # Errors
    ///
    /// If the reason is not the bot's fault.
    pub(super) fn wait_for_start(&mut self, seat: Seat) -> Result<(), TableError> {
        let Some(running) = &mut self.child else { return Ok(()) };
        if running.failure.is_some() {
            return Ok(());
        }
        let why = match running.launcher.wait_for_start() {
            Said::This(Report::Started { bot, .. }) => {
                running.process = Pid::from_raw(bot);
                return Ok(());
            }
            Said::This(Report::NotStarted(why)) => {
                running.failure = Some(why);
                return Ok(());
            }
            Said::This(Report::NoProcess(error)) => {
                return Err(TableError::System {
                    what: NO_PROCESS,
                    error: io::Error::from_raw_os_error(error),
                });
            }
            Said::This(Report::NoSandbox(why)) => why,
            Said::This(Report::Ended(_)) | Said::Nothing => "it is not started in time".to_owned(),
            Said::Gone => "the launcher has ended".to_owned(),
        };
        Err(TableError::Void(Void::SandboxError { seat, why }))
    }

    /// Kills the program and whatever it has started. Does not wait.
    pub(super) fn kill(&mut self) {
        let Some(running) = &self.child else { return };
        // The bot first: what it has used so far is then known and counted.
        if let Some(process) = running.process {
            let _ = kill_process(process, Signal::KILL);
            let _ = kill_process_group(process, Signal::KILL);
        }
        running.launcher.dismiss();
    }

    /// Kills what is left of the bot, and sees it off.
    pub(super) fn remove(&mut self, buffer: &mut [u8]) {
        self.kill();
        let Some(running) = self.child.take() else { return };
        running.launcher.remove();
        self.read_last_errors(buffer);
        self.stdout = None;
        self.stderr = None;
    }
}

/// What the system would not do.
pub(super) const NO_PROCESS: &str = "cannot start another process";

/// Starts a program, and does not wait until it runs.
pub(super) fn start(info: &Info, seat: Seat, program: &Program, setup: &Setup) -> io::Result<Bot> {
    let folder = match setup.sandbox {
        Tier::Strict => None,
        tier => Some(empty_folder(tier)?),
    };
    let inherited = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let variables = [
        ("REFEREE_GAME", info.name.into()),
        ("REFEREE_SEAT", seat.to_string().into()),
        ("REFEREE_TURN_MS", info.time.turn_limit.as_millis().to_string().into()),
        ("REFEREE_FIRST_MS", info.time.first_limit.as_millis().to_string().into()),
        ("PATH", inherited),
        ("LANG", "C.UTF-8".into()),
    ];
    let stays_who_it_is = setup.sandbox == Tier::Off || !rustix::process::geteuid().is_root();
    // As somebody else it cannot go everywhere; but into the strict tier's root everything is carried for it.
    let public = setup.sandbox == Tier::Landlock && !stays_who_it_is;
    let mut file = std::path::absolute(&program.file)?;
    let interpreter = Interpreter::of(&file, public);
    if let Some(folder) = folder.as_ref().filter(|_| public && interpreter.is_some() && !is_public(&file)) {
        let copy = folder.path().join(file.file_name().unwrap_or("bot".as_ref()));
        fs::copy(&file, &copy)?;
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o555))?;
        file = copy;
    }
    let limits = setup.limits.for_game(info);
    let specification = Specification {
        tier: setup.sandbox,
        program: file,
        interpreter: interpreter.as_ref().map(|found| (found.file.clone(), found.arguments(&limits))),
        folders: interpreter.as_ref().map_or_else(Vec::new, |found| found.folders.clone()),
        arguments: program.arguments.clone(),
        variables: variables.map(|(name, value)| (name.into(), value)).to_vec(),
        folder: folder.as_ref().map(|folder| folder.path().to_owned()),
        limits,
        may_fork: program.may_fork,
        reserves: interpreter.is_some_and(|found| found.reserves()),
        landlock_version_max: setup.landlock_version_max,
    };
    let (launcher, [stdin, stdout, stderr]) = Launcher::start(&setup.fork_server, &specification)?;
    let running = Running { launcher, process: None, failure: None, _folder: folder };
    Ok(Bot {
        child: Some(running),
        stdin: Some(stdin),
        stdout: Some(stdout),
        stderr: Some(stderr),
        echo: setup.echo.clone().map(|echo| (seat, echo)),
        ..Bot::default()
    })
}

/// Makes an empty folder that the bot can enter, whoever it will be.
fn empty_folder(tier: Tier) -> io::Result<TempDir> {
    let stays_who_it_is = tier == Tier::Off || !rustix::process::geteuid().is_root();
    let usual = std::env::temp_dir();
    let others = ["/tmp", "/var/tmp", "/dev/shm"].map(Path::new);
    let base = [&*usual]
        .into_iter()
        .chain(others)
        .find(|folder| stays_who_it_is || is_public(&folder.join("folder")));
    let mode = if stays_who_it_is { 0o700 } else { 0o755 };
    tempfile::Builder::new()
        .prefix("referee-bot-")
        .permissions(fs::Permissions::from_mode(mode))
        .tempdir_in(base.unwrap_or(&usual))
}

#[cfg(test)]
mod tests {
    use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};

    use super::*;

    #[test]
    fn what_a_bot_wrote_last_is_read_to_its_end() {
        let (errors, theirs) = pipe_with(PipeFlags::NONBLOCK).unwrap();
        fcntl_setpipe_size(&theirs, ERRORS_PIPE).unwrap();
        assert_eq!(rustix::io::write(&theirs, &vec![b'e'; ERRORS_PIPE]), Ok(ERRORS_PIPE));
        let mut bot = Bot { stderr: Some(errors), ..Bot::default() };
        bot.read_last_errors(&mut [0; 16 * 1024]);
        let text = String::from_utf8(bot.errors.to_bytes()).unwrap();
        assert!(text.contains(&format!(" {} bytes left out ", ERRORS_PIPE - 64 * 1024)), "{}", text.len());
    }
}
