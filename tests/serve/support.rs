//! A server of a test's own, on a hill of its own, and a client that can misbehave.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use referee_table::clock::Clock;
pub(crate) use referee_testutil::support::PATIENCE;
use referee_testutil::support::comes_true;
use serde_json::Value;
use tempfile::TempDir;

use crate::random::Random;

/// Returns a program of the package `referee`, which is in the folder of the server.
pub(crate) fn program(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_referee-serve")).with_file_name(name);
    assert!(path.exists(), "{}: missing; build it first: cargo build", path.display());
    path
}

/// A folder with a hill for Push, `h`, and two bots on it.
pub(crate) struct Place(pub(crate) TempDir);

impl Place {
    pub(crate) fn new() -> Place {
        let place = Place(tempfile::Builder::new().prefix("referee-web-").tempdir().expect("a folder"));
        place.referee(&["hill", "new", "h", "push", "--turns", "20", "--seed", "7"]);
        for bot in ["random", "homeward", "reader"] {
            place.referee(&["hill", "submit", "h", bot]);
        }
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(program("referee"));
        command.args(words).current_dir(self.0.path());
        command
    }

    /// Runs the program `referee`, and returns what it prints.
    pub(crate) fn referee(&self, words: &[&str]) -> String {
        let output = self.command(words).output().expect("referee");
        assert!(output.status.success(), "{words:?}: {}", said(&output));
        String::from_utf8(output.stdout).expect("text")
    }

    pub(crate) fn token(&self, account: &str) -> String {
        self.referee(&["hill", "invite", "h", account]).trim().to_owned()
    }

    /// Writes a bot that takes some milliseconds for each answer, and says a word at its first.
    pub(crate) fn slow(&self, name: &str, milliseconds: u32) -> PathBuf {
        self.waiting(name, &format!("time.sleep({})", f64::from(milliseconds) / 1000.0))
    }

    /// Writes a bot that takes .4 seconds for each answer while a file exists, and says a word at its first. It sees no
    /// file in a sandbox.
    pub(crate) fn held(&self, name: &str, file: &Path) -> PathBuf {
        self.waiting(name, &format!("os.path.exists({file:?}) and time.sleep(0.4)"))
    }

    /// Writes a bot that answers 999 in a turn and later ones while a file exists. It sees no file in a sandbox.
    pub(crate) fn spoiled(&self, name: &str, file: &Path, turn: u32) -> PathBuf {
        let spoil = format!(
            "slow.turn += 1\n        if os.path.exists({file:?}) and slow.turn >= {turn}: return [999]"
        );
        let bot = self.waiting(name, &spoil);
        let text = fs::read_to_string(&bot).expect("the bot");
        self.script(
            &format!("{name}/bot"),
            &text.replacen("    return slow\n", "    slow.turn = -1\n    return slow\n", 1),
        )
    }

    /// Writes a bot that does something, in Python, before each answer.
    fn waiting(&self, name: &str, wait: &str) -> PathBuf {
        self.referee(&["new", name, "--game", "push", "--lang", "python"]);
        let built = Command::new("./build").current_dir(self.path(name)).output().expect("build");
        assert!(built.status.success(), "{}", said(&built));
        let file = self.path(name).join("bot");
        let text = fs::read_to_string(&file).expect("the bot");
        let think = format!(
            "\ndef slowly(think):\n    import os, sys, time\n    print('a secret of mine', file=sys.stderr, flush=True)\n    \
             def slow(q):\n        {wait}\n        return think(q)\n    return slow\n"
        );
        let at = text.find("\ndef think(").expect("its function");
        let text = format!("{}{think}\n@slowly{}", &text[..at], &text[at..]);
        self.script(&format!("{name}/bot"), &text)
    }

    /// Enables live games on the hill.
    pub(crate) fn live(&self) {
        self.set("live = false", "live = true");
    }

    /// Replaces a line's beginning in the hill's settings.
    pub(crate) fn set(&self, was: &str, is: &str) {
        let file = self.path("h/hill.toml");
        let text = fs::read_to_string(&file).expect("the settings");
        let (was, is) = (format!("\n{was}"), format!("\n{is}"));
        assert!(text.contains(&was), "{text}");
        fs::write(&file, text.replace(&was, &is)).expect("the settings");
    }

    /// Writes a program.
    pub(crate) fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).expect("a program");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
        path
    }
}

/// Random numbers from a seed that is printed: `REFEREE_TEST_SEED=...` repeats a failure.
pub(crate) fn printed_random() -> Random {
    let given = std::env::var("REFEREE_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = given.unwrap_or_else(|| {
        let mut bytes = [0; 8];
        fs::File::open("/dev/urandom").and_then(|mut random| random.read_exact(&mut bytes)).expect("random");
        u64::from_le_bytes(bytes)
    });
    println!("REFEREE_TEST_SEED={seed}");
    Random::new(seed)
}

pub(crate) fn said(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    format!("{:?} {}{}", output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// A running server.
pub(crate) struct Server {
    child: Child,
    said: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts a server on the hill of a place.
    pub(crate) fn start(place: &Place, options: &[&str]) -> Server {
        let mut command = place.command(&["serve", "h", "--listen", "127.0.0.1:0"]);
        command.args(options);
        Server::of(command)
    }

    /// Starts a server by a command.
    pub(crate) fn of(mut command: Command) -> Server {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the server");
        let mut line = String::new();
        let mut said = BufReader::new(child.stdout.take().expect("its output"));
        said.read_line(&mut line).expect("its address");
        let address = line.strip_prefix("http://").and_then(|rest| rest.split('/').next()?.parse().ok());
        Server { child, said, address: address.unwrap_or_else(|| panic!("no address: {line:?}")) }
    }

    /// Waits for the next line that it prints for the host.
    pub(crate) fn next_line(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).expect("a line");
        line
    }

    /// Kills the server.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("SIGKILL");
        self.child.wait().expect("its end");
    }

    /// Ends the server as a host does, and waits for its end.
    pub(crate) fn stop(mut self) {
        let number = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(number, rustix::process::Signal::TERM).expect("SIGTERM");
        assert!(self.child.wait().expect("its end").success());
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn memory_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("its status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[], b"")
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        let reply = self.get(path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        serde_json::from_slice(&reply.body)
            .unwrap_or_else(|error| panic!("{path}: {error}: {}", reply.text()))
    }

    /// Asks. A server that has just started reads its hill first: then it is asked again.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut reply = self.ask_once(method, path, headers, body);
        let has_just_started =
            |reply: &Reply| reply.status == 503 && reply.text().contains("he server has just started");
        comes_true(|| {
            if has_just_started(&reply) {
                reply = self.ask_once(method, path, headers, body);
            }
            !has_just_started(&reply)
        });
        reply
    }

    fn ask_once(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address);
        headers.iter().for_each(|(name, value)| request += &format!("{name}: {value}\r\n"));
        if !body.is_empty() || method == "POST" {
            request += &format!("Content-Length: {}\r\n", body.len());
        }
        let mut bytes = (request + "\r\n").into_bytes();
        bytes.extend_from_slice(body);
        self.send(&bytes)
    }

    /// Sends bytes as they are, and reads until the server ends the connection.
    pub(crate) fn send(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect("127.0.0.1");
        let _ = stream.write_all(bytes);
        Reply::read(&mut stream)
    }

    /// Connects from an address of this machine.
    pub(crate) fn connect(&self, from: &str) -> TcpStream {
        self.connect_to(self.address, from)
    }

    /// Connects to this server, or to a proxy in front of it.
    pub(crate) fn connect_to(&self, to: SocketAddr, from: &str) -> TcpStream {
        let from: IpAddr = from.parse().expect("an address");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let stream = runtime.block_on(async {
            let socket = tokio::net::TcpSocket::new_v4()?;
            socket.bind(SocketAddr::new(from, 0))?;
            socket.connect(to).await?.into_std()
        });
        let stream: TcpStream = stream.expect("a connection");
        stream.set_nonblocking(false).expect("as it was");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    }

    /// Waits until the JSON at an address meets a condition.
    pub(crate) fn until(&self, path: &str, mut holds: impl FnMut(&Value) -> bool) -> Value {
        let clock = Clock::start();
        loop {
            // While the records are being read, there is no answer.
            let reply = self.get(path);
            let now: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
            if reply.status == 200 && holds(&now) {
                return now;
            }
            assert!(
                [200, 503].contains(&reply.status) && clock.now().0 < PATIENCE,
                "{path}: {}",
                reply.text()
            );
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until the answer at an address meets a condition.
    pub(crate) fn until_reply(&self, path: &str, holds: impl Fn(&Reply) -> bool) {
        let clock = Clock::start();
        while !holds(&self.get(path)) {
            assert!(clock.now().0 < PATIENCE, "{path}: {}", self.get(path).text());
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until an address answers with a status.
    pub(crate) fn until_status(&self, path: &str, status: u16) {
        self.until_reply(path, |reply| reply.status == status);
    }

    /// Waits until the games are known, and the standings that are made after them.
    pub(crate) fn until_games(&self) {
        for table in ["games", "standings"] {
            self.until(&format!("/h/api/v1/{table}"), |table| {
                table["rows"].as_array().is_some_and(|rows| !rows.is_empty())
            });
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer; a missing one has status 0.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// Number of answers on the connection.
    pub(crate) answers: usize,
}

impl Reply {
    pub(crate) fn read(stream: &mut TcpStream) -> Reply {
        let mut all = Vec::new();
        // A connection that is closed during a transfer may be reset: data that came before counts.
        let _ = stream.read_to_end(&mut all);
        let _ = stream.shutdown(Shutdown::Both);
        let end = all.windows(4).position(|four| four == b"\r\n\r\n");
        let head = String::from_utf8_lossy(&all[..end.unwrap_or(0)]).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let mut body = end.map_or(Vec::new(), |end| all[end + 4..].to_vec());
        if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            body = dechunked(&body);
        }
        let answers = String::from_utf8_lossy(&all).matches("HTTP/1.1 ").count();
        Reply { status, head, body, answers }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers(name).next()
    }

    /// The values of all headers of a name.
    pub(crate) fn headers(&self, name: &str) -> impl Iterator<Item = &str> {
        let pairs = self.head.lines().filter_map(|line| line.split_once(':'));
        pairs.filter(move |(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

fn dechunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(&String::from_utf8_lossy(&bytes[..end]), 16).unwrap_or(0);
        if size == 0 || bytes.len() < end + 2 + size {
            break;
        }
        whole.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = bytes.get(end + 4 + size..).unwrap_or_default();
    }
    whole
}
