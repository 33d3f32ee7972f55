//! The range of the attacks: a folder with canaries in it, listeners, and traces from one game to the next.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::net::{TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use tempfile::TempDir;

use super::corpus::Attack;

/// A folder that every user may enter, so that only a sandbox protects its content.
#[derive(Debug)]
pub(super) struct Range {
    folder: TempDir,
    /// The word in every secret, and in the arguments of every process of this range.
    pub(super) token: String,
    tcp: TcpListener,
    udp: UdpSocket,
    by_path: UnixListener,
    by_name: UnixListener,
    /// The same for datagrams.
    by_pair: UnixDatagram,
    /// Both ends of a terminal: the side of the keyboard, and its path.
    terminal: Option<(OwnedFd, PathBuf)>,
}

/// The variable of the host's environment that has the token.
pub const SECRET: &str = "A_SECRET_OF_THE_HOST";

/// Programs that are not attacks, but sit at the same tables.
pub(super) const EXTRAS: [&str; 2] = ["victim", "slow"];

impl Range {
    /// Places canaries for each attack, and gives it a copy of the program that it may damage.
    pub(super) fn new(program: &Path, attacks: &[Attack]) -> Range {
        let folder = tempfile::Builder::new().prefix("referee-range-").tempdir().expect("a folder");
        let name = folder.path().file_name().expect("a name").to_string_lossy().into_owned();
        let token = std::env::var(SECRET).unwrap_or_else(|_| format!("token-of-{name}"));
        let path = |name: &str| folder.path().join(name);
        open_to_all(folder.path(), 0o755);
        for name in ["canary", "bots", "tmp", "games", "games/logs", "played"] {
            fs::create_dir(path(name)).expect("a folder");
            open_to_all(&path(name), 0o777);
        }
        write(&path("games/results.csv"), &token, 0o666);
        write(&path("games/logs/football.csv"), &token, 0o666);
        for attack in attacks {
            lay_canary(&path("canary").join(&attack.name), &token);
        }
        for name in attacks.iter().map(|attack| &*attack.name).chain(EXTRAS) {
            let own = path("bots").join(name);
            fs::create_dir(&own).expect("a folder");
            open_to_all(&own, 0o777);
            fs::copy(program, own.join("attack")).expect("a copy of the program");
            open_to_all(&own.join("attack"), 0o777);
        }
        let by_path = UnixListener::bind(path("socket")).expect("a socket");
        open_to_all(&path("socket"), 0o777);
        let named = |name: String| SocketAddr::from_abstract_name(name).expect("a name");
        let by_name = UnixListener::bind_addr(&named(format!("referee-{token}"))).expect("a socket");
        let by_pair =
            UnixDatagram::bind_addr(&named(format!("referee-{token}-datagrams"))).expect("a socket");
        let range = Range {
            token,
            tcp: TcpListener::bind("127.0.0.1:0").expect("a port"),
            udp: UdpSocket::bind("127.0.0.1:0").expect("a port"),
            by_path,
            by_name,
            by_pair,
            terminal: terminal(),
            folder,
        };
        range.tcp.set_nonblocking(true).expect("a socket");
        range.udp.set_nonblocking(true).expect("a socket");
        range.by_path.set_nonblocking(true).expect("a socket");
        range.by_name.set_nonblocking(true).expect("a socket");
        range.by_pair.set_nonblocking(true).expect("a socket");
        range
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the words that start a bot of this range.
    pub(super) fn words(&self, name: &str, is_receiver: bool, scapegoat: u32) -> String {
        let program = self.path("bots").join(name).join("attack");
        let terminal = self.terminal.as_ref().map_or(Path::new("/dev/null"), |(_, path)| path);
        format!(
            "{} {name} place={} token={} terminal={} pid={scapegoat} tcp={} udp={} role={}",
            program.display(),
            self.folder.path().display(),
            self.token,
            terminal.display(),
            self.tcp.local_addr().expect("a port").port(),
            self.udp.local_addr().expect("a port").port(),
            if is_receiver { "receiver" } else { "sender" },
        )
    }

    /// Describes everything that an attack could damage: canaries and its own program.
    pub(super) fn look_at_canaries(&self, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        describe(&self.path("canary").join(name), &mut found);
        describe(&self.path("bots").join(name), &mut found);
        found
    }

    /// Counts arrivals from outside since the last look: connections by TCP, by a path, by a name, and
    /// datagrams.
    pub(super) fn arrivals(&self) -> [(&'static str, usize); 5] {
        let tcp = std::iter::from_fn(|| self.tcp.accept().ok()).count();
        let by_path = std::iter::from_fn(|| self.by_path.accept().ok()).count();
        let by_name = std::iter::from_fn(|| self.by_name.accept().ok()).count();
        let datagrams = std::iter::from_fn(|| self.udp.recv(&mut [0; 64]).ok()).count();
        let by_pair = std::iter::from_fn(|| self.by_pair.recv(&mut [0; 64]).ok()).count();
        [
            ("tcp", tcp),
            ("unix-path", by_path),
            ("unix-abstract", by_name),
            ("unix-pair", by_pair),
            ("udp", datagrams),
        ]
    }

    /// Kills processes of this range with an attack's name among their arguments, and counts them by attack.
    pub(super) fn kill_survivors<'a>(&self, names: &[&'a str]) -> BTreeMap<&'a str, usize> {
        let mut counts = BTreeMap::new();
        for entry in fs::read_dir("/proc").expect("/proc").flatten() {
            let line = command_line(&entry.path());
            let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
            let ends_with_token = |word: &&[u8]| word.ends_with(self.token.as_bytes());
            let Some(name) = names.iter().find(|name| words.contains(&name.as_bytes())) else { continue };
            if !words.iter().any(ends_with_token) {
                continue;
            }
            *counts.entry(*name).or_default() += 1;
            let id = entry.file_name().to_string_lossy().parse().ok().and_then(Pid::from_raw);
            let _ = id.map(|id| kill_process(id, Signal::KILL));
        }
        counts
    }
}

impl Drop for Range {
    /// Some attacks leave files that the standard library cannot remove.
    fn drop(&mut self) {
        let tmp = self.path("tmp");
        let mut remove = Command::new("sh");
        remove.arg("-c").arg("chmod -R u+rwx \"$0\" 2>/dev/null; rm -rf \"$0\"").arg(&tmp);
        for _ in 0..10 {
            let _ = remove.status();
            if !tmp.exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100)); // a survivor may be making files
        }
    }
}

/// Reads a process's arguments: from any of its threads, because the first may have ended.
fn command_line(process: &Path) -> Vec<u8> {
    let threads = fs::read_dir(process.join("task")).into_iter().flatten().flatten();
    let lines = threads.filter_map(|thread| fs::read(thread.path().join("cmdline")).ok());
    lines.max_by_key(Vec::len).unwrap_or_default()
}

fn open_to_all(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("permissions");
}

fn write(path: &Path, text: &str, mode: u32) {
    fs::write(path, text).expect("a file");
    open_to_all(path, mode);
}

fn lay_canary(folder: &Path, secret: &str) {
    fs::create_dir(folder).expect("a folder");
    write(&folder.join("secret"), secret, 0o644);
    write(&folder.join("writable"), secret, 0o666);
    write(&folder.join("own"), secret, 0o666);
    symlink("where it points is a secret", folder.join("pointer")).expect("a link");
    for name in ["folder", "tree"] {
        fs::create_dir(folder.join(name)).expect("a folder");
        open_to_all(&folder.join(name), 0o777);
    }
    open_to_all(folder, 0o777);
}

fn describe(path: &Path, found: &mut Vec<String>) {
    let Ok(status) = path.symlink_metadata() else { return };
    let [mode, owner, group] = [status.mode(), status.uid(), status.gid()];
    // The time of the last change covers content, name, owner, times and attributes.
    let (seconds, rest) = (status.ctime(), status.ctime_nsec());
    found.push(format!("{}: {mode:o} {owner} {group} {seconds}.{rest}", path.display()));
    if status.is_dir() {
        let mut below: Vec<PathBuf> =
            fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        below.sort();
        below.iter().for_each(|path| describe(path, found));
    }
}

/// Makes a terminal that every user may open.
fn terminal() -> Option<(OwnedFd, PathBuf)> {
    let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).ok()?;
    grantpt(&keyboard).ok()?;
    unlockpt(&keyboard).ok()?;
    let path = PathBuf::from(ptsname(&keyboard, Vec::new()).ok()?.into_string().ok()?);
    open_to_all(&path, 0o666);
    Some((keyboard, path))
}
