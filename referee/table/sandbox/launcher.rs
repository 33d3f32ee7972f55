//! A launcher, seen from the referee: how it is started, listened to, and seen off.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, Shutdown, SocketFlags, SocketType, socketpair};
use rustix::pipe::{PipeFlags, pipe_with};
use wait_timeout::ChildExt;

use super::message::{self, Report, Specification};
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
        let time = Timespec { tv_sec: PATIENCE.as_secs() as i64, tv_nsec: 0 };
        let mut control = [PollFd::new(&self.control, PollFlags::IN)];
        // Interrupted, it waits once more, for as long: that does not happen again and again.
        if poll(&mut control, Some(&time)) == Err(Errno::INTR) {
            let _ = poll(&mut control, Some(&time));
        }
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
