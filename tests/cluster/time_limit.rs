//! A time limit that is too short for a shard: Slurm sends a signal in time, the runner stops in good order,
//! its job goes back into the queue, until all games are played.

use std::fs;

use crate::slurm::{Cluster, User};

/// Games of two seconds, one at a time on each of two cores: they take longer than the time before the
/// signal.
const FILE: &str = r#"
name = "slow"
game = "foosball"
seed = "9"
sandbox = "off"
batch = 4
[parameters]
bank_ms = 600000
first_ms = 30000
[format]
kind = "rounds"
rounds = 20
"#;

const GAMES: usize = 40;

/// Sleeps, answers, sleeps and leaves: the game is over.
const SLEEPER: &str = "#!/bin/sh
read -r question; sleep 1; echo 0
read -r question; sleep 1
";

/// The limit is a minute, Slurm's minimum; every half minute Slurm checks whether less than 55 seconds are
/// left.
const LIMIT: [&str; 2] = ["--time=1", "--signal=B:USR1@55"];

#[test]
#[ignore = "needs Slurm"]
fn a_shard_whose_time_limit_is_too_short_is_finished_in_several_attempts() {
    let cluster = Cluster::start(User::Myself);
    let sleeper = cluster.place.program("sleeper", SLEEPER);
    let entrant =
        |name: &str| format!("[[entrant]]\nname = \"{name}\"\nprogram = \"{sleeper}\"\nallow_fork = true\n");
    let file = [FILE, &entrant("one"), &entrant("two")].concat();
    fs::write(cluster.place.path("slow.toml"), file).expect("a file");
    cluster.referee(&["tournament", "plan", "slow.toml", "--dir", "T"]).with_status(0);
    let [job, whole] = cluster.submit_shards("0", 1, &LIMIT);
    let ended = cluster.ended(&job);
    let told = cluster.said(&format!("{job}_0"));
    assert_eq!((&*ended[0].state, ended[0].status), ("COMPLETED", 0), "{told}\n{}", cluster.logs());
    assert!(ended[0].restarts > 0, "{told}");
    assert!(told.contains("stopped; finished games are kept"), "{told}");
    // No game was lost.
    let losses = cluster.referee(&["tournament", "status", "--dir", "T", "--losses", "--format", "csv"]);
    let losses = losses.with_status(0).out;
    assert!(losses.contains(&format!("\nall,,{GAMES},0,0,")), "{losses}\n{told}");
    assert_eq!(cluster.ended(&whole)[0].status, 0, "{}", cluster.said(&whole));
}
