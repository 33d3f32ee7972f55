//! All settings of a host, on the command line and in files: each value works, or is refused with its key.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use referee_contest::file;
use referee_contest::hill::Hill;

use crate::called::Calls;
use crate::support::{Place, files_below};

/// Values that users and attackers write instead of a number.
const VALUES: [&str; 14] = [
    "0",
    "-1",
    "1.5",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "1e400",
    "nan",
    "inf",
    "-inf",
    "",
    "x",
];

/// Words before an option, and the option. Its commands play at most one short game.
const OPTIONS: [(&str, &str); 41] = [
    ("hill run h --rounds 1", "--jobs"),
    ("hill run h --jobs 1", "--rounds"),
    ("hill run h --jobs 1", "--to-round"),
    ("hill run h --until-clear --min-rounds 1 --max-rounds 1", "--alpha"),
    ("hill run h --until-clear --min-rounds 1 --max-rounds 1", "--epsilon"),
    ("hill run h --until-clear --max-rounds 1", "--min-rounds"),
    ("hill run h --until-clear --min-rounds 1", "--max-rounds"),
    ("hill standings h", "--alpha"),
    ("hill standings h", "--season"),
    ("hill standings h --pairs", "--season"),
    ("hill fairness h", "--season"),
    ("hill new NEW football", "--capacity"),
    ("hill new NEW football", "--seed"),
    ("hill new NEW football", "--block"),
    ("hill new NEW football", "-k"),
    ("hill new NEW football", "--turn-ms"),
    ("hill submit h ./still.guest", "--sandbox"),
    ("hill submit h ./still.guest", "--clock"),
    (
        "--sandbox off play football ./still.guest ./still.guest ./still.guest ./still.guest -p 1 --max-turns 1",
        "--memory",
    ),
    (
        "--sandbox off play football ./still.guest ./still.guest ./still.guest ./still.guest -p 1 --max-turns 1",
        "--tasks",
    ),
    (
        "--sandbox off play football ./still.guest ./still.guest ./still.guest ./still.guest -p 1 --max-turns 1",
        "--descriptors",
    ),
    (
        "--sandbox off play football ./still.guest ./still.guest ./still.guest ./still.guest -p 1 --max-turns 1",
        "--cpu",
    ),
    ("--sandbox off play football ./still.guest ./still.guest ./still.guest ./still.guest --watch", "--pace"),
    (
        "--sandbox off play football ./still.guest ./still.guest ./still.guest ./still.guest -p 1 --max-turns 1",
        "--stall-turns",
    ),
    ("--sandbox off rerun LOG ./still.guest", "--seat"),
    ("--sandbox off rerun LOG ./still.guest --seat 0", "--turn"),
    ("replay LOG --plain", "--turn"),
    ("replay LOG --plain", "--from"),
    ("replay LOG --plain", "--to"),
    ("report h --html rep", "--replays"),
    ("report h --html rep", "--season"),
    ("--sandbox off check ./still.guest --game football", "--set"),
    ("tournament plan --dir t", "--round"),
    ("tournament run --dir t --any-machine --min-disk 99999999", "--jobs"),
    ("tournament run --dir t --any-machine --min-disk 99999999", "--max-seconds"),
    ("tournament run --dir t --any-machine --min-disk 99999999", "--shard"),
    ("tournament status --dir t", "--n"),
    ("tournament standings --dir t", "--set"),
    ("tournament script slurm --dir t", "--n"),
    ("tournament script slurm --dir t --n 2", "--cpus"),
    ("tournament script slurm --dir t --n 2", "--time-limit"),
];

/// These would play for days.
const TAKEN: [(&str, &str); 8] = [
    ("--rounds", "65536"),
    ("--rounds", "4294967295"),
    ("--to-round", "65536"),
    ("--to-round", "4294967295"),
    ("--max-rounds", "65536"),
    ("--max-rounds", "4294967295"),
    ("--min-rounds", "65536"),
    ("--pace", "0"),
];

#[test]
fn each_value_of_an_option_works_or_is_refused_by_name() {
    let place = Place::new();
    let still = place.guest("still", "says 4");
    let settings = ["-p", "1", "--max-turns", "1", "--turn-ms", "30000", "--first-ms", "30000"];
    let hill = place.hill_of_guests("h", &settings, &[("a", "says 4"), ("b", "says 4")]);
    place.call(&["hill", "run", "h"]).with_status(0);
    let toml = format!(
        "name = \"t\"\ngame = \"football\"\nsandbox = \"off\"\nformat = {{ kind = \"rounds\", rounds = 1 }}\n\
         parameters = {{ p = 1, max_turns = 1 }}\n[[entrant]]\nname = \"a\"\nprogram = {still:?}\n\
         [[entrant]]\nname = \"b\"\nprogram = {still:?}\n"
    );
    fs::write(place.path("t.toml"), toml).expect("a file");
    place.call(&["tournament", "plan", "t.toml", "--dir", "t"]).with_status(0);
    place.call(&["tournament", "run", "--dir", "t", "--any-machine"]).with_status(0);
    let log = files_below(&hill.join("logs"), "csv").pop().expect("a log");
    // Not all of them: some play.
    let values = ["0", "-1", "1.5", "4294967295", "18446744073709551616", "1e400", "nan", ""].map(OsStr::new);
    let values = values.into_iter().chain([OsStr::from_bytes(b"\xff")]);
    let mut number = 0;
    for (value, (before, option)) in values.flat_map(|value| OPTIONS.map(|option| (value, option))) {
        if TAKEN.iter().any(|taken| taken.0 == option && OsStr::new(taken.1) == value) {
            continue;
        }
        number += 1;
        let new = format!("new{number}");
        let word = |word| match word {
            "LOG" => log.as_os_str(),
            "NEW" => OsStr::new(&new),
            word => OsStr::new(word),
        };
        let mut words: Vec<&OsStr> = before.split(' ').map(word).collect();
        let joined = [OsStr::new(option), value].join(OsStr::new("="));
        match option.starts_with("--") {
            true => words.push(&joined),
            false => words.extend([OsStr::new(option), value]),
        }
        // A call may take little memory.
        let ran = place.call_with(100, words.iter().map(Into::into).collect());
        let key = option.trim_start_matches('-');
        let names = [option.to_owned(), key.replace('-', "_"), format!("{key} =")];
        let shown = value.to_str().filter(|value| value.len() > 3);
        let is_named = names.iter().map(|name| &**name).chain(shown).any(|name| ran.err.contains(name));
        assert!(!ran.err.contains("panicked"), "{ran:?}");
        assert!(matches!(ran.status, Some(0 | 75)) || ran.status == Some(2) && is_named, "{ran:?}");
        let is_number = value.as_bytes().first().is_some_and(u8::is_ascii_digit);
        assert!(is_number || ran.status == Some(2), "no number: {ran:?}");
    }
}

/// Keys of `hill.toml`.
const HILL: [&str; 17] = [
    "game",
    "seed",
    "sandbox",
    "clock",
    "interpreters",
    "block",
    "capacity",
    "program_mib",
    "compress",
    "p",
    "max_turns",
    "turn_ms",
    "data_mib",
    "tasks",
    "descriptors",
    "folder_mib",
    "cpu_seconds",
];

/// A tournament's file in which each value can be replaced.
const TOURNAMENT: &str = r#"# A tournament.
name = "t"
game = "football"
seed = "7"
clock = "charged"
sandbox = "auto"
interpreters = []
compress = false
batch = 50
program_mib = 256
[parameters]
p = 1
max_turns = 1
[format]
kind = "rounds"
rounds = 40
deal = "uniform"
block = "one-seating"
[stop]
alpha = 0.05
epsilon = 0.01
min_rounds = 10
look_every = 10
[limits]
data_mib = 512
cpu_seconds = 0
[machines]
slower_max = 4
calibration_us = 5000
[[entrant]]
name = "a"
program = "house:still"
[[entrant]]
name = "b"
program = "house:still"
"#;

/// Writes a value after a key, as a number and as a text, and passes each text on. Returns how many were
/// accepted.
fn each_value(text: &str, key: &str, mut read: impl FnMut(&str) -> Result<(), String>) -> usize {
    let is_it = |line: &&str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(" ="));
    let line = text.lines().find(is_it).unwrap_or_else(|| panic!("no {key} in {text}"));
    let number = text.lines().position(|other| other == line).expect("that line") + 1;
    let mut taken = 0;
    for value in VALUES {
        for value in
            [value.to_owned(), format!("\"{value}\""), format!("[{value}]"), format!("{{ a = {value} }}")]
        {
            match read(&text.replacen(&format!("\n{line}"), &format!("\n{key} = {value}"), 1)) {
                Ok(()) => taken += 1,
                Err(error) => {
                    // If a table is wrong, the error names its line, which may be the heading.
                    let names_it = error.contains(&format!("line {number}:")) || error.contains(key);
                    assert!(names_it, "{key} = {value}: {error}");
                    assert!(error.len() < 1000 && !error.contains("panicked"), "{error}");
                }
            }
        }
    }
    taken
}

#[test]
fn each_value_in_a_hills_settings_works_or_is_refused_with_its_line() {
    let place = Place::new();
    place.call(&["hill", "new", "h", "football", "--capacity", "8"]).with_status(0);
    let path = place.path("h/hill.toml");
    let text = fs::read_to_string(&path).expect("settings");
    let open = || Hill::open(&place.path("h")).map(drop).map_err(|error| error.to_string());
    for key in HILL {
        let taken = each_value(&text, key, |text| {
            fs::write(&path, text).expect("settings");
            open()
        });
        // A seed may be any number as text; otherwise most of these tests would do nothing.
        assert!(taken <= 9, "{key}: {taken}");
    }
    fs::write(&path, [text.as_bytes(), b"# \xff\n"].concat()).expect("settings");
    let error = open().expect_err("no text");
    assert!(error.contains("hill.toml") && error.contains("UTF-8"), "{error}");
    fs::write(&path, "").expect("settings");
    assert!(open().expect_err("nothing in it").contains("hill.toml, line 1"));
}

#[test]
fn each_value_in_a_tournaments_file_works_or_is_refused_with_its_line() {
    let read = |text: &str| {
        let parsed = file::parse(Path::new("t.toml"), text);
        parsed.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(read(TOURNAMENT), Ok(()));
    let keys = TOURNAMENT.lines().filter_map(|line| line.split_once(" = ")).map(|(key, _)| key);
    for key in keys {
        let taken = each_value(TOURNAMENT, key, read);
        assert!(taken <= 14, "{key}: {taken}");
    }
    assert!(read("").expect_err("nothing in it").contains("t.toml, line 1"));
}
