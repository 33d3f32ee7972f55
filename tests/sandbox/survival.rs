//! No process survives the end of a game, of the thread that plays it, of the launcher, of the referee, or of
//! both. Nothing is left of a thousand bots.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::time::Duration;

use referee_record::play::table::{Table, TableError, Void};
use referee_sandbox::Tier;
use referee_table::clock::Clock;
use referee_table::process::{ProcessTable, Program};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process};

use crate::sandbox::{CONFINED, ask, attempt, info, open_place, send_question, setup, table};
use crate::support::{FAULTY, Place, comes_true};

/// The processes that run a program of this name.
fn running(name: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").expect("/proc").flatten().map(|entry| entry.path());
    let is_it = |process: &std::path::PathBuf| {
        let line = fs::read(process.join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        // Not the launcher, nor this test: a bot's own words begin with its interpreter.
        line.contains(name) && line.contains("python")
    };
    processes.filter(is_it).map(|process| process.display().to_string()).collect()
}

/// A bot that starts others, which leave it if they can. It answers when all have been started, since it is stopped
/// afterwards. Returns a unique part of its name.
fn fertile(place: &Place, name: &str) -> (Program, String) {
    fertile_with(place, name, "os.setsid, lambda: os.setpgid(0, 0)")
}

/// The same, with these ways for the others to leave.
fn fertile_with(place: &Place, name: &str, ways: &str) -> (Program, String) {
    let name = format!("{name}-{}", getpid().as_raw_nonzero());
    let body = format!(
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\nborn, tell = os.pipe()\nfor number in range(3):\n    \
         if os.fork() == 0:\n        for leave in [{ways}]:\n            \
         try: leave()\n            except OSError: pass\n        \
         if os.fork() == 0: os.write(tell, b'.')\n        time.sleep(1000)\n\
         for number in range(3): os.read(born, 1)"
    );
    let program = Program::new(place.program(&name, attempt(&body)), Vec::new());
    (Program { may_fork: true, ..program }, name)
}

#[test]
fn nobody_survives_the_game() {
    let place = open_place();
    for tier in Tier::ALL {
        let (program, name) = fertile(&place, &format!("survivor-{tier}"));
        let mut table = table(program, &setup(tier)).expect("a table");
        assert_eq!(ask(&mut table).expect("an answer").integers, [1], "{tier}");
        assert!(comes_true(|| running(&name).len() == 7), "{tier}: {:?}", running(&name));
        table.farewell();
        assert_eq!(running(&name), [""; 0], "{tier}");
    }
    let left: Vec<_> = fs::read_dir(place.path("tmp")).expect("a folder").flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn nobody_survives_the_launcher_and_its_death_is_no_bots_fault() {
    let place = open_place();
    for tier in CONFINED {
        let (program, name) = fertile(&place, &format!("orphan-{tier}"));
        let mut table = table(program, &setup(tier)).expect("a table");
        assert_eq!(ask(&mut table).expect("an answer").integers, [1], "{tier}");
        assert!(comes_true(|| running(&name).len() == 7), "{tier}: {:?}", running(&name));
        let launchers = launchers(&children_of_this_thread());
        assert!(!launchers.is_empty(), "{tier}");
        for launcher in launchers {
            kill_process(launcher, Signal::KILL).expect("it runs");
            let process = format!("/proc/{}", launcher.as_raw_nonzero());
            assert!(comes_true(|| !Path::new(&process).exists()), "{tier}: nobody waits for it");
        }
        let error = ask(&mut table).expect_err("the game is void");
        assert!(matches!(error, TableError::Void(Void::SandboxError { .. })), "{error}");
        drop(table);
        assert!(comes_true(|| running(&name).is_empty()), "{tier}: {:?}", running(&name));
    }
}

#[test]
fn a_launcher_that_dies_while_its_bot_thinks_is_missed_though_the_bots_pipes_stay_open() {
    let place = open_place();
    // After the first question, it has a child that holds its pipes until its input ends. It does not answer
    // the second question.
    let body = "if os.environ.get('ASKED'): time.sleep(1000)\nos.environ['ASKED'] = 'yes'\n\
                if os.fork() == 0:\n    try: os.setsid()\n    except OSError: pass\n    while os.read(0, 4096): pass\n    os._exit(0)";
    for tier in Tier::ALL {
        let program = Program::new(place.program(&format!("mother-{tier}"), attempt(body)), Vec::new());
        let mut table = table(Program { may_fork: true, ..program }, &setup(tier)).expect("a table");
        assert_eq!(ask(&mut table).expect("an answer").integers, [1], "{tier}");
        send_question(&mut table).expect("a question");
        for launcher in launchers(&children_of_this_thread()) {
            kill_process(launcher, Signal::KILL).expect("it runs");
        }
        let error = table.collect(&mut Vec::new()).expect_err("the game is void");
        assert!(matches!(error, TableError::Void(Void::SandboxError { .. })), "{tier}: {error}");
    }
}

pub(crate) fn children_of_this_thread() -> Vec<Pid> {
    children_of(&format!("self/task/{}", rustix::thread::gettid().as_raw_nonzero()))
}

/// The launchers of these fork servers.
pub(crate) fn launchers(servers: &[Pid]) -> Vec<Pid> {
    let numbers = servers.iter().map(|server| server.as_raw_nonzero());
    numbers.flat_map(|number| children_of(&format!("{number}/task/{number}"))).collect()
}

/// The children of a thread, given by its folder below `/proc`.
fn children_of(thread: &str) -> Vec<Pid> {
    let numbers = fs::read_to_string(format!("/proc/{thread}/children")).unwrap_or_default();
    numbers.split_whitespace().filter_map(|number| Pid::from_raw(number.parse().ok()?)).collect()
}

/// The children of all threads of a process.
fn children_of_all(process: u32) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).expect("a process that lives").flatten();
    let threads = threads.map(|thread| thread.file_name().to_string_lossy().into_owned());
    threads.flat_map(|thread| children_of(&format!("{process}/task/{thread}"))).collect()
}

#[test]
fn the_death_of_the_fork_server_harms_no_game_and_the_next_begins_all_the_same() {
    let place = open_place();
    for tier in Tier::ALL {
        let program = Program::new(place.program("attempt", attempt("pass")), Vec::new());
        let setup = setup(tier);
        let open = || table(program.clone(), &setup).expect("a table");
        let mut table = open();
        let servers = children_of_this_thread();
        assert_eq!(servers.len(), 1, "{tier}");
        kill_process(servers[0], Signal::KILL).expect("it runs");
        // A zombie has closed its sockets, too.
        let state = format!("/proc/{}/stat", servers[0].as_raw_nonzero());
        let has_ended = || fs::read_to_string(&state).is_ok_and(|state| state.contains(") Z "));
        assert!(comes_true(has_ended), "{tier}: it has ended");
        for _ in 0..2 {
            assert_eq!(ask(&mut table).expect("an answer").integers, [1], "{tier}");
            table = open();
            assert_eq!(children_of_this_thread().len(), 1, "{tier}");
        }
        drop((table, setup));
        assert_eq!(children_of_this_thread(), [], "{tier}");
    }
}

#[test]
fn a_bot_outlives_the_thread_that_started_it() {
    let place = open_place();
    for tier in Tier::ALL {
        let program = Program::new(place.program("attempt", attempt("pass")), Vec::new());
        let opened = std::thread::spawn(move || table(program, &setup(tier)));
        let mut table = opened.join().expect("no panic").expect("a table");
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(ask(&mut table).expect("an answer").integers, [1], "{tier}");
    }
}

/// Number of a game's 16 seats that have the fertile bot.
const SEATS: usize = 8;

/// This number runs once all have been started and one was asked. Before that, the referee may be making a
/// bot's folder, and a kill then leaves the folder.
const ONE_WAS_ASKED: usize = SEATS + 6;

#[test]
fn nobody_survives_the_referee() {
    let place = open_place();
    for tier in Tier::ALL {
        let (program, name) = fertile(&place, &format!("widow-{tier}"));
        let bot = program.file.display().to_string();
        let words =
            ["play", "target", &bot, "still", "--allow-fork", "--first-ms", "60000", "--turn-ms", "60000"];
        let mut referee = place.command(&[&words[..], &["--sandbox", tier.name()]].concat());
        let quiet = std::process::Stdio::null;
        let mut running_game =
            referee.stdout(quiet()).stderr(quiet()).spawn().expect("referee can be started");
        assert!(comes_true(|| running(&name).len() >= ONE_WAS_ASKED), "{tier}: {:?}", running(&name));
        running_game.kill().expect("it runs");
        running_game.wait().expect("its end");
        assert!(comes_true(|| running(&name).is_empty()), "{tier}: {:?}", running(&name));
        place.assert_no_process_stays();
    }
    let left = || -> Vec<_> {
        let left = fs::read_dir(place.path("tmp")).expect("a folder").flatten();
        left.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"referee-bot")).collect()
    };
    assert!(comes_true(|| left().is_empty()), "{:?}", left());
}

#[test]
fn nobody_survives_when_the_referee_and_all_launchers_are_killed_at_once() {
    let place = open_place();
    for tier in Tier::ALL {
        // Without a sandbox, every process that tries to leave succeeds.
        let ways = if tier == Tier::Off { "" } else { "os.setsid, lambda: os.setpgid(0, 0)" };
        for (permission, count) in [(&["--allow-fork"][..], ONE_WAS_ASKED), (&[], SEATS)] {
            if tier == Tier::Off && permission.is_empty() {
                continue; // no permission is needed there
            }
            let (program, name) = fertile_with(&place, &format!("twice-orphan-{tier}-{count}"), ways);
            let bot = program.file.display().to_string();
            let words = ["play", "target", &bot, "still", "--first-ms", "60000", "--turn-ms", "60000"];
            let mut referee = place.command(&[&words[..], permission, &["--sandbox", tier.name()]].concat());
            let quiet = std::process::Stdio::null;
            let mut running_game =
                referee.stdout(quiet()).stderr(quiet()).spawn().expect("referee can be started");
            assert!(comes_true(|| running(&name).len() >= count), "{tier}: {:?}", running(&name));
            let servers = children_of_all(running_game.id());
            let launchers = launchers(&servers);
            assert!(launchers.len() >= 2, "{tier}: {launchers:?}");
            // Stopped first, so that none of them can react to the end of another.
            let all = [vec![Pid::from_child(&running_game)], servers, launchers].concat();
            for signal in [Signal::STOP, Signal::KILL] {
                all.iter().for_each(|process| kill_process(*process, signal).expect("it is there"));
            }
            running_game.wait().expect("its end");
            assert!(comes_true(|| running(&name).is_empty()), "{tier}: {:?}", running(&name));
            place.assert_no_process_stays();
        }
    }
}

#[test]
fn nobody_survives_the_thread_that_played() {
    let place = open_place();
    for tier in Tier::ALL {
        let (program, name) = fertile(&place, &format!("bereft-{tier}"));
        let player = std::thread::spawn(move || {
            let mut table = table(program, &setup(tier)).expect("a table");
            ask(&mut table).expect("an answer");
            // No panic, which would be printed, but the same unwinding.
            std::panic::resume_unwind(Box::new("the thread ends here"));
        });
        player.join().expect_err("it has ended in the middle of the game");
        assert_eq!(running(&name), [""; 0], "{tier}");
    }
}

/// Set for the process that spawns many.
const ALONE: &str = "REFEREE_TEST_ALONE";

#[test]
#[ignore = "slow: 1,000 spawns"]
fn a_thousand_spawns_leave_no_mount_file_zombie_or_descriptor() {
    spawns_leave_nothing("a_thousand_spawns_leave_no_mount_file_zombie_or_descriptor", 500);
}

#[test]
fn ninety_six_spawns_leave_no_mount_file_zombie_or_descriptor() {
    spawns_leave_nothing("ninety_six_spawns_leave_no_mount_file_zombie_or_descriptor", 48);
}

/// Plays games of two bots, in a process without other tests: mounts, descriptors and children are the whole process's.
fn spawns_leave_nothing(test: &str, games: usize) {
    if let Some(folder) = std::env::var_os(ALONE) {
        return spawn(folder.as_ref(), games);
    }
    let place = open_place();
    let name = format!("sandbox::survival::{test}");
    let mut alone = Command::new(std::env::current_exe().expect("this test"));
    alone.args(["--exact", &name, "--include-ignored", "--nocapture"]);
    alone.env(ALONE, place.path("")).env("TMPDIR", place.path("tmp"));
    let output = alone.output().expect("a process");
    let said = String::from_utf8_lossy(&output.stdout);
    print!("{said}");
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    place.assert_nothing_stays();
}

/// The ends of a table's bots.
const ENDS: [&str; 4] = ["leaves", "is killed", "is killed with others", "never starts"];

fn spawn(folder: &Path, number_of_games: usize) {
    // Processes that lose their parent after this become children of this process.
    rustix::process::set_child_subreaper(Some(getpid())).expect("it can");
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, bytes).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
        Program { may_fork: true, ..Program::new(path, Vec::new()) }
    };
    let plain = file("plain", b"#!/bin/sh\nwhile read line; do echo 7; done\n");
    let parent = file("parent", b"#!/bin/sh\nsleep 1000 &\nwhile read line; do echo 7; done\n");
    // The head of a program without a body, which is noticed last.
    let mut head = fs::read(&FAULTY).expect("a program")[..64].to_vec();
    head[32..40].fill(0);
    head[56..58].fill(0);
    let hollow = file("hollow", &head);
    let play = |tier: Tier, end: &str| {
        let setup = setup(tier);
        let first = if end == "is killed with others" { &parent } else { &plain };
        let second = if end == "never starts" { &hollow } else { &plain };
        let programs = vec![Some(first.clone()), Some(second.clone())].into();
        let mut table = ProcessTable::open(&info(), &programs, &setup).expect("a table");
        assert_eq!(ask(&mut table).expect("an answer").integers, [7], "{tier}");
        // No bot gets time to end when the referee is told to stop.
        setup.stop.store(end.starts_with("is killed"), Ordering::Relaxed);
        table.farewell();
    };
    let games: Vec<(Tier, &str)> =
        Tier::ALL.into_iter().flat_map(|tier| ENDS.map(|end| (tier, end))).collect();
    // Before the first look, everything that is loaded only once.
    play(Tier::Strict, ENDS[0]);
    let before = belongings(folder);
    let clock = Clock::start();
    (0..number_of_games)
        .for_each(|number| play(games[number % games.len()].0, games[number % games.len()].1));
    println!("{} spawns in {:?}", 2 * number_of_games, clock.now().0);
    assert_eq!(belongings(folder), before);
    let child = rustix::process::wait(WaitOptions::NOHANG);
    assert_eq!(child.map(|_| "alive or dead, a child is left"), Err(Errno::CHILD));
}

/// The resources of this process: mounts, descriptors, files in the folder for temporary files.
fn belongings(folder: &Path) -> Vec<String> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").expect("/proc");
    let descriptors = fs::read_dir("/proc/self/fd").expect("/proc").flatten();
    let descriptors =
        descriptors.filter_map(|entry| Some((entry.file_name(), fs::read_link(entry.path()).ok()?)));
    let files = fs::read_dir(folder.join("tmp")).expect("a folder").flatten();
    let files = files.map(|entry| entry.path().display().to_string());
    let mut all: Vec<String> = mounts.lines().map(str::to_owned).chain(files).collect();
    all.extend(descriptors.map(|(number, what)| format!("{}: {}", number.display(), what.display())));
    all
}
