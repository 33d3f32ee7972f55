//! HyperQueue, its own server and workers, with the shards of a tournament. One of the runners is killed.

use std::fs;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::array::{FILE, SHARDS, STILL};
use crate::parallel::path_with_referee;
use crate::python;
use crate::slurm::in_time;
use crate::support::{Place, Ran, rows_that_stay};

/// Begins to play these tasks by the script; all, if none is given.
fn queue(place: &Place, path: &str, tasks: &[String]) -> Command {
    let mut command = Command::new(python::program("python"));
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cluster/hq.py"));
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tournaments/hyperqueue.sh")).arg(place.path("hq"));
    command.arg(place.path("T")).arg(SHARDS.to_string()).args(tasks).env("PATH", path);
    command.env("HOME", place.path("")).env("TMPDIR", place.path("tmp"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Returns the failed tasks, with the reasons.
fn failed(ran: &Ran) -> Vec<(String, String)> {
    let lines = ran.out.lines().filter_map(|line| line.strip_prefix("failed ")?.split_once(": "));
    lines.map(|(task, why)| (task.to_owned(), why.to_owned())).collect()
}

/// Returns a runner that a worker has started: they are all children of the one process.
fn a_runner(worker: u32) -> Option<Pid> {
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    let numbers = processes.filter_map(|process| process.file_name().to_str()?.parse::<i32>().ok());
    numbers.into_iter().find_map(|number| {
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()?;
        let words = fs::read_to_string(format!("/proc/{number}/cmdline")).ok()?;
        (parent == worker && words.contains("auto/")).then(|| Pid::from_raw(number))?
    })
}

#[test]
#[ignore = "needs HyperQueue"]
fn hyperqueue_makes_of_its_shards_what_one_runner_makes_though_a_runner_is_killed() {
    let place = Place::new();
    fs::write(place.path("house.toml"), [FILE, STILL].concat()).expect("a file");
    for dir in ["T", "U"] {
        place.referee(&["tournament", "plan", "house.toml", "--dir", dir]).with_status(0);
    }
    let path = path_with_referee(&place);
    let playing = queue(&place, &path, &[]).spawn().expect("python");
    let has_ended = || {
        let runs = fs::read_dir(place.path("T/records/runs")).into_iter().flatten().flatten();
        let texts = runs.flat_map(|run| fs::read_to_string(run.path()));
        texts.into_iter().any(|text| text.lines().any(|line| line.get(9..14) == Some("over,")))
    };
    assert!(in_time(|| has_ended() && a_runner(playing.id()).is_some()), "a game ends");
    kill_process(a_runner(playing.id()).expect("it has just begun its shard"), Signal::KILL)
        .expect("it runs");
    let ran = Ran::new("hq.py".to_owned(), &playing.wait_with_output().expect("its end")).with_status(0);
    let lost = failed(&ran);
    let [(task, why)] = &lost[..] else { panic!("one task was killed: {ran:?}") };
    assert!(why.contains("SIGKILL"), "{why}");
    let status = place.referee(&["tournament", "status", "--dir", "T", "--n", "4"]).with_status(0);
    status.saying(&[&format!("use tasks {task} of 4")]);

    let again = queue(&place, &path, std::slice::from_ref(task)).output().expect("python");
    let ran = Ran::new("hq.py, again".to_owned(), &again).with_status(0);
    assert_eq!(failed(&ran), []);
    for dir in ["T", "U"] {
        place.referee(&["tournament", "run", "--dir", dir]).with_status(0);
    }
    let listed = |dir| rows_that_stay(&place.path(dir).join("results.csv"), &["log"]);
    assert_eq!(listed("T"), listed("U"));
    place.assert_no_process_stays();
}
