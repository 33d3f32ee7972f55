//! Shared parts of the tests of the whole program: a place of a test's own in which the program runs, and a
//! look at its files. Nothing here knows what is right.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use referee_files::{log, results};
use referee_record::results::ResultRow;
use referee_record::row_kind::RowKind;
use referee_record::{BotName, Digest};
use referee_table::clock::Clock;
use tempfile::TempDir;

use crate::ROOT;
use crate::random::Random;

/// The program. It is in the folder of the tests, since `cargo test` and `cargo build` make both.
pub static REFEREE: Beside = Beside::named("referee");

/// The bot that misbehaves on demand.
pub static FAULTY: Beside = Beside::named("faulty");

/// A bot of this name, as records name it. Its program is empty.
pub fn named(name: &str) -> BotName {
    BotName { name: name.to_owned(), version: 1, digest: Digest::of(b"") }
}

/// A program of `tests/programs`, which is in the folder of the referee. `cargo test` builds it, and so does `cargo
/// build`; a test of one package alone (`-p`) says so where it is missing.
#[derive(Debug)]
pub struct Beside {
    name: &'static str,
    path: OnceLock<String>,
}

impl Beside {
    pub const fn named(name: &'static str) -> Beside {
        Beside { name, path: OnceLock::new() }
    }
}

impl Deref for Beside {
    type Target = str;

    fn deref(&self) -> &str {
        self.path.get_or_init(|| beside(self.name))
    }
}

/// Returns the path of a program that was built together with this one.
fn beside(name: &str) -> String {
    let here = std::env::current_exe().expect("this program");
    let folder =
        here.ancestors().skip(1).find(|folder| !folder.ends_with("deps") && !folder.ends_with("examples"));
    let path = folder.expect("a folder").join(name);
    assert!(path.exists(), "{name} is not built: type `cargo build`, and then the same command again");
    path.into_os_string().into_string().expect("a path of plain text")
}

impl AsRef<Path> for Beside {
    fn as_ref(&self) -> &Path {
        Path::new(&**self)
    }
}

impl AsRef<OsStr> for Beside {
    fn as_ref(&self) -> &OsStr {
        OsStr::new(&**self)
    }
}

impl fmt::Display for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

/// Returns the path of a house bot as a program of its own, such as `football-greedy`.
pub fn house_program(name: &str) -> String {
    beside(name)
}

/// Returns a house bot of football as a program of its own. The referee, which also contains it, is ten times
/// as large: copying it and computing its digest takes longer than a short game.
pub fn football(bot: &str) -> Option<String> {
    ["still", "random", "greedy", "sweeper"].contains(&bot).then(|| house_program(&format!("football-{bot}")))
}

/// Returns the bot that misbehaves in this way, as a word of the command line.
pub fn faulty(kind: &str) -> String {
    // Bots are given with a shell's quoting: here each letter stands for itself.
    let mut words = FAULTY.to_string() + " ";
    for letter in kind.chars() {
        words.extend(r#"\"'"#.contains(letter).then_some('\\'));
        words.push(letter);
    }
    words
}

/// The one time limit of all tests: what has not happened by then is never going to happen, on a machine as slow and as
/// busy as you like. A test waits for an event, and this is the end of its patience.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Waits until something holds, and returns whether it ever did.
pub fn comes_true(mut holds: impl FnMut() -> bool) -> bool {
    let clock = Clock::start();
    // Most conditions hold at once, or soon.
    let mut pause = Duration::from_millis(1);
    while clock.now().0 < PATIENCE {
        if holds() {
            return true;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
    false
}

/// Starts a program that this process has written. While another thread starts one, that can still hold the file as it
/// was written: then the system refuses, and this tries again.
pub fn once_written<T>(mut start: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match start() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => thread::yield_now(),
            started => return started,
        }
    }
}

/// Runs the program `referee` to its end, which has to be a success. Returns the time that it took, in seconds, and its
/// maximum memory, in KiB.
pub fn measure(command: &mut Command) -> (f64, u64) {
    let clock = Clock::start();
    let mut referee = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("referee");
    let status = Path::new("/proc").join(referee.id().to_string()).join("status");
    let mut peak = 0;
    let ended = loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        // Until a process has its own name, its memory is that of the one that has started it.
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let line = line.filter(|_| text.starts_with("Name:\treferee\n"));
        let mark = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        peak = peak.max(mark.unwrap_or(0));
        if let Some(ended) = referee.try_wait().expect("a child") {
            break ended;
        }
        thread::sleep(Duration::from_millis(2));
    };
    assert!(ended.success(), "{command:?}: {ended}");
    (clock.now().0.as_secs_f64(), peak)
}

/// Returns a program that starts the one in its words with hang-ups enabled, even if these tests ignore them
/// (`nohup`).
pub fn hearing_hangups() -> Command {
    let mut command = Command::new("env");
    command.arg("--default-signal=HUP");
    command
}

/// Random numbers from a seed that is printed: `REFEREE_TEST_SEED=...` repeats a failure.
pub fn printed_random() -> Random {
    use rand::TryRng;
    let given = std::env::var("REFEREE_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = given.unwrap_or_else(|| rand::rngs::SysRng.try_next_u64().expect("a random number"));
    println!("REFEREE_TEST_SEED={seed}");
    Random::new(seed)
}

/// A folder of a test's own. Every process that is started from it can be recognised by its environment.
#[derive(Debug)]
pub struct Place(TempDir);

impl Default for Place {
    fn default() -> Self {
        Self::new()
    }
}

impl Place {
    pub fn new() -> Place {
        let dir = tempfile::Builder::new().prefix("referee-test-").tempdir().expect("a folder");
        fs::create_dir(dir.path().join("tmp")).expect("a folder in it");
        Place(dir)
    }

    /// Returns the path of something in this place.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Lists the files in this place.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("this place").flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Returns the program, to be started here, with the bots' scratch folders below this place.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&*REFEREE);
        command.args(words).current_dir(self.0.path()).env("TMPDIR", self.path("tmp"));
        command
    }

    /// Runs the program to its end.
    pub fn referee(&self, words: &[&str]) -> Ran {
        let output = self.command(words).output().expect("referee can be started");
        Ran::new(words.join(" "), &output)
    }

    /// Returns a shell that runs a script here, and may mount disks that no other process sees.
    pub fn shell_with_disks(&self, script: &str) -> Command {
        let shell = |flags: &str, script: &str| {
            let mut shell = Command::new("unshare");
            shell.args([flags, "sh", "-c", script]).current_dir(self.0.path());
            shell.env("REFEREE", &*REFEREE).env("TMPDIR", self.path("tmp"));
            shell
        };
        let may_mount = |flags: &&str| {
            let tried = shell(flags, "mkdir -p trial && mount -t tmpfs tmpfs trial").output();
            tried.is_ok_and(|output| output.status.success())
        };
        let flags = ["-m", "-rm"].into_iter().find(may_mount);
        shell(flags.expect("a user who may mount a disk, by `unshare -m` or `unshare -rm`"), script)
    }

    /// Writes a program into this place.
    pub fn program(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, bytes).expect("the program is written");
        fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("and made executable");
        path.into_os_string().into_string().expect("a path of plain text")
    }

    /// Makes a hill and submits bots to it: names and words of the command line, or house bots.
    pub fn hill(&self, name: &str, settings: &[&str], bots: &[(&str, &str)]) -> PathBuf {
        // Four games a round, so that a short test sees every seat.
        let block = if settings.contains(&"--block") { &[][..] } else { &["--block", "one-seating"] };
        self.referee(&[&["hill", "new", name, "football"], settings, block].concat()).with_status(0);
        for (bot, words) in bots {
            let program = football(words);
            let words = program.as_deref().unwrap_or(words);
            self.referee(&["hill", "submit", name, words, "--name", bot]).with_status(0);
        }
        self.path(name)
    }

    /// Lists the processes that come from this place and still run. An ended process that has not been
    /// removed yet has no environment any more.
    pub fn processes(&self) -> Vec<String> {
        let mark = self.0.path().as_os_str().as_encoded_bytes();
        let numbers = fs::read_dir("/proc").expect("/proc").flatten().map(|entry| entry.path());
        let stems_from_here = |process: &PathBuf| {
            let environment = fs::read(process.join("environ")).unwrap_or_default();
            environment.windows(mark.len()).any(|part| part == mark)
        };
        let name = |process: PathBuf| {
            let line = fs::read(process.join("cmdline")).unwrap_or_default();
            format!("{}: {}", process.display(), String::from_utf8_lossy(&line).replace('\0', " "))
        };
        numbers.filter(stems_from_here).map(name).collect()
    }

    /// Makes sure that no process remains.
    pub fn assert_no_process_stays(&self) {
        assert!(comes_true(|| self.processes().is_empty()), "still there: {:#?}", self.processes());
    }

    /// Makes sure that nothing remains: no process, no scratch folder.
    pub fn assert_nothing_stays(&self) {
        self.assert_no_process_stays();
        let scratch: Vec<_> = fs::read_dir(self.path("tmp")).expect("tmp").flatten().collect();
        assert!(scratch.is_empty(), "left in the folder for temporary files: {scratch:?}");
    }
}

/// Returns the rows of a table that was printed as JSON.
#[track_caller]
pub fn rows_of_json(text: &str) -> Vec<serde_json::Value> {
    let table: serde_json::Value =
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(table["schema"], 1, "{text}");
    table["rows"].as_array().expect("a list of rows").clone()
}

/// The rows of a results file without the parts that differ from run to run: dates, times, their derived
/// columns, and additional columns.
pub fn rows_that_stay(path: &Path, also_without: &[&str]) -> Vec<String> {
    what_stays(&fs::read_to_string(path).expect("the results"), also_without)
}

/// Likewise the rows of a table of results or standings.
pub fn what_stays(table: &str, also_without: &[&str]) -> Vec<String> {
    const DIFFER: [&str; 10] = [
        "started",
        "thinking_us",
        "thinking_p99_us",
        "thinking_max_us",
        "wall_us",
        "wall_max_us",
        "log_digest",
        "chain",
        "max_ms",
        "p99_ms",
    ];
    let names: Vec<&str> = table.lines().next().expect("a header").split(',').collect();
    let rows = table.lines().map(|row| {
        let columns = row.split(',').zip(&names);
        let columns = columns.filter(|(_, name)| !DIFFER.contains(name) && !also_without.contains(name));
        columns.map(|(value, _)| value).collect::<Vec<&str>>().join(",")
    });
    rows.collect()
}

/// The program's output and its exit status.
#[derive(Clone, Debug)]
pub struct Ran {
    words: String,
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    pub fn new(words: String, output: &Output) -> Ran {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Ran { words, status: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// Checks the exit status.
    #[track_caller]
    pub fn with_status(self, status: i32) -> Ran {
        assert_eq!(self.status, Some(status), "referee {}\n{}{}", self.words, self.out, self.err);
        self
    }

    /// Makes sure that standard output contains all these words.
    #[track_caller]
    pub fn saying(self, parts: &[&str]) -> Ran {
        for part in parts {
            assert!(self.out.contains(part), "referee {}: no {part:?} in\n{}", self.words, self.out);
        }
        self
    }

    /// Makes sure that standard error contains all these words.
    #[track_caller]
    pub fn complaining(self, parts: &[&str]) -> Ran {
        for part in parts {
            assert!(self.err.contains(part), "referee {}: no {part:?} in\n{}", self.words, self.err);
        }
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self
    }
}

/// Reads the results of a folder of games.
#[track_caller]
pub fn results_in(folder: &Path) -> Vec<ResultRow> {
    let rows = results::read(&folder.join("results.csv"));
    rows.unwrap_or_else(|error| panic!("{error}")).into_iter().map(|(_, row)| row).collect()
}

/// A log's rows about one seat in one turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    pub turn: u32,
    pub seat: usize,
    pub verdict: String,
    /// The charged and the elapsed time, in milliseconds.
    pub charged_ms: f64,
    pub wall_ms: f64,
    /// The CPU time, if it was measured.
    pub cpu_ms: Option<f64>,
    pub values: String,
    pub detail: String,
    /// Kinds and numbers of dropped lines: `late 1`.
    pub dropped: Vec<String>,
}

/// Reads all answers of a game.
pub fn answers_in(log: &Path) -> Vec<Said> {
    let (mut reader, _) = log::reader(log).expect("a log");
    let mut answers: Vec<Said> = Vec::new();
    while let Some(row) = reader.peek().expect("a row") {
        match row.kind() {
            Some(RowKind::Answer) => answers.push(Said {
                turn: row.turn().expect("a number").expect("an answer has a turn"),
                seat: row.seat().expect("a number").expect("an answer has a seat").index(),
                verdict: row.name().to_owned(),
                charged_ms: row.thinking().expect("a time").0.as_secs_f64() * 1000.0,
                wall_ms: row.thinking().expect("a time").1.as_secs_f64() * 1000.0,
                cpu_ms: row.cpu().expect("a time").map(|cpu| cpu.as_secs_f64() * 1000.0),
                values: row.values().to_owned(),
                detail: row.detail().to_owned(),
                dropped: Vec::new(),
            }),
            Some(RowKind::Dropped) => {
                let dropped = format!("{} {}", row.name(), row.values());
                answers.last_mut().expect("an answer before").dropped.push(dropped);
            }
            _ => {}
        }
        reader.take();
    }
    answers
}

/// The recorded game in a game's folder.
pub fn playthrough(game: &str) -> PathBuf {
    let log = Path::new(ROOT).join(format!("referee/games/{game}/playthrough.csv"));
    assert!(log.exists(), "{game} lacks a recorded game: {}", log.display());
    log
}

/// Returns all files below a folder with an ending.
pub fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == ending) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Copies a folder with everything in it.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("a copy");
        }
    }
}
