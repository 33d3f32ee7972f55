//! A bot that is not asked is frozen, unless the game lets bots ponder; and in long turns a bot that has
//! answered is frozen. Tested with real processes that never stop counting.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::thread;
use std::time::Duration;

use referee_games::catalog;
use referee_record::Answer;
use referee_record::play::table::{Question, Table};
use referee_rules::{BySeat, Info, Parameters, Seat, Seed};
use referee_table::process::{ProcessTable, Program, Setup, Timekeeping};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{REFEREE, comes_true};

/// A bot that answers with its process number and computes all the time, asked or not, and so does its child. To a
/// question that ends in 2 it answers when it gets a signal.
const BUSY: &str = r#"#!/usr/bin/env python3
import os, signal, sys, threading

def count():
    number = 0
    while True:
        number += 1

signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
child = os.fork()
if child == 0:
    count()
threading.Thread(target=count, daemon=True).start()
for line in sys.stdin:
    if line.endswith(" 2\n"):
        signal.sigwait([signal.SIGUSR1])
    print(os.getpid(), child, flush=True)
os.write(2, b"left")
os._exit(0)
"#;

fn info(ponder: i64) -> Info {
    let entry = catalog::find("target").unwrap();
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in [("seats", 2), ("ponder", ponder), ("first_ms", 60_000), ("turn_ms", 60_000)] {
        parameters.set(name, value).unwrap();
    }
    entry.start(&parameters, Seed(1)).info().clone()
}

/// Two busy bots at a table, with their process numbers.
fn table(ponder: i64) -> (ProcessTable, [Vec<i64>; 2]) {
    table_of(ponder, Timekeeping::Charged)
}

fn table_of(ponder: i64, timekeeping: Timekeeping) -> (ProcessTable, [Vec<i64>; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("busy");
    fs::write(&file, BUSY).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let program = Program { may_fork: true, ..Program::new(file, Vec::new()) };
    let setup = Setup { timekeeping, ..Setup::with(&*REFEREE) };
    let programs = BySeat::from_fn(2, |_| Some(program.clone()));
    let mut table = ProcessTable::open(&info(ponder), &programs, &setup).unwrap();
    let mut answers = Vec::new();
    let both = [ask(0), ask(1)];
    table.ask(&both).unwrap();
    table.collect(&mut answers).unwrap();
    let numbers = [0, 1].map(|seat: usize| answers[seat].integers.clone());
    assert!(numbers.iter().all(|numbers| numbers.len() == 2), "{answers:?}");
    (table, numbers)
}

fn ask(seat: usize) -> Question {
    let limit = Duration::from_secs(60);
    Question { seat: Seat::new(seat), line: b"3 0 4096 1\n".to_vec(), limit }
}

/// Reads a file of each thread of a process.
fn of_threads(process: i64, file: &str) -> Vec<String> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).expect("a process that lives");
    threads.map(|thread| fs::read_to_string(thread.unwrap().path().join(file)).unwrap()).collect()
}

/// How long a process has computed so far, in nanoseconds, over all its threads.
fn computed(process: i64) -> u64 {
    let first = |text: &String| text.split(' ').next().unwrap().parse::<u64>().unwrap();
    of_threads(process, "schedstat").iter().map(first).sum()
}

/// Tells whether all threads of a process are stopped.
fn is_stopped(process: i64) -> bool {
    let state = |text: &String| text.rsplit(')').next().unwrap().trim_start().starts_with('T');
    of_threads(process, "stat").iter().all(state)
}

#[test]
fn who_is_not_asked_makes_no_progress() {
    let (mut table, numbers) = table(0);
    for turn in 0..6 {
        let (asked, waiting) = (turn % 2, 1 - turn % 2);
        table.ask(&[ask(asked)]).unwrap();
        let (waiting, asked) = (&numbers[waiting], &numbers[asked]);
        assert!(comes_true(|| waiting.iter().all(|process| is_stopped(*process))), "turn {turn}");
        let before: Vec<u64> = waiting.iter().map(|process| computed(*process)).collect();
        let progress: Vec<u64> = asked.iter().map(|process| computed(*process)).collect();
        thread::sleep(Duration::from_millis(30));
        let after: Vec<u64> = waiting.iter().map(|process| computed(*process)).collect();
        assert_eq!(before, after, "turn {turn}: not a step, nor did its child");
        for (process, before) in asked.iter().zip(progress) {
            assert!(comes_true(|| computed(*process) > before), "turn {turn}: the asked bot runs");
        }
        table.collect(&mut Vec::new()).unwrap();
    }
}

#[test]
fn with_ponder_all_go_on() {
    let (mut table, numbers) = table(1);
    for turn in 0..4 {
        table.ask(&[ask(turn % 2)]).unwrap();
        for process in numbers.iter().flatten() {
            let before = computed(*process);
            assert!(comes_true(|| computed(*process) > before), "turn {turn}");
        }
        table.collect(&mut Vec::new()).unwrap();
    }
}

#[test]
fn who_was_frozen_answers_and_leaves_when_the_game_is_over() {
    let (mut table, numbers) = table(0);
    let mut answers = Vec::new();
    for turn in 0..20 {
        table.ask(&[ask(turn % 2)]).unwrap();
        table.collect(&mut answers).unwrap();
        assert_eq!((answers.len(), &answers[0].fault), (1, &None));
        assert_eq!(answers[0].integers, numbers[turn % 2]);
    }
    // Only a running bot notices that there are no more questions. The one that was not asked last is frozen
    // until then.
    assert!(comes_true(|| numbers[0].iter().all(|process| is_stopped(*process))));
    for (seat, remains) in table.farewell().iter() {
        assert_eq!(remains.errors.to_bytes(), b"left", "seat {seat}");
    }
    for process in numbers.iter().flatten() {
        assert!(comes_true(|| fs::metadata(format!("/proc/{process}")).is_err()), "{process} is gone");
    }
}

/// Has a bot answer the question that it is considering.
fn end_thinking(numbers: &[i64]) {
    let process = Pid::from_raw(numbers[0] as i32).expect("the number of a process");
    kill_process(process, Signal::USR1).expect("it thinks");
}

/// Watches, while one bot thinks, until the other has stopped and makes no step any more. Then it ends the
/// thinking. Returns whether the other stopped.
fn watch(numbers: &[i64], thinker: &[i64]) -> bool {
    let computed = || numbers.iter().map(|process| computed(*process)).collect::<Vec<u64>>();
    let stands_still = comes_true(|| {
        let before = computed();
        let is_stopped = numbers.iter().all(|process| is_stopped(*process));
        thread::sleep(Duration::from_millis(50));
        is_stopped && before == computed()
    });
    end_thinking(thinker);
    stands_still
}

#[test]
fn who_has_answered_is_frozen_while_others_think_on() {
    for (ponder, timekeeping, thinker) in [
        (0, Timekeeping::Charged, 0),
        (1, Timekeeping::Charged, 1),
        (0, Timekeeping::Wall, 1),
        (0, Timekeeping::Serial, 0),
        (0, Timekeeping::Serial, 1),
    ] {
        let (mut table, numbers) = table_of(ponder, timekeeping);
        let quick = 1 - thinker;
        for turn in 0..2 {
            let long = Question { line: b"3 0 4096 2\n".to_vec(), ..ask(thinker) };
            let questions = if thinker == 0 { [long, ask(1)] } else { [ask(0), long] };
            let mut answers = Vec::new();
            let stood_still = thread::scope(|scope| {
                let watcher = scope.spawn(|| watch(&numbers[quick], &numbers[thinker]));
                table.ask(&questions).unwrap();
                table.collect(&mut answers).unwrap();
                watcher.join().unwrap()
            });
            assert!(answers.iter().all(|answer| answer.fault.is_none()), "{answers:?}");
            assert!(stood_still, "turn {turn}, {timekeeping:?}, ponder {ponder}: seat {quick} ran on");
        }
        let mut answers = Vec::new();
        table.ask(&[ask(0), ask(1)]).unwrap();
        table.collect(&mut answers).unwrap();
        assert!(answers.iter().all(|answer| answer.fault.is_none()), "they go on: {answers:?}");
    }
}

/// Something wakes the bot while it is frozen; in any case it is charged for its running time.
#[test]
fn what_a_bot_runs_while_it_is_frozen_is_charged_to_its_next_question() {
    let (mut table, numbers) = table_of(0, Timekeeping::Charged);
    let others = [numbers[0][0], numbers[0][1]];
    let long = Question { line: b"3 0 4096 2\n".to_vec(), ..ask(1) };
    let ran = thread::scope(|scope| {
        let waker = scope.spawn(|| {
            comes_true(|| others.iter().all(|process| is_stopped(*process)));
            let computed = || others.map(computed).iter().sum::<u64>();
            let before = computed();
            let ran = || Duration::from_nanos(computed() - before);
            comes_true(|| {
                for process in others.into_iter().filter_map(|process| Pid::from_raw(process as i32)) {
                    let _ = kill_process(process, Signal::CONT);
                }
                ran() > Duration::from_millis(50)
            });
            end_thinking(&numbers[1]);
            ran()
        });
        table.ask(&[ask(0), long]).unwrap();
        table.collect(&mut Vec::new()).unwrap();
        waker.join().unwrap()
    });
    let mut answers = Vec::new();
    table.ask(&[ask(0)]).unwrap();
    table.collect(&mut answers).unwrap();
    let Answer { thinking, wall, .. } = answers[0];
    println!("it ran for {ran:?} and is charged {thinking:?}");
    // The two measurements begin at nearly the same moment.
    assert!(ran > Duration::from_millis(20) && thinking >= ran / 2);
    assert!(thinking <= wall.max(answers[0].cpu.unwrap_or_default()));
}

/// Most turns are shorter than the time after which a bot is frozen. What it computes after its answer, or before its
/// question where bots are asked one by one, is charged: in its next answer.
#[test]
fn what_a_bot_computes_while_others_think_is_charged() {
    for (timekeeping, thinker) in [
        (Timekeeping::Charged, 0),
        (Timekeeping::Charged, 1),
        (Timekeeping::Serial, 0),
        (Timekeeping::Serial, 1),
    ] {
        let what = format!("{timekeeping:?}, seat {thinker} thinks");
        let (mut table, numbers) = table_of(0, timekeeping);
        let idle = 1 - thinker;
        let ran = || Duration::from_nanos(numbers[idle].iter().map(|process| computed(*process)).sum());
        // Who is asked after the thinker is charged in this turn, who is asked before it in the next.
        let is_asked_after = timekeeping == Timekeeping::Serial && thinker == 0;
        let mut answers = Vec::new();
        let (mut due, mut charged) = (Duration::ZERO, Duration::ZERO);
        for turn in 0..12 {
            let long = Question { line: b"3 0 4096 2\n".to_vec(), ..ask(thinker) };
            let questions = if thinker == 0 { [long, ask(1)] } else { [ask(0), long] };
            let before = ran();
            thread::scope(|scope| {
                scope.spawn(|| {
                    thread::sleep(Duration::from_millis(12));
                    end_thinking(&numbers[thinker]);
                });
                table.ask(&questions).unwrap();
                table.collect(&mut answers).unwrap();
            });
            let in_turn = ran() - before;
            assert!(answers.iter().all(|answer| answer.fault.is_none()), "{what}: {answers:?}");
            // A millisecond for each of its threads goes unseen, and what it needs for its answer is charged anyway.
            due += in_turn.saturating_sub(Duration::from_millis(5));
            charged += if is_asked_after || turn > 0 { answers[idle].thinking } else { Duration::ZERO };
        }
        if !is_asked_after {
            table.ask(&[ask(idle)]).unwrap();
            table.collect(&mut answers).unwrap();
            charged += answers[0].thinking;
        }
        println!("{what}: it ran for {due:?} and is charged {charged:?}");
        assert!(charged >= due / 2, "{what}: {due:?} of computing, {charged:?} charged");
    }
}

/// Rules that need long between two turns give no bot time: the first time what it computed is charged, afterwards it
/// is frozen. The same where the game lets bots ponder: nobody is asked meanwhile.
#[test]
fn between_turns_that_are_far_apart_nobody_computes_for_nothing() {
    for (ponder, timekeeping, at_once) in [
        (0, Timekeeping::Charged, true),
        (1, Timekeeping::Charged, false),
        (0, Timekeeping::Serial, true),
        (0, Timekeeping::Wall, true),
    ] {
        let what = format!("{timekeeping:?}, ponder {ponder}");
        let (mut table, numbers) = table_of(ponder, timekeeping);
        let ran = || {
            let each =
                numbers.iter().map(|processes| processes.iter().map(|process| computed(*process)).sum());
            each.map(Duration::from_nanos).collect::<Vec<Duration>>()
        };
        for turn in 0..5 {
            let before = ran();
            if turn > 0 {
                let all_stand = || numbers.iter().flatten().all(|process| is_stopped(*process));
                assert!(comes_true(all_stand), "{what}: they are stopped after turn {turn}");
            }
            let still = ran();
            thread::sleep(Duration::from_millis(60));
            let after = ran();
            if turn > 0 {
                assert_eq!(still, after, "{what}: not a step after turn {turn}");
            } else {
                // The other one may have answered long before, and be frozen since then.
                assert!(comes_true(|| ran().iter().zip(&before).any(|(now, before)| now > before)));
            }
            let gap: Vec<Duration> = ran().iter().zip(&before).map(|(now, before)| *now - *before).collect();
            let questions = if at_once { vec![ask(0), ask(1)] } else { vec![ask(0)] };
            let mut answers = Vec::new();
            table.ask(&questions).unwrap();
            table.collect(&mut answers).unwrap();
            assert!(answers.iter().all(|answer| answer.fault.is_none()), "{what}: {answers:?}");
            if turn == 0 && timekeeping != Timekeeping::Wall {
                for (answer, gap) in answers.iter().zip(&gap) {
                    // It ran a little between its last answer and the end of that turn.
                    let due = gap.saturating_sub(Duration::from_millis(5)) / 2;
                    assert!(answer.thinking >= due, "{what}: ran for {gap:?}, {answer:?}");
                }
            }
        }
    }
}
