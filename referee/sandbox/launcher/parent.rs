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

/// The same once the referee is told to stop, and for processes that were killed because they did not end.
const BRIEF: Duration = Duration::from_secs(2);

/// How long a wait lasts before it looks whether the referee is told to stop.
const SLICE: Duration = Duration::from_millis(50);

/// Size of a bot's standard error that the system holds until the referee reads it, in bytes.
pub const ERRORS_PIPE: usize = 256 * 1024;

/// Who may open the pipes of a bot: all may open the bot's end of each, and nobody the other end.
const READ: Mode = Mode::from_raw_mode(0o444);
const WRITE: Mode = Mode::from_raw_mode(0o222);

/// The process that has made a sandbox and watches over the bot in it.
#[derive(Debug)]
pub struct Launcher {
    control: OwnedFd,
    /// Its number, once it has reported it.
    process: Option<Pid>,
    /// Kept until its last launcher is gone.
    server: ForkServer,
    /// The number of the server's process that was asked for it.
    served_by: u64,
}

/// A time limit that waits for several launchers have in common: 30 seconds from its beginning, and 2 seconds from the
/// first look at which the referee is told to stop.
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

    /// Returns what is left of it.
    fn left(&self) -> Duration {
        let now = self.clock.now() - Moment::default();
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) && !self.is_shortened.replace(true) {
            self.end.set(self.end.get().min(now + BRIEF));
        }
        self.end.get().saturating_sub(now)
    }
}

/// Our ends of a bot's standard streams: its input, output and errors. They never block.
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
        let [input, output, errors] = [(); 3].map(|()| pipe_with(PipeFlags::CLOEXEC));
        let ((stdin, ours_in), (ours_out, stdout), (ours_err, stderr)) = (input?, output?, errors?);
        // A bot that is the same user as the referee could open the other end of its own pipe below /proc/self/fd: read
        // what it wrote, or ask itself questions. A pipe belongs to its ends, so no other process needs these rights.
        for (pipe, mode) in [(&stdin, READ), (&stdout, WRITE), (&stderr, WRITE)] {
            rustix::fs::fchmod(pipe, mode)
                .map_err(|error| context("protect a pipe (fchmod)")(error.into()))?;
        }
        // So that a bot that reports at length seldom waits for the referee. If the system refuses, the size
        // stays as it was.
        let _ = rustix::pipe::fcntl_setpipe_size(&stderr, ERRORS_PIPE);
        let (control, served_by) = server.launcher()?;
        let launcher = Launcher { control, process: None, server: server.clone(), served_by };
        let streams = [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()];
        let descriptors = Descriptors { streams, program, interpreter };
        match message::send_specification(launcher.control.as_fd(), specification, descriptors) {
            // There is no launcher. The reason is read by the code that waits for its start.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            done => done?,
        }
        let ours = [ours_in, ours_out, ours_err];
        ours.iter().try_for_each(|pipe| rustix::io::ioctl_fionbio(pipe, true))?;
        Ok((launcher, ours))
    }

    /// Waits for its first message: that the bot runs, or why not. If none comes in time, the fork server is replaced:
    /// one that does not answer starts no more bots.
    pub fn wait_for_start(&mut self, patience: &Patience<'_>) -> Reply {
        wait_until(&self.control, PollFlags::IN, patience);
        let said = self.hear(RecvFlags::DONTWAIT);
        if said == Reply::Nothing {
            self.server.replace(self.served_by);
        }
        if let Reply::This(LauncherReport::Started { launcher, .. }) = said {
            self.process = Pid::from_raw(launcher);
        }
        said
    }

    /// Returns its number, once it has reported that the bot runs.
    pub fn process(&self) -> Option<Pid> {
        self.process
    }

    /// Returns its next message, without taking it.
    pub fn says(&self) -> Reply {
        self.hear(RecvFlags::DONTWAIT | RecvFlags::PEEK)
    }

    fn hear(&self, flags: RecvFlags) -> Reply {
        let receive = || message::receive_report(self.control.as_fd(), flags);
        let mut message = receive();
        if message.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::ConnectionReset) {
            // It has not read its request. Its earlier messages are still there.
            message = receive();
        }
        match message {
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
        // No message is needed any more. Once the launcher is gone, the other end of its socket is closed.
        let is_gone = |patience: &Patience<'_>| wait_until(&self.control, PollFlags::empty(), patience);
        if is_gone(patience) {
            return;
        }
        match self.process {
            Some(process) => drop(kill_process(process, Signal::KILL)),
            None => self.server.replace(self.served_by),
        }
        is_gone(&Patience::limited_to(BRIEF));
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
        let left = patience.left();
        match poll(&mut [PollFd::new(file, event)], Some(&timespec(left.min(SLICE)))) {
            Err(Errno::INTR) => {}
            Ok(0) if !left.is_zero() => {}
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
        let mut launcher = Launcher { control, process: None, server: ForkServer::of(""), served_by: 0 };
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
