//! Two runners have the same shard and play every batch of it at the same time: one of them commits it, on
//! any file system.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use referee_contest::batch::unit_of;

use crate::slurm::{assert_no_process_stays_but, in_time};
use crate::sshfs::Mount;
use crate::support::{Place, files_below};

const FILE: &str = r#"
name = "contest"
game = "foosball"
seed = "3"
sandbox = "off"
batch = 2
[parameters]
bank_ms = 600000
first_ms = 120000
[format]
kind = "rounds"
rounds = 100
"#;

const BATCHES: usize = 100;

/// Number of batches that are contested at a time.
const AT_A_TIME: usize = 10;

/// Waits at a gate, and leaves: the game is over.
const WAITER: &str = "#!/bin/sh
read -r question
while [ ! -e \"$1\" ]; do sleep 0.05; done
";

/// Gives each batch to two runners, one in each folder. Neither may end the batch before the other has come. The
/// folders are the same folder, seen by different machines; `there` is its real path. Where locks do not reach from one
/// to the other, the second takes the first for dead.
fn fight(place: &Place, there: &Path, folders: [&Path; 2], locks_reach: bool) {
    let (waiter, gate) = (place.program("waiter", WAITER), place.path("gate"));
    let entrant = |name: &str| {
        format!(
            "[[entrant]]\nname = \"{name}\"\nprogram = {waiter:?}\narguments = [{gate:?}]\nallow_fork = true\n"
        )
    };
    let file = [FILE, &entrant("one"), &entrant("two")].concat();
    fs::write(place.path("contest.toml"), file).expect("a file");
    place.referee(&["tournament", "plan", "contest.toml", "--dir", &text(there)]).with_status(0);

    let results = || fs::read_to_string(there.join("results.csv")).unwrap_or_default();
    let mut listed = String::new();
    for group in 0..BATCHES / AT_A_TIME {
        let batches = group * AT_A_TIME..(group + 1) * AT_A_TIME;
        let start = |batch: usize| folders.map(|folder| runner(place, folder, batch));
        let mut runners: Vec<Child> = batches.clone().flat_map(start).collect();
        let claimed =
            |batch, attempt| there.join(format!("records/claims/{}.{attempt}", unit_of(batch))).exists();
        let runs = || fs::read_dir(there.join("records/runs")).map_or(0, Iterator::count);
        let are_there = || match locks_reach {
            true => batches.clone().all(|batch| claimed(batch, 0)) && runs() == 2 * batches.end,
            false => batches.clone().all(|batch| claimed(batch, 1)),
        };
        assert!(in_time(are_there), "two runners at each batch");
        fs::write(&gate, "").expect("a file");
        let all_left = in_time(|| {
            let now = results();
            assert!(now.starts_with(&listed), "group {group}: what is listed stays");
            listed = now;
            runners.iter_mut().all(|runner| runner.try_wait().expect("a child").is_some())
        });
        assert!(all_left, "group {group}");
        for both in runners.chunks_mut(2) {
            let mut ended = both.iter_mut().map(|runner| runner.wait().expect("its end").code());
            let mut ended: Vec<Option<i32>> = ended.by_ref().collect();
            ended.sort_unstable();
            // One that others took for dead says that it can be tried again, unless all is done by then.
            let is_well =
                ended[0] == Some(0) && (ended[1] == Some(0) || !locks_reach && ended[1] == Some(75));
            assert!(is_well, "{ended:?}");
        }
        fs::remove_file(&gate).expect("the gate");
    }

    // Each machine makes the same list of the records.
    let lists = folders.map(|folder| {
        let _ = fs::remove_file(there.join("results.csv"));
        place.referee(&["tournament", "run", "--dir", &text(folder)]).with_status(0);
        results()
    });
    assert!(lists[0] == lists[1] && lists[0].starts_with(&listed), "what is listed stays");
    assert_eq!(lists[0].lines().count(), 1 + 2 * 2 * BATCHES);
    for batch in 0..BATCHES {
        let tries = (0..).take_while(|attempt| {
            there.join(format!("records/claims/{}.{attempt}", unit_of(batch))).exists()
        });
        assert_eq!(tries.count(), if locks_reach { 1 } else { 2 }, "tries at batch {batch}");
    }
    // The runner that was taken for dead has taken its logs back.
    assert_eq!(files_below(&there.join("logs"), "csv").len(), 2 * BATCHES);
    assert_eq!(files_below(there, "tmp"), [] as [&Path; 0]);
    // If it could not tell whether its record counts, it leaves one, which does no harm.
    let parts = files_below(there, "part");
    let is_of_lost_try = |part: &PathBuf| !locks_reach && part.to_string_lossy().contains(".a00/");
    assert!(parts.iter().all(is_of_lost_try), "{parts:?}");
    place.referee(&["audit", &text(there)]).with_status(0);
    assert_no_process_stays_but(place, &["sshfs", "sftp-server"]);
}

fn runner(place: &Place, folder: &Path, batch: usize) -> Child {
    let shard = format!("{batch}/{BATCHES}");
    let words = ["tournament", "run", "--dir", &text(folder), "--shard", &shard, "--jobs", "1"];
    let mut command = place.command(&words);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("referee can be started")
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

#[test]
#[ignore = "slow: 100 batches, with two runners each"]
fn on_a_local_file_system_each_batch_is_committed_once() {
    let place = Place::new();
    let there = place.path("T");
    fight(&place, &there, [&there, &there], true);
}

#[test]
#[ignore = "needs sshfs"]
fn over_a_network_each_batch_is_committed_once() {
    let place = Place::new();
    fs::create_dir(place.path("served")).expect("a folder");
    let names = ["here", "elsewhere"];
    let mounts = names.map(|name| Mount::new(&place.path("served"), &place.path(name)));
    let folders = names.map(|name| place.path(name).join("T"));
    fight(&place, &place.path("served/T"), folders.each_ref().map(PathBuf::as_path), false);
    drop(mounts);
}
