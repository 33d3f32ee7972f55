//! What the referee and a launcher tell each other over the control socket, and how the fork server is handed that socket: one
//! message is one packet.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags,
};
use serde::{Deserialize, Serialize};

use super::{Limits, Tier};

/// What a launcher is to do. With it come the bot's three standard streams.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Specification {
    pub(crate) tier: Tier,
    /// The program, from the root.
    pub(crate) program: PathBuf,
    /// What runs it and its arguments in front, if it is a script.
    pub(crate) interpreter: Option<(PathBuf, Vec<OsString>)>,
    /// What besides the system itself the program or its interpreter needs to read.
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) arguments: Vec<OsString>,
    /// All variables but those that name the bot's folder.
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// The bot's folder, except in the strict tier, which has one of its own. The launcher removes it in the end.
    pub(crate) folder: Option<PathBuf>,
    pub(crate) limits: Limits,
    /// It may start processes.
    pub(crate) may_fork: bool,
    /// It runs in something that reserves far more memory than it uses.
    pub(crate) reserves: bool,
    /// No newer version of Landlock is used than this one.
    pub(crate) landlock_version_max: i32,
}

/// What a launcher has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The bot runs, under this number, and the launcher under that.
    Started { bot: i32, launcher: i32 },
    /// There never was a bot, and that is the bot's fault.
    NotStarted(String),
    /// There never was a bot, and that is not its fault.
    NoSandbox(String),
    /// There never was a launcher, since the system has this against another process.
    NoProcess(i32),
    /// The bot has ended.
    Ended(Ended),
}

/// How a bot has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Ended {
    Exited(i32),
    Signal(i32),
    /// By a limit, with its name.
    Limit(String),
}

/// No message is longer. From this size on, memory that nothing is written to costs nothing.
const LENGTH_MAX: usize = 256 * 1024;

/// Sends a specification and the descriptors that go with it.
pub(crate) fn send_specification(
    socket: BorrowedFd<'_>,
    specification: &Specification,
    streams: &[OwnedFd; 3],
) -> io::Result<()> {
    let text = serde_json::to_vec(specification).map_err(io::Error::other)?;
    Ok(send_with(socket, &text, &streams.each_ref().map(AsFd::as_fd))?)
}

/// Sends some bytes, and descriptors with them.
pub(super) fn send_with(
    socket: BorrowedFd<'_>,
    bytes: &[u8],
    descriptors: &[BorrowedFd<'_>],
) -> Result<(), Errno> {
    let mut space = [MaybeUninit::uninit(); SPACE];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(descriptors));
    rustix::net::sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Waits for bytes, and returns how many have come and the descriptors that came with them; `None` if nothing more will come.
fn receive_with<const COUNT: usize>(
    socket: BorrowedFd<'_>,
    buffer: &mut [u8],
) -> io::Result<Option<(usize, [OwnedFd; COUNT])>> {
    let mut space = [MaybeUninit::uninit(); SPACE];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received =
        rustix::net::recvmsg(socket, &mut [IoSliceMut::new(buffer)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    if received.bytes == 0 {
        return Ok(None);
    }
    let descriptors: Vec<OwnedFd> = control
        .drain()
        .filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
            _ => None,
        })
        .flatten()
        .collect();
    let descriptors = descriptors.try_into();
    descriptors
        .map(|descriptors| Some((received.bytes, descriptors)))
        .map_err(|_| io::Error::other(format!("not {COUNT} descriptors")))
}

/// Room for as many descriptors as any message has.
const SPACE: usize = rustix::cmsg_space!(ScmRights(3));

/// Waits until the fork server is asked for a launcher, and returns the launcher's socket; `None` if none will be asked for.
pub(crate) fn receive_launcher(socket: BorrowedFd<'_>) -> io::Result<Option<OwnedFd>> {
    Ok(receive_with(socket, &mut [0; 16])?.map(|(_, [control])| control))
}

/// Waits for a specification; `None` if there will be none.
pub(crate) fn receive_specification(
    socket: BorrowedFd<'_>,
) -> io::Result<Option<(Specification, [OwnedFd; 3])>> {
    let mut buffer = vec![0; LENGTH_MAX];
    let Some((length, streams)) = receive_with(socket, &mut buffer)? else { return Ok(None) };
    let specification = serde_json::from_slice(&buffer[..length]).map_err(io::Error::other)?;
    Ok(Some((specification, streams)))
}

/// Sends a report. If nobody listens any more, nobody needs it.
pub(crate) fn send_report(socket: BorrowedFd<'_>, report: &Report) {
    if let Ok(text) = serde_json::to_vec(report) {
        let _ = rustix::net::send(socket, &text, SendFlags::NOSIGNAL);
    }
}

/// Takes the next report, or, with [`RecvFlags::PEEK`], looks at it. `None`: the launcher is gone.
///
/// # Errors
///
/// Among others, if there is none yet and the flags say not to wait.
pub(crate) fn receive_report(socket: BorrowedFd<'_>, flags: RecvFlags) -> io::Result<Option<Report>> {
    let mut buffer = [0; 4096];
    let (count, _) = rustix::net::recv(socket, &mut buffer[..], flags)?;
    if count == 0 {
        return Ok(None);
    }
    serde_json::from_slice(&buffer[..count]).map(Some).map_err(io::Error::other)
}
