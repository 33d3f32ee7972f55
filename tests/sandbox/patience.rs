//! A fork server that does not answer delays nobody for long: it is replaced, and a stop is not deaf meanwhile.

use std::fs::{self, OpenOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use referee_record::play::table::TableError;
use referee_rules::Seat;
use referee_sandbox::Tier;
use referee_table::clock::Clock;
use referee_table::process::dialogue::Dialogue;
use referee_table::process::{ProcessTable, Program, Setup};
use rustix::process::{Pid, Signal, kill_process};

use super::survival::children_of_this_thread;
use crate::sandbox::{ask, attempt, info, open_place, setup, table};
use crate::support::{Place, comes_true};

/// A start waits so long for the fork server, and two seconds once it is told to stop: one that is deaf to that takes
/// no less on any machine.
const DEAF: Duration = Duration::from_secs(30);

fn bot(place: &Place) -> Program {
    Program::new(place.program("attempt", attempt("pass")), Vec::new())
}

/// Stops the fork server that this thread has started. Returns it.
fn stop_fork_server() -> Pid {
    let servers = children_of_this_thread();
    let [server] = servers[..] else { panic!("one fork server: {servers:?}") };
    kill_process(server, Signal::STOP).expect("it runs");
    server
}

/// Sets a flag when the fork server has been asked for launchers: soon.
fn set_soon(stop: &Arc<AtomicBool>) -> thread::JoinHandle<()> {
    let stop = Arc::clone(stop);
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        stop.store(true, Ordering::Relaxed);
    })
}

#[test]
fn a_stop_is_not_deaf_while_the_fork_server_does_not_answer_and_the_next_game_has_another() {
    let place = open_place();
    let setup = setup(Tier::Off);
    drop(table(bot(&place), &setup).expect("a table"));
    let stopped = stop_fork_server();
    let told = Setup { stop: Arc::default(), ..setup.clone() };
    let six = vec![Some(bot(&place)); 6].into();
    let (clock, soon) = (Clock::start(), set_soon(&told.stop));
    let refused = ProcessTable::open(&info(), &six, &told).expect_err("it is told to stop");
    assert!(matches!(refused, TableError::Stopped), "{refused}");
    assert!(clock.now().0 < DEAF, "{:?}", clock.now().0);
    soon.join().expect("no panic");
    let mut table = table(bot(&place), &setup).expect("a table");
    assert_eq!(ask(&mut table).expect("an answer").integers, [1]);
    assert!(!children_of_this_thread().contains(&stopped), "it was killed");
    assert_eq!(children_of_this_thread().len(), 1, "there is another");
}

#[test]
fn a_program_that_is_open_for_writing_is_started_when_it_is_closed() {
    let place = open_place();
    let cat = place.program("cat", fs::read("/bin/cat").expect("a program"));
    let open = OpenOptions::new().append(true).open(&cat).expect("its file");
    let closed = thread::spawn(|| {
        thread::sleep(Duration::from_millis(300));
        drop(open);
    });
    let mut table = table(Program::new(cat, Vec::new()), &setup(Tier::Off)).expect("a table");
    assert_eq!(ask(&mut table).expect("an answer").integers, [1, 0]);
    closed.join().expect("no panic");
}

#[test]
fn a_stop_is_not_deaf_while_the_fork_server_does_not_answer_for_a_judge() {
    let place = open_place();
    let setup = setup(Tier::Off);
    drop(table(bot(&place), &setup).expect("a table"));
    stop_fork_server();
    let (clock, soon) = (Clock::start(), set_soon(&setup.stop));
    let refused =
        Dialogue::open(&info(), Seat::new(0), &bot(&place), &setup).expect_err("it is told to stop");
    assert!(matches!(refused, TableError::Stopped), "{refused}");
    assert!(clock.now().0 < DEAF, "{:?}", clock.now().0);
    soon.join().expect("no panic");
}

#[test]
fn no_attempt_is_lost_by_a_fork_server_that_is_replaced() {
    let place = open_place();
    let setup = setup(Tier::Off);
    drop(table(bot(&place), &setup).expect("a table"));
    stop_fork_server();
    // One game waits for it when another, which is told to stop, replaces it.
    thread::scope(|scope| {
        let waits = scope.spawn(|| {
            let mut table = table(bot(&place), &setup).unwrap_or_else(|error| panic!("{error}"));
            ask(&mut table).map(|answer| answer.integers)
        });
        let told = Setup { stop: Arc::default(), ..setup.clone() };
        let soon = set_soon(&told.stop);
        let refused = table(bot(&place), &told).expect_err("it is told to stop");
        assert!(matches!(refused, TableError::Stopped), "{refused}");
        soon.join().expect("no panic");
        assert_eq!(&*waits.join().expect("a game").expect("an answer"), [1]);
    });
    assert_eq!(setup.fork_server.unanswering(), 1);
}

#[test]
fn the_end_of_the_last_game_does_not_wait_for_a_fork_server_that_is_stopped() {
    let place = open_place();
    let setup = setup(Tier::Off);
    drop(table(bot(&place), &setup).expect("a table"));
    let stopped = stop_fork_server();
    let clock = Clock::start();
    drop(setup);
    assert!(clock.now().0 < DEAF, "{:?}", clock.now().0);
    assert!(comes_true(|| !children_of_this_thread().contains(&stopped)), "it was killed");
}
