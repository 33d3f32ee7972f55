//! All options with a value: each value works, or is refused by name.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use crate::called::Calls;
use crate::support::{Place, files_below};

/// Words before an option, and the option. Its commands play at most one short game.
const OPTIONS: [(&str, &str); 38] = [
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
    ("tournament run t --min-disk 99999999", "--jobs"),
    ("tournament run t --min-disk 99999999", "--max-seconds"),
    ("tournament run t --min-disk 99999999", "--shard"),
    ("tournament status t", "--n"),
    ("tournament standings t", "--set"),
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
    place.call(&["tournament", "run", "--dir", "t"]).with_status(0);
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
