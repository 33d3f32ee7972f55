//! `referee check` finds and names each planted mistake, and passes bots without mistakes.

mod causes;
mod check_game;
mod handed_in;
mod starters;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::called::Calls;
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
    // One that never answers is waited for in vain, however short the time is.
    let in_vain = ["--set", "first_ms=300"];
    let cases: [(&str, &[&str], i32, &str); 25] = [
        ("silent", &in_vain, 3, "silent"),
        ("deaf", &in_vain, 3, "silent"),
        ("holds-back", &[], 3, "reads_to_the_end"),
        ("says --text *", &[], 3, "no_newline"),
        ("closes-stdin --at 3", &["--set", "turn_ms=300", "--set", "max_turns=100"], 3, "deaf"),
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
        (
            "late --every 1 --ms 1000",
            &["--set", "first_ms=1900", "--set", "turn_ms=60000", "--set", "max_turns=1"],
            0,
            "slow_start",
        ),
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

/// A program in Python that answers each of its lines with an order that any position allows; `body` is how.
fn script(place: &Place, name: &str, body: &str) -> String {
    place.program(name, format!("#!/usr/bin/env python3\nimport sys, time\n{body}"))
}

/// The findings of a check that fails, as JSON.
fn findings_of(place: &Place, bot: &str, first_ms: u32) -> String {
    let limit = format!("first_ms={first_ms}");
    place
        .referee(&["check", bot, "--game", "football", "--format", "json", "--set", &limit])
        .with_status(3)
        .out
}

#[test]
fn the_reason_for_silence_is_tried_and_not_guessed() {
    let place = Place::new();
    let cases = [
        ("held", "for line in sys.stdin: print(0, 0)\n", "not_flushed", "print(answer, flush=True)"),
        (
            "whole",
            "for line in sys.stdin.read().splitlines(): print(0, 0, flush=True)\n",
            "reads_to_the_end",
            "line",
        ),
        (
            "nearly",
            "time.sleep(1.3)\nfor line in sys.stdin: print(0, 0, flush=True)\n",
            "late_start",
            "1000.0 ms",
        ),
        (
            "heavy",
            "time.sleep(3)\nfor line in sys.stdin: print(0, 0, flush=True)\n",
            "late_start",
            "comes after ",
        ),
        // Both at once: what waits in the buffer is found once the start is over.
        ("both", "time.sleep(1.5)\nfor line in sys.stdin: print(0, 0)\n", "not_flushed", "its output waits"),
        (
            "marked",
            "print('\\ufeff0 0', flush=True)\nfor line in sys.stdin: pass\n",
            "byte_order_mark",
            "without a mark",
        ),
        ("lacks", "print('reading', file=sys.stderr)\nopen('weights.txt')\n", "exited", "weights.txt"),
        (
            "stuck",
            "print('loading', file=sys.stderr)\nsys.stdin.readline()\ntime.sleep(99)\n",
            "silent",
            "loading",
        ),
    ];
    std::thread::scope(|scope| {
        for (name, body, mistake, what) in cases {
            // Those that end or answer at once are given any time.
            let limit = if ["byte_order_mark", "exited"].contains(&mistake) { 60_000 } else { 1_000 };
            let place = &place;
            scope.spawn(move || {
                let found = findings_of(place, &script(place, name, body), limit);
                assert!(found.contains(&format!("\"{mistake}\"")) && found.contains(what), "{name}: {found}");
            });
        }
    });
}

#[test]
fn times_that_were_cut_off_are_not_shown_as_in_time_under_a_greater_limit() {
    let place = Place::new();
    let more = ["--set", "turn_ms=50", "--set", "first_ms=30000", "--set", "max_turns=40"];
    let bot = faulty("late --every 2 --ms 400");
    let words = [&["check", &*bot, "--game", "football"], &more[..]].concat();
    let shown = place.referee(&words).with_status(3).out;
    assert!(shown.contains("longest more than "), "{shown}");
    for limit in ["at 100 ms", "at 500 ms"] {
        let (before, _) = shown.split_once(limit).expect("a limit");
        let rate = before.rsplit(", ").next().expect("a rate");
        assert!(before.ends_with(" % ") && rate.contains(" to "), "{shown}");
    }
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
    let listed = place.call(&["bots", "--format", "json"]).with_status(0).out;
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

#[test]
fn a_source_is_built_before_it_is_checked_or_played() {
    let place = Place::new();
    let write = |path: &str, text: &str| {
        let path = place.path(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("written");
    };
    let loop_of_c =
        "int main(void) { char b[9999]; while (fgets(b, 9999, stdin)) { puts(\"30 3\"); fflush(stdout); } }";
    write("fox.c", &format!("#include <stdio.h>\n{loop_of_c}\n"));
    write("owl/bot.py", "import sys, own\nfor line in sys.stdin: print(own.answer(), flush=True)\n");
    write(
        "owl/own.py",
        "import os\ndef answer(): return open(os.path.dirname(__file__) + '/data/a').read().strip()\n",
    );
    write("owl/data/a", "30 3\n");
    write("bad.c", "int main(void) { return x; }\n");
    for (bot, name) in [
        ("./fox.c", "fox was built from its source (c, "),
        ("owl", "owl was built from its source (python, "),
    ] {
        let ran = place.referee(&["check", bot, "--game", "push", "--set", "turns=20"]).with_status(0);
        assert!(ran.err.contains(name) && ran.out.contains("can play push"), "{ran:?}");
    }
    let played = place
        .referee(&["play", "push", "./fox.c", "owl", "random", "random", "random", "random", "--turns", "3"])
        .with_status(0);
    assert!(played.err.contains("fox was built"), "{played:?}");
    place.referee(&["audit", "games"]).with_status(0);
    let results = std::fs::read_to_string(place.path("games/results.csv")).expect("results");
    assert!(results.contains(",fox,1,") && results.contains(",owl,1,"), "{results}");
    let logs = std::fs::read_dir(place.path("games/logs")).expect("logs").flatten();
    let log = logs
        .map(|entry| entry.path().display().to_string())
        .find(|log| log.ends_with(".csv"))
        .expect("a log");
    let again = place.referee(&["rerun", &log, "--seat", "0", "./fox.c"]);
    assert!(again.err.contains("fox was built") && again.out.contains("All 3 answers"), "{again:?}");
    for command in [
        &["check", "./bad.c", "--game", "push"][..],
        &["play", "push", "./bad.c", "owl", "owl", "owl", "owl", "owl"],
    ] {
        place.referee(command).with_status(3).complaining(&["it was not built (c)", "| "]);
    }
    let left = std::fs::read_dir(place.path("tmp")).into_iter().flatten().flatten();
    assert_eq!(left.filter(|entry| entry.file_name().to_string_lossy().contains("build")).count(), 0);
}
