//! A launcher, seen from the referee: how it is started, listened to, and seen off.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, Shutdown, SocketFlags, SocketType, socketpair};
use rustix::pipe::{PipeFlags, pipe_with};
use wait_timeout::ChildExt;

use super::message::{self, Report, Specification};
use super::system::timespec;
use crate::clock::{Clock, Moment};
use crate::table::launch;

/// How long the system may take to start a bot, or to remove what was killed.
const PATIENCE: Duration = Duration::from_secs(30);

/// How much of a bot's standard error the system holds until the referee reads it.
pub(crate) const ERRORS_PIPE: usize = 256 * 1024;

/// The process that has made a sandbox and watches over the bot in it.
#[derive(Debug)]
pub(crate) struct Launcher {
    process: Child,
    control: OwnedFd,
}

/// Our ends of a bot's standard streams: its input, output and errors. They never block.
pub(crate) type Streams = [OwnedFd; 3];

/// What a launcher has said last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Nothing,
    This(Report),
    /// It is gone, which nobody has asked of it.
    Gone,
}

impl Launcher {
    /// Starts one, and has it start a bot. Does not wait.
    pub(crate) fn start(program: &Path, specification: &Specification) -> io::Result<(Launcher, Streams)> {
        // Whoever else is started at this moment inherits none of them: then their end would not be seen.
        let flags = SocketFlags::CLOEXEC;
        let (control, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
        let [input, output, errors] = [(); 3].map(|()| pipe_with(PipeFlags::CLOEXEC));
        let ((stdin, ours_in), (ours_out, stdout), (ours_err, stderr)) = (input?, output?, errors?);
        // So that a bot which reports at length seldom waits for the referee; where the system refuses, it is as it was.
        let _ = rustix::pipe::fcntl_setpipe_size(&stderr, ERRORS_PIPE);
        let mut command = Command::new(program);
        // The folder for temporary files, so that whoever looks for what a run has left can tell whose it is.
        let kept = ["TMPDIR"].into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        command.arg(launch::COMMAND).env_clear().envs(kept).current_dir("/");
        let process = command.stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        drop(command); // and with it the launcher's end of the socket
        let launcher = Launcher { process, control };
        message::send_specification(launcher.control.as_fd(), specification, &[stdin, stdout, stderr])?;
        let ours = [ours_in, ours_out, ours_err];
        ours.iter().try_for_each(|pipe| rustix::io::ioctl_fionbio(pipe, true))?;
        Ok((launcher, ours))
    }

    /// Waits for the first thing that it has to say: that the bot runs, or why not.
    pub(crate) fn wait_for_start(&self) -> Said {
        wait_until_readable(&self.control, PATIENCE);
        self.hear(RecvFlags::DONTWAIT)
    }

    /// Returns what it says, and leaves it there.
    pub(crate) fn says(&self) -> Said {
        self.hear(RecvFlags::DONTWAIT | RecvFlags::PEEK)
    }

    fn hear(&self, flags: RecvFlags) -> Said {
        match message::receive_report(self.control.as_fd(), flags) {
            Ok(Some(report)) => Said::This(report),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Said::Nothing,
            Ok(None) | Err(_) => Said::Gone,
        }
    }

    /// Returns what is readable once the bot has ended, or the launcher.
    pub(crate) fn ended(&self) -> BorrowedFd<'_> {
        self.control.as_fd()
    }

    /// Has it kill whoever is left. Does not wait.
    pub(crate) fn dismiss(&self) {
        let _ = rustix::net::shutdown(&self.control, Shutdown::Write);
    }

    /// Waits until nobody is left.
    pub(crate) fn remove(mut self) {
        self.dismiss();
        if !matches!(self.process.wait_timeout(PATIENCE), Ok(Some(_))) {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}

/// Waits until there is something to read, or the end; at most so long. A signal does not end it: each launcher that ends
/// sends one, and whoever plays many games at a time is sent many while one bot starts.
pub(super) fn wait_until_readable(file: &OwnedFd, patience: Duration) {
    let clock = Clock::start();
    loop {
        let left = patience.saturating_sub(clock.now() - Moment::default());
        if poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&timespec(left))) != Err(Errno::INTR) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::thread::JoinHandleExt;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::thread;

    use super::*;

    #[test]
    fn however_many_signals_come_meanwhile_a_start_is_waited_for() {
        // As whoever waits for children with a time limit does: from then on a signal interrupts what waits.
        signal_hook::flag::register(libc::SIGURG, Arc::new(AtomicBool::new(false))).unwrap();
        let (control, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
        let launcher = Launcher { process: Command::new("true").spawn().unwrap(), control };
        let waiting = thread::spawn(move || {
            let said = launcher.wait_for_start();
            launcher.remove();
            said
        });
        for _ in 0..20 {
            #[expect(unsafe_code, reason = "no library here signals a thread")]
            // SAFETY: the thread is joined below, so its handle is valid.
            let sent = unsafe { libc::pthread_kill(waiting.as_pthread_t(), libc::SIGURG) };
            assert_eq!(sent, 0);
            thread::sleep(Duration::from_millis(5));
        }
        message::send_report(theirs.as_fd(), &Report::Started(7));
        assert_eq!(waiting.join().unwrap(), Said::This(Report::Started(7)));
    }
}
