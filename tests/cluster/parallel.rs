//! GNU parallel with the shards of a tournament, on one machine, by the line that the referee prints.

use std::fs;
use std::process::Command;

use crate::array::{FILE, STILL};
use crate::support::{Place, Ran, rows_that_stay};

#[test]
#[ignore = "needs GNU parallel"]
fn gnu_parallel_makes_of_its_shards_what_one_runner_makes() {
    let place = Place::new();
    fs::write(place.path("house.toml"), [FILE, STILL].concat()).expect("a file");
    for dir in ["T", "U"] {
        place.referee(&["tournament", "plan", "house.toml", "--dir", dir]).with_status(0);
    }
    let script =
        place.referee(&["tournament", "script", "parallel", "--dir", "T", "--n", "4"]).with_status(0);
    // Two at a time: the later of two options counts.
    let script = script.out.replace("--retries", "--jobs 2 --retries");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(place.path(""));
    shell.env("HOME", place.path("")).env("TMPDIR", place.path("tmp"));
    let output = shell.output().expect("a shell");
    Ran::new("(parallel; scripts/test installs it)".to_owned(), &output).with_status(0);
    assert_eq!(fs::read_to_string(place.path("T/parallel.log")).expect("its log").lines().count(), 1 + 4);
    place.referee(&["tournament", "merge", "--dir", "T"]).with_status(0);
    place.referee(&["tournament", "run", "--dir", "U"]).with_status(0);
    let merged = |dir| rows_that_stay(&place.path(dir).join("merged.csv"), &["log"]);
    assert_eq!(merged("T"), merged("U"));
    place.assert_nothing_stays();
}
