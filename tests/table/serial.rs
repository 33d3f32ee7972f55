//! `--clock serial`: one bot thinks at a time, and nothing else is different.

use std::fs;
use std::time::Duration;

use referee_games::catalog;
use referee_record::play::table::{Question, Table};
use referee_rules::{BySeat, Fault, Parameters, Seat, Seed};
use referee_table::process::{ProcessTable, Setup, Timekeeping};

use crate::hill::same_games::without_times;
use crate::support::{Place, REFEREE, faulty, files_below};

/// A bot that reports when it gets a question, and when it is about to answer; in between it sleeps.
const DIARIST: &str = r#"#!/usr/bin/env python3
import sys, time
for question in sys.stdin:
    begin = time.monotonic_ns()
    time.sleep(0.02)
    print(begin, time.monotonic_ns(), file=sys.stderr, flush=True)
    players = int(question.split()[3])
    print("4 " * players, flush=True)
"#;

/// The times at which each bot thought in a game with this clock, in order, with the seat.
fn thoughts(clock: &str) -> Vec<(u64, u64, usize)> {
    let place = Place::new();
    let bot = place.program("diarist", DIARIST);
    let words =
        ["play", "football", "-p", "1", "--max-turns", "6", "--turn-ms", "30000", "--first-ms", "30000"];
    let bots = [&*bot; 4];
    let words = [&words[..], &["--sandbox", "off", "--clock", clock], &bots].concat();
    place.referee(&words).with_status(0);
    let mut thoughts = Vec::new();
    for (seat, file) in files_below(&place.path("games/stderr"), "txt").iter().enumerate() {
        for line in fs::read_to_string(file).expect("what a bot said").lines() {
            let (begin, end) = line.split_once(' ').expect("two times");
            thoughts.push((begin.parse().expect("a time"), end.parse().expect("a time"), seat));
        }
    }
    assert_eq!(thoughts.len(), 4 * 7, "each bot was asked where to start, and for six turns");
    thoughts.sort_unstable();
    thoughts
}

fn overlaps(thoughts: &[(u64, u64, usize)]) -> usize {
    thoughts.windows(2).filter(|pair| pair[1].0 < pair[0].1).count()
}

#[test]
fn one_bot_thinks_at_a_time() {
    assert!(overlaps(&thoughts("charged")) > 0, "bots usually think at once");
    let thoughts = thoughts("serial");
    assert_eq!(overlaps(&thoughts), 0);
    let seats: Vec<usize> = thoughts.iter().map(|thought| thought.2).collect();
    assert_eq!(seats, [0, 1, 2, 3].repeat(7), "in the order of the seats");
}

#[test]
fn the_games_are_the_same_whatever_the_bots_do_wrong() {
    let crash = faulty("crash --at 5");
    let bots = ["illegal --every 4", "debug --every 3", "garbage --every 2"].map(faulty);
    let logs = ["charged", "serial"].map(|clock| {
        let place = Place::new();
        let words = ["play", "football", "-p", "3", "--max-turns", "20", "--seed", "7", "--turn-ms", "30000"];
        let words = [&words[..], &["--first-ms", "30000", "--clock", clock]].concat();
        let words = [&words[..], &[&crash, &bots[0], &bots[1], &bots[2]]].concat();
        place.referee(&words).with_status(0);
        let logs = files_below(&place.path("games/logs"), "csv");
        without_times(&logs[0])
    });
    assert_eq!(logs[0], logs[1]);
    for fault in ["crashed", "illegal", "malformed"] {
        assert!(logs[0].contains(fault), "{fault}");
    }
}

/// If no bot can answer, no time passes: the referee must not treat the turn as a slow one, and go before all
/// other threads (where that can be seen).
#[test]
fn who_is_gone_is_not_waited_for() {
    const SCHED_OTHER: &str = "0";
    let entry = catalog::find("football").expect("the game");
    let game = entry.start(&Parameters::defaults(entry.parameters), Seed(1));
    let setup = Setup { timekeeping: Timekeeping::Serial, ..Setup::with(&*REFEREE) };
    let mut table = ProcessTable::open(game.info(), &BySeat::from_fn(4, |_| None), &setup).expect("a table");
    let question = |seat| Question { seat, line: b"1 1\n".to_vec(), limit: Duration::from_secs(60) };
    let questions: Vec<Question> = Seat::first(4).map(question).collect();
    let mut answers = Vec::new();
    table.ask(&questions).expect("no trouble");
    table.collect(&mut answers).expect("no trouble");
    assert!(answers.iter().all(|answer| answer.fault == Some(Fault::Closed)), "{answers:?}");
    let stat = fs::read_to_string("/proc/thread-self/stat").expect("what the system shows");
    let policy = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(41 - 3));
    assert_eq!(policy, Some(SCHED_OTHER));
}
