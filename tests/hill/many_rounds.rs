//! Runs of any number of rounds: their games are listed in parts.

use std::fs;
use std::ops::RangeInclusive;
use std::process::Stdio;

use referee_contest::hill::Hill;
use referee_table::process::Setup;
use rustix::process::{Pid, Signal, kill_process};

use crate::called::Calls;
use crate::support::{Place, comes_true};
use crate::tournament::filled::{fill, played};

/// Maximum memory of a run: a list of 2^32 rounds would take 16 TiB, and one of 2^20 games 4 GiB.
const PEAK_KIB: u64 = 44 << 10;

const QUICK: [&str; 4] = ["-p", "2", "--max-turns", "2"];

const STILL: [(&str, &str); 2] = [("one", "still"), ("two", "still")];

#[test]
fn the_lists_of_a_run_have_each_missing_game_once_and_end_with_a_round() {
    let place = Place::new();
    let hill = Hill::open(&place.hill_of_guests("h", &QUICK, &STILL)).expect("a hill");
    fill(&hill, 2, |run, fixture| played(hill.root(), run, fixture));
    let run = hill.begin_run(&Setup::this_program()).expect("a run");
    assert_eq!(run.first_open_round(), 3);
    let lists: Vec<_> = run.fixtures(1..=2100).collect();
    let lengths: Vec<usize> = lists.iter().map(Vec::len).collect();
    assert_eq!(lengths, [4096 - 2 * 4, 4096, 2100 * 4 - 2 * 4096], "four games a round");
    assert_eq!(run.missing_games(1..=2100), 2098 * 4);
    assert_eq!(run.missing_games(2..=3), 4);
    assert_eq!(
        (run.missing_games(1..=2), run.missing_games(RangeInclusive::new(3, 2))),
        (0, 0),
        "nothing is left to play"
    );
    let listed: Vec<&str> = lists.iter().flatten().map(|fixture| &*fixture.id).collect();
    let due: Vec<String> =
        (3..=2100).flat_map(|round| run.fixtures_of(round)).map(|fixture| fixture.id).collect();
    assert_eq!(listed, due);
}

#[test]
fn a_run_without_end_plays_at_once_and_holds_little() {
    let place = Place::new();
    let root = place.hill("h", &QUICK, &STILL);
    let mut command = place.command(&["hill", "run", "h", "--rounds", "4294967295"]);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a run");
    let rows = || fs::read_to_string(root.join("results.csv")).map_or(0, |text| text.lines().count());
    let has_played = comes_true(|| rows() > 100);
    let status = fs::read_to_string(format!("/proc/{}/status", run.id())).unwrap_or_default();
    // Before any assertion: nothing else would end it.
    let _ = kill_process(Pid::from_child(&run), Signal::TERM);
    run.wait().expect("its end");
    assert!(has_played, "{} rows", rows());
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next());
    let peak: u64 = peak.and_then(|text| text.parse().ok()).expect("a number");
    assert!(peak < PEAK_KIB, "{peak} KiB");
    place.referee(&["hill", "run", "h", "--rounds", "1"]).with_status(0);
    place.call(&["audit", "h"]).with_status(0);
}
