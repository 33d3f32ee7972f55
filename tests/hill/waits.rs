//! Runners and commands wait for each other, but not for strangers, not silently, and not when they are told to stop.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use referee_contest::hill::Hill;
use referee_contest::running::Running;
use referee_files::beneath::Spot;
use referee_files::lock;
use referee_record::error::ErrorKind;
use referee_store::{Claim, RealDisk, Runner};
use referee_table::clock::Clock;
use rustix::process::{Pid, Signal, geteuid, kill_process};

use crate::called::Calls;
use crate::support::{Place, faulty};

/// Short games, and limits that no bot comes near.
const SETTINGS: [&str; 11] =
    ["-p", "2", "--max-turns", "30", "--turn-ms", "30000", "--first-ms", "30000", "--seed", "5", "--no-key"];

fn hill_of_guests(place: &Place) -> Hill {
    let bots = [("honest", "says 4 4"), ("split", "says 5 5"), ("greedy", "greedy"), ("tagged", "talks")];
    Hill::open(&place.hill_of_guests("hill", &SETTINGS, &bots)).expect("a hill")
}

/// The same with bots that the program can start.
fn hill_of_programs(place: &Place) -> Hill {
    let bots = [("honest", &*faulty("honest")), ("tagged", &faulty("honest --tag"))];
    Hill::open(&place.hill("hill", &SETTINGS, &bots)).expect("a hill")
}

/// A process that locks files in all ways that are open to those who may read them.
struct Stranger(Child);

impl Stranger {
    fn locks(folder: &Path, files: &[&str]) -> Stranger {
        let script = "import fcntl, os, sys\n\
            files = [os.open(name, os.O_RDONLY) for name in sys.argv[1:]]\n\
            for file in files:\n    fcntl.flock(file, fcntl.LOCK_EX)\n    try: fcntl.lockf(file, fcntl.LOCK_SH)\n    except OSError: pass\n\
            print('locked', flush=True)\nsys.stdin.read()\n";
        let mut python = Command::new("python3");
        python.args(["-c", script]).args(files).current_dir(folder);
        let mut stranger = python.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3");
        let mut said = [0; 7];
        stranger.stdout.as_mut().expect("a pipe").read_exact(&mut said).expect("its locks");
        Stranger(stranger)
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Reads lines until one has this part.
fn read_until(said: &mut BufReader<ChildStderr>, part: &str) -> String {
    let mut text = String::new();
    while !text.contains(part) {
        assert!(said.read_line(&mut text).expect("text") > 0, "{part:?} is said: {text}");
    }
    text
}

#[test]
fn a_stranger_who_locks_the_files_of_a_hill_delays_nobody() {
    let place = Place::new();
    let hill = hill_of_guests(&place);
    place.call(&["hill", "run", "hill", "--to-round", "1"]).with_status(0);
    // The runner was killed: the last log has no seal.
    let root = hill.root();
    let runner = Runner::start(RealDisk::new(&root.join("records")), "gone").expect("a runner");
    drop(runner);
    let stranger = Stranger::locks(
        root,
        &["records/runs/gone", "results.csv", "entrants.csv", "seasons.csv", "hill.toml", "records", "."],
    );
    assert_eq!(Running::on_hill(&hill).expect("the records").runners, 0);
    let run = place.call(&["hill", "run", "hill", "--to-round", "2"]).with_status(0);
    assert!(!run.err.contains("other runners"), "{run:?}");
    for command in ["standings", "audit", "retire", "repair"] {
        match command {
            "audit" => place.call(&["audit", "hill"]).with_status(0),
            "retire" => place.call(&["hill", command, "hill", "tagged"]).with_status(0),
            _ => place.call(&["hill", command, "hill"]).with_status(0),
        };
    }
    drop(stranger);
}

#[test]
fn only_those_who_may_write_to_a_hill_can_open_its_locks() {
    let place = Place::new();
    let hill = hill_of_guests(&place);
    let mode =
        |name: &str| fs::metadata(hill.root().join(name)).expect("a lock").permissions().mode() & 0o777;
    // As an earlier version made them.
    for name in ["run.lock", "entrants.lock"] {
        let _ = fs::remove_file(hill.root().join(name));
        fs::write(hill.root().join(name), "").expect("a lock");
    }
    for (folder, due) in [(0o755, 0o600), (0o775, 0o660)] {
        fs::set_permissions(hill.root(), fs::Permissions::from_mode(folder)).expect("our folder");
        place.call(&["hill", "run", "hill", "--to-round", "1"]).with_status(0);
        place
            .call(&["hill", "retire", "hill", if due == 0o600 { "tagged" } else { "greedy" }])
            .with_status(0);
        assert_eq!(["run.lock", "entrants.lock"].map(mode), [due; 2], "{folder:o}");
    }
}

#[test]
fn only_those_who_may_write_to_a_hill_can_read_its_seed() {
    let place = Place::new();
    let mode = |name: &str| fs::metadata(place.path(name)).expect("a file").permissions().mode() & 0o777;
    for (name, folder, due) in [("alone", 0o755, 0o600), ("group", 0o775, 0o660), ("all", 0o777, 0o666)] {
        fs::create_dir(place.path(name)).expect("a folder");
        fs::set_permissions(place.path(name), fs::Permissions::from_mode(folder)).expect("our folder");
        place.call(&["hill", "new", name, "push"]).with_status(0);
        assert_eq!(mode(&format!("{name}/hill.toml")), due, "{name}");
    }
}

#[test]
#[ignore = "needs root"]
fn a_lock_that_root_has_made_belongs_to_the_people_of_its_folder() {
    assert!(geteuid().is_root(), "this needs root");
    let place = Place::new();
    for (folder, mode, due) in [("alone", 0o755, 0o600), ("group", 0o775, 0o660)] {
        let folder = place.path(folder);
        fs::create_dir(&folder).expect("a folder");
        std::os::unix::fs::chown(&folder, Some(20_001), Some(20_002)).expect("its owner");
        fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).expect("its mode");
        lock::exclude(&Spot::below(&folder, "run.lock"), lock::WAIT_SHORT_MAX).expect("the lock");
        let made = fs::metadata(folder.join("run.lock")).expect("the lock");
        assert_eq!((made.uid(), made.gid(), made.mode() & 0o777), (20_001, 20_002, due), "{mode:o}");
        // Likewise a hill that root makes for them.
        place.call(&["hill", "new", &folder.display().to_string(), "push"]).with_status(0);
        let made = fs::metadata(folder.join("hill.toml")).expect("the settings");
        assert_eq!((made.uid(), made.gid(), made.mode() & 0o777), (20_001, 20_002, due), "{mode:o}");
    }
}

#[test]
fn a_strangers_lock_is_waited_for_once_and_not_at_each_write() {
    let place = Place::new();
    fs::write(place.path("results.csv"), "").expect("a file");
    let _stranger = Stranger::locks(&place.path(""), &["results.csv"]);
    let (path, clock) = (place.path("results.csv"), Clock::start());
    let file = File::options().read(true).write(true).open(&path).expect("the file");
    let waited = || {
        let before = clock.now();
        lock::claim_waiting(&file, &path).expect("passed");
        lock::release(&file);
        clock.now() - before
    };
    let first = waited();
    let later = (0..5).map(|_| waited()).min().expect("some");
    assert!(later < first / 2, "{first:?}, then {later:?}");
}

#[test]
fn a_wait_for_a_lock_names_it_and_who_holds_it_and_ends_at_ctrl_c() {
    let place = Place::new();
    let hill = hill_of_programs(&place);
    let own = std::process::id();
    let commands = [("run.lock", &["run", "hill"][..]), ("entrants.lock", &["retire", "hill", "tagged"])];
    for (name, words) in commands {
        let path = hill.root().join(name);
        let held = File::options().append(true).create(true).open(&path).expect("a lock");
        held.lock().expect("its lock");
        let mut command = place.command(&[&["hill"], words].concat());
        let mut waits =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("referee can be started");
        let mut said = BufReader::new(waits.stderr.take().expect("a pipe"));
        let text = read_until(&mut said, "waiting for the lock of ");
        assert!(text.contains(&format!("hill/{name}: process {own} (")), "{text}");
        kill_process(Pid::from_child(&waits), Signal::INT).expect("it runs");
        let end = waits.wait().expect("its end");
        assert!(end.code().is_none_or(|code| code == 130), "{end}");
    }
    assert!(hill.entrants().expect("the bots").field().iter().any(|bot| bot.name == "tagged"), "it stays");
}

#[test]
fn a_runner_that_plays_hears_ctrl_c_while_another_holds_the_lock() {
    let place = Place::new();
    let bots = [("slow", &*faulty("split --ms 5")), ("quick", &faulty("honest"))];
    let hill = Hill::open(&place.hill("hill", &SETTINGS, &bots)).expect("a hill");
    let run = ["hill", "run", "hill", "--rounds", "100", "--jobs", "1"];
    let mut command = place.command(&run);
    let mut running =
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("referee can be started");
    let mut said = BufReader::new(running.stderr.take().expect("a pipe"));
    read_until(&mut said, "(max_turns, 31 turns)");
    let held = lock::exclude(&Spot::below(hill.root(), "run.lock"), lock::WAIT_SHORT_MAX).expect("the lock");
    read_until(&mut said, "waiting for the lock of ");
    kill_process(Pid::from_child(&running), Signal::INT).expect("it runs");
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("text");
    assert_eq!(running.wait().expect("its end").code(), Some(130), "{rest}");
    drop(held);
    place.assert_nothing_stays();
    place.call(&["audit", "hill"]).with_status(0);
}

#[test]
fn a_wait_for_the_game_of_another_runner_names_its_process() {
    let place = Place::new();
    let hill = hill_of_programs(&place);
    place.referee(&["hill", "run", "hill", "--to-round", "1"]).with_status(0);
    let game = "s001-r00002-t001-g1";
    let records = hill.root().join("records");
    let mut hangs = Runner::start(RealDisk::new(&records), "hangs").expect("a runner");
    assert_eq!(hangs.claim(game, &[game]).expect("a claim"), Claim::Mine);
    let own = std::process::id();
    let mut command = place.command(&["hill", "run", "hill", "--to-round", "2"]);
    let mut waits =
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("referee can be started");
    let mut said = BufReader::new(waits.stderr.take().expect("a pipe"));
    let text = read_until(&mut said, &format!("waiting for {game}, which process {own} ("));
    assert!(text.contains("other runners are playing here, too"), "{text}");
    kill_process(Pid::from_child(&waits), Signal::INT).expect("it runs");
    assert_eq!(waits.wait().expect("its end").code(), Some(130));
}

#[test]
fn a_copy_of_a_runners_records_is_named_as_such() {
    let place = Place::new();
    let hill = hill_of_guests(&place);
    place.call(&["hill", "run", "hill", "--to-round", "1"]).with_status(0);
    let runs = hill.root().join("records/runs");
    let log = fs::read_dir(&runs).expect("a folder").next().expect("a log").expect("a log").path();
    let name = log.file_name().expect("a name").to_str().expect("text").to_owned();
    // Before it and behind it, in the order of names.
    for copy in ["0-copy".to_owned(), format!("{name}~")] {
        fs::copy(&log, runs.join(&copy)).expect("a copy");
        for words in [&["hill", "repair", "hill"][..], &["audit", "hill"]] {
            let refused = place.call(words).with_status(3);
            refused.complaining(&[&format!("{copy}: it repeats records of runs/{name}"), "remove it"]);
        }
        fs::remove_file(runs.join(&copy)).expect("a copy");
    }
    place.call(&["audit", "hill"]).with_status(0);
}

#[test]
fn texts_that_a_runner_has_left_beside_their_places_are_removed() {
    let place = Place::new();
    let hill = hill_of_guests(&place);
    let made = hill.root().join("records/made");
    place.call(&["hill", "run", "hill", "--to-round", "1"]).with_status(0);
    let runs = hill.root().join("records/runs");
    let log = fs::read_dir(&runs).expect("a folder").next().expect("a log").expect("a log").file_name();
    fs::write(made.join(format!("{}-17", log.to_str().expect("text"))), "").expect("a text");
    place.call(&["hill", "run", "hill", "--to-round", "2"]).with_status(0);
    let left: Vec<_> = fs::read_dir(&made).expect("a folder").flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_claim_is_seen_by_all_and_can_be_made_by_those_alone_who_may_write() {
    let place = Place::new();
    let path = place.path("file");
    fs::write(&path, "").expect("a file");
    let (reader, writer) =
        (File::open(&path).expect("it"), File::options().append(true).open(&path).expect("it"));
    assert!(lock::claim(&reader).is_err(), "a reader");
    assert!(!lock::is_claimed(&reader).expect("a look"));
    assert!(lock::claim(&writer).expect("a claim"));
    assert!(lock::is_claimed(&reader).expect("a look"));
    assert_eq!(
        lock::Holder::of(&reader).to_string().split(' ').nth(1),
        Some(&*std::process::id().to_string())
    );
    lock::release(&writer);
    assert!(!lock::is_claimed(&reader).expect("a look"));
}

#[test]
fn a_wait_for_a_lock_that_never_gets_free_ends_at_its_limit_and_says_what_to_do() {
    let place = Place::new();
    let path = place.path("x.lock");
    let _held =
        lock::exclude(&Spot::below(&place.path(""), "x.lock"), lock::WAIT_SHORT_MAX).expect("it is free");
    let refused = lock::exclude(&Spot::from(&path), Duration::from_millis(20)).expect_err("it is held");
    assert_eq!(refused.kind(), ErrorKind::Busy);
    let (own, refused) = (std::process::id(), refused.to_string());
    assert!(refused.contains(&format!("x.lock: process {own} (")), "{refused}");
    assert!(refused.contains(&format!("wait for its end, or end it (kill {own})")), "{refused}");
}

#[test]
fn a_stranger_who_locks_the_files_of_a_tournament_delays_nobody() {
    let place = Place::new();
    place.tournament_of_guests();
    let _stranger = Stranger::locks(&place.path("T"), &[".", "plan.toml"]);
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    // What locks the tournament itself.
    let ruled = place.call(&["tournament", "rule", "--dir", "T", "--level", "s001-r00001-t001-g1"]);
    ruled.complaining(&["not a void game of this tournament"]);
}
