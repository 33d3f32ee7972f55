//! A referee that is stopped (a signal, a frozen container) makes no bot late, and gives no bot time to compute.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Place, Said, answers_in, comes_true, results_in};

/// Says in its third turn that it begins, and needs a time of its limit of a second: asleep, or on a core.
const BOT: &str = r#"#!/usr/bin/env python3
import pathlib, sys, time
file, kind, need = sys.argv[1], sys.argv[2], float(sys.argv[3])
for number, line in enumerate(sys.stdin):
    if number == 2:
        pathlib.Path(file).touch()
        if kind == "sleeps":
            time.sleep(need)
        else:
            until = time.process_time() + need
            while time.process_time() < until:
                pass
    print(0, flush=True)
"#;

/// Plays a game whose referee is stopped for some time in the turn in which the bot needs its time. Returns what the
/// record says of that turn.
fn stopped(clock: &str, kind: &str, need: &str, time: Duration) -> Said {
    let place = Place::new();
    let begun = place.path("begun");
    let bot = format!("{} {} {kind} {need}", place.program("bot", BOT), begun.display());
    let game =
        ["play", "football", &bot, "still", "still", "still", "-p", "1", "--max-turns", "5", "--seed", "7"];
    let rules = ["--stall-turns", "0", "--turn-ms", "1000", "--first-ms", "60000", "--sandbox", "off"];
    let mut command = place.command(&[&game[..], &rules, &["--clock", clock]].concat());
    let mut referee = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the referee");
    assert!(comes_true(|| begun.exists()), "{clock}: the bot begins");
    // Long enough for a bot that sleeps for a part of its limit, and then some.
    let process = Pid::from_child(&referee);
    kill_process(process, Signal::STOP).expect("it runs");
    thread::sleep(time);
    kill_process(process, Signal::CONT).expect("it is stopped");
    assert_eq!(referee.wait().expect("its end").code(), Some(0), "{clock}");
    fs::remove_file(&begun).expect("a file");
    let games = place.path("games");
    let answers = answers_in(&games.join(&results_in(&games)[0].log));
    answers.into_iter().find(|answer| answer.seat == 0 && answer.turn == 2).expect("an answer")
}

#[test]
fn a_bot_is_not_late_since_the_referee_was_stopped() {
    thread::scope(|scope| {
        for clock in ["charged", "wall", "serial"] {
            scope.spawn(move || {
                let answer = stopped(clock, "sleeps", "0.3", Duration::from_secs(3));
                assert!(answer.verdict != "late", "{clock}: {answer:?}");
                assert!(answer.charged_ms < 1000.0, "{clock}: {answer:?}");
            });
        }
        // Nor where the referee was stopped for longer than any turn lasts.
        scope.spawn(|| {
            let answer = stopped("charged", "sleeps", "0.3", Duration::from_secs(22));
            assert!(answer.verdict != "late", "{answer:?}");
        });
    });
}

#[test]
fn what_a_bot_computes_while_the_referee_is_stopped_is_charged() {
    let answer = stopped("charged", "computes", "1.5", Duration::from_secs(3));
    assert_eq!(answer.verdict, "late", "{answer:?}");
    assert!(answer.charged_ms >= 1000.0, "{answer:?}");
}
