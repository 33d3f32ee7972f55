//! The check game, in every game of the catalog.

use std::path::PathBuf;

use referee_contest::admission::check::{CheckFault, LATE_PERCENT, NotAdmitted, Passed, QUESTIONS, check};
use referee_contest::admission::transcript::{Exchange, RECORD_MAX};
use referee_games::catalog::{Entry, GAMES};
use referee_record::error::Error;
use referee_rules::game::play_turn;
use referee_rules::{Events, Fault, FaultKind, Malformed, Parameters, Seat, Seed};
use referee_table::process::{Program, Setup, Timekeeping};

use crate::called::Calls;
use crate::support::{FAULTY, Said, answers_in, named};

fn faulty(words: &str) -> Program {
    let file = PathBuf::from(&*FAULTY);
    Program::new(file, words.split_whitespace().map(Into::into).collect())
}

fn check_game(entry: &Entry, program: &Program) -> Result<Passed, Error> {
    let setup = Setup::with(env!("CARGO_BIN_EXE_referee"));
    let mut parameters = Parameters::defaults(entry.parameters);
    // However busy this machine is, an honest bot should be in time.
    let _ = parameters.set("turn_ms", 60_000);
    let (parameters, _) = entry.seat(&parameters, seats(entry)).unwrap();
    check(entry, &parameters, program, &named("bot"), &setup, LATE_PERCENT)
}

fn seats(entry: &Entry) -> usize {
    match entry.seating {
        referee_games::catalog::Seating::Fixed(seats) => seats,
        referee_games::catalog::Seating::Range { least, .. } => least,
        referee_games::catalog::Seating::Teams(teams) => teams.len(),
        referee_games::catalog::Seating::Field { .. } => 1,
    }
}

#[test]
fn an_honest_bot_passes_in_every_game() {
    for entry in GAMES {
        let passed = check_game(entry, &faulty("honest"));
        let Passed { record, .. } = passed.unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        assert!(!record.is_empty(), "{}: its record is kept", entry.name);
    }
    let guide = include_str!("../../docs/guides/web.md");
    assert!(guide.contains(&format!("of at most {} MiB, in the folder `inbox`", RECORD_MAX >> 20)));
}

#[test]
fn nonsense_in_the_last_question_is_found_in_every_game() {
    for entry in GAMES {
        let error = check_game(entry, &faulty(&format!("garbage --every {QUESTIONS}")));
        match error.map_err(|error| error.cause::<NotAdmitted>().cloned().ok_or(error)) {
            Err(Ok(refused)) => assert_eq!(refused.fault.fault.kind(), FaultKind::Malformed),
            other => panic!("{}: {other:?}", entry.name),
        }
    }
}

/// A check game of a bot by its words, in a game that has this many questions.
fn push_of(turns: i64, turn_ms: i64, words: &str) -> Result<Vec<CheckFault>, CheckFault> {
    push_with(LATE_PERCENT, turns, turn_ms, words)
}

/// The same where this percentage of the answers may be late.
fn push_with(
    late_percent: u32,
    turns: i64,
    turn_ms: i64,
    words: &str,
) -> Result<Vec<CheckFault>, CheckFault> {
    push_game(late_percent, turns, turn_ms, words).map_err(|refused| refused.fault)
}

/// The same, with the record of a game that was not passed.
fn push_game(
    late_percent: u32,
    turns: i64,
    turn_ms: i64,
    words: &str,
) -> Result<Vec<CheckFault>, Box<NotAdmitted>> {
    let entry = referee_games::catalog::find("push").expect("a game");
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in [("turns", turns), ("turn_ms", turn_ms), ("first_ms", 300)] {
        parameters.set(name, value).expect("a parameter");
    }
    let setup = Setup { timekeeping: Timekeeping::Charged, ..Setup::with(env!("CARGO_BIN_EXE_referee")) };
    check(entry, &parameters, &faulty(words), &named("bot"), &setup, late_percent)
        .map(|passed| passed.warnings)
        .map_err(|error| error.cause::<NotAdmitted>().unwrap_or_else(|| panic!("{error}")).clone().into())
}

#[test]
fn who_never_answers_in_time_is_not_admitted_however_short_the_game() {
    for turns in [1, 5, 50] {
        let refused = push_of(turns, 50, "silent").expect_err("a refusal");
        assert_eq!((refused.fault.kind(), refused.is_silent), (FaultKind::Late, true), "{turns}");
    }
    // After the sixth late answer the end is certain, whatever is left of the game.
    let refused = push_of(50, 50, "late --every 1 --ms 400").expect_err("a refusal");
    assert_eq!((refused.turn, refused.fault.kind(), refused.is_silent), (0, FaultKind::Late, false));
}

#[test]
fn a_late_first_answer_is_a_warning() {
    let warnings = push_of(40, 5_000, r"says --banner {wait:700} --text @#_*\n")
        .unwrap_or_else(|refused| panic!("{refused}"));
    assert_eq!(
        warnings.first().map(|warning| (warning.turn, warning.fault.kind())),
        Some((0, FaultKind::Late))
    );
}

#[test]
fn one_answer_in_ten_may_be_late_and_no_more() {
    // Each late answer ends a little after its limit, so that the next one is in time.
    let late_every =
        |turns: i64, every: u32| push_of(turns, 2_000, &format!("late --tag --every {every} --ms 2300"));
    std::thread::scope(|scope| {
        let admitted =
            [(50, 10), (10, 10), (9, 9)].map(|(turns, every)| scope.spawn(move || late_every(turns, every)));
        let refused = [(50, 8), (10, 5)].map(|(turns, every)| scope.spawn(move || late_every(turns, every)));
        // A hill can take more, or none at all.
        let more = scope.spawn(|| push_with(50, 10, 2_000, "late --tag --every 4 --ms 2300"));
        let none = scope.spawn(|| push_with(0, 10, 2_000, "late --tag --every 9 --ms 2300"));
        more.join().expect("a check").unwrap_or_else(|refused| panic!("{refused}"));
        assert_eq!(none.join().expect("a check").expect_err("a refusal").fault.kind(), FaultKind::Late);
        for admitted in admitted {
            let warnings = admitted.join().expect("a check").unwrap_or_else(|refused| panic!("{refused}"));
            assert_eq!(warnings[0].fault.kind(), FaultKind::Late);
        }
        for refused in refused {
            assert_eq!(
                refused.join().expect("a check").expect_err("a refusal").fault.kind(),
                FaultKind::Late
            );
        }
    });
}

#[test]
fn whose_only_answer_is_illegal_is_not_admitted_and_others_are_warned() {
    let refused = push_of(1, 5_000, r"says --text 99_3\n --every 1").expect_err("no legal answer");
    assert_eq!((refused.fault.kind(), refused.turn), (FaultKind::Illegal, 0));
    assert!(refused.exchange.is_some_and(|transcript| transcript.answer.as_deref() == Some("99 3")));
    let warned = push_of(20, 5_000, r"says --text 99_3\n --every 2").expect("legal answers");
    assert_eq!(warned.iter().map(|fault| fault.fault.kind()).collect::<Vec<_>>(), [FaultKind::Illegal]);
}

#[test]
fn a_silent_bot_is_refused_with_the_reason_that_check_names() {
    let place = crate::support::Place::new();
    let limits = ["--turns", "20", "--turn-ms", "2000", "--first-ms", "1500"];
    place.referee(&[&["hill", "new", "hill", "push"][..], &limits].concat()).with_status(0);
    for (bot, text, due) in [
        (
            "held",
            "import sys\nfor line in sys.stdin: print(0, 0)\n",
            "not_flushed: no answer within 1500.0 ms",
        ),
        (
            "whole",
            "import sys\nfor line in sys.stdin.readlines(): print(0, 0, flush=True)\n",
            "reads_to_the_end",
        ),
    ] {
        let bot = place.program(bot, format!("#!/usr/bin/env python3\n{text}"));
        let ran = place.referee(&["hill", "submit", "hill", &bot, "--format", "json"]).with_status(3);
        let told: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        let told = told["told"].as_str().expect("a sentence");
        assert!(
            told.contains("no line came while it was asked") && told.contains(due) && told.contains("flush"),
            "{told}"
        );
    }
}

#[test]
fn a_fault_has_its_question_and_answer_and_an_answer_that_is_legal_there() {
    let push = referee_games::catalog::find("push").expect("a game");
    let place = crate::support::Place::new();
    for (words, kind, came) in [
        (r"says --text 7_7_7\n --every 3", FaultKind::Malformed, Some("7 7 7")),
        (r"says --text nothing\n --every 3", FaultKind::Malformed, None),
        ("exit --at 2", FaultKind::Exited, None),
    ] {
        let NotAdmitted { fault: refused, record, .. } =
            *push_game(LATE_PERCENT, 20, 5_000, words).expect_err("a refusal");
        assert_eq!((refused.fault.kind(), refused.turn), (kind, 2), "{words}");
        let Exchange { question, answer, limit, example } = *refused.exchange.expect("an exchange");
        assert_eq!((answer.as_deref(), limit.as_millis()), (came, 5_000), "{words}");
        // The record is that of the game up to this turn.
        let log = place.path("check.csv");
        std::fs::write(&log, record).expect("the record");
        let answers = answers_in(&log);
        let mut parameters = Parameters::defaults(push.parameters);
        for (name, value) in [("turns", 20), ("turn_ms", 5_000), ("first_ms", 300)] {
            parameters.set(name, value).expect("a parameter");
        }
        let mut game = push.start(&parameters, Seed(1));
        for turn in 0..2 {
            play_turn(&mut *game, &mut Events::default(), |game, seat| {
                let of = |said: &&Said| (said.turn, said.seat) == (turn, seat.index());
                let said = answers.iter().find(of).expect("an answer");
                let nobody = Fault::Malformed(Malformed::new("nobody sits here"));
                let integers = integers(&said.values);
                game.answer(seat, if seat.index() == 0 { Ok(&integers) } else { Err(&nobody) });
            });
        }
        let mut line = Vec::new();
        game.question(Seat::new(0), &mut line);
        assert_eq!(String::from_utf8_lossy(&line).trim_end(), question, "{words}");
        assert_eq!(game.answer(Seat::new(0), Ok(&integers(&example))), None, "{words}: {example}");
        // It can be watched.
        place.call(&["replay", "check.csv", "--html", "check.html"]).with_status(0);
    }
}

fn integers(line: &str) -> Vec<i64> {
    line.split_whitespace().map(|word| word.parse().expect("a number")).collect()
}

#[test]
fn a_long_question_is_cut_in_its_middle() {
    let football = referee_games::catalog::find("football").expect("a game");
    let parameters = Parameters::defaults(football.parameters);
    let setup = Setup::with(env!("CARGO_BIN_EXE_referee"));
    let bot = faulty(r"says --text none\n");
    let error =
        check(football, &parameters, &bot, &named("bot"), &setup, LATE_PERCENT).expect_err("a refusal");
    assert!(error.to_string().starts_with("it failed its check game in turn 0: "), "{error}");
    let exchange =
        error.cause::<NotAdmitted>().and_then(|refused| refused.fault.exchange.clone()).expect("an exchange");
    let mut line = Vec::new();
    football.start(&parameters, Seed(1)).question(Seat::new(0), &mut line);
    let line = String::from_utf8(line).expect("a line");
    let (start, rest) = exchange.question.split_once(" [").expect("a cut");
    let (left, end) = rest.split_once(" characters] ").expect("a cut");
    assert!(line.starts_with(start) && line.trim_end().ends_with(end), "{exchange}");
    let left: usize = left.parse().expect("a number");
    assert_eq!(start.len() + left + end.len(), line.trim_end().len());
    assert!(exchange.question.len() <= 260, "{exchange}");
}
