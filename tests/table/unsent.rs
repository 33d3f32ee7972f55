//! Questions that a bot does not read: a question that was sent in part is completed later, and no other is
//! added to it.

use std::time::Duration;

use referee_record::Answer;
use referee_record::play::table::{Question, Table};
use referee_rules::{FaultKind, Seat};
use referee_table::process::{ProcessTable, Program, Setup};
use rustix::process::{Pid, Signal, kill_process};

use crate::sandbox::info;
use crate::support::{Place, REFEREE};

/// It answers its first question, and reads none until it gets a signal. Its answers are the length of a
/// question and the digits in it, which it also lists on standard error.
const BOT: &str = r#"#!/usr/bin/env python3
import signal, sys

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
sys.stdin.readline()
print(0, flush=True)
signal.sigwait({signal.SIGUSR1})
for line in sys.stdin:
    digits = set(line.strip())
    print("".join(sorted(digits)), end=" ", file=sys.stderr, flush=True)
    print(len(line), *sorted(digits), flush=True)
"#;

/// Two of these are more than a pipe holds.
const LENGTH: usize = 40_000;

fn ask(table: &mut ProcessTable, digit: u8, limit: Duration) -> Answer {
    let mut line = vec![digit; LENGTH - 1];
    line.push(b'\n');
    let mut answers = Vec::new();
    table.ask(&[Question { seat: Seat::new(0), line, limit }]).expect("a question");
    table.collect(&mut answers).expect("an answer");
    answers.swap_remove(0)
}

#[test]
fn a_question_that_was_sent_in_part_is_completed_and_none_is_put_on_top_of_it() {
    let place = Place::new();
    let program = Program::new(place.program("bot", BOT), Vec::new());
    let setup = Setup::with(&*REFEREE);
    let mut table = ProcessTable::alone(&info(), Seat::new(0), &program, &setup).expect("a table");
    let [short, long] = [Duration::from_millis(50), Duration::from_secs(60)];
    assert_eq!(ask(&mut table, b'1', long).integers, [0]);
    let fault = |answer: Answer| answer.fault.map(|fault| fault.kind());
    // The second fits into the pipe, and a part of the third. The others are not sent.
    let faults = [b'2', b'3', b'4', b'5'].map(|digit| fault(ask(&mut table, digit, short)));
    assert_eq!(
        faults.map(|fault| fault.expect("no answer")),
        [FaultKind::Late, FaultKind::Deaf, FaultKind::Deaf, FaultKind::Deaf]
    );
    let process = table.process(Seat::new(0)).and_then(Pid::from_raw).expect("it runs");
    kill_process(process, Signal::USR1).expect("it is there");
    // Until the third has been sent in full, no other is put: the table reports that at once. Lines that come
    // meanwhile answer none of these.
    let answered = (0..60_000).find_map(|_| {
        std::thread::sleep(Duration::from_millis(1));
        let answer = ask(&mut table, b'6', long);
        answer.fault.is_none().then_some(answer.integers)
    });
    assert_eq!(answered.expect("an answer within a minute"), [LENGTH as i64, 6]);
    let read = String::from_utf8(table.farewell()[Seat::new(0)].errors.to_bytes()).expect("digits");
    let read: Vec<&str> = read.split_whitespace().collect();
    assert!(read.starts_with(&["2", "3"]) && read[2..].iter().all(|digits| *digits == "6"), "{read:?}");
}
