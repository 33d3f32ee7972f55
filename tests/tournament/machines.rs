//! Requirements on a machine before it plays, records about it, and the place from which it runs the
//! programs.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::called::Calls;
use crate::support::{Place, REFEREE, Ran, comes_true, files_below};

use super::{FILE, ended, entrants, guests, plan, plan_by_call, planned, runner};

/// Plans a tournament with a section about machines.
fn planned_for(place: &Place, dir: &str, machines: &str) {
    let bots = guests(place, &["one", "two", "three", "four"].map(|name| (name, "house greedy")));
    fs::write(place.path("short.toml"), format!("{FILE}\n[machines]\n{machines}\n{bots}")).expect("a file");
    plan_by_call(place, "short.toml", dir);
}

#[test]
fn a_machine_that_is_far_too_slow_or_has_no_room_does_not_play() {
    let place = Place::new();
    planned_for(&place, "slow", "calibration_us = 1");
    let run = |more: &[&str]| place.call(&[&["tournament", "run", "--dir", "slow"], more].concat());
    let why = ["this machine is too slow: the calibration took", "at most 4 times", "--any-machine"];
    run(&[]).with_status(75).complaining(&why);
    run(&["--min-disk", "1000000000000"])
        .with_status(75)
        .complaining(&["slow: only ", " MiB are free, 1000000000000 MiB are needed; free some space"]);
    assert!(!place.path("slow/records").exists(), "nothing was begun");
    run(&["--any-machine", "--shard", "0/4"]).with_status(0);

    planned_for(&place, "any", "slower_max = 0\ncalibration_us = 1");
    place.call(&["tournament", "run", "--dir", "any", "--shard", "0/4"]).with_status(0);
}

#[test]
fn the_machine_that_plans_is_the_reference_and_planning_again_does_not_measure_anew() {
    let place = Place::new();
    let dir = place.tournament_of_guests();
    let text = fs::read_to_string(dir.join("plan.toml")).expect("the plan");
    let figure = text.lines().find_map(|line| line.strip_prefix("calibration_us = ")).expect("a figure");
    assert!(figure.parse::<u64>().expect("a number") > 1, "{figure}");
    plan_by_call(&place, "short.toml", "T");
    assert_eq!(fs::read_to_string(dir.join("plan.toml")).expect("the plan"), text);
    let run = place.call(&["tournament", "run", "--dir", "T", "--shard", "0/4"]).with_status(0);
    assert!(run.err.contains(" times as slow as the plan's reference"), "{run:?}");
}

#[test]
fn as_many_games_are_played_at_a_time_as_cores_may_be_used() {
    let place = Place::new();
    planned(&place);
    let words = ["tournament", "run", "--dir", "T", "--max-seconds", "0"];
    let mut one_core = Command::new("taskset");
    one_core.args(["-c", &a_core()]).arg(&*REFEREE).args(words).env("TMPDIR", place.path("tmp"));
    let one_core = one_core.current_dir(place.path("")).output().expect("taskset");
    let one_core = Ran::new("on one core".to_owned(), &one_core).with_status(75);
    assert!(one_core.err.contains(", 1 at a time"), "{one_core:?}");
    let by_slurm = place.command(&words).env("SLURM_CPUS_ON_NODE", "1").output().expect("referee");
    let by_slurm = Ran::new("one of Slurm's".to_owned(), &by_slurm).with_status(75);
    assert!(by_slurm.err.contains(", 1 at a time"), "{by_slurm:?}");
}

/// A core that this test may run on.
fn a_core() -> String {
    let status = fs::read_to_string("/proc/self/status").expect("/proc");
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("a list");
    list.trim().split([',', '-']).next().expect("a core").to_owned()
}

#[test]
fn machines_are_written_down_with_what_they_played() {
    let place = Place::new();
    place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T", "--jobs", "2"]).with_status(0);
    let nodes = ["tournament", "status", "--dir", "T", "--nodes", "--format", "csv"];
    let nodes = place.call(&nodes).with_status(0).out;
    let mut csv = csv::Reader::from_reader(nodes.as_bytes());
    let names = csv.headers().expect("a header").clone();
    let rows: Vec<csv::StringRecord> = csv.records().map(|row| row.expect("a row")).collect();
    let value = |name: &str| &rows[0][names.iter().position(|other| other == name).expect(name)];
    assert_eq!(rows.len(), 1, "{nodes}");
    assert_eq!(["attempts", "games", "jobs"].map(value), ["4", "32", "2"]);
    assert!(value("slowness").parse::<f64>().is_ok_and(|slowness| slowness > 0.0), "{nodes}");
    let uname = Command::new("uname").arg("-r").output().expect("uname").stdout;
    assert_eq!(value("kernel"), String::from_utf8_lossy(&uname).trim());
    // Each batch records what happened to the machine meanwhile.
    let batches = super::recorded(&place, "T", "note,,0,,batch,");
    assert_eq!((batches, super::recorded(&place, "T", "note,,0,,worn,")), (4, 4));
}

/// A bot that reports from where it was started, and answers nothing.
const TELLS: &str = "#!/bin/sh\necho \"from $0\" >&2\nwhile read -r line; do echo; done\n";

#[test]
fn programs_run_from_a_folder_of_the_machines_own_in_every_tier() {
    for tier in ["off", "landlock", "strict"] {
        let place = Place::new();
        let script = place.program("tells", TELLS);
        let file = FILE.replace("sandbox = \"off\"", &format!("sandbox = \"{tier}\""));
        let bot = format!("[[entrant]]\nname = \"tells\"\nprogram = \"{script}\"\n");
        let bots = entrants(&[("honest", "honest"), ("tagged", "honest")]);
        fs::write(place.path("x.toml"), format!("{file}{bot}{bots}")).expect("a file");
        plan(&place, "x.toml", "T");
        // As if no program could be started from the shared folder.
        let store: Vec<_> = store_of(&place);
        store.iter().for_each(|path| fs::set_permissions(path, Permissions::from_mode(0o444)).expect("mine"));
        fs::create_dir(place.path("tmp/task")).expect("a folder");
        let words = ["tournament", "run", "--dir", "T", "--shard", "0/4"];
        let run =
            place.command(&words).env("SLURM_TMPDIR", place.path("tmp/task")).output().expect("referee");
        let run = Ran::new(tier.to_owned(), &run);
        if run.err.contains("bots cannot be confined on this machine") {
            println!("{tier} does not work here");
            continue;
        }
        run.with_status(0);
        let said = files_below(&place.path("T/stderr"), "txt");
        assert_eq!(said.len(), 8, "{tier}: one a game");
        let from = fs::read_to_string(&said[0]).expect("a text");
        if tier == "off" {
            let task = place.path("tmp/task/referee-run-");
            assert!(from.starts_with(&format!("from {}", task.display())), "{from}");
        }
        assert!(!from.contains("/store/"), "{tier}: {from}");
        fs::remove_dir(place.path("tmp/task")).expect("nothing is left in it");
        place.assert_nothing_stays();
        place.referee(&["tournament", "run", "--dir", "T", "--shard", "0/4"]).with_status(0);
    }
}

fn store_of(place: &Place) -> Vec<std::path::PathBuf> {
    let folders = fs::read_dir(place.path("T/store")).expect("a store").flatten();
    let files = folders.flat_map(|folder| fs::read_dir(folder.path()).expect("a folder").flatten());
    files.map(|file| file.path()).collect()
}

#[test]
fn the_referee_itself_runs_from_there_and_what_a_killed_one_leaves_is_removed_by_the_next() {
    let place = Place::new();
    let house = "[[entrant]]\nname = \"still\"\nprogram = \"house:still\"\n";
    let bots = entrants(&[("honest", "honest"), ("other", "honest")]) + house;
    fs::write(place.path("short.toml"), format!("{FILE}{bots}")).expect("a file");
    plan(&place, "short.toml", "T");
    let mut running = runner(&place, "T", &[]);
    assert!(comes_true(|| ended(&place, "T") > 0), "a game ends");
    let program = fs::read_link(format!("/proc/{}/exe", running.id())).expect("it runs");
    let folder = program.parent().expect("a folder").to_owned();
    assert_eq!(folder.parent(), Some(&*place.path("tmp")));
    let mode = fs::metadata(&folder).expect("a folder").permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "no other user reads the bots");
    let names = fs::read_dir(&folder).expect("a folder").flatten().count();
    assert_eq!(names, 4, "the lock, the referee, which is a house bot, too, and two programs of three bots");

    // Another runner on this machine does not touch it.
    place.referee(&["tournament", "run", "--dir", "T", "--max-seconds", "0"]).with_status(75);
    assert!(program.exists());
    let _ = running.kill();
    let _ = running.wait();
    place.assert_no_process_stays();
    assert!(folder.exists());
    place.referee(&["tournament", "run", "--dir", "T"]).with_status(0);
    let left = fs::read_dir(place.path("tmp")).expect("tmp").flatten().map(|entry| entry.file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().starts_with("referee-run-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn another_referee_or_a_program_that_is_gone_or_changed_is_never_tried_again() {
    let place = Place::new();
    let dir = planned(&place);
    let other = place.program("other", [fs::read(&*REFEREE).expect("the program"), b"x".to_vec()].concat());
    let words = ["tournament", "run", "--dir", "T"];
    let mut run = Command::new(other);
    let run = run.args(words).current_dir(place.path("")).env("TMPDIR", place.path("tmp")).output();
    let run = Ran::new("of another referee".to_owned(), &run.expect("it runs")).with_status(78);
    run.complaining(&["this referee is not the one that made the plan: its SHA-256 is "]);

    let text = fs::read_to_string(dir.join("plan.toml")).expect("the plan");
    let digest =
        text.lines().find_map(|line| line.strip_prefix("digest = ")).expect("a digest").trim_matches('"');
    let program = dir.join("store").join(&digest[..2]).join(digest);
    fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("mine");
    fs::write(&program, "#!/bin/sh\n").expect("another program");
    let changed = place.referee(&words).with_status(78);
    changed.complaining(&["not the program that was planned for honest", "its SHA-256 is"]);
    fs::remove_file(&program).expect("a program");
    place.referee(&words).with_status(78).complaining(&[digest, "a program of the plan is missing"]);
    assert!(!dir.join("records").exists());
    place.assert_nothing_stays();
}
