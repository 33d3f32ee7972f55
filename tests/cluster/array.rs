//! A tournament of house bots as a job array: a node dies in the middle, and the results are those of a single
//! machine.

use std::fs;
use std::path::{Path, PathBuf};

use crate::slurm::{Cluster, NODES, User, assert_no_process_stays_but, in_time};
use crate::support::rows_that_stay;

/// House bots that always do the same, with limits that no bot comes near: 64 games in 8 batches.
pub(crate) const FILE: &str = r#"
name = "house"
game = "football"
seed = "9"
batch = 8
[parameters]
p = [4, 8]
k = [10, 5]
max_turns = 60
turn_ms = 30000
first_ms = 30000
[format]
kind = "rounds"
rounds = 8
[[entrant]]
name = "champion"
program = "house:champion"
[[entrant]]
name = "sweeper"
program = "house:sweeper"
[[entrant]]
name = "greedy"
program = "house:greedy"
"#;

/// The fourth bot.
pub(crate) const STILL: &str = "[[entrant]]\nname = \"still\"\nprogram = \"house:still\"\n";

pub(crate) const SHARDS: usize = 4;

/// Plans the tournament in folders of a cluster, with this fourth bot.
pub(crate) fn plan(cluster: &Cluster, dirs: &[&str], fourth: &str) {
    fs::write(cluster.place.path("house.toml"), [FILE, fourth].concat()).expect("a file");
    for dir in dirs {
        cluster.referee(&["tournament", "plan", "house.toml", "--dir", dir]).with_status(0);
    }
}

fn a_dead_node_costs_nothing(user: User) {
    let mut cluster = Cluster::start(user);
    plan(&cluster, &["T", "U"], STILL);
    let [shards, whole] = cluster.submit_shards("0-3", SHARDS, &[]);

    // A node dies when it has played some games of a shard, and not all.
    let (mut victim, mut task) = (String::new(), 0);
    let in_the_middle = || {
        let jobs = cluster.jobs(&shards);
        let running = jobs.into_iter().filter(|job| job.state == "RUNNING");
        for job in running {
            task = job.task.expect("a task of an array");
            victim = job.node;
            if ended(&cluster, task) > 0 {
                return true;
            }
        }
        false
    };
    assert!(in_time(in_the_middle), "{}", cluster.logs());
    cluster.kill_node(&victim);
    let (ended_here, all) = (ended(&cluster, task), 64 / SHARDS);
    assert!((1..all).contains(&ended_here), "{ended_here} games of shard {task} had ended");
    cluster.referee(&["tournament", "run", "--dir", "U"]).with_status(0);

    let tasks = cluster.ended(&shards);
    assert_eq!(tasks.len(), SHARDS);
    for job in &tasks {
        assert_eq!((&*job.state, job.status), ("COMPLETED", 0), "{tasks:#?}");
        assert!(job.restarts > 0 || job.task != Some(task), "it was put back: {tasks:#?}");
    }
    let other = NODES.into_iter().find(|node| *node != victim);
    assert_eq!(Some(&*tasks[task].node), other, "and then ran on the other node");
    assert_eq!(cluster.ended(&whole)[0].state, "COMPLETED", "{}", cluster.said(&whole));
    let told = cluster.said(&format!("{shards}_{task}"));
    // It goes on in the batch that it was killed in, or, if that was just over, with the other one alone.
    let goes_on = told.contains(" ended before") || told.contains("8 games to play");
    assert!(goes_on, "{told}");
    assert_eq!(listed(&cluster, "T"), listed(&cluster, "U"));
    let standings = |dir| {
        cluster.referee(&["tournament", "standings", "--dir", dir, "--format", "csv"]).with_status(0).out
    };
    assert_eq!(standings("T"), standings("U"));
    cluster.referee(&["audit", "T"]).with_status(0);

    // Once more: there is nothing to play, and nothing is committed.
    let before = traces(&cluster);
    let again = cluster.submit(&["--array=0-3", "slurm.sh", "T", "4"]);
    assert!(cluster.ended(&again).iter().all(|job| job.status == 0 && job.restarts == 0));
    assert_eq!(traces(&cluster), before);
    assert_no_process_stays_but(&cluster.place, &["munged", "slurmctld", "slurmscriptd", "slurmd"]);
}

#[test]
#[ignore = "needs Slurm"]
fn a_node_that_dies_costs_no_game_and_the_result_is_that_of_one_machine() {
    a_dead_node_costs_nothing(User::Myself);
}

#[test]
#[ignore = "needs Slurm"]
fn the_same_as_an_ordinary_user() {
    a_dead_node_costs_nothing(User::Ordinary);
}

/// Counts the games of a shard that have ended, by the records.
fn ended(cluster: &Cluster, shard: usize) -> usize {
    let runs = all_below(&cluster.place.path("T/records/runs")).into_iter();
    let is_of_shard = |line: &&str| {
        let batch = line.get(9..).and_then(|record| record.strip_prefix("over,")?.split(',').next());
        batch.and_then(|batch| batch.parse::<usize>().ok()).is_some_and(|batch| batch % SHARDS == shard)
    };
    let texts = runs.map(|path| fs::read_to_string(path).unwrap_or_default());
    texts.map(|text| text.lines().filter(is_of_shard).count()).sum()
}

pub(crate) fn listed(cluster: &Cluster, dir: &str) -> Vec<String> {
    rows_that_stay(&cluster.place.path(dir).join("results.csv"), &["log"])
}

/// All files that runners leave in a tournament's folder: paths and bytes.
fn traces(cluster: &Cluster) -> Vec<(PathBuf, Vec<u8>)> {
    let folders = ["records", "logs", "stderr"];
    let files = folders.iter().flat_map(|folder| all_below(&cluster.place.path("T").join(folder)));
    let files = files.chain([cluster.place.path("T/results.csv")]);
    let mut files: Vec<_> = files.map(|path| (path.clone(), fs::read(path).expect("a file"))).collect();
    files.sort();
    files
}

fn all_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let found = entries.map(|path| if path.is_dir() { all_below(&path) } else { vec![path] });
    found.flatten().collect()
}
