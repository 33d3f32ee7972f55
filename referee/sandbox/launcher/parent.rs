//! A launcher, as the referee sees it: how it is started, heard and dismissed.

use std::cell::Cell;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::Mode;
use rustix::io::Errno;
use rustix::net::{RecvFlags, Shutdown};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, kill_process};

use crate::clock::{Clock, Moment};
use crate::fork_server::ForkServer;
use crate::message::{self, Descriptors, LauncherReport, Specification};
use crate::system::{context, timespec};

/// Time limit for the system to start some bots, or to remove killed processes.
const PATIENCE: Duration = Duration::from_secs(30);

/// The same time limit once the referee is told to stop, and for processes that were killed because they did not end.
const SHORT_PATIENCE: Duration = Duration::from_secs(2);

/// Time between two looks of a wait whether the referee is told to stop.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// Size of a bot's standard error that the system holds until the referee reads it, in bytes.
pub const ERRORS_PIPE: usize = 256 * 1024;

/// Rights to open a pipe of a bot: all may open the bot's end of it, and nobody the other end.
const READ: Mode = Mode::from_raw_mode(0o444);
const WRITE: Mode = Mode::from_raw_mode(0o222);

/// The process that has made a sandbox and watches over the bot in it.
#[derive(Debug)]
pub struct Launcher {
    control: OwnedFd,
    /// Its number, once it has reported it.
    process: Option<Pid>,
    /// The server that has made it, which lives until its last launcher is gone.
    server: ForkServer,
    /// The number of the server's process that was asked for it.
    server_number: u64,
}

/// A time limit that waits for several launchers have in common: 30 seconds after its start, but at most 2 seconds
/// after the first look at which the referee is told to stop.
#[derive(Debug)]
pub struct Patience<'a> {
    clock: Clock,
    /// When it ends, on its own clock.
    end: Cell<Duration>,
    stop: Option<&'a AtomicBool>,
    is_shortened: Cell<bool>,
}

impl<'a> Patience<'a> {
    /// Begins a time limit that a stop does not shorten.
    pub fn begin() -> Patience<'static> {
        Patience {
            clock: Clock::start(),
            end: Cell::new(PATIENCE),
            stop: None,
            is_shortened: Cell::new(false),
        }
    }

    /// Begins a time limit that is shortened once this flag is set.
    pub fn until(stop: &'a AtomicBool) -> Patience<'a> {
        Patience { stop: Some(stop), ..Patience::begin() }
    }

    fn limited_to(limit: Duration) -> Patience<'static> {
        Patience { end: Cell::new(limit), ..Patience::begin() }
    }

    /// Returns the time that is left. Shortens it if the referee is told to stop.
    fn time_left(&self) -> Duration {
        let now = self.clock.now() - Moment::default();
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) && !self.is_shortened.replace(true) {
            self.end.set(self.end.get().min(now + SHORT_PATIENCE));
        }
        self.end.get().saturating_sub(now)
    }
}

/// The referee's ends of a bot's standard streams: its input, output and errors. They never block.
pub type Streams = [OwnedFd; 3];

/// The last message of a launcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Nothing new.
    Nothing,
    /// This message.
    This(LauncherReport),
    /// The launcher is gone, though it was not dismissed.
    Gone,
}

impl Launcher {
    /// Starts a launcher, and has it start a bot. Does not wait.
    pub fn start(
        server: &ForkServer,
        specification: &Specification,
        [program, interpreter]: [Option<BorrowedFd<'_>>; 2],
    ) -> io::Result<(Launcher, Streams)> {
        let (stdin, our_stdin) = pipe_with(PipeFlags::CLOEXEC)?;
        let (our_stdout, stdout) = pipe_with(PipeFlags::CLOEXEC)?;
        let (our_stderr, stderr) = pipe_with(PipeFlags::CLOEXEC)?;
        // A bot that is the same user as the referee could open the other end of its own pipe below /proc/self/fd: read
        // what it wrote, or ask itself questions. A pipe belongs to its ends, so no other process needs these rights.
        for (pipe, mode) in [(&stdin, READ), (&stdout, WRITE), (&stderr, WRITE)] {
            rustix::fs::fchmod(pipe, mode)
                .map_err(|error| context("protect a pipe (fchmod)")(error.into()))?;
        }
        // A bot that writes many errors then seldom waits for the referee. If the system refuses, the size stays as it
        // was.
        let _ = rustix::pipe::fcntl_setpipe_size(&stderr, ERRORS_PIPE);
        let (control, server_number) = server.launcher()?;
        let launcher = Launcher { control, process: None, server: server.clone(), server_number };
        let streams = [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()];
        let descriptors = Descriptors { streams, program, interpreter };
        match message::send_specification(launcher.control.as_fd(), specification, descriptors) {
            // There is no launcher. The caller reads the reason when it waits for the first report.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            sent => sent?,
        }
        let our_ends = [our_stdin, our_stdout, our_stderr];
        for pipe in &our_ends {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok((launcher, our_ends))
    }

    /// Waits for its first report, that the bot runs, or why not; after that, for its next one. If none comes in time,
    /// the fork server is replaced: one that does not answer starts no more bots.
    pub fn wait_for_start(&mut self, patience: &Patience<'_>) -> Reply {
        wait_until(&self.control, PollFlags::IN, patience);
        let reply = self.receive(RecvFlags::DONTWAIT);
        if reply == Reply::Nothing {
            self.server.replace(self.server_number);
        }
        if let Reply::This(LauncherReport::Started { launcher, .. }) = reply {
            self.process = Pid::from_raw(launcher);
        }
        reply
    }

    /// Returns its number, once it has reported that the bot runs.
    pub fn process(&self) -> Option<Pid> {
        self.process
    }

    /// Returns its next report, which stays the next one. Does not wait.
    pub fn says(&self) -> Reply {
        self.receive(RecvFlags::DONTWAIT | RecvFlags::PEEK)
    }

    fn receive(&self, flags: RecvFlags) -> Reply {
        let receive_once = || message::receive_report(self.control.as_fd(), flags);
        let mut received = receive_once();
        if received.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::ConnectionReset) {
            // The launcher has ended without reading its request. Reports that it sent before are still there.
            received = receive_once();
        }
        match received {
            Ok(Some(report)) => Reply::This(report),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Reply::Nothing,
            Ok(None) | Err(_) => Reply::Gone,
        }
    }

    /// Returns a descriptor that becomes readable when the bot or the launcher has ended.
    pub fn ended(&self) -> BorrowedFd<'_> {
        self.control.as_fd()
    }

    /// Has it kill all remaining processes. Does not wait.
    pub fn dismiss(&self) {
        let _ = rustix::net::shutdown(&self.control, Shutdown::Write);
    }

    /// Waits until no process is left. If that takes too long, kills the launcher, or the fork server if it has not
    /// made the launcher.
    pub fn remove(self, patience: &Patience<'_>) {
        self.dismiss();
        // The event is the end of the socket, whose other end is closed once the launcher is gone.
        let is_gone = |patience: &Patience<'_>| wait_until(&self.control, PollFlags::empty(), patience);
        if is_gone(patience) {
            return;
        }
        match self.process {
            Some(process) => drop(kill_process(process, Signal::KILL)),
            None => self.server.replace(self.server_number),
        }
        is_gone(&Patience::limited_to(SHORT_PATIENCE));
    }
}

/// Waits for data, or the end of the file, but no longer than `patience`.
pub(crate) fn wait_until_readable(file: &OwnedFd, patience: Duration) {
    wait_until(file, PollFlags::IN, &Patience::limited_to(patience));
}

/// Waits for an event, or the end of the file, but no longer than `patience`. Tells whether it came. A signal
/// does not end the wait: each child that ends sends one, and a process that waits for children gets many.
fn wait_until(file: &OwnedFd, event: PollFlags, patience: &Patience<'_>) -> bool {
    loop {
        let time_left = patience.time_left();
        match poll(&mut [PollFd::new(file, event)], Some(&timespec(time_left.min(LOOK_INTERVAL)))) {
            Err(Errno::INTR) => {}
            Ok(0) if !time_left.is_zero() => {}
            count => return count == Ok(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::thread::JoinHandleExt;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::thread;

    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    use super::*;

    #[test]
    fn however_many_signals_come_meanwhile_a_start_is_waited_for() {
        // Like a program that waits for children with a time limit: a signal interrupts waits after this.
        signal_hook::flag::register(libc::SIGURG, Arc::new(AtomicBool::new(false))).unwrap();
        let (control, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
        let mut launcher = Launcher { control, process: None, server: ForkServer::of(""), server_number: 0 };
        let waiting = thread::spawn(move || launcher.wait_for_start(&Patience::begin()));
        for _ in 0..20 {
            // SAFETY: the thread is joined below, so its handle is valid.
            let sent = unsafe { libc::pthread_kill(waiting.as_pthread_t(), libc::SIGURG) };
            assert_eq!(sent, 0);
            thread::sleep(Duration::from_millis(5));
        }
        let started = LauncherReport::Started { bot: 7, launcher: 6 };
        message::send_report(theirs.as_fd(), &started);
        assert_eq!(waiting.join().unwrap(), Reply::This(started));
    }
}
