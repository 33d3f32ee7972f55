//! Messages between the referee and a launcher over the control socket, and the request to the fork server that carries
//! that socket. One message is one packet.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags,
};
use serde::{Deserialize, Serialize};

use super::{Limits, Tier};

/// A request to a launcher to start a bot. The bot's three standard streams, and the open files of the
/// program and its interpreter, are sent with it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Specification {
    /// How strictly the program is confined.
    pub tier: Tier,
    /// The absolute path of the program.
    #[serde(with = "path")]
    pub program: PathBuf,
    /// If the program is a script, its interpreter and the arguments before the script.
    pub interpreter: Option<(OsString, Vec<OsString>)>,
    /// The files and folders that it sees in addition to the system's.
    #[serde(with = "path::list")]
    pub shown: Vec<PathBuf>,
    /// Why the program is not started at all. If set, nothing else counts.
    pub refused: Option<String>,
    /// The program's arguments.
    pub arguments: Vec<OsString>,
    /// All environment variables except those that name the bot's folder.
    pub variables: Vec<(OsString, OsString)>,
    /// The bot's folder, except in the strict tier, where it has one in the sandbox. The launcher removes it
    /// in the end.
    #[serde(with = "path::option")]
    pub folder: Option<PathBuf>,
    /// How much of the machine it may use.
    pub limits: Limits,
    /// What it is started for.
    pub purpose: Purpose,
    /// Whether the folder of the program is shown with it, whole and read-only.
    pub with_folder: bool,
    /// Whether it may start processes.
    pub may_fork: bool,
    /// Whether its interpreter reserves far more address space than it uses.
    pub reserves: bool,
    /// Maximum version of Landlock that is used.
    pub landlock_version_max: i32,
    /// Number of processes that are started, and end, before the program: it changes the program's number.
    pub processes_before: u32,
    /// How its clocks are moved. Only a sandbox does so.
    pub clock: Option<ClockShift>,
}

/// How a program's clocks differ from the host's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockShift {
    /// How far they are ahead.
    pub ahead: Duration,
    /// How far they go on with each reading, besides, up to a number of readings.
    pub each_reading: Duration,
}

/// What a program is started for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// To play: it shares the machine with rivals.
    #[default]
    Play,
    /// To build programs. Locks on files seem to succeed and do nothing: no other program works in its folder. It may
    /// set modes and times of its own files, have many of them, and in the strict tier execute those in its folder.
    Build,
}

/// Paths in a message: any bytes that name a file. Serde's own form of a path is text.
mod path {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        path.as_os_str().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        OsString::deserialize(from).map(PathBuf::from)
    }

    pub(super) mod list {
        use super::*;

        pub(in super::super) fn serialize<S: Serializer>(
            paths: &[PathBuf],
            to: S,
        ) -> Result<S::Ok, S::Error> {
            to.collect_seq(paths.iter().map(|path| path.as_os_str()))
        }

        pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
            from: D,
        ) -> Result<Vec<PathBuf>, D::Error> {
            Vec::<OsString>::deserialize(from).map(|paths| paths.into_iter().map(PathBuf::from).collect())
        }
    }

    pub(super) mod option {
        use super::*;

        pub(in super::super) fn serialize<S: Serializer>(
            path: &Option<PathBuf>,
            to: S,
        ) -> Result<S::Ok, S::Error> {
            path.as_ref().map(|path| path.as_os_str()).serialize(to)
        }

        pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
            from: D,
        ) -> Result<Option<PathBuf>, D::Error> {
            Option::<OsString>::deserialize(from).map(|path| path.map(PathBuf::from))
        }
    }
}

/// A launcher's report to the referee.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LauncherReport {
    /// The bot runs, under these process numbers.
    Started {
        /// The bot's process.
        bot: i32,
        /// The launcher's process.
        launcher: i32,
    },
    /// The bot never ran, and that is the bot's fault.
    NotStarted(String),
    /// The bot never ran, and that is not its fault.
    NoSandbox(String),
    /// The launcher never ran: the system refused another process, with this error number.
    NoProcess(i32),
    /// The bot has ended.
    Ended(Ended),
}

/// How a bot has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// By itself, with a status.
    Exited(i32),
    /// By a signal, with its number.
    Signal(i32),
    /// By a limit.
    Limit(Exceeded),
}

/// A limit of the kernel that ended a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exceeded {
    /// Processor time.
    Cpu,
    /// The length of a file.
    File,
    /// Memory.
    Memory,
}

/// Maximum length of a message, in bytes. Such a buffer costs no more memory than is written to it.
const LENGTH_MAX: usize = 256 * 1024;

/// The descriptors that are sent with a specification.
#[derive(Debug)]
pub(crate) struct Descriptors<Fd> {
    /// Standard input, output and errors.
    pub(crate) streams: [Fd; 3],
    /// The program that was checked.
    pub(crate) program: Option<Fd>,
    /// Its interpreter that was checked.
    pub(crate) interpreter: Option<Fd>,
}

/// Sends a specification and its descriptors.
pub(crate) fn send_specification(
    socket: BorrowedFd<'_>,
    specification: &Specification,
    descriptors: Descriptors<BorrowedFd<'_>>,
) -> io::Result<()> {
    let text = serde_json::to_vec(specification).map_err(io::Error::other)?;
    let Descriptors { streams, program, interpreter } = descriptors;
    let all: Vec<BorrowedFd<'_>> = streams.into_iter().chain(program).chain(interpreter).collect();
    Ok(send_with(socket, &text, &all)?)
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

/// Waits for bytes, and returns their number and the descriptors that came with them; `None` at the end of the socket.
fn receive_with(
    socket: BorrowedFd<'_>,
    buffer: &mut [u8],
) -> io::Result<Option<(usize, std::vec::IntoIter<OwnedFd>)>> {
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
    Ok(Some((received.bytes, descriptors.into_iter())))
}

fn missing() -> io::Error {
    io::Error::other("a descriptor is missing")
}

/// Space for the maximum number of descriptors of a message.
const SPACE: usize = rustix::cmsg_space!(ScmRights(5));

/// Waits until a launcher is requested from the fork server, and returns the launcher's socket; `None` if no
/// process can request one any more.
pub(crate) fn receive_launcher(socket: BorrowedFd<'_>) -> io::Result<Option<OwnedFd>> {
    receive_descriptor(socket)
}

/// Waits for a descriptor; `None` if there will be none.
pub(super) fn receive_descriptor(socket: BorrowedFd<'_>) -> io::Result<Option<OwnedFd>> {
    let Some((_, mut descriptors)) = receive_with(socket, &mut [0; 16])? else { return Ok(None) };
    descriptors.next().map(Some).ok_or_else(missing)
}

/// Waits for a specification; `None` if there will be none.
pub(crate) fn receive_specification(
    socket: BorrowedFd<'_>,
) -> io::Result<Option<(Specification, Descriptors<OwnedFd>)>> {
    let mut buffer = vec![0; LENGTH_MAX];
    let Some((length, mut all)) = receive_with(socket, &mut buffer)? else { return Ok(None) };
    let specification: Specification = serde_json::from_slice(&buffer[..length]).map_err(io::Error::other)?;
    let mut next = || all.next().ok_or_else(missing);
    let streams = [next()?, next()?, next()?];
    let has_program = specification.refused.is_none();
    let program = has_program.then(&mut next).transpose()?;
    let interpreter = (has_program && specification.interpreter.is_some()).then(next).transpose()?;
    Ok(Some((specification, Descriptors { streams, program, interpreter })))
}

/// Sends a report. If that fails, the referee is gone, and nobody needs the report.
pub(crate) fn send_report(socket: BorrowedFd<'_>, report: &LauncherReport) {
    if let Ok(text) = serde_json::to_vec(report) {
        let _ = rustix::net::send(socket, &text, SendFlags::NOSIGNAL);
    }
}

/// Takes the next report, or, with [`RecvFlags::PEEK`], looks at it. `None` if the launcher is gone.
///
/// # Errors
///
/// Among others, if there is none yet and the flags say not to wait.
pub(crate) fn receive_report(socket: BorrowedFd<'_>, flags: RecvFlags) -> io::Result<Option<LauncherReport>> {
    let mut buffer = [0; 4096];
    let (count, _) = rustix::net::recv(socket, &mut buffer[..], flags)?;
    if count == 0 {
        return Ok(None);
    }
    serde_json::from_slice(&buffer[..count]).map(Some).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use proptest::prelude::*;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    use super::*;

    const REPORTS: [&str; 5] = [
        r#"{"Started":{"bot":17,"launcher":16}}"#,
        r#"{"NotStarted":"no such file"}"#,
        r#"{"NoProcess":11}"#,
        r#"{"Ended":{"Exited":3}}"#,
        r#"{"Ended":{"Limit":"cpu_seconds"}}"#,
    ];

    /// Both ends of a control socket.
    fn sockets() -> (OwnedFd, OwnedFd) {
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).expect("sockets")
    }

    /// A message with some of its bytes changed, cut off, or longer than a message can be.
    fn tampered() -> impl Strategy<Value = Vec<u8>> {
        let changed = (prop::sample::select(&REPORTS), any::<(usize, u8)>(), 0..60usize, 0..6000usize);
        changed.prop_map(|(text, (at, byte), end, more)| {
            let mut bytes = text.as_bytes().to_vec();
            let at = at % bytes.len();
            bytes[at] = byte;
            bytes.truncate(end.max(1));
            bytes.resize(bytes.len() + more / 6 * (more % 2), byte);
            bytes
        })
    }

    proptest! {
        #[test]
        fn any_bytes_of_a_launcher_are_a_report_or_an_error(
            bytes in prop_oneof![tampered(), prop::collection::vec(any::<u8>(), 1..5000)],
        ) {
            let (here, there) = sockets();
            rustix::net::send(&there, &bytes, SendFlags::NOSIGNAL).expect("sent");
            if let Ok(Some(report)) = receive_report(here.as_fd(), RecvFlags::empty()) {
                let text = serde_json::to_vec(&report).expect("plain values");
                prop_assert_eq!(serde_json::from_slice::<LauncherReport>(&text).ok(), Some(report));
            }
            drop(there);
            prop_assert!(matches!(receive_report(here.as_fd(), RecvFlags::empty()), Ok(None)), "and then the end");
        }

        #[test]
        fn any_bytes_for_a_launcher_are_a_specification_or_an_error(
            bytes in prop::collection::vec(any::<u8>(), 1..5000),
            count in 0..4usize,
        ) {
            let (here, there) = sockets();
            let descriptors = vec![there.as_fd(); count];
            if count == 0 {
                rustix::net::send(&there, &bytes, SendFlags::NOSIGNAL).expect("sent");
            } else {
                send_with(there.as_fd(), &bytes, &descriptors).expect("sent");
            }
            prop_assert!(receive_specification(here.as_fd()).is_err(), "random bytes say nothing");
        }
    }
}
