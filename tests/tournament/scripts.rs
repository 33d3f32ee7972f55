//! The scripts for clusters in `tournaments/`: what becomes of tasks that start them; and which tasks are missing.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::called::Calls;
use crate::support::{FAULTY, Place, REFEREE, Ran, comes_true, rows_of_json};

use super::{FILE, ended, entrants, plan, planned};

const SLURM: &str = "slurm.sh";
const HYPERQUEUE: &str = "hyperqueue.sh";

#[test]
fn only_what_is_missing_is_asked_for() {
    let place = Place::new();
    place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T", "--shard", "1/4"]).with_status(0);
    let status = place.call(&["tournament", "status", "--dir", "T", "--n", "4"]).with_status(0);
    let due = "To play missing games, use tasks 0,2-3 of 4: sbatch --array=0,2-3 slurm.sh T 4";
    assert!(status.out.contains(due), "{status:?}");
    let json = ["tournament", "status", "--dir", "T", "--n", "4", "--format", "json"];
    assert!(place.call(&json).with_status(0).out.contains(r#""array": "0,2-3""#));

    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let status = place.call(&["tournament", "status", "--dir", "T", "--n", "4"]).with_status(0);
    assert!(status.out.contains("Nothing is missing."), "{status:?}");
}

/// Starts a script as an engine would. `scontrol` is a program that records its arguments.
fn task(place: &Place, script: &str, variables: &[(&str, &str)]) -> Command {
    let _ = std::os::unix::fs::symlink(&*REFEREE, place.path("referee"));
    place.program("scontrol", format!("#!/bin/sh\necho \"$@\" >> {}\n", place.path("asked").display()));
    let mut command = Command::new("bash");
    let path_variable = format!("{}:{}", place.path("").display(), std::env::var("PATH").unwrap_or_default());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tournaments").join(script);
    command
        .arg(script)
        .arg(place.path("T"))
        .arg("4")
        .env("PATH", path_variable)
        .env("TMPDIR", place.path("tmp"))
        .env("SLURM_JOB_ID", "77");
    command.envs(variables.iter().copied()).stdin(Stdio::null());
    command
}

fn asked(place: &Place) -> String {
    fs::read_to_string(place.path("asked")).unwrap_or_default()
}

/// Returns the batches that are not done, as `status` shows them.
fn missing(place: &Place) -> String {
    let status = place.call(&["tournament", "status", "--dir", "T", "--format", "json"]).with_status(0);
    rows_of_json(&status.out)[0]["missing"].as_str().expect("batches").to_owned()
}

#[test]
fn a_task_of_an_array_plays_its_shard_from_wherever_it_is_started() {
    let place = Place::new();
    planned(&place);
    let run = |script: &str, variable: (&str, &str)| {
        let output = task(&place, script, &[variable]).current_dir("/").output().expect("bash");
        Ran::new(format!("{variable:?}"), &output).with_status(0);
    };
    run(SLURM, ("SLURM_ARRAY_TASK_ID", "2"));
    assert_eq!(missing(&place), "0-1,3");
    run(HYPERQUEUE, ("HQ_TASK_ID", "0"));
    assert_eq!(missing(&place), "1,3");
    assert_eq!(asked(&place), "", "nothing is requeued");
    place.assert_nothing_stays();
}

#[test]
fn a_slurm_task_before_its_time_limit_is_queued_again_and_one_that_is_cancelled_is_not() {
    let place = Place::new();
    let slow = ["one", "two", "three"].map(|name| {
        format!(
            "[[entrant]]\nname = \"{name}\"\nprogram = \"{FAULTY}\"\narguments = [\"late\", \"--every\", \"1\", \"--ms\", \"20\"]\n"
        )
    });
    fs::write(place.path("slow.toml"), format!("{FILE}{}{}", slow.concat(), entrants(&[]))).expect("a file");
    plan(&place, "slow.toml", "T");
    let cases = [
        (Signal::USR1, "0", 0, "requeue 77\n"),
        (Signal::USR1, "100", 75, "requeue 77\n"), // as often as that is enough
        (Signal::TERM, "0", 75, "requeue 77\n"),
    ];
    for (signal, restarts, status, asked_so_far) in cases {
        let before = ended(&place, "T");
        // With one game at a time the batch of eight is not over when the first is.
        let variables =
            [("SLURM_ARRAY_TASK_ID", "0"), ("SLURM_RESTART_COUNT", restarts), ("SLURM_CPUS_ON_NODE", "1")];
        let mut running = task(&place, SLURM, &variables)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("bash");
        assert!(comes_true(|| ended(&place, "T") > before), "a game ends");
        kill_process(Pid::from_child(&running), signal).expect("it runs");
        assert_eq!(running.wait().expect("its end").code(), Some(status), "{signal:?}");
        assert_eq!(asked(&place), asked_so_far, "{signal:?}");
        assert_eq!(missing(&place), "0-3", "the batch was not done");
        place.assert_nothing_stays();
    }
}

#[test]
fn a_slurm_task_that_cannot_be_played_anywhere_is_not_queued_again() {
    let place = Place::new();
    planned(&place);
    fs::write(place.path("T/plan.toml"), "changed\n").expect("a file");
    let output = task(&place, SLURM, &[("SLURM_ARRAY_TASK_ID", "0")]).output().expect("bash");
    Ran::new("3".to_owned(), &output).with_status(3);
    let output = task(&place, SLURM, &[("SLURM_ARRAY_TASK_ID", "4")]).output().expect("bash");
    Ran::new("2".to_owned(), &output).with_status(2).complaining(&["SLURM_ARRAY_TASK_ID is 4"]);
    assert_eq!(asked(&place), "");
}

#[test]
fn without_the_number_of_a_task_nothing_is_played() {
    let place = Place::new();
    planned(&place);
    let run = |variables: &[(&str, &str)]| {
        let mut command = place.command(&["tournament", "run", "--dir", "T", "--shard", "auto/4"]);
        let output = command.envs(variables.iter().copied()).output().expect("referee");
        Ran::new(format!("{variables:?}"), &output).with_status(2)
    };
    run(&[])
        .complaining(&["--shard auto/4: none of the variables of job arrays is set (SLURM_ARRAY_TASK_ID, "]);
    run(&[("SGE_TASK_ID", "3"), ("HQ_TASK_ID", "3")])
        .complaining(&["HQ_TASK_ID = 3 is shard 3, but SGE_TASK_ID = 3 is shard 2"]);
    assert!(!place.path("T/records").exists() && !place.path("T/results.csv").exists());
}
