//! One bot: its process and pipes, and how it is started, frozen and dismissed. Turns are handled elsewhere.

use std::ffi::OsString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tempfile::TempDir;

use crate::clock::Moment;
use crate::excerpt::Excerpt;
use crate::process::memory::Memory;
use crate::process::meter::Meter;
use crate::process::{Echo, Program, Setup};
use referee_record::play::table::{TableError, Void};
use referee_record::text::without_host_paths;
use referee_rules::{Fault, Info, Resource, Seat};
use referee_sandbox as sandbox;
use referee_sandbox::launcher::{ERRORS_PIPE, Launcher, Patience, Reply};
use referee_sandbox::program::{self, NotAProgram, Opened};
use referee_sandbox::{
    Ended, Exceeded, Interpreter, LauncherReport, Limits, Purpose, Specification, Tier, is_public,
    link_beside,
};

#[derive(Debug, Default)]
pub(super) struct Bot {
    /// `None` in an empty seat, and after the farewell.
    pub(super) child: Option<Running>,
    /// `None` once it is closed, by either side.
    pub(super) stdin: Option<OwnedFd>,
    pub(super) stdout: Option<OwnedFd>,
    pub(super) stderr: Option<OwnedFd>,
    /// The rest of a question that did not fit into the pipe.
    pub(super) unsent: Vec<u8>,
    pub(super) errors: Excerpt,
    /// The turn of its last question.
    asked_in: Option<u32>,
    /// Another receiver of standard error.
    echo: Option<(Seat, Echo)>,
    /// Whether it has written to standard output.
    pub(super) has_spoken: bool,
    /// Whether it may run, with its group.
    rest: Rest,
    /// Since when it has no question in the present turn: since its answer was found, or its time was over.
    pub(super) idle_since: Option<Moment>,
    /// How long it ran since its last answer, although it had no question or was frozen. That is added to the charge of
    /// its next question.
    pub(super) ran_unasked: Duration,
    /// The time that was added in this way to the charge of the present question.
    pub(super) ran_before_question: Duration,
    /// The meter of its process, created when first needed.
    pub(super) meter: Option<Meter>,
    /// The observer of its memory.
    memory: Option<Memory>,
    /// The fault for which it was killed, if it exceeded a limit.
    exceeded_limit: Option<Fault>,
    /// The fault if the bot has closed a pipe and its program does not end within the turn.
    pub(super) ending: Option<Fault>,
}

/// Whether a bot may run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Rest {
    #[default]
    Runs,
    /// It is frozen: stopped until it is asked.
    Frozen,
    /// It is frozen, and the time that it runs in spite of that is counted.
    Watched,
}

#[derive(Debug)]
pub(super) struct Running {
    launcher: Launcher,
    /// The program's process number, once it runs.
    process: Option<Pid>,
    /// Why it never ran.
    failure: Option<String>,
    /// Its limits. `may_fork` tells whether it may start other processes, which share the limits.
    limits: Limits,
    may_fork: bool,
    /// An empty folder of its own, removed at the end; in the strict tier it is in the sandbox.
    _folder: Option<TempDir>,
}

impl Running {
    /// Returns a descriptor that becomes readable when the program ends.
    pub(super) fn ended(&self) -> BorrowedFd<'_> {
        self.launcher.ended()
    }

    /// Returns the launcher, below which all processes of the bot are; `None` if it may not start any.
    fn launcher_of_family(&self) -> Option<Pid> {
        if self.may_fork { self.launcher.process() } else { None }
    }
}

impl Bot {
    /// Writes as much of a line as the pipe takes. Tells whether all of it was written.
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

    /// Writes the rest of the last question. Tells whether all of it was written.
    pub(super) fn send_rest(&mut self) -> bool {
        let line = std::mem::take(&mut self.unsent);
        !line.is_empty() && self.send(&line)
    }

    /// Called when the bot has closed its input.
    fn stop_reading(&mut self) {
        self.stdin = None;
        self.unsent.clear();
        self.ending.get_or_insert(Fault::Deaf);
    }

    /// Stops the bot's process group until it may run again.
    pub(super) fn freeze(&mut self) {
        if self.rest == Rest::Runs {
            self.signal(Signal::STOP);
            self.rest = Rest::Frozen;
        }
    }

    /// Tells whether it may run.
    pub(super) fn may_run(&self) -> bool {
        self.rest == Rest::Runs
    }

    /// Freezes the bot. If `is_timed`, also counts how long it runs in spite of that.
    pub(super) fn freeze_and_watch(&mut self, is_timed: bool) {
        self.freeze();
        if is_timed {
            self.watch();
        }
    }

    /// Counts how long a frozen bot runs in spite of that, and stops it again if it does.
    fn watch(&mut self) {
        let rest = self.rest;
        let Some(meter) = self.meter() else { return };
        match rest {
            Rest::Runs => {}
            Rest::Frozen => {
                meter.freeze();
                self.rest = Rest::Watched;
            }
            Rest::Watched => {
                if !meter.ran_while_frozen().is_zero() {
                    self.signal(Signal::STOP);
                }
            }
        }
    }

    /// Lets a frozen bot run again.
    pub(super) fn go_on(&mut self) {
        if self.rest == Rest::Watched
            && let Some(meter) = &mut self.meter
        {
            self.ran_unasked += meter.ran_while_frozen();
        }
        if self.rest != Rest::Runs {
            self.signal(Signal::CONT);
            self.rest = Rest::Runs;
        }
    }

    fn signal(&self, signal: Signal) {
        if let Some(process) = self.pid() {
            let _ = kill_process_group(process, signal);
        }
    }

    /// Returns the meter of its process, if it runs.
    pub(super) fn meter(&mut self) -> Option<&mut Meter> {
        if self.meter.is_none() {
            let running = self.child.as_ref()?;
            let launcher = running.launcher_of_family().map(|launcher| launcher.as_raw_nonzero().get());
            self.meter = Meter::new(running.process?, launcher);
        }
        self.meter.as_mut()
    }

    /// Reads the available standard error, but only 64 KiB: a bot that writes without end must not delay the others.
    pub(super) fn empty_errors(&mut self, buffer: &mut [u8]) {
        self.read_errors(64 * 1024, buffer);
    }

    /// Called before the question of the turn `next`, or after the last one: all standard error until now
    /// belongs to the turn of the previous question. What was written before the first question belongs to
    /// that question's turn.
    pub(super) fn end_turn(&mut self, next: Option<u32>, has_complained: bool) {
        let unread = if has_complained { unread_bytes(self.stderr.as_ref()) } else { 0 };
        if let Some(turn) = self.asked_in {
            self.errors.end_turn(turn, unread);
        }
        self.asked_in = next.or(self.asked_in);
    }

    /// Reads the available standard error, about `max` bytes at most.
    fn read_errors(&mut self, max: usize, buffer: &mut [u8]) {
        for _ in 0..max.div_ceil(buffer.len()) {
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

    /// Reads the rest of the pipe when no process writes to it any more.
    fn read_last_errors(&mut self, buffer: &mut [u8]) {
        self.read_errors(2 * ERRORS_PIPE, buffer);
    }

    /// Returns the program's process number, while no other process can get the same one.
    pub(super) fn pid(&self) -> Option<Pid> {
        self.child.as_ref()?.process
    }

    /// Returns how the program ended, or why it never ran; `None` if it runs.
    pub(super) fn exit(&self) -> Option<Fault> {
        let running = self.child.as_ref()?;
        if self.exceeded_limit.is_some() {
            return self.exceeded_limit.clone();
        }
        if let Some(why) = &running.failure {
            return Some(Fault::StartFailed(why.clone()));
        }
        match running.launcher.says() {
            Reply::This(LauncherReport::Ended(Ended::Exited(status))) => Some(Fault::Exited(status)),
            Reply::This(LauncherReport::Ended(Ended::Signal(signal))) => Some(Fault::Crashed(signal)),
            Reply::This(LauncherReport::Ended(Ended::Limit(exceeded))) => {
                Some(Fault::Resource(match exceeded {
                    Exceeded::Cpu => Resource::Cpu,
                    Exceeded::File => Resource::File,
                    Exceeded::Memory => Resource::Memory,
                }))
            }
            Reply::This(_) | Reply::Nothing | Reply::Gone => None,
        }
    }

    /// Returns the fault itself, or why the program never began: its loader then says on standard error which library
    /// it lacks.
    pub(super) fn explain(&mut self, fault: Fault, buffer: &mut [u8]) -> Fault {
        self.empty_errors(buffer);
        let Fault::Exited(status) = fault else { return fault };
        if self.has_spoken {
            return fault;
        }
        match program::missing_library(status, &self.errors.to_bytes()) {
            Some(why) => Fault::StartFailed(without_host_paths(&why)),
            None => fault,
        }
    }

    /// Tells whether another process has ended the launcher, and the program with it.
    pub(super) fn is_lost(&self) -> bool {
        let Some(running) = &self.child else { return false };
        let has_end = running.failure.is_some() || self.exceeded_limit.is_some();
        !has_end && running.launcher.says() == Reply::Gone
    }

    /// Waits until the program runs, or there is a reason why it never will.
    pub(super) fn wait_for_start(&mut self, seat: Seat, patience: &Patience<'_>) -> Result<(), TableError> {
        let Some(running) = &mut self.child else { return Ok(()) };
        if running.failure.is_some() {
            return Ok(());
        }
        let why = match running.launcher.wait_for_start(patience) {
            Reply::This(LauncherReport::Started { bot, .. }) => {
                running.process = Pid::from_raw(bot);
                let launcher = running.launcher_of_family();
                self.memory = running.process.and_then(|bot| Memory::of(bot, launcher, &running.limits));
                return Ok(());
            }
            Reply::This(LauncherReport::NotStarted(why)) => {
                running.failure = Some(why);
                return Ok(());
            }
            Reply::This(LauncherReport::NoProcess(error)) => {
                return Err(TableError::System {
                    what: NO_PROCESS,
                    error: io::Error::from_raw_os_error(error),
                });
            }
            Reply::This(LauncherReport::NoSandbox(why)) => why,
            Reply::This(LauncherReport::Ended(_)) | Reply::Nothing => "it did not start in time".to_owned(),
            Reply::Gone => "the launcher has ended".to_owned(),
        };
        Err(TableError::Void(Void::SandboxError { seat, why: without_host_paths(&why) }))
    }

    /// Measures its memory. If it is more than allowed, kills the bot and all processes that it has started,
    /// and returns the fault.
    pub(super) fn watch_memory(&mut self) -> Option<Fault> {
        if self.exceeded_limit.is_some() || !self.memory.as_ref()?.is_too_much() {
            return None;
        }
        self.memory = None;
        self.exceeded_limit = Some(Fault::Resource(Resource::Memory));
        self.kill();
        self.exceeded_limit.clone()
    }

    /// Kills the program and all processes that it has started. Does not wait.
    pub(super) fn kill(&mut self) {
        let Some(running) = &self.child else { return };
        // The bot first: its usage so far is then known and counted.
        if let Some(process) = running.process {
            let _ = kill_process(process, Signal::KILL);
            let _ = kill_process_group(process, Signal::KILL);
        }
        running.launcher.dismiss();
    }

    /// Kills the rest of the bot, and waits until it is gone.
    pub(super) fn remove(&mut self, buffer: &mut [u8], patience: &Patience<'_>) {
        self.kill();
        let Some(running) = self.child.take() else { return };
        running.launcher.remove(patience);
        self.read_last_errors(buffer);
        self.end_turn(None, false);
        self.stdout = None;
        self.stderr = None;
    }
}

/// Returns the number of bytes in a pipe that were not read.
pub(super) fn unread_bytes(pipe: Option<&OwnedFd>) -> u64 {
    pipe.and_then(|pipe| rustix::io::ioctl_fionread(pipe).ok()).unwrap_or(0)
}

/// The action in errors when the system refuses a process.
pub(super) const NO_PROCESS: &str = "cannot start another process";

/// Starts a program, and does not wait until it runs.
pub(super) fn start(info: &Info, seat: Seat, program: &Program, setup: &Setup) -> io::Result<Bot> {
    let folder = match setup.sandbox {
        Tier::Strict => None,
        tier => Some(empty_folder(tier)?),
    };
    let mut inspection = Inspection::of_program(program, setup)?;
    if let Some(folder) = &folder {
        inspection.furnish(folder.path(), program, setup)?;
    }
    let folder_path = folder.as_ref().map(TempDir::path);
    let specification = inspection.specification(info, seat, program, setup, folder_path);
    let (launcher, [stdin, stdout, stderr]) =
        Launcher::start(&setup.fork_server, &specification, inspection.descriptors())?;
    let running = Running {
        launcher,
        may_fork: program.may_fork,
        process: None,
        failure: None,
        limits: specification.limits,
        _folder: folder,
    };
    Ok(Bot {
        child: Some(running),
        stdin: Some(stdin),
        stdout: Some(stdout),
        stderr: Some(stderr),
        echo: setup.echo.clone().map(|echo| (seat, echo)),
        ..Bot::default()
    })
}

/// A program before its start. Exactly the files that were opened for the inspection are started.
struct Inspection {
    /// The path of the program.
    file: PathBuf,
    /// `None` if it cannot be started.
    opened: Option<Opened>,
    /// Of a script: its interpreter, opened.
    interpreter: Option<(Interpreter, fs::File)>,
    /// Why it cannot be started; `None` if it can.
    refusal: Option<String>,
}

impl Inspection {
    /// Opens a program, and finds its interpreter.
    fn of_program(program: &Program, setup: &Setup) -> io::Result<Inspection> {
        let is_nobody = setup.starts_nobody();
        let file = std::path::absolute(&program.file)?;
        let mut inspection = match open_program(&file, setup, is_nobody) {
            Ok((opened, interpreter)) => {
                Inspection { file, opened: Some(opened), interpreter, refusal: None }
            }
            Err(why) => {
                // This is recorded. The script's author has named the interpreter, so it is no secret of the host.
                let refusal = match why {
                    NotAProgram::NoInterpreter(_) => why.to_string(),
                    _ => without_host_paths(&why.to_string()),
                };
                Inspection { file, opened: None, interpreter: None, refusal: Some(refusal) }
            }
        };
        if inspection.opened.as_ref().is_some_and(|opened| !program.is_unchanged(opened)) {
            let file = inspection.file.display();
            return Err(io::Error::other(format!("{file}: the program was changed since it was checked")));
        }
        if program.with_folder && is_nobody && !is_public(&inspection.file) {
            inspection.refusal =
                Some("a bot that is a folder needs the strict tier of the sandbox here".to_owned());
        }
        Ok(inspection)
    }

    /// Adds to the bot's own folder its script, if the bot could not read it elsewhere, and links to the files beside
    /// its program.
    fn furnish(&mut self, folder: &Path, program: &Program, setup: &Setup) -> io::Result<()> {
        if let (Some(opened), Some(_)) = (&mut self.opened, &self.interpreter)
            && setup.starts_nobody()
            && !is_public(&self.file)
        {
            self.file = folder.join(self.file.file_name().unwrap_or("bot".as_ref()));
            *opened = copy_to(&self.file, opened)?;
        }
        if program.with_folder
            && self.refusal.is_none()
            && let Some(beside) = self.file.parent()
        {
            link_beside(beside, folder)?;
        }
        Ok(())
    }

    fn specification(
        &self,
        info: &Info,
        seat: Seat,
        program: &Program,
        setup: &Setup,
        folder: Option<&Path>,
    ) -> Specification {
        let limits = setup.limits.with_cpu_for(info.budget());
        let interpreter = self.interpreter.as_ref().map(|(interpreter, _)| interpreter);
        let variables = [variables(info, seat), sandbox::variables(&limits)].concat();
        Specification {
            tier: setup.sandbox,
            program: self.file.clone(),
            interpreter: interpreter.map(|found| (found.file.clone().into(), found.arguments(&limits))),
            shown: interpreter.map_or_else(Vec::new, |found| found.shown.clone()),
            refused: self.refusal.clone(),
            arguments: program.arguments.clone(),
            variables: setup.surroundings.around(variables),
            processes_before: setup.surroundings.processes_before,
            clock: setup.surroundings.clock,
            folder: folder.map(Path::to_owned),
            limits,
            purpose: Purpose::Play,
            with_folder: program.with_folder,
            may_fork: program.may_fork,
            reserves: interpreter.is_some_and(|found| found.reserves()),
            landlock_version_max: setup.landlock_version_max,
        }
    }

    /// Returns the open files of the program and its interpreter.
    fn descriptors(&self) -> [Option<BorrowedFd<'_>>; 2] {
        let interpreter = self.interpreter.as_ref().map(|(_, file)| file);
        [self.opened.as_ref().map(Opened::file), interpreter].map(|file| file.map(AsFd::as_fd))
    }
}

/// Opens a program, and its interpreter if it is a script.
fn open_program(
    file: &Path,
    setup: &Setup,
    is_nobody: bool,
) -> Result<(Opened, Option<(Interpreter, fs::File)>), NotAProgram> {
    let opened = Opened::open(file)?;
    if opened.is_module() {
        return Err(NotAProgram::Module);
    }
    let interpreter = setup.interpreters.open_for(&opened, is_nobody)?;
    Ok((opened, interpreter))
}

/// Returns the environment variables that tell a bot its game, and where programs are.
fn variables(info: &Info, seat: Seat) -> Vec<(OsString, OsString)> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let variables = [
        ("REFEREE_GAME", info.name.into()),
        ("REFEREE_SEAT", seat.to_string().into()),
        ("REFEREE_TURN_MS", info.time.turn_limit.as_millis().to_string().into()),
        ("REFEREE_FIRST_MS", info.time.first_limit.as_millis().to_string().into()),
        ("PATH", path),
        ("LANG", "C.UTF-8".into()),
    ];
    variables.map(|(name, value)| (name.into(), value)).to_vec()
}

/// Copies an opened script to a place that a bot whose user owns nothing may enter.
fn copy_to(place: &Path, opened: &Opened) -> io::Result<Opened> {
    let mut copy = fs::File::create_new(place)?;
    io::copy(&mut opened.file(), &mut copy)?;
    copy.set_permissions(fs::Permissions::from_mode(0o555))?;
    drop(copy);
    Opened::open(place).map_err(|why| io::Error::other(format!("{}: {why}", place.display())))
}

/// Makes an empty folder that the bot can enter as any user.
fn empty_folder(tier: Tier) -> io::Result<TempDir> {
    let keeps_user = tier == Tier::Off || !referee_sandbox::has_a_user_for_each_bot();
    let usual = std::env::temp_dir();
    let candidates = [&*usual, Path::new("/tmp"), Path::new("/var/tmp"), Path::new("/dev/shm")];
    let parent = candidates.into_iter().find(|folder| keeps_user || is_public(&folder.join("folder")));
    let mode = if keeps_user { 0o700 } else { 0o755 };
    tempfile::Builder::new()
        .prefix("referee-bot-")
        .permissions(fs::Permissions::from_mode(mode))
        .tempdir_in(parent.unwrap_or(&usual))
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
