//! Authors who submit all the time while rounds are played: each verdict is that of the command line.

use std::fs;
use std::process::Stdio;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use referee_table::clock::Clock;
use rustix::process::{Pid, Signal, kill_process};

use crate::kills::NO_LIMITS;
use crate::submissions::{BAD, accepted, good, post, verdict};
use crate::support::{Place, Server};

const AUTHORS: usize = 12;

/// How long they submit, in seconds; `REFEREE_AUTHORS_SECONDS` sets another number.
const SECONDS: u64 = 20;

/// How much the server's memory may grow from the first third of the time to the last, in KiB.
const GAIN_MAX_KIB: u64 = 16 << 10;

/// The time between two looks at its memory.
const LOOK: Duration = Duration::from_millis(200);

/// A submission, and its verdict.
struct Checked {
    number: u64,
    account: String,
    program: Vec<u8>,
    state: String,
    told: String,
}

/// Programs in turn: some play, and each of the others has another mistake.
fn program(turn: usize) -> Vec<u8> {
    let unique = format!("\n# {turn}\n");
    let script = |text: &str| format!("#!/bin/sh\n{text}{unique}").into_bytes();
    match turn % 5 {
        0 | 3 => [good(), unique.into_bytes()].concat(),
        1 => [BAD, unique.as_bytes()].concat(),
        2 => script("while read -r line; do echo nonsense; done"),
        _ => b"no program at all".to_vec(),
    }
}

#[test]
#[ignore = "slow: authors submit for 20 s; REFEREE_AUTHORS_SECONDS says how long"]
fn every_verdict_is_that_of_the_command_line_and_memory_stays_flat() {
    let seconds =
        std::env::var("REFEREE_AUTHORS_SECONDS").map_or(SECONDS, |text| text.parse().expect("seconds"));
    let place = Place::new();
    let tokens: Vec<String> = (0..AUTHORS).map(|author| place.token(&format!("author{author}"))).collect();
    let server = Server::start(&place, &NO_LIMITS);
    let mut run = place.command(&["hill", "run", "h", "--rounds", "100000"]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a run");
    let (clock, all) = (Clock::start(), Mutex::new(Vec::new()));
    let until = Duration::from_secs(seconds);
    let memory = thread::scope(|scope| {
        for (author, token) in tokens.iter().enumerate() {
            let (server, all, clock) = (&server, &all, &clock);
            scope.spawn(move || {
                for turn in 0.. {
                    if clock.now().0 > until {
                        break;
                    }
                    let program = program(1000 * author + turn);
                    let name = format!("bot{author}");
                    let found = verdict(server, &accepted(&post(server, token, &name, &program)));
                    let text = |key: &str| found[key].as_str().expect("text").to_owned();
                    all.lock().expect("no panic").push(Checked {
                        number: found["number"].as_u64().expect("a number"),
                        account: format!("author{author}"),
                        program,
                        state: text("state"),
                        told: text("told"),
                    });
                }
            });
        }
        let mut memory = Vec::new();
        while clock.now().0 < until {
            memory.push(server.memory_kib());
            thread::sleep(LOOK);
        }
        memory
    });
    kill_process(Pid::from_child(&run), Signal::TERM).expect("SIGTERM");
    run.wait().expect("its end");
    let mut all = all.into_inner().expect("no panic");
    all.sort_by_key(|checked| checked.number);
    assert!(all.len() >= AUTHORS, "{} verdicts", all.len());
    let twin = Place::new();
    for Checked { number, account, program, state, told } in &all {
        let name = account.replace("author", "bot");
        fs::create_dir_all(twin.path("sent")).expect("a folder");
        let file = twin.script(&format!("sent/{name}"), "");
        fs::write(&file, program).expect("a program");
        let mut command = twin.command(&["hill", "submit", "../h", &format!("./{name}"), "--name", &name]);
        // As the server asks: an author at a page has no command to type.
        command.args(["--author", account, "--by-author"]).current_dir(twin.path("sent"));
        let output = command.output().expect("referee");
        let due = if output.status.success() { "admitted" } else { "refused" };
        let text = if due == "admitted" { &output.stdout } else { &output.stderr };
        let text = String::from_utf8_lossy(text);
        let text = text.rsplit_once("error: ").map_or(&*text, |(_, text)| text).trim();
        assert_eq!((&**state, &**told), (due, text), "submission {number}");
    }
    place.referee(&["audit", "h"]);
    let third = memory.len() / 3;
    let mean = |part: &[u64]| part.iter().sum::<u64>() / part.len().max(1) as u64;
    let (early, late) = (mean(&memory[..third]), mean(&memory[memory.len() - third..]));
    let told = format!("{early} KiB in the first third, {late} KiB in the last");
    assert!(late <= early + GAIN_MAX_KIB, "{told}");
    eprintln!("{} verdicts in {seconds} s; {told}", all.len());
}
