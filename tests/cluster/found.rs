//! Changes after a tournament was planned or played: found, named, and reported to Slurm by the exit status.

use std::fs::{self, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::array::{SHARDS, listed, plan};
use crate::slurm::{Cluster, Job, User};
use crate::support::FAULTY;

/// Runs a command as a job; returns its exit status and its message.
fn told_by(cluster: &Cluster, command: &str) -> (i32, String) {
    let job = cluster.submit(&["--wrap", command]);
    let status = cluster.ended(&job)[0].status;
    (status, cluster.said(&job))
}

/// Makes sure that every shard says that it must not be tried again, and why; and that jobs that wait for the
/// shards do not wait for ever.
#[track_caller]
fn assert_all_refuse(cluster: &Cluster, why: &str) {
    let [shards, whole] = cluster.submit_shards("0-3", SHARDS, &[]);
    for job in cluster.ended(&shards) {
        assert_eq!((&*job.state, job.status, job.restarts), ("FAILED", 78, 0), "{job:?}");
        let told = cluster.said(&format!("{shards}_{}", job.task.expect("a task")));
        assert!(told.contains(why), "no {why:?} in {told}");
    }
    assert_eq!(cluster.ended(&whole)[0].state, "CANCELLED");
}

#[test]
#[ignore = "needs Slurm"]
fn what_was_changed_is_found_and_named_with_its_exit_status() {
    let cluster = Cluster::start(User::Myself);
    let honest =
        format!("[[entrant]]\nname = \"honest\"\nprogram = \"{FAULTY}\"\narguments = [\"honest\"]\n");
    plan(&cluster, &["T"], &honest);
    // The array that the status names plays what the others have left.
    let most = cluster.submit(&["--array=0,2-3", "slurm.sh", "T", "4"]);
    assert!(cluster.ended(&most).iter().all(|job| job.status == 0), "{:?}", cluster.ended(&most));
    let status = ["tournament", "status", "--dir", "T", "--n", "4"];
    let told = cluster.referee(&status).with_status(0).out;
    let array =
        told.split_once("sbatch --array=").and_then(|(_, rest)| rest.split(' ').next()).expect("an array");
    let [rest, whole] = cluster.submit_shards(array, SHARDS, &[]);
    assert_eq!(cluster.ended(&whole)[0].status, 0, "{}", cluster.said(&whole));
    let rest: Vec<(Option<usize>, i32)> = cluster.ended(&rest).iter().map(task_and_status).collect();
    assert_eq!(rest, [(Some(1), 0)]);
    let honest = listed(&cluster, "T");
    assert_eq!(honest.len(), 1 + 4 * 64);

    // A changed row.
    let list = cluster.place.path("T/results.csv");
    let whole = fs::read_to_string(&list).expect("the results");
    let row = whole.lines().nth(6).expect("a row");
    let columns: Vec<&str> = whole.lines().next().expect("the header").split(',').collect();
    let share = columns.iter().position(|column| *column == "share").expect("a column");
    let mut changed: Vec<&str> = row.split(',').collect();
    changed[share] = "1";
    fs::write(&list, whole.replace(row, &changed.join(","))).expect("the results");
    let (status, told) = told_by(&cluster, "referee audit T");
    assert_eq!(status, 3, "{told}");
    assert!(told.contains("results.csv, line 7: "), "{told}");

    // A list that is gone is made again of the records.
    fs::remove_file(&list).expect("the results");
    let (status, told) = told_by(&cluster, "referee tournament run T");
    assert_eq!(status, 0, "{told}");
    assert_eq!(listed(&cluster, "T"), honest);

    // Another bot under the same name.
    let bot = stored(&cluster, "honest");
    let bytes = with_another_byte(&bot);
    assert_all_refuse(&cluster, "not the program that was planned for honest");
    fs::write(&bot, bytes).expect("the program");

    // Another build of the referee.
    with_another_byte(&cluster.place.path("bin/referee"));
    assert_all_refuse(&cluster, "this referee is not the one that made the plan");
}

fn task_and_status(job: &Job) -> (Option<usize>, i32) {
    (job.task, job.status)
}

/// The stored program of an entrant.
fn stored(cluster: &Cluster, bot: &str) -> std::path::PathBuf {
    let plan = fs::read_to_string(cluster.place.path("T/plan.toml")).expect("the plan");
    let (_, entrant) = plan.split_once(&format!("name = \"{bot}\"\n")).expect("an entrant");
    let digest = entrant.lines().find_map(|line| line.strip_prefix("digest = ")).expect("a digest");
    let digest = digest.trim_matches('"');
    cluster.place.path("T/store").join(&digest[..2]).join(digest)
}

/// Makes another program from a program, with the same behaviour; returns the original.
fn with_another_byte(program: &Path) -> Vec<u8> {
    let bytes = fs::read(program).expect("a program");
    fs::set_permissions(program, Permissions::from_mode(0o755)).expect("mine");
    let file = OpenOptions::new().append(true).open(program);
    file.and_then(|mut file| file.write_all(b"\n")).expect("one byte more");
    bytes
}
