//! Programs whose threads wait for each other in ways that processes could share. In the sandbox no thread waits for
//! ever, and no wait with a time limit ends too early.

use std::process::Command;

use referee_record::Answer;
use referee_record::play::table::{Question, Table};
use referee_rules::Seat;
use referee_table::process::Program;

use crate::sandbox::{CONFINED, open_place, setup, table};
use crate::support::{PATIENCE, Place};

const TURNS: usize = 5;

/// Builds a bot from a source in this folder.
fn build(place: &Place, command: &str, source: &str) -> String {
    let built = place.path("built");
    let source = format!("{}/tests/sandbox/waits/{source}", env!("CARGO_MANIFEST_DIR"));
    let words: Vec<&str> = command.split(' ').collect();
    let output = Command::new(words[0]).args(&words[1..]).arg("-o").arg(&built).arg(source).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error} (scripts/test installs it)", words[0]));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    place.program("bot", std::fs::read(built).expect("a program"))
}

/// Plays some turns with a bot in each tier, and expects the answer 1 each time.
fn plays(program: &Program) {
    for tier in CONFINED {
        let mut table = table(program.clone(), &setup(tier)).expect("a table");
        let mut answers: Vec<Answer> = Vec::new();
        for turn in 0..TURNS {
            let question = Question { seat: Seat::new(0), line: b"1 0\n".to_vec(), limit: PATIENCE };
            table.ask(&[question]).and_then(|()| table.collect(&mut answers)).expect("an answer");
            let due = answers[0].fault.is_none() && answers[0].integers == [1];
            if !due {
                let errors = table.farewell()[Seat::new(0)].errors.to_bytes();
                panic!("{tier}: turn {turn}: {:?} {}", answers[0], String::from_utf8_lossy(&errors));
            }
        }
    }
}

#[test]
#[ignore = "needs g++"]
fn threads_that_wait_for_each_other_go_on() {
    let place = open_place();
    let bot = build(&place, "g++ -std=c++17 -O1 -pthread", "waits.cpp");
    plays(&Program::new(bot, Vec::new()));
}

#[test]
fn threads_that_end_are_waited_for_in_children_too() {
    plays_and_forks("cc -O1 -pthread");
}

#[test]
#[ignore = "needs musl-gcc"]
fn threads_that_end_are_waited_for_with_another_library_too() {
    plays_and_forks("musl-gcc -O1 -static -pthread");
}

fn plays_and_forks(compiler: &str) {
    let place = open_place();
    let bot = build(&place, compiler, "threads.c");
    plays(&Program::new(&bot, Vec::new()));
    plays(&Program { may_fork: true, ..Program::new(&bot, vec!["fork".into()]) });
}
