//! GNU parallel with the shards of a tournament, on one machine, by the script for it.

use std::fs;
use std::process::Command;

use crate::array::{FILE, STILL};
use crate::support::{Place, REFEREE, Ran, rows_that_stay};

/// Returns a `PATH` with the program under the name that the scripts call.
pub(crate) fn path_with_referee(place: &Place) -> String {
    std::os::unix::fs::symlink(&*REFEREE, place.path("referee")).expect("a link");
    format!("{}:{}", place.path("").display(), std::env::var("PATH").unwrap_or_default())
}

#[test]
#[ignore = "needs GNU parallel"]
fn gnu_parallel_makes_of_its_shards_what_one_runner_makes() {
    let place = Place::new();
    fs::write(place.path("house.toml"), [FILE, STILL].concat()).expect("a file");
    for dir in ["T", "U"] {
        place.referee(&["tournament", "plan", "house.toml", "--dir", dir]).with_status(0);
    }
    let mut shell = Command::new("sh");
    // Two at a time: the later of two options counts.
    shell
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tournaments/parallel.sh"))
        .args(["T", "4", "--jobs", "2"]);
    shell.current_dir(place.path("")).env("PATH", path_with_referee(&place));
    shell.env("HOME", place.path("")).env("TMPDIR", place.path("tmp"));
    let output = shell.output().expect("a shell");
    Ran::new("(parallel; scripts/test installs it)".to_owned(), &output).with_status(0);
    assert_eq!(fs::read_to_string(place.path("T/parallel.log")).expect("its log").lines().count(), 1 + 4);
    for dir in ["T", "U"] {
        place.referee(&["tournament", "run", "--dir", dir]).with_status(0);
    }
    let listed = |dir| rows_that_stay(&place.path(dir).join("results.csv"), &["log"]);
    assert_eq!(listed("T"), listed("U"));
    place.assert_nothing_stays();
}
