//! A fork server, as the referee sees it: one process, started once. Each launcher is a copy of it.
//!
//! A launcher that is started like any other program takes two milliseconds; a copy of a loaded one takes a
//! fraction of that. And the referee never copies its own memory, however large it is.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair, sockopt};
use wait_timeout::ChildExt;

use super::message;
use crate::launcher;

/// Time limit for the fork server to take a request, and to end. One that does not is killed: launchers that run do
/// not need it.
const PATIENCE: Duration = Duration::from_secs(5);

/// The source of launchers. Copies of it share one process, which is started when the first launcher is
/// needed. It ends with the last copy, when all launchers have ended.
#[derive(Clone, Debug)]
pub struct ForkServer {
    program: Arc<Path>,
    shared: Arc<Mutex<Shared>>,
}

/// What copies share.
#[derive(Debug, Default)]
struct Shared {
    running: Option<Running>,
    /// Number of processes that were started, of which the last one can run.
    started: u64,
    /// Number of those that were killed because they did not answer.
    unanswering: u64,
}

#[derive(Debug)]
struct Running {
    process: Child,
    socket: Option<OwnedFd>,
}

impl ForkServer {
    /// Makes launchers of this program: `referee` at any path, or another that calls [`launcher::launch`] as
    /// described on the crate's page.
    pub fn of(program: impl AsRef<Path>) -> ForkServer {
        ForkServer { program: program.as_ref().into(), shared: Arc::default() }
    }

    /// Returns the program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Returns how the server has ended, in words; `None` if it runs.
    pub fn end(&self) -> Option<String> {
        let ended = self.shared().running.as_mut()?.process.try_wait().ok()??;
        Some(format!("the process that starts bots has ended ({ended})"))
    }

    /// Returns the number of times that its process was killed because it did not answer. If the number has grown since
    /// a launcher was requested, that launcher can be gone, and it is worth requesting it again.
    pub fn unanswering(&self) -> u64 {
        self.shared().unanswering
    }

    /// Requests a launcher, and returns the socket to it, with the number of the process that was asked. Does not wait
    /// until the launcher runs.
    pub(super) fn launcher(&self) -> io::Result<(OwnedFd, u64)> {
        let (control, theirs) = socket_pair()?;
        let mut shared = self.shared();
        if let Some(server) = &shared.running {
            match server.ask_for_launcher(&theirs) {
                // The fork server was killed: start another one instead of starting no more bots.
                Err(Errno::PIPE | Errno::CONNRESET) => shared.running = None,
                Err(Errno::AGAIN) => shared.kill(),
                done => return done.map(|()| (control, shared.started)).map_err(io::Error::from),
            }
        }
        shared.started += 1;
        let server = shared.running.insert(Running::start(&self.program)?);
        server.ask_for_launcher(&theirs)?;
        Ok((control, shared.started))
    }

    /// Kills the process with this number, which does not answer. The next request starts another one. Launchers that
    /// run go on; those that it has not made yet are gone.
    pub(super) fn replace(&self, number: u64) {
        let mut shared = self.shared();
        if shared.started == number {
            shared.kill();
        }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    fn kill(&mut self) {
        if let Some(mut server) = self.running.take() {
            let _ = server.process.kill();
            self.unanswering += 1;
        }
    }
}

impl Running {
    fn start(program: &Path) -> io::Result<Running> {
        let (socket, theirs) = socket_pair()?;
        // A stopped fork server does not answer. Then no bot is started, and the referee does not wait for
        // ever.
        sockopt::set_socket_timeout(&socket, sockopt::Timeout::Send, Some(PATIENCE))?;
        let mut command = Command::new(program);
        command.arg(launcher::COMMAND).env_clear().current_dir("/");
        // With this variable, a search for the leftovers of a run can tell which run made them.
        if let Some(folder) = std::env::var_os("TMPDIR") {
            command.env("TMPDIR", folder);
        }
        let process = command.stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        Ok(Running { process, socket: Some(socket) })
    }

    fn ask_for_launcher(&self, control: &OwnedFd) -> Result<(), Errno> {
        let socket = self.socket.as_ref().ok_or(Errno::PIPE)?;
        message::send_with(socket.as_fd(), b"launcher", &[control.as_fd()])
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.socket = None;
        if !matches!(self.process.wait_timeout(PATIENCE), Ok(Some(_))) {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}

/// Makes two connected sockets that no other process inherits. If one did, the end of the other side would go
/// unnoticed.
fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}
