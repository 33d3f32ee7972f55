//! Output must arrive: a command that cannot write its output ends with status 1, and reports it.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Stdio;

use crate::called::Calls;
use crate::support::{Place, Ran};

const SCRIPT: &str = "#!/bin/sh\nwhile read line; do echo 4 4; done\n";

const LOG: &str = "games/logs/football-0x0000000000000007.csv";

const FILE: &str = r#"
name = "short"
game = "football"
seed = "11"
sandbox = "off"
[parameters]
p = 2
max_turns = 5
turn_ms = 30000
first_ms = 30000
[format]
kind = "rounds"
rounds = 1
"#;

/// All commands that print, each with words with which it succeeds. They are run in this order. Each prints
/// to a place that cannot be written to, but still does its other work.
const COMMANDS: [&str; 51] = [
    "--help",
    "--version",
    "help hill",
    "play --help",
    "play football --help",
    "tournament plan --help",
    "bots",
    "bots --format csv",
    "bots --format json",
    "new mybot --game football --lang python",
    "hill new hill football -p 2 --max-turns 5 --turn-ms 30000 --first-ms 30000 --seed 5",
    "hill submit hill ./one --name one",
    "hill submit hill ./two --name two",
    "hill run hill --rounds 1",
    "hill standings hill",
    "hill standings hill --format csv",
    "hill standings hill --format json",
    "hill standings hill --pairs",
    "hill fairness hill",
    "hill fairness hill --format csv",
    "hill bots hill",
    "hill bots hill --format json",
    "hill log hill GAME",
    "hill log hill GAME --raw",
    "hill retire hill two",
    "report hill --html report",
    "audit hill",
    "play football ./one ./one ./one ./one -p 2 --max-turns 5 --seed 7 --turn-ms 30000 --first-ms 30000",
    "play football ./one ./one ./one ./one -p 2 --max-turns 5 --repeat 2 --turn-ms 30000 --first-ms 30000",
    "play football ./one ./one ./one ./one -p 2 --max-turns 5 --turn-ms 30000 --first-ms 30000 --format csv",
    "play football ./one ./one ./one ./one -p 2 --max-turns 5 --turn-ms 30000 --first-ms 30000 --format json",
    "audit games",
    "audit LOG",
    "audit games LOG",
    "export LOG --dir exported",
    "replay LOG",
    "replay LOG --turn 2",
    "replay LOG --html game.html",
    "rerun LOG --seat 0 ./one",
    "rerun LOG --seat 0 ./one --format csv",
    "tournament plan short.toml --dir T",
    "tournament status T",
    "tournament status T --format csv",
    "help tournament run",
    "tournament status T --n 2",
    "tournament run T",
    "tournament repair T",
    "tournament standings T",
    "tournament standings T --format json",
    "tournament fairness T",
    "audit T",
];

/// Runs a command with its output going there.
fn printing_to(place: &Place, words: &[&str], out: Stdio) -> Ran {
    let output = place.command(words).stdout(out).output().expect("referee can be started");
    Ran::new(words.join(" "), &output)
}

fn full() -> Stdio {
    File::options().write(true).open("/dev/full").expect("/dev/full").into()
}

/// A pipe without a reader.
fn closed() -> Stdio {
    std::io::pipe().expect("a pipe").1.into()
}

fn place() -> Place {
    let place = Place::new();
    place.program("one", SCRIPT);
    place.program("two", format!("{SCRIPT}# another\n"));
    let entrant = |name: &str| {
        let program = place.path(name);
        format!("[[entrant]]\nname = \"{name}\"\nprogram = \"{}\"\n", program.display())
    };
    fs::write(place.path("short.toml"), format!("{FILE}{}{}", entrant("one"), entrant("two"))).unwrap();
    place
}

/// Returns the words of a command, with the names of the present files.
fn words_of(place: &Place, command: &str) -> Vec<String> {
    let game = || {
        let results = fs::read_to_string(place.path("hill/results.csv")).expect("results");
        let row = results.lines().nth(1).expect("a row").to_owned();
        row.split(',').next().unwrap().to_owned()
    };
    let word = |word: &str| match word {
        "LOG" => LOG.to_owned(),
        "GAME" => game(),
        word => word.to_owned(),
    };
    command.split(' ').map(word).collect()
}

#[track_caller]
fn all_end(out: fn() -> Stdio, status: i32, why: Option<&str>) {
    let place = place();
    let mut wrong = Vec::new();
    for command in COMMANDS {
        let words = words_of(&place, command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = printing_to(&place, &words, out());
        let told = ran.err.contains("cannot write to standard output");
        let is_told = match why {
            Some(why) => ran.err.contains(&format!("cannot write to standard output: {why}")),
            None => !told && !ran.err.contains("error"),
        };
        if ran.status != Some(status) || !is_told || ran.err.contains("panicked") {
            wrong.push(ran);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Their other work is done.
    place.call(&["audit", "hill", "games", "T"]).with_status(0);
    for file in ["report/index.html", "game.html", "exported", "mybot"] {
        assert!(place.path(file).exists(), "{file}");
    }
}

#[test]
fn a_full_disk_is_told_by_every_command() {
    all_end(full, 1, Some("No space left on device"));
}

#[test]
fn a_reader_that_has_had_enough_is_no_error_of_any_command() {
    all_end(closed, 0, None);
}

#[test]
fn what_has_failed_besides_is_more_to_know() {
    let place = place();
    let words = "play football ./one ./one ./one ./one -p 2 --max-turns 5 --seed 7";
    place.referee(&words.split(' ').collect::<Vec<_>>()).with_status(0);
    fs::copy(place.path(LOG), place.path("good.csv")).unwrap();
    let text = fs::read_to_string(place.path(LOG)).unwrap();
    fs::write(place.path("bad.csv"), text.replace("end,", "end,,")).unwrap();
    let ran = printing_to(&place, &["audit", "good.csv", "bad.csv"], full());
    ran.with_status(3).complaining(&["bad.csv", "cannot write to standard output"]);
    printing_to(&place, &["replay", "nothing.csv"], full()).with_status(2);
    // Nothing had to be printed, so nothing is lost.
    printing_to(&place, &["nonsense"], full()).with_status(2);
}

#[test]
fn files_that_cannot_be_written_are_named() {
    let place = Place::new();
    place.guest("one", "says 4 4");
    let words = "play football ONE ONE ONE ONE -p 2 --max-turns 5 --seed 7 --sandbox off";
    let words = words.replace("ONE", "./one.guest");
    place.call(&words.split(' ').collect::<Vec<_>>()).with_status(0);
    let html = place.call(&["replay", LOG, "--html", "/dev/full"]).with_status(1);
    html.complaining(&["/dev/full: cannot write", "No space left on device"]);
    let nowhere = place.call(&["export", LOG, "--dir", "/proc/nothing"]);
    assert!(matches!(nowhere.status, Some(1 | 2)) && nowhere.err.contains("/proc/nothing"), "{nowhere:?}");
}

/// Commands on a full disk: no partial file has a name that looks complete.
const ON_A_FULL_DISK: &str = r#"
set -u
mkdir disk
mount -t tmpfs -o size=64k tmpfs disk
head -c 61440 /dev/zero >disk/filler
"$REFEREE" export "$LOG" --dir disk/exported; echo "export: $?"
"$REFEREE" replay "$LOG" --html disk/game.html; echo "html: $?"
"$REFEREE" report hill --html disk/report; echo "report: $?"
"$REFEREE" audit games >disk/audit.txt; echo "audit, in what room there is: $?"
find disk -type f -size +0 ! -name filler ! -name audit.txt -printf 'left: %p %s\n'
"$REFEREE" replay "$LOG" --plain >disk/plain.txt; echo "plain: $?"
"$REFEREE" hill new disk/hill football; echo "hill: $?"
"#;

#[test]
#[ignore = "needs a user who may mount a disk"]
fn on_a_full_disk_no_part_of_a_file_has_the_name_of_a_whole_one() {
    let place = place();
    let words = "play football ./one ./one ./one ./one -p 10 --max-turns 300 --seed 7 --turn-ms 30000 --first-ms 30000";
    place.referee(&words.split(' ').collect::<Vec<_>>()).with_status(0);
    let settings = ["-p", "2", "--max-turns", "5", "--turn-ms", "30000", "--first-ms", "30000"];
    place.hill("hill", &settings, &[("one", "./one"), ("two", "./two")]);
    place.referee(&["hill", "run", "hill", "--rounds", "1"]).with_status(0);
    let mut shell = place.shell_with_disks(ON_A_FULL_DISK);
    shell.env("LOG", PathBuf::from(LOG));
    let ran = Ran::new("on a small disk".to_owned(), &shell.output().expect("unshare")).with_status(0);
    let said: Vec<&str> = ran.out.lines().collect();
    let due = ["export: 1", "html: 1", "report: 1", "audit, in what room there is: 0", "plain: 1", "hill: 1"];
    assert_eq!(said, due, "{ran:?}");
    assert!(!ran.err.contains("panicked"), "{ran:?}");
}

#[test]
fn lines_fit_a_terminal_and_neither_words_nor_commands_are_broken() {
    let fitted = |text: &str, columns| referee_cli::out::fitted(text, columns).into_owned();
    let text = "champion leads sweeper by 0.030; about 110 more games until that is certain";
    assert_eq!(fitted(text, None), text, "no terminal");
    assert_eq!(fitted(text, Some(80)), text, "it fits");
    let broken = "champion leads sweeper by 0.030;\nabout 110 more games until that\nis certain";
    assert_eq!(fitted(text, Some(32)), broken);
    // A longer word is left to the terminal, whole.
    assert_eq!(fitted("see /a/path/that/is/long now", Some(10)), "see\n/a/path/that/is/long\nnow");
    // A command is copied as it is: to the end of the line, or of the backticks.
    let command = "stopped; to continue: referee hill run myhill --to-round 7";
    assert_eq!(fitted(command, Some(30)), "stopped; to continue:\nreferee hill run myhill --to-round 7");
    let quoted = "no such page; `referee docs hill` lists all of them";
    assert_eq!(fitted(quoted, Some(25)), "no such page;\n`referee docs hill` lists\nall of them");
    // Indented lines are commands or drawings; the lines of a text are apart.
    let indented = "  referee audit demo-hill      play every game again";
    assert_eq!(fitted(indented, Some(20)), indented);
    assert_eq!(fitted("one two\nthree four", Some(7)), "one two\nthree\nfour");
    for columns in 1..90 {
        let rows = fitted(text, Some(columns));
        assert_eq!(rows.replace('\n', " "), text);
        let longest = text.split(' ').map(str::len).max().expect("words");
        assert!(rows.lines().all(|row| row.len() <= columns.max(longest)), "{columns}: {rows}");
    }
}

#[test]
fn each_command_that_starts_bots_names_a_weaker_tier_unless_it_is_to_be_quiet() {
    let place = Place::new();
    let game = "--game push --sandbox off";
    let [random, reader] = ["random", "reader"].map(|name| place.guest(name, &format!("house {name}")));
    let seats = [&[&*random; 5][..], &[&*reader]].concat().join(" ");
    place.call(&["hill", "new", "hill", "push", "--turns", "3"]).with_status(0);
    for words in [
        format!("play push {seats} --turns 3 --sandbox off"),
        format!("check {random} {game}"),
        format!("compare {random} {reader} {game} --set turns=3 --max-rounds 2"),
        format!("hill submit hill {random} --sandbox off"),
        format!("hill submit hill {reader} --sandbox off"),
        "hill run hill --rounds 1 --sandbox off".to_owned(),
    ] {
        let told = "sandbox: off (limits alone: ";
        let ran = place.call(&words.split(' ').collect::<Vec<_>>());
        assert!(ran.err.contains(told), "{words}: {}", ran.err);
        let quiet = [&["-q"], &words.split(' ').collect::<Vec<_>>()[..]].concat();
        let ran = place.call(&quiet);
        assert!(!ran.err.contains(told), "{words}: {}", ran.err);
    }
}
