//! Records that a stranger made: folders and files that lead elsewhere, never end, or unpack to huge sizes.
//! Every command that reads records ends, uses little memory, and names the file.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use referee_record::Digest;
use referee_record::results::{ResultRow, chained, header};
use rustix::fs::{CWD, FileType, Mode, OFlags, makedev, mkdirat, mknodat, openat};
use wait_timeout::ChildExt;

use crate::called::Calls;
use crate::support::{Place, REFEREE, Ran, copy_folder, files_below, results_in};

/// Maximum address space of a reader, in KiB: itself, some threads, and 64 MiB more than an honest record
/// needs. (A program that is not optimized takes half of this.)
const ROOM_KIB: u32 = 320 << 10;

/// Time limit of a reader, on any machine. Without bounds it would take for ever.
const PATIENCE: Duration = Duration::from_secs(120);

/// Larger than the memory of a reader, in bytes. Such a file is sparse.
const HUGE: u64 = 400 << 20;

/// Commands that read a hill with a game; `%` is its name.
const HILL: [&str; 7] = [
    "audit hill",
    "hill standings hill",
    "hill fairness hill",
    "report hill --html report",
    "hill log hill %",
    "replay hill % --plain --turn 0",
    "replay hill % --html page.html",
];

/// Commands that read a log.
const LOG: [&str; 4] = [
    "audit hill/%",
    "export hill/% --dir out",
    "replay hill/% --plain --turn 0",
    "rerun hill/% greedy --seat 0",
];

/// A hill on which some games were played.
struct Played {
    place: Place,
    rows: Vec<ResultRow>,
}

impl Played {
    fn new() -> Played {
        let place = Place::new();
        let bots = [("a", "greedy"), ("b", "random"), ("c", "still"), ("d", "sweeper")];
        let settings = ["-p", "2", "--max-turns", "5", "--turn-ms", "30000", "--seed", "5"];
        let hill = place.hill_of_guests("hill", &settings, &bots);
        place.call(&["hill", "run", "hill", "--rounds", "1", "--jobs", "1"]).with_status(0);
        let rows = results_in(&hill);
        Played { place, rows }
    }

    /// A second hill.
    fn copy(&self) -> Played {
        let place = Place::new();
        copy_folder(&self.place.path("hill"), &place.path("hill"));
        Played { place, rows: self.rows.clone() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path("hill").join(name)
    }

    fn log(&self) -> PathBuf {
        self.path(&self.rows[0].log)
    }

    /// Returns the words of a command, with the names of the game and of its log.
    fn words(&self, words: &str) -> String {
        words.replace("hill/%", &format!("hill/{}", self.rows[0].log)).replace('%', &self.rows[0].game)
    }

    /// Calls a command. It must end by itself.
    #[track_caller]
    fn call(&self, words: &str) -> Ran {
        let words = self.words(words);
        let (over, ended) = mpsc::channel::<()>();
        let named = words.clone();
        thread::spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                eprintln!("referee {named} does not end");
                std::process::abort();
            }
        });
        let ran = self.place.call(&words.split(' ').collect::<Vec<_>>());
        drop(over);
        ran
    }

    /// Runs a command in a process within its bounds. It must end by itself, not by the bounds.
    #[track_caller]
    fn run(&self, words: &str) -> Ran {
        let words = self.words(words);
        let line = format!("ulimit -v {ROOM_KIB}; exec {REFEREE} {words}");
        let mut command = Command::new("sh");
        command.args(["-c", &line]).current_dir(self.path("..")).env("MALLOC_ARENA_MAX", "1");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("a shell");
        let (mut out, mut err) = (child.stdout.take().expect("a pipe"), child.stderr.take().expect("a pipe"));
        let read = |from: &mut dyn std::io::Read| {
            let mut bytes = Vec::new();
            from.read_to_end(&mut bytes).expect("a pipe");
            bytes
        };
        thread::scope(|scope| {
            let (out, err) = (scope.spawn(move || read(&mut out)), scope.spawn(move || read(&mut err)));
            let status = child.wait_timeout(PATIENCE).expect("a child");
            if status.is_none() {
                child.kill().expect("a child");
            }
            let status = status.unwrap_or_else(|| panic!("referee {words} does not end"));
            let output =
                Output { status, stdout: out.join().expect("text"), stderr: err.join().expect("text") };
            let ran = Ran::new(words.clone(), &output);
            assert!(ran.status.is_some_and(|status| status < 100), "{words}: {status}\n{}", ran.err);
            ran
        })
    }

    /// Rewrites the results, like somebody who knows their chain.
    fn enter(&self, change: impl Fn(&mut ResultRow)) {
        let mut text = header();
        let mut chain = Digest::of(text.as_bytes());
        for row in &self.rows {
            let mut row = row.clone();
            change(&mut row);
            text.push_str(&chained(&row.text(), &mut chain));
        }
        fs::write(self.path("results.csv"), text).expect("results");
    }
}

/// Puts something else in the place of a file.
type Plant = fn(&Path);

/// Things that are not regular files, with a reader's message about each.
const NO_FILES: [(&str, Plant); 8] = [
    ("a named pipe", |path| node(path, FileType::Fifo, 0)),
    ("a socket", |path| drop(UnixListener::bind(path).expect("a socket"))),
    ("a folder", |path| fs::create_dir(path).expect("a folder")),
    ("a device", |path| node(path, FileType::CharacterDevice, makedev(1, 5))),
    ("a symbolic link", |path| symlink("/dev/zero", path).expect("a link")),
    ("a symbolic link", |path| symlink("/etc/passwd", path).expect("a link")),
    ("a symbolic link", |path| symlink(path.file_name().expect("a name"), path).expect("a link")),
    ("a symbolic link", |path| symlink("nowhere", path).expect("a link")),
];

/// Only root can make a device; other users test a named pipe instead.
fn node(path: &Path, kind: FileType, device: u64) {
    let made = mknodat(CWD, path, kind, Mode::from_raw_mode(0o666), device);
    made.or_else(|_| mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o666), 0)).expect("a node");
}

fn huge(path: &Path, start: &str) {
    let mut file = File::create(path).expect("a file");
    file.write_all(start.as_bytes()).and_then(|()| file.set_len(HUGE)).expect("a sparse file");
}

#[test]
fn what_is_no_regular_file_is_named_wherever_it_stands_and_nobody_waits_for_it() {
    let played = Played::new();
    let log = &*played.rows[0].log;
    let names = ["results.csv", "seasons.csv", "entrants.csv", "hill.toml", "voids.csv", log];
    // Each kind replaces some files, and each file is replaced by some kinds; each command meets all of them.
    for (number, (what, plant)) in NO_FILES.into_iter().enumerate() {
        for name in [names[number % names.len()], names[(number + 3) % names.len()]] {
            let played = played.copy();
            let _ = fs::remove_file(played.path(name));
            plant(&played.path(name));
            let ran = played.call("audit hill").complaining(&[name]);
            assert!(ran.status != Some(0), "{what} for {name}");
            for words in HILL.iter().cycle().skip(number).take(3) {
                let ran = played.call(words).complaining(&[]);
                let said = format!("{}{}", ran.out, ran.err);
                assert!(!said.contains("root:"), "the password file is shown: referee {words}\n{said}");
            }
        }
    }
    // All commands that read logs name a log that is replaced by something else.
    for (what, plant) in [NO_FILES[0], NO_FILES[5]] {
        let played = played.copy();
        fs::remove_file(played.log()).expect("a log");
        plant(&played.log());
        for words in HILL.iter().filter(|words| words.contains('%')) {
            let ran = played.call(words).complaining(&[log, what]);
            assert!(ran.status != Some(0), "referee {words}\n{}", ran.out);
        }
    }
}

#[test]
fn a_log_named_elsewhere_is_never_opened() {
    let played = Played::new();
    let secret = played.place.path("secret.csv");
    fs::copy(played.log(), &secret).expect("a log");
    let absolute = secret.display().to_string();
    let long = "x/".repeat(4000);
    for way in ["../secret.csv", "logs/../../secret.csv", &absolute, &long, "logs", ".", ""] {
        played.enter(|row| row.log = way.to_owned());
        // These read no log, or show what they can without it.
        let others = ["hill standings", "hill fairness", "report"];
        for words in HILL.iter().filter(|words| !others.iter().any(|other| words.starts_with(other))) {
            let ran = played.call(words);
            assert!(ran.status != Some(0), "{way}: referee {words}\n{}", ran.out);
        }
        played.call("report hill --html report").with_status(0);
        let pages = files_below(&played.place.path("report"), "html");
        assert!(!pages.iter().any(|page| fs::read_to_string(page).expect("a page").contains("secret.csv")));
    }
}

#[test]
fn links_below_the_logs_are_not_followed_and_depth_has_an_end() {
    let played = Played::new();
    for target in ["/", ".", "..", "/dev"] {
        let played = played.copy();
        symlink(target, played.path("logs/x")).expect("a link");
        played.call("audit hill").with_status(3).complaining(&["logs/x", "a symbolic link"]);
        played.call("hill standings hill").with_status(0);
    }
    let deep = played.copy();
    let flags = OFlags::PATH | OFlags::DIRECTORY;
    let mut here = openat(CWD, deep.path("logs"), flags, Mode::empty()).expect("the folder");
    for _ in 0..2000 {
        mkdirat(&here, "d", Mode::from_raw_mode(0o755)).expect("a folder");
        here = openat(&here, "d", flags, Mode::empty()).expect("the folder");
    }
    deep.call("audit hill").with_status(3).complaining(&["folders more than 16 deep"]);
    // All of it is removed with the place, level by level.
    let removed = Command::new("rm").arg("-r").arg(deep.path("logs/d")).status().expect("rm");
    assert!(removed.success());
    let linked = played.copy();
    fs::rename(linked.path("logs"), linked.path("elsewhere")).expect("renamed");
    symlink("elsewhere", linked.path("logs")).expect("a link");
    linked.call("audit hill").with_status(3).complaining(&["the path has a symbolic link"]);
}

#[test]
fn what_is_written_does_not_go_through_planted_links() {
    let played = Played::new();
    for name in
        ["results.csv", "logs", "stderr", "seasons.csv", "entrants.csv", "run.lock", "results.csv.set-aside"]
    {
        let played = played.copy();
        let (inside, outside) = (played.path(name), played.place.path("outside"));
        let is_folder = inside.is_dir() || name == "stderr";
        if fs::rename(&inside, &outside).is_err() {
            if is_folder { fs::create_dir(&outside) } else { fs::write(&outside, "mine\n") }
                .expect("a target");
        }
        symlink(&outside, &inside).expect("a link");
        let before = listing(&outside);
        if name == "results.csv.set-aside" {
            let half = fs::read_to_string(played.path("results.csv")).expect("results");
            fs::write(played.path("results.csv"), &half[..half.len() - 10]).expect("results");
        }
        let ran = played.call("hill run hill --rounds 1 --jobs 1");
        if name != "stderr" {
            assert!(ran.status != Some(0), "{name}: {}", ran.out);
            ran.complaining(&[name]);
        }
        assert_eq!(listing(&outside), before, "{name}: nothing is written outside");
    }
}

/// All files below a path, with their contents.
fn listing(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = if path.is_dir() { files_below(path, "csv") } else { vec![path.to_owned()] };
    files.into_iter().map(|file| (file.clone(), fs::read(file).expect("a file"))).collect()
}

#[test]
fn standard_error_of_a_bot_is_not_read_through_a_link() {
    let played = Played::new();
    fs::write(played.place.path("secret.txt"), "the secret of the host\n").expect("a file");
    let log = Path::new(&played.rows[0].log).strip_prefix("logs").expect("below logs").to_owned();
    let errors = played.path("stderr").join(log.with_extension("")).display().to_string() + "-seat0.txt";
    fs::create_dir_all(Path::new(&errors).parent().expect("a folder")).expect("made");
    let _ = fs::remove_file(&errors);
    symlink(played.place.path("secret.txt"), &errors).expect("a link");
    for words in ["replay hill % --html page.html", "replay hill/% --html page.html"] {
        played.call(words).with_status(0);
        let page = fs::read_to_string(played.place.path("page.html")).expect("a page");
        assert!(!page.contains("the secret of the host"));
    }
}

#[test]
fn files_without_end_are_refused_in_little_memory() {
    let played = Played::new();
    let columns = ",".repeat(1 << 20);
    let quote =
        "game,started,attempt,turn,reason,seat,bot,bot_version,bots,sandbox,detail,log,log_digest\n\"";
    for (name, start) in [
        ("results.csv", ""),
        ("results.csv", &*header()),
        ("results.csv", &(header() + &columns)),
        ("seasons.csv", ""),
        ("entrants.csv", ""),
        ("voids.csv", quote),
        ("voids.csv", &columns),
        ("verdicts.csv", "season,\""),
        ("hill.toml", "game = \"football\"\n"),
    ] {
        let played = played.copy();
        huge(&played.path(name), start);
        for words in HILL {
            played.run(words);
        }
        let ran = played.run("audit hill").complaining(&[name]);
        assert!(matches!(ran.status, Some(2 | 3)), "{name}: {}", ran.err);
    }
}

#[test]
fn logs_without_end_are_refused_in_little_memory() {
    let played = Played::new();
    let log = fs::read_to_string(played.log()).expect("a log");
    let head = &log[..log.find("\nanswer,").expect("an answer") + 1];
    let fields = ["answer,0,0,ok,5,,", "answer,0,0,malformed,5,,,\"", "draw,0,,balls,,,", ""];
    for start in fields.map(|field| format!("{head}{field}")) {
        huge(&played.log(), &start);
        refused_as_log(&played, &start);
    }
    let settings = format!("{head}{}", "set,,,a,,,1,\n".repeat(100_000));
    for rest in ["seat,,0,a,,,1,".to_owned() + &"0".repeat(64) + "\n", "set,,,p,,,1,\n".to_owned()] {
        let before_the_end = head.rfind("seat,,0").expect("a seat");
        let text = format!("{}{}", &head[..before_the_end], rest.repeat(100_000));
        fs::write(played.log(), text).expect("a log");
        refused_as_log(&played, &rest);
    }
    fs::write(played.log(), settings).expect("a log");
    refused_as_log(&played, "settings after the seats");
    fs::write(played.log(), format!("{head}answer,0,0,ok,5,,{},\n", "1 ".repeat(400_000))).expect("a log");
    refused_as_log(&played, "many integers");
    for number in ["4294967295", "99999999999999999999", "-1"] {
        fs::write(played.log(), log.replacen("\nanswer,0,", &format!("\nanswer,{number},"), 1))
            .expect("a log");
        refused_as_log(&played, number);
        fs::write(played.log(), log.replacen("\nseat,,3,", &format!("\nseat,,{number},"), 1)).expect("a log");
        played.run("audit hill/%").with_status(3);
    }
}

#[test]
fn what_unpacks_to_more_than_it_should_is_refused_in_little_memory() {
    const UNPACKED: usize = 48 << 20;
    let played = Played::new();
    let log = fs::read(played.log()).expect("a log");
    let head = &log[..log.windows(8).position(|part| part == b"\nanswer,").expect("an answer") + 1];
    let packed = |parts: &[&[u8]]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        parts.iter().for_each(|part| encoder.write_all(part).expect("memory"));
        encoder.finish().expect("memory")
    };
    let fill = |filling: &[u8]| filling.repeat(UNPACKED / filling.len());
    let twice = packed(&[&packed(&[&log])]);
    for (what, bytes) in [
        ("settings", packed(&[head, &fill(b"set,,,a,,,1,\n")])),
        ("a field", packed(&[head, b"answer,0,0,ok,5,,", &fill(b"1")])),
        ("a quote", packed(&[head, b"answer,0,0,ok,5,,,\"", &fill(b"1\n")])),
        ("in itself", twice),
        ("with garbage behind it", [&packed(&[&log])[..], b"garbage"].concat()),
        ("of many parts", [packed(&[&log]), packed(&[&log])].concat()),
        ("of nothing", [&packed(&[])[..]; 10_000].concat()),
    ] {
        fs::write(played.log(), bytes).expect("a log");
        refused_as_log(&played, what);
    }
    fs::write(played.log(), packed(&[&log])).expect("a log");
    played.run("audit hill").with_status(0);
}

/// Every command refuses the log or succeeds, and the audit refuses it.
#[track_caller]
fn refused_as_log(played: &Played, what: &str) {
    for words in HILL.iter().chain(&LOG) {
        let ran = played.run(words);
        assert!(!ran.err.contains("panicked"), "{what}: {}", ran.err);
    }
    for words in ["audit hill", "audit hill/%"] {
        let ran = played.run(words);
        assert!(matches!(ran.status, Some(1..=3)), "{what}: {}{}", ran.out, ran.err);
        ran.complaining(&["logs/"]);
    }
}

#[test]
fn toml_that_is_nested_or_long_is_refused_with_its_file() {
    let played = Played::new();
    let nested = ["[", "{a=", "a.", "[[a.b]]\n"].map(|part| format!("a = {}", part.repeat(100_000)));
    let dotted = format!("{} = 1\n", vec!["a"; 100_000].join("."));
    let tables = format!("[{}]\n", vec!["a"; 100_000].join("."));
    for text in nested.into_iter().chain([dotted, tables, "[a]\n".repeat(1 << 17), "a=1\n".repeat(1 << 17)]) {
        fs::write(played.path("hill.toml"), &text).expect("settings");
        played.call("audit hill").with_status(3).complaining(&["hill.toml"]);
        fs::create_dir_all(played.place.path("T")).expect("a folder");
        fs::write(played.place.path("T/plan.toml"), &text).expect("a plan");
        fs::write(played.place.path("t.toml"), &text).expect("a tournament");
        for words in ["tournament status T", "tournament repair T", "report T --html report"] {
            let ran = played.call(words).complaining(&["plan.toml"]);
            assert!(ran.status != Some(0));
        }
        played.call("tournament plan t.toml --dir U").with_status(2).complaining(&["t.toml"]);
    }
}

#[test]
fn strange_names_and_numbers_in_results_are_refused_with_their_line() {
    let played = Played::new();
    type Change = fn(&mut ResultRow);
    let changes: [(&str, Change); 7] = [
        ("line 2: column bot is not a name for a bot", |row| row.bot.name = "=cmd|' /C calc'!A1".to_owned()),
        ("line 2: a character", |row| row.bot.name = "\u{1b}[2J".to_owned()),
        ("line 2: column game is not a name for a game", |row| row.game = "../../x".to_owned()),
        ("line 2: a character", |row| row.end = "\u{9b}31m".to_owned()),
        ("line 2: a character", |row| row.sandbox = "strict\u{202e}".to_owned()),
        ("results.csv, line", |row| row.seats = 4_000_000_000),
        ("results.csv, line", |row| {
            if let Some(place) = &mut row.place_in_schedule {
                place.round = u32::MAX;
            }
        }),
    ];
    for (due, change) in changes {
        played.enter(change);
        for words in HILL {
            let ran = played.call(words);
            let said = format!("{}{}", ran.out, ran.err);
            assert!(!said.contains("panicked"), "{said}");
            assert!(
                !said.chars().any(|c| c.is_control() && c != '\n') && !said.contains('\u{202e}'),
                "{said}"
            );
        }
        played.call("audit hill").with_status(3).complaining(&[due]);
    }
}
