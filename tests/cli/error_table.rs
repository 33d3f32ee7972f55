//! Mistakes of users, and trouble during a command: each with the place, the reason, the remedy and the exit
//! status.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use referee_contest::admission::entrants::stored;
use referee_contest::hill::Hill;
use referee_record::Digest;
use referee_record::error::ErrorKind;
use referee_report::pages as report;
use referee_report::pages::Options;
use rustix::process::{Pid, Signal, kill_process};

use crate::called::Calls;
use crate::support::{Place, Ran, comes_true, faulty, files_below, results_in};

/// A bot that stands still.
const STILL: &str = "#!/bin/sh\nwhile read -r question; do echo 4 4; done\n";

/// Settings of a short game of football.
const SHORT: [&str; 6] = ["-p", "2", "--max-turns", "5", "--seed", "7"];

fn play(place: &Place, bot: &str, more: &[&str]) -> Ran {
    place.referee(&[&["play", "football", bot, "still", "still", "still"], &SHORT[..], more].concat())
}

/// Plays with a bot that is no program, against others of that kind.
fn play_guest(place: &Place, bot: &str, more: &[&str]) -> Ran {
    let still = place.guest("still", "house still");
    place.call(
        &[&["--sandbox", "off", "play", "football", bot, &still, &still, &still], &SHORT[..], more].concat(),
    )
}

/// A hill with one round by two bots that are no programs.
fn played_hill(place: &Place) {
    let settings =
        ["-p", "2", "--max-turns", "5", "--turn-ms", "30000", "--first-ms", "30000", "--seed", "5"];
    place.hill_of_guests("hill", &settings, &[("one", "says 4 4"), ("two", "house still")]);
    place.call(&["hill", "run", "hill"]).with_status(0);
}

#[test]
fn a_script_whose_language_is_not_here_is_refused_before_the_game() {
    let place = Place::new();
    let bot = place.program("strange", "#!/usr/bin/env nosuchlang\n");
    for words in
        [&["play", "football", &bot, "still", "still", "still"][..], &["check", &bot, "--game", "football"]]
    {
        let ran = place.referee(words);
        assert!(matches!(ran.status, Some(2 | 3)), "{ran:?}");
        let said = format!("{}{}", ran.out.replace('\n', " "), ran.err);
        assert!(said.contains("nosuchlang"), "{ran:?}");
    }
    assert!(!place.path("games").exists(), "no game was begun");
}

#[test]
fn a_bot_that_ends_with_an_exception_is_told_with_its_status_and_last_words() {
    let place = Place::new();
    let raises = "#!/bin/sh\nread -r a; echo 4 4\nread -r b; echo 'Traceback' >&2; echo 'ValueError: boom' >&2; exit 3\n";
    let aborts = "#!/bin/sh\nread -r a; echo 4 4\nread -r b; echo 'terminate called' >&2; kill -ABRT $$\n";
    for (text, what, last) in
        [(raises, "exited: status 3", "ValueError: boom"), (aborts, "crashed: signal 6", "terminate called")]
    {
        let bot = place.program("bot", text);
        let told = play(&place, &bot, &[]).with_status(0).out;
        assert!(told.contains(&format!("first in turn 1: {what}")), "{told}");
        assert!(told.contains(&format!("standard error ends with: {last}")), "{told}");
        let checked = place.referee(&["check", &bot, "--game", "football", "--wide"]).with_status(3).out;
        assert!(checked.contains(what) && checked.contains(last), "{checked}");
    }
}

#[test]
fn a_bot_that_never_writes_is_told_so() {
    let place = Place::new();
    let settings = ["-p", "2", "--max-turns", "9", "--turn-ms", "20", "--first-ms", "20"];
    place.hill_of_guests("hill", &settings, &[]);
    let bot = place.guest("quiet", "silent");
    let ran = place.call(&["hill", "submit", "hill", &bot]).with_status(3);
    ran.complaining(&[
        "quiet is not admitted",
        "turn 0: late",
        "no line came while it was asked. silent: it does not answer at all",
        "write one line",
    ]);
}

#[test]
fn a_limit_too_small_for_a_program_is_named() {
    let place = Place::new();
    let bot = place.program("bot", STILL);
    play(&place, &bot, &["--memory", "1"]).with_status(2).complaining(&["--memory", "must be at least 4"]);
    let python = place.program("big", "#!/usr/bin/env python3\nimport sys\nx = bytearray(200 << 20)\nfor l in sys.stdin: print('4 4', flush=True)\n");
    let told = play(&place, &python, &["--memory", "64", "-v"]).with_status(0);
    assert!(told.out.contains("MemoryError"), "{told:?}");
    assert!(told.err.contains("sandbox: "), "the tier is named if more is asked for: {told:?}");
}

#[test]
fn a_folder_for_temporary_files_that_is_not_there_is_named() {
    let place = Place::new();
    place.program("bot", STILL);
    for words in ["play football ./bot still still still", "doctor", "check ./bot --game football"] {
        let mut command = place.command(&words.split(' ').collect::<Vec<_>>());
        let output = command.env("TMPDIR", "/no/such/folder").output().expect("referee can be started");
        let ran = Ran::new(words.to_owned(), &output).with_status(2);
        ran.complaining(&["error: /no/such/folder: no such folder; TMPDIR names"]);
    }
}

#[test]
fn numbers_are_refused_in_plain_words_by_their_option() {
    let place = Place::new();
    place.program("bot", STILL);
    for (words, due) in [
        ("play football ./bot still still still -p abc", "error: -p must be a whole number, not abc"),
        ("play football ./bot still still still --max-turns 0", "--max-turns must be at least 1, not 0"),
        ("play football ./bot still still still --max-turns -1", "--max-turns must be at least 1, not -1"),
        ("play football ./bot still still still --repeat -1", "'--repeat <N>': must be at least 1"),
        ("play football ./bot still still still --repeat x", "'--repeat <N>': not a whole number"),
        ("play football ./bot still still still --memory 0", "'--memory <MIB>': must be at least 4"),
        ("play football ./bot still still still --seed -1", "not a seed: \"-1\""),
        ("hill new hill football --capacity 1", "'--capacity <BOTS>': must be at least 2"),
        ("hill run hill --rounds -1", "'--rounds <N>': must be at least 1"),
        ("hill standings hill --alpha x", "'--alpha <P>': not a number"),
        ("hill standings hill --season 1.5", "'--season <N>': not a whole number"),
        ("replay x.csv --turn 99999999999", "'--turn <T>': must be at most 4294967295"),
    ] {
        let ran = place.call(&words.split(' ').collect::<Vec<_>>()).with_status(2).complaining(&[due]);
        assert!(!ran.err.contains("-- -1") && !ran.err.contains("..="), "{}", ran.err);
    }
}

#[test]
fn a_bot_is_named_with_a_shells_quoting() {
    let place = Place::new();
    let words = "#!/bin/sh\necho \"$# $1\" >&2\nwhile read -r question; do echo 4 4; done\n";
    place.program("a bot", words);
    place.program("bot", words);
    for (bot, name, seen) in [
        ("./a bot", "a_bot", "0 "),
        ("'./a bot' --say 'two words'", "a_bot", "2 --say"),
        ("fox='./a bot' \"one word\"", "fox", "1 one word"),
        ("fox=./bot", "fox", "0 "),
        ("owl=still", "owl", ""),
    ] {
        fs::remove_dir_all(place.path("games")).ok();
        play(&place, bot, &[]).with_status(0);
        let rows = results_in(&place.path("games"));
        assert_eq!(rows[0].bot.name, name, "{bot}");
        let errors = fs::read_to_string(place.path("games/stderr/football-0x0000000000000007-seat0.txt"));
        assert_eq!(errors.unwrap_or_default().trim_end_matches('\n'), seen, "{bot}");
    }
    play(&place, "", &[]).with_status(2).complaining(&["error: a bot is missing: \"\" names none"]);
    play(&place, "  ", &[]).with_status(2).complaining(&["a bot is missing"]);
    play(&place, "./no bot", &[]).with_status(2).complaining(&["./no: no such file", "\"'./no bot'\""]);
    play(&place, "./bot 'x", &[]).with_status(2).complaining(&["./bot 'x: a quotation mark is not closed"]);
    place.referee(&["bot", "chess", "x"]).with_status(2).complaining(&["no such game: chess (there are: "]);
}

#[test]
fn folders_are_made_and_what_is_none_is_named() {
    let place = Place::new();
    place.guest("bot", "says 4 4");
    play_guest(&place, "./bot.guest", &["--dir", "/dev/null"])
        .with_status(2)
        .complaining(&["/dev/null: not a folder"]);
    play_guest(&place, "./bot.guest", &["--dir", "bot.guest/games"])
        .with_status(2)
        .complaining(&["bot.guest/games: not a folder"]);
    play_guest(&place, "./bot.guest", &[]).with_status(0);
    let log = "games/logs/football-0x0000000000000007.csv";
    place.call(&["replay", log, "--html", "new/folder/game.html"]).with_status(0);
    assert!(place.path("new/folder/game.html").exists());
    played_hill(&place);
    let ran = place.call(&["report", "hill", "--html", "/dev/null"]).with_status(2);
    ran.complaining(&["/dev/null: a file, not a folder"]);
    let ran = place
        .call(&["rerun", log, "--seat", "0", "./bot.guest", "--turn", "9999", "--sandbox", "off"])
        .with_status(2);
    ran.complaining(&["--turn 9999: seat 0 gets no question in that turn; its last question is in turn 5"]);
}

#[test]
fn what_was_deleted_from_a_hill_is_named() {
    let place = Place::new();
    played_hill(&place);
    let without = |file: &str, words: &str, due: &[&str]| {
        let (there, away) = (place.path(&format!("hill/{file}")), place.path("away"));
        fs::rename(&there, &away).unwrap_or_else(|error| panic!("{file}: {error}"));
        let ran = place.call(&words.split(' ').collect::<Vec<_>>());
        fs::rename(&away, &there).expect("put back");
        ran.with_status(2).complaining(due);
    };
    without(
        "store",
        "hill run hill",
        &["missing: the program that was submitted as one; put it back, or submit one again"],
    );
    // What it says to do works: put it back, or submit the same program again.
    let submit = || place.call(&["hill", "submit", "hill", "./one.guest", "--name", "one"]);
    let digest = Digest::of(&fs::read(place.path("one.guest")).expect("a bot"));
    let file = stored(&place.path("hill"), digest.as_str());
    for other in [None, Some("another")] {
        submit().with_status(2).complaining(&["the same program plays already, as version 1"]);
        fs::remove_file(&file).expect("removed");
        other.into_iter().for_each(|text| fs::write(&file, text).expect("written"));
        submit().with_status(0);
        place.call(&["hill", "run", "hill", "--rounds", "1"]).with_status(0);
    }
    let entrants = ["hill/entrants.csv: missing, but seasons.csv lists bots that have played: put it back"];
    for words in [
        "hill run hill",
        "hill bots hill",
        "hill standings hill",
        "hill submit hill ./one.guest --name third",
    ] {
        without("entrants.csv", words, &entrants);
    }
    let results = ["hill/results.csv: missing, but games were played: `referee hill repair` makes it again"];
    for words in ["hill standings hill", "hill status hill", "report hill --html report"] {
        without("results.csv", words, &results);
    }
    fs::rename(place.path("hill/records"), place.path("records")).expect("the records");
    let results = ["hill/results.csv: missing, but games were played (see hill/logs/", "put it back"];
    for words in ["hill run hill", "hill standings hill"] {
        without("results.csv", words, &results);
    }
    fs::rename(place.path("records"), place.path("hill/records")).expect("the records");
    let seasons = ["hill/seasons.csv: missing, but games were played: put it back, or make another hill"];
    for words in ["hill run hill", "hill standings hill", "hill status hill", "report hill --html report"] {
        without("seasons.csv", words, &seasons);
    }
    place.call(&["audit", "hill"]).with_status(0);
    // These are made anew.
    for file in ["results.csv", "records", "run.lock", "entrants.lock"] {
        let path = place.path(&format!("hill/{file}"));
        if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }.expect(file);
        place.call(&["hill", "run", "hill", "--rounds", "1"]).with_status(0);
    }
    // The answers of the bots are nowhere but in a log.
    let log = files_below(&place.path("hill/logs"), "csv").remove(0);
    fs::remove_file(&log).expect("a log");
    place.call(&["hill", "run", "hill", "--rounds", "2"]).with_status(0);
    place.call(&["audit", "hill"]).with_status(3).complaining(&["its log is missing"]);
}

#[test]
fn a_file_that_was_cut_off_is_told_as_such() {
    let place = Place::new();
    place.guest("bot", "says 4 4");
    place.guest("still", "house still");
    place.guest("greedy", "house greedy");
    let words = [
        "play",
        "football",
        "./bot.guest",
        "./still.guest",
        "./greedy.guest",
        "./still.guest",
        "--sandbox",
        "off",
        "--seed",
        "7",
        "--compress",
        "--max-turns",
        "60",
    ];
    place.call(&words).with_status(0);
    let packed = fs::read(place.path("games/logs/football-0x0000000000000007.csv.gz")).expect("a log");
    let mut text = Vec::new();
    MultiGzDecoder::new(&packed[..]).read_to_end(&mut text).expect("the log");
    // Within a row. Times differ from run to run, and with them the place of a cut in the packed file.
    let row =
        text.len() / 2 + text[text.len() / 2..].iter().position(|byte| *byte == b'\n').expect("a row") + 1;
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&text[..row + 3]).and_then(|()| packed.flush()).expect("packed");
    fs::write(place.path("cut.csv.gz"), packed.get_ref()).expect("written");
    for (words, status) in
        [("replay cut.csv.gz --plain", 2), ("export cut.csv.gz --dir x", 3), ("audit cut.csv.gz", 3)]
    {
        let ran = place.call(&words.split(' ').collect::<Vec<_>>()).with_status(status);
        ran.complaining(&["cut.csv.gz, line ", " early"]);
    }
}

#[test]
fn what_a_hill_sets_is_not_set_for_one_of_its_games() {
    let place = Place::new();
    played_hill(&place);
    let words = ["play", "football", "./one.guest", "--vs", "hill", "--max-turns", "3"];
    place.call(&words).with_status(2).complaining(&["--max-turns is set by the hill", "hill/hill.toml"]);
    place.call(&words[..5]).with_status(0);
}

#[test]
fn a_hill_and_a_tournament_do_not_share_a_folder() {
    let place = Place::new();
    played_hill(&place);
    let file = "name = \"t\"\ngame = \"football\"\nformat = { kind = \"rounds\", rounds = 1 }\n\
                [[entrant]]\nname = \"a\"\nprogram = \"one.guest\"\n[[entrant]]\nname = \"b\"\nprogram = \"two.guest\"\n";
    fs::write(place.path("t.toml"), file).expect("a file");
    let ran = place.call(&["tournament", "plan", "t.toml", "--dir", "hill"]).with_status(2);
    ran.complaining(&["hill: there is a hill in it; choose another folder"]);
    place.call(&["tournament", "plan", "t.toml", "--dir", "T"]).with_status(0);
    let ran = place.call(&["hill", "new", "T", "football"]).with_status(2);
    ran.complaining(&["T: there is a tournament in it; choose another folder"]);
}

#[test]
fn a_check_tells_once_what_it_finds_at_several_sizes() {
    let place = Place::new();
    let bot = place.program("two", "#!/bin/sh\nwhile read -r question; do echo 4; done\n");
    let found = place.referee(&["check", &bot, "--game", "football", "--format", "csv"]).out;
    let other: Vec<&str> = found.lines().filter(|line| line.starts_with("other sizes,")).collect();
    let mut kinds: Vec<Vec<&str>> = other.iter().map(|line| line.split(',').take(3).collect()).collect();
    kinds.dedup();
    assert_eq!(kinds.len(), other.len(), "{found}");
    assert!(other.iter().any(|line| line.contains("p = 255, k = 1, k = 46: ")), "{found}");
}

#[test]
fn one_is_told_as_one() {
    let place = Place::new();
    let settings = ["-p", "2", "--max-turns", "1", "--turn-ms", "30000", "--block", "one-game"];
    place.hill_of_guests("hill", &settings, &[("one", "says 4 4"), ("two", "house still")]);
    let ran = place.call(&["hill", "run", "hill", "--jobs", "1"]).with_status(0);
    assert!(ran.err.contains("season 1, up to round 1: 1 game to play, 1 at a time"), "{}", ran.err);
    let audited = place.call(&["audit", "hill"]).with_status(0).out;
    assert!(audited.contains("agrees: 1 game, 4 rows;"), "{audited}");
}

#[test]
fn how_bots_are_started_can_be_said_before_the_command_or_behind_it() {
    let place = Place::new();
    let bot = place.guest("bot", "says 4 4");
    let bots = [&*bot; 4];
    for words in [
        [&["--sandbox", "off", "play", "football"], &bots[..]].concat(),
        [&["play", "--sandbox", "off", "football"], &bots[..]].concat(),
        [&["play", "football"], &bots[..], &["--sandbox", "off"]].concat(),
    ] {
        fs::remove_dir_all(place.path("games")).ok();
        let words = [&words[..], &SHORT[..]].concat();
        place.call(&words).with_status(0).complaining(&["sandbox: off"]);
        let quiet = place.call(&[&["-q"], &words[..]].concat()).with_status(0);
        assert_eq!(quiet.err, "");
    }
    let ran = place.call(&["--sandbox", "off", "bots"]).with_status(2);
    ran.complaining(&["--sandbox is for commands that start bots, and `bots` starts none"]);
    place.call(&["-q", "bot", "chess", "x"]).with_status(2).complaining(&["error: no such game"]);
}

/// Starts the program, waits until this file is there, and presses Ctrl-C.
fn interrupted(place: &Place, words: &[&str], sign: &Path) -> Ran {
    let mut command = place.command(words);
    let child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("referee can be started");
    assert!(comes_true(|| sign.exists()), "{} never comes", sign.display());
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    Ran::new(words.join(" "), &child.wait_with_output().expect("it ends"))
}

/// A bot that writes a file at its first question, and then takes its time.
fn slow_bot(place: &Place, sign: &Path) -> String {
    let text = format!("#!/bin/sh\nread -r q; : >{}; sleep 60; echo 4 4\n", sign.display());
    place.program("slow", text)
}

#[test]
fn a_submission_that_is_stopped_ends_with_130_and_enters_nobody() {
    let place = Place::new();
    let settings = ["-p", "2", "--max-turns", "9", "--turn-ms", "60000", "--first-ms", "60000"];
    place.hill("hill", &settings, &[]);
    let sign = place.path("asked");
    let bot = slow_bot(&place, &sign);
    let ran =
        interrupted(&place, &["hill", "submit", "hill", &bot, "--sandbox", "off"], &sign).with_status(130);
    ran.complaining(&["error: stopped; slow was not submitted"]);
    assert!(!place.path("hill/entrants.csv").exists());
    place.assert_nothing_stays();
}

#[test]
fn games_that_are_stopped_are_summed_up_as_far_as_they_came() {
    let place = Place::new();
    let sign = place.path("second");
    // The second game is the one in which the first has left its mark.
    let text = format!(
        "#!/bin/sh\nread -r q\nif [ -e {0}.1 ]; then : >{0}; sleep 60; fi\n: >{0}.1\necho 4 4\nwhile read -r q; do echo 4 4; done\n",
        sign.display()
    );
    let bot = place.program("bot", text);
    let more = ["--repeat", "3", "--sandbox", "off", "--first-ms", "60000"];
    let words = [&["play", "football", &bot, "still", "still", "still"], &SHORT[..], &more].concat();
    let ran = interrupted(&place, &words, &sign).with_status(130);
    ran.clone().complaining(&["error: stopped after 1 game"]);
    assert!(results_in(&place.path("games")).iter().all(|row| row.sandbox == "off"), "as it was said");
    assert!(ran.out.contains("mean_error") && ran.out.contains("│ bot"), "{}", ran.out);
    assert_eq!(results_in(&place.path("games")).len(), 4);
    place.assert_nothing_stays();
}

#[test]
fn a_report_that_is_stopped_leaves_nothing() {
    let place = Place::new();
    played_hill(&place);
    let hill = Hill::open(&place.path("hill")).expect("a hill");
    let target = place.path("reports/new");
    let stop = Arc::new(AtomicBool::new(true));
    let stopped = report::of_hill(&hill, None, Options::default(), &target, &stop).expect_err("stopped");
    assert_eq!((stopped.kind(), stopped.exit_code()), (ErrorKind::Stopped, 130), "{stopped}");
    assert_eq!(fs::read_dir(place.path("reports")).expect("a folder").count(), 0);
}

/// Commands on a hill that cannot be written to.
const READ_ONLY: &str = r#"
mount --bind hill hill && mount -o remount,ro,bind hill
for words in "run hill" "submit hill random" "retire hill one" "standings hill"; do
    "$REFEREE" hill $words >out 2>err
    echo "$words: $? $(grep -c "hill/.*Read-only file system.*; copy the folder to a disk that can be written to" err)"
done
"$REFEREE" audit hill >out; echo "audit: $?"
"#;

#[test]
#[ignore = "needs a user who may mount a disk"]
fn a_hill_that_cannot_be_written_to_is_shown_and_audited_and_all_else_says_what_to_do() {
    let place = Place::new();
    let bots = [("one", &*faulty("honest")), ("two", &*faulty("honest --tag"))];
    place.hill("hill", &SHORT, &bots);
    place.referee(&["hill", "run", "hill"]).with_status(0);
    let ran = place.shell_with_disks(READ_ONLY).output().expect("unshare");
    let ran = Ran::new("on a disk that is read-only".to_owned(), &ran).with_status(0);
    let due = [
        "run hill: 1 1",
        "submit hill random: 1 1",
        "retire hill one: 1 1",
        "standings hill: 0 0",
        "audit: 0",
    ];
    assert_eq!(ran.out.lines().collect::<Vec<&str>>(), due, "{ran:?}");
}

#[test]
fn a_command_that_has_built_a_bot_is_stopped_in_order_by_the_first_signal() {
    let place = Place::new();
    let sign = place.path("asked");
    let text = format!("import time\ninput()\nopen({sign:?}, 'w').close()\ntime.sleep(60)\n");
    fs::write(place.path("bot.py"), text).expect("a source");
    let more = ["--sandbox", "off", "--first-ms", "60000"];
    let words = [&["play", "football", "./bot.py", "still", "still", "still"], &SHORT[..], &more].concat();
    let ran = interrupted(&place, &words, &sign).with_status(130);
    ran.complaining(&["error: stopped"]);
    place.assert_nothing_stays();
}
