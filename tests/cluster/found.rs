//! Changes after a tournament was planned or played: found, named, and reported to Slurm by the exit status.

use std::fs::{self, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::array::{SHARDS, merged, plan};
use crate::slurm::{Cluster, Job, User};
use crate::support::FAULTY;

/// Runs the merge as a job; returns its exit status and its message.
fn merge(cluster: &Cluster) -> (i32, String) {
    let job = cluster.submit(&["--wrap", "referee tournament merge --dir T"]);
    let status = cluster.ended(&job)[0].status;
    (status, cluster.said(&job))
}

/// Makes sure that every shard says that it must not be tried again, and why; and that jobs that wait for the
/// shards do not wait for ever.
#[track_caller]
fn assert_all_refuse(cluster: &Cluster, why: &str) {
    let [shards, merge] = cluster.submit_shards("0-3", SHARDS, &[]);
    for job in cluster.ended(&shards) {
        assert_eq!((&*job.state, job.status, job.restarts), ("FAILED", 78, 0), "{job:?}");
        let told = cluster.said(&format!("{shards}_{}", job.task.expect("a task")));
        assert!(told.contains(why), "no {why:?} in {told}");
    }
    assert_eq!(cluster.ended(&merge)[0].state, "CANCELLED");
}

#[test]
#[ignore = "needs Slurm"]
fn what_was_changed_is_found_and_named_with_its_exit_status() {
    let cluster = Cluster::start(User::Myself);
    let honest =
        format!("[[entrant]]\nname = \"honest\"\nprogram = \"{FAULTY}\"\narguments = [\"honest\"]\n");
    plan(&cluster, &["T"], &honest);
    let [shards, merged_at_once] = cluster.submit_shards("0-3", SHARDS, &[]);
    assert_eq!(cluster.ended(&merged_at_once)[0].status, 0, "{:?}", cluster.ended(&shards));
    let honest = merged(&cluster, "T");

    // A changed row.
    let batch = cluster.place.path("T/results/0000/0000005.csv");
    let whole = fs::read_to_string(&batch).expect("a batch");
    let row = whole.lines().nth(6).expect("a row");
    let columns: Vec<&str> = whole.lines().nth(1).expect("the header").split(',').collect();
    let share = columns.iter().position(|column| *column == "share").expect("a column");
    let mut changed: Vec<&str> = row.split(',').collect();
    changed[share] = "1";
    fs::write(&batch, whole.replace(row, &changed.join(","))).expect("a batch");
    let (status, told) = merge(&cluster);
    assert_eq!(status, 3, "{told}");
    assert!(told.contains("0000005.csv, line 7: "), "{told}");

    // A missing batch is made again of the records.
    fs::remove_file(&batch).expect("a batch");
    let (status, told) = merge(&cluster);
    assert_eq!(status, 0, "{told}");
    assert_eq!(merged(&cluster, "T"), honest);

    // Without them, the array that the status names plays only that one.
    fs::remove_file(&batch).expect("a batch");
    fs::remove_dir_all(cluster.place.path("T/records")).expect("the records");
    fs::remove_file(cluster.place.path("T/merged.csv")).expect("what was merged");
    let (status, told) = merge(&cluster);
    assert_eq!(status, 1, "{told}");
    assert!(told.contains("1 of 8 batches is missing: 5."), "{told}");
    let status = ["tournament", "status", "--dir", "T", "--n", "4"];
    let told = cluster.referee(&status).with_status(0).out;
    let array =
        told.split_once("sbatch --array=").and_then(|(_, rest)| rest.split(' ').next()).expect("an array");
    let [again, merged_again] = cluster.submit_shards(array, SHARDS, &[]);
    assert_eq!(cluster.ended(&merged_again)[0].status, 0);
    let again: Vec<(Option<usize>, i32)> = cluster.ended(&again).iter().map(task_and_status).collect();
    assert_eq!(again, [(Some(1), 0)], "batch 5 is in shard 1 of 4");
    assert_eq!(merged(&cluster, "T"), honest);

    // Another bot under the same name.
    fs::remove_dir_all(cluster.place.path("T/results")).expect("the results");
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
