//! `kill -9` during uploads, checks and rounds: no bot is lost, doubled or half stored.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use referee_record::Digest;
use referee_table::clock::Clock;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::submissions::{accepted, good, post, verdict};
use crate::support::{PATIENCE, Place, Server, printed_random};

/// How long it kills, unless a number of kills is given.
const KILLING: Duration = Duration::from_secs(25);

/// Options by which an account may submit without limits.
pub(crate) const NO_LIMITS: [&str; 6] = ["--hourly", "100000", "--daily", "100000", "--waiting", "100000"];

/// After this number of kills, a server lives until everything is checked.
const DRAINED: usize = 25;

/// Uploads in one life of a server.
const UPLOADS: usize = 2;

/// What was sent: the lengths of programs by their digests, and the receipts of the programs that the server
/// accepted.
#[derive(Default)]
struct Sent {
    programs: BTreeMap<String, u64>,
    taken: BTreeMap<String, serde_json::Value>,
}

/// Sends a program, if the server lives long enough. The connection may be cut anywhere.
fn send(server: &Server, token: &str, name: &str, program: &[u8], sent: &mut Sent) {
    let digest = Digest::of(program).as_str().to_owned();
    sent.programs.insert(digest.clone(), program.len() as u64);
    let mut bytes = format!(
        "POST /h/api/v1/bots?name={name} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
         Content-Length: {}\r\n\r\n",
        program.len()
    )
    .into_bytes();
    bytes.extend_from_slice(program);
    let Ok(mut stream) = std::net::TcpStream::connect(server.address) else { return };
    let _ = stream.write_all(&bytes);
    let reply = crate::support::Reply::read(&mut stream);
    // An answer that was cut off does not count.
    if let Ok(told) = serde_json::from_slice::<serde_json::Value>(&reply.body) {
        assert_eq!(reply.status, 202, "{told}");
        sent.taken.insert(digest, told);
    }
}

/// An accepted program is on the disk in full, or has its verdict.
fn assert_kept(hill: &Path, sent: &Sent) {
    for (digest, told) in &sent.taken {
        let number = told["number"].as_u64().expect("a number");
        let length = sent.programs[digest];
        let folder = hill.join(format!("inbox/{number:06}"));
        if !folder.join("verdict.json").exists() {
            let program = fs::metadata(folder.join(told["bot"].as_str().expect("a name")));
            // Its verdict has come between two looks.
            let is_whole = program.is_ok_and(|program| program.len() == length);
            assert!(is_whole || folder.join("verdict.json").exists(), "{number} is not whole");
        }
    }
}

/// A server that lives checks every accepted program.
fn assert_admitted(place: &Place, sent: &Sent) {
    let server = Server::start(place, &NO_LIMITS);
    for told in sent.taken.values() {
        let state = verdict(&server, told)["state"].clone();
        // It can have been admitted just before the kill.
        assert!(["admitted", "plays"].iter().any(|due| state == *due), "{told}: {state}");
    }
    server.stop();
}

/// Lists the digests of the programs that alice has on a hill, in the order in which they were admitted.
fn stored(hill: &Path) -> Vec<String> {
    let entrants = fs::read_to_string(hill.join("entrants.csv")).expect("entrants");
    let alices = entrants.lines().filter(|line| line.contains(",alice,"));
    alices.filter_map(|line| line.split(',').find(|cell| cell.len() == 64)).map(str::to_owned).collect()
}

#[test]
#[ignore = "slow: kills for 25 s; REFEREE_KILLS=500 kills that often"]
fn no_bot_is_lost_doubled_or_half_stored_however_often_all_is_killed() {
    let kills: Option<usize> =
        std::env::var("REFEREE_KILLS").ok().map(|kills| kills.parse().expect("a number"));
    let place = Place::new();
    let token = place.token("alice");
    let hill = place.path("h");
    let (mut sent, mut random, clock) = (Sent::default(), printed_random(), Clock::start());
    let mut done = 0;
    while kills.map_or(clock.now().0 < KILLING, |kills| done < kills) {
        let mut command = place.command(&["serve", "h", "--listen", "127.0.0.1:0"]);
        command.args(NO_LIMITS).process_group(0);
        let server = Server::of(command);
        let plays = random.percent(40).then(|| {
            let mut run = place.command(&["hill", "run", "h", "--rounds", "1000"]);
            run.process_group(0).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a run")
        });
        let all = Pid::from_raw(server.id() as i32).expect("a process");
        // Either it alone, as when memory runs out, or its check with it.
        let (alone, pause) = (random.percent(50), random.between(0, 400) as u64);
        thread::scope(|scope| {
            let killer = scope.spawn(move || {
                thread::sleep(Duration::from_millis(pause));
                let kill = if alone { kill_process } else { kill_process_group };
                kill(all, Signal::KILL).expect("SIGKILL");
            });
            for _ in 0..UPLOADS {
                let mut program = good();
                program.extend(random.next().to_le_bytes());
                program.resize(program.len() + random.below(3 << 20), b'.');
                send(&server, &token, &format!("bot{}", random.below(4)), &program, &mut sent);
            }
            killer.join().expect("killed");
        });
        drop(server);
        if let Some(mut run) = plays {
            let group = Pid::from_child(&run);
            kill_process_group(group, Signal::KILL).expect("SIGKILL");
            run.wait().expect("its end");
        }
        assert_kept(&hill, &sent);
        done += 1;
        if done % DRAINED == 0 {
            assert_admitted(&place, &sent);
        }
    }
    assert_admitted(&place, &sent);
    let stored = stored(&hill);
    let different: BTreeSet<&String> = stored.iter().collect();
    assert_eq!(different.len(), stored.len(), "doubled: {stored:?}");
    for digest in &different {
        assert!(sent.programs.contains_key(*digest), "half stored: {digest}");
    }
    for digest in sent.taken.keys() {
        assert!(different.contains(digest), "lost: {digest}");
    }
    place.referee(&["audit", "h"]);
    eprintln!(
        "{done} kills, {} programs sent, {} taken, {} stored",
        sent.programs.len(),
        sent.taken.len(),
        stored.len()
    );
}

#[test]
fn a_check_that_outlives_its_server_ends_before_the_next_begins() {
    let place = Place::new();
    let token = place.token("alice");
    let server = Server::start(&place, &NO_LIMITS);
    // Its check takes at least two seconds, long enough to be seen.
    let slow = fs::read(place.slow("slow", 100)).expect("the bot");
    let (first, second) = ([&slow[..], b"\n# 1\n"].concat(), [&slow[..], b"\n# 2\n"].concat());
    let path = |told: &serde_json::Value| {
        format!("/h/api/v1/submissions/{}", told["receipt"].as_str().expect("a receipt"))
    };
    let is_check = |id: &i32| {
        fs::read_to_string(format!("/proc/{id}/cmdline")).is_ok_and(|words| words.contains("submit"))
    };
    let told = accepted(&post(&server, &token, "fox", &first));
    server.until(&path(&told), |now| now["state"] == "checking");
    // The check game has begun when the check's process has a child.
    let check = comes_true(|| {
        let has_bots = |id: &i32| children(*id).into_iter().any(|id| !children(id).is_empty());
        children(server.id() as i32).into_iter().find(|id| is_check(id) && has_bots(id))
    });
    let check = Pid::from_raw(check).expect("a process");
    kill_process(check, Signal::STOP).expect("SIGSTOP");
    server.kill();
    let server = Server::start(&place, &NO_LIMITS);
    let later = accepted(&post(&server, &token, "fox", &second));
    // Long enough for a check that does not wait to begin.
    let clock = Clock::start();
    while clock.now().0 < Duration::from_secs(2) {
        let began = children(server.id() as i32).into_iter().any(|id| is_check(&id));
        assert!(!began, "a check began while another goes on");
        thread::sleep(Duration::from_millis(10));
    }
    kill_process(check, Signal::CONT).expect("SIGCONT");
    for told in [&told, &later] {
        let state = verdict(&server, told)["state"].clone();
        // It can have been admitted just before the kill.
        assert!(["admitted", "plays"].iter().any(|due| state == *due), "{told}: {state}");
    }
    // Nor does anything arrive later.
    comes_true(|| (!Path::new(&format!("/proc/{}", check.as_raw_nonzero())).exists()).then_some(()));
    let due = [&first, &second].map(|program| Digest::of(program).as_str().to_owned());
    assert_eq!(stored(&place.path("h")), due);
}

/// Lists the processes that a process has started.
fn children(id: i32) -> Vec<i32> {
    let tasks = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let texts = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    texts.flat_map(|ids| ids.split_whitespace().flat_map(str::parse).collect::<Vec<i32>>()).collect()
}

/// Waits until there is a child.
fn comes_true<T>(look: impl Fn() -> Option<T>) -> T {
    let clock = Clock::start();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(clock.now().0 < PATIENCE, "it does not come");
        thread::sleep(Duration::from_millis(5));
    }
}
