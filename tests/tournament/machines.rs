//! What a runner looks at before it plays: its machine, the program that it is, and the bots.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::called::Calls;
use crate::support::{Place, REFEREE, Ran, files_below};

use super::{FILE, entrants, plan, planned};

#[test]
fn a_machine_that_has_no_room_does_not_play() {
    let place = Place::new();
    place.tournament_of_guests();
    place
        .call(&["tournament", "run", "--dir", "T", "--min-disk", "1000000000000"])
        .with_status(75)
        .complaining(&["T: only ", " MiB are free, 1000000000000 MiB are needed; free some space"]);
    assert!(!place.path("T/records").exists(), "nothing was begun");
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

/// A bot that reports from where it was started, and answers nothing.
const TELLS: &str = "#!/bin/sh\necho \"from $0\" >&2\nwhile read -r line; do echo; done\n";

#[test]
fn programs_run_from_the_tournaments_folder_in_every_tier() {
    for tier in ["off", "landlock", "strict"] {
        let place = Place::new();
        let script = place.program("tells", TELLS);
        let file = FILE.replace("sandbox = \"off\"", &format!("sandbox = \"{tier}\""));
        let bot = format!("[[entrant]]\nname = \"tells\"\nprogram = \"{script}\"\n");
        let bots = entrants(&[("honest", "honest"), ("tagged", "honest")]);
        fs::write(place.path("x.toml"), format!("{file}{bot}{bots}")).expect("a file");
        plan(&place, "x.toml", "T");
        let run = place.referee(&["tournament", "run", "--dir", "T", "--shard", "0/4"]);
        if run.err.contains("bots cannot be confined on this machine") {
            println!("{tier} does not work here");
            continue;
        }
        run.with_status(0);
        let said = files_below(&place.path("T/stderr"), "txt");
        assert_eq!(said.len(), 8, "{tier}: one a game");
        if tier == "off" {
            let (from, store) = (fs::read_to_string(&said[0]).expect("a text"), place.path("T/store"));
            assert!(from.starts_with(&format!("from {}/", store.display())), "{from}");
        }
        place.assert_nothing_stays();
    }
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
