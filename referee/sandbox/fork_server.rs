//! A fork server, as the referee sees it: one process, started once. Each launcher is a copy of it.
//!
//! A launcher that is started like any other program takes two milliseconds; a copy of a loaded one takes a
//! fraction of that. And the referee never copies its own memory, however large it is.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair, sockopt};
use wait_timeout::ChildExt;

use super::message;
use crate::launcher;

/// Time limit for the fork server to take a request, and to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// The source of launchers. Copies of it share one process, which is started when the first launcher is
/// needed. It ends with the last copy, when all launchers have ended.
#[derive(Clone, Debug)]
pub struct ForkServer {
    program: Arc<Path>,
    running: Arc<Mutex<Option<Running>>>,
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
        ForkServer { program: program.as_ref().into(), running: Arc::default() }
    }

    /// Returns the program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Returns how the server has ended, in words; `None` if it runs.
    pub fn end(&self) -> Option<String> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = running.as_mut()?.process.try_wait().ok()??;
        Some(format!("the process that starts bots has ended ({ended})"))
    }

    /// Requests a launcher, and returns the socket to it. Does not wait until the launcher runs.
    pub(super) fn launcher(&self) -> io::Result<OwnedFd> {
        let (control, theirs) = socket_pair()?;
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = &*running {
            match server.ask_for_launcher(&theirs) {
                // The fork server was killed: start another one instead of starting no more bots.
                Err(Errno::PIPE | Errno::CONNRESET) => *running = None,
                done => return done.map(|()| control).map_err(io::Error::from),
            }
        }
        let server = running.insert(Running::start(&self.program)?);
        server.ask_for_launcher(&theirs)?;
        Ok(control)
    }
}

impl Running {
    fn start(program: &Path) -> io::Result<Running> {
        let (socket, theirs) = socket_pair()?;
        // A stopped fork server does not answer. Then no bot is started, and the referee does not wait for
        // ever.
        sockopt::set_socket_timeout(&socket, sockopt::Timeout::Send, Some(PATIENCE))?;
        let mut command = Command::new(program);
        // The folder for temporary files, so that a search for the leftovers of a run can tell which run made
        // them.
        let kept = ["TMPDIR"].into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        command.arg(launcher::COMMAND).env_clear().envs(kept).current_dir("/");
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
