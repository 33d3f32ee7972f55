//! `referee check` finds and names each planted mistake, and passes bots without mistakes.

mod check_game;
mod handed_in;
mod starters;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{Place, faulty, rows_of_json};

/// The findings: the exit status, and each mistake by its name.
fn mistakes(place: &Place, bot: &str, game: &str, more: &[&str]) -> (Option<i32>, Vec<String>) {
    let words = ["check", bot, "--game", game, "--format", "json", "--set", "first_ms=3000"];
    let ran = place.referee(&[&words[..], more].concat());
    let examined: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    let findings = examined["findings"].as_array().expect("findings");
    let named = findings.iter().filter_map(|finding| finding["mistake"].as_str());
    let mut named: Vec<String> = named.map(str::to_owned).collect();
    named.sort();
    named.dedup();
    for finding in findings {
        assert_eq!(finding["mistake"].is_null(), finding["grade"] == "passed", "{finding}");
        assert_eq!(finding["mistake"].is_null(), finding["cure"].is_null(), "{finding}");
    }
    (ran.status, named)
}

#[test]
fn each_mistake_is_named() {
    let place = Place::new();
    let slow = ["--set", "turn_ms=60000"];
    let cases: [(&str, &[&str], i32, &str); 24] = [
        ("silent", &[], 3, "silent"),
        ("deaf", &[], 3, "silent"),
        ("holds-back", &[], 3, "not_flushed"),
        ("says --text *", &[], 3, "no_newline"),
        (r"says --text *\r", &[], 3, "carriage_return"),
        ("word-by-word", &[], 3, "one_number_a_line"),
        ("pieces", &["--set", "p=2"], 3, "reads_pieces"),
        (r"says --text thinking\n*\n", &slow, 3, "text"),
        (r"says --text *\nthinking\n", &slow, 3, "extra_lines"),
        ("extra", &slow, 3, "extra_lines"),
        ("debug", &slow, 3, "extra_lines"),
        ("count-short --every 50", &slow, 3, "count"),
        (r"says --text *_4\n", &slow, 3, "count"),
        (r"says --text 4.0\n", &slow, 3, "no_integers"),
        ("long --every 5", &slow, 3, "too_long"),
        ("illegal --every 5", &slow, 0, "illegal"),
        ("late --every 1 --ms 1600", &["--set", "turn_ms=60000", "--set", "max_turns=1"], 0, "slow_start"),
        ("late --every 9 --ms 1500", &["--set", "turn_ms=500", "--set", "max_turns=20"], 3, "late"),
        ("crash --at 15", &slow, 3, "crashed"),
        ("exit --at 15", &slow, 3, "exited"),
        ("closes-stdout --at 15", &["--set", "turn_ms=500"], 3, "closed"),
        ("late --every 9 --ms 1000", &["--set", "turn_ms=1900", "--set", "max_turns=20"], 0, "tight"),
        ("lingers", &slow, 0, "stays"),
        ("ends-badly", &slow, 0, "bad_end"),
    ];
    // They mainly wait; those that sleep before each answer are asked until their time is over.
    std::thread::scope(|scope| {
        for (bot, more, status, mistake) in cases {
            let place = &place;
            scope.spawn(move || {
                let found = mistakes(place, &faulty(bot), "football", more);
                assert_eq!(found.0, Some(status), "{bot}: {found:?}");
                assert!(found.1.iter().any(|found| found == mistake), "{bot}: {found:?}");
            });
        }
    });
}

#[test]
fn a_program_that_uses_too_much_of_the_machine_is_told_so() {
    let place = Place::new();
    let bot = place.program("bot", "#!/bin/sh\nwhile :; do printf %1000000s x; done > file\n");
    assert_eq!(mistakes(&place, &bot, "football", &[]), (Some(3), vec!["resource".into()]));
}

#[test]
fn memory_that_grows_is_seen() {
    let place = Place::new();
    let settings = ["--set", "turn_ms=60000", "--memory", "1024"];
    assert_eq!(
        mistakes(&place, &faulty("hoards"), "football", &settings),
        (Some(0), vec!["memory_grows".into()])
    );
}

#[test]
fn a_program_that_cannot_be_started_is_told_so() {
    let place = Place::new();
    // An interpreter that is not a program.
    let bot = place.program("bot", "#!/etc/passwd\n");
    assert_eq!(mistakes(&place, &bot, "football", &[]), (Some(3), vec!["start_failed".into()]));
    let bot = place.program("bot", "#!/bin/false\n");
    assert_eq!(mistakes(&place, &bot, "football", &[]), (Some(3), vec!["exited".into()]));
    place
        .referee(&["check", "./missing", "--game", "football"])
        .with_status(2)
        .complaining(&["no such file"]);
    place.referee(&["check", &bot, "--game", "chess"]).with_status(2).complaining(&["football", "target"]);
    place
        .referee(&["check", &bot, "--game", "football", "--set", "k=99"])
        .with_status(2)
        .complaining(&["--set k=99", "k must be at most 46"]);
}

/// A short examination for each game, with time limits that no bot exceeds on a busy machine.
const SHORT: [(&str, &[&str]); 4] = [
    ("football", &["--set", "turn_ms=60000", "--set", "max_turns=60"]),
    ("foosball", &["--set", "bank_ms=3600000"]),
    ("push", &["--set", "turn_ms=60000", "--set", "turns=20"]),
    ("target", &["--set", "turn_ms=60000", "--set", "max_rounds=30"]),
];

/// Makes sure that no mistake is found in a bot that plays all these games.
#[track_caller]
pub(crate) fn assert_fit(place: &Place, bot: &str, games: &[&str]) {
    for (game, settings) in SHORT.iter().filter(|(game, _)| games.contains(game)) {
        let found = mistakes(place, bot, game, &[settings, &["--set", "first_ms=60000"][..]].concat());
        assert_eq!(found, (Some(0), Vec::new()), "{bot}, {game}");
    }
}

#[test]
fn house_bots_are_fit() {
    let place = Place::new();
    let listed = place.referee(&["bots", "--format", "json"]).with_status(0).out;
    let bots = rows_of_json(&listed);
    assert!(bots.len() >= 14, "{listed}");
    for bot in &bots {
        let word = |name: &str| bot[name].as_str().expect("a word");
        assert_fit(&place, word("bot"), &[word("game")]);
    }
}

#[test]
fn a_slow_start_is_not_taken_for_an_answer_to_a_piece() {
    assert_fit(&Place::new(), &faulty(r"says --banner {wait:110} --text *\n"), &["football"]);
}

#[test]
fn ctrl_c_ends_an_examination_and_leaves_nobody() {
    let place = Place::new();
    let words = ["check", &faulty("silent"), "--game", "football", "--set", "first_ms=3600000"];
    let mut command = place.command(&words);
    let mut running = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("referee");
    let mut said = BufReader::new(running.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("first question") {
        assert!(said.read_line(&mut line).expect("text") > 0, "it begins: {line}");
    }
    kill_process(Pid::from_child(&running), Signal::INT).expect("it runs");
    assert_eq!(running.wait().expect("its end").code(), Some(130));
    place.assert_nothing_stays();
}
