//! The settings of `hill.toml` about deals, blocks and capacity.

use std::collections::BTreeMap;
use std::fs;

use crate::called::Calls;
use crate::support::{Place, results_in};

const QUICK: [&str; 8] = ["-p", "3", "-k", "3", "--max-turns", "60", "--seed", "3"];

#[test]
fn a_hill_with_more_bots_than_room_drops_the_last_after_its_challenge() {
    let place = Place::new();
    let bots = [("stone", "still"), ("fox", "greedy")];
    let hill = place.hill_of_guests("hill", &[&QUICK[..], &["--capacity", "2"]].concat(), &bots);
    let run = || place.call(&["hill", "run", "hill"]).with_status(0);
    assert!(!run().err.contains("leaves the hill"), "there is room for two");

    let submitted = place.call(&["hill", "submit", "hill", "sweeper", "--name", "owl"]).with_status(0);
    let waits = "there are 3 bots, and the capacity is 2: a bot that is hardly ever among the best 2 leaves after a \
                 run, once there are ten rounds";
    assert!(submitted.out.contains(waits), "{submitted:?}");
    let ran = run();
    assert!(
        !ran.err.contains("leaves the hill") && ran.err.contains(waits),
        "a round shows nothing: {ran:?}"
    );
    let ran = place.call(&["hill", "run", "hill", "--rounds", "40"]).with_status(0);
    assert!(!ran.err.contains(waits), "{ran:?}");
    assert!(ran.err.contains("stone version 1 leaves the hill: it is last of 3, with 0.0 of"), "{ran:?}");
    let bots = place.call(&["hill", "bots", "hill", "--format", "csv"]).with_status(0);
    let names: Vec<&str> = bots.out.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(names, ["fox", "owl"]);
    assert!(results_in(&hill).iter().any(|row| row.bot.name == "stone"), "its history stays");
    assert!(!run().err.contains("leaves the hill"), "two are left");
    place.call(&["audit", "hill"]).with_status(0);
}

#[test]
fn nobody_leaves_where_all_are_level() {
    let place = Place::new();
    let bots = [("one", "still"), ("two", "still"), ("three", "still"), ("four", "still")];
    // No player ever kicks: all are level.
    place.hill_of_guests("hill", &[&QUICK[..], &["--capacity", "3"]].concat(), &bots);
    let ran = place.call(&["hill", "run", "hill", "--rounds", "20"]).with_status(0);
    assert!(!ran.err.contains("leaves the hill"), "{ran:?}");
    assert_eq!(
        place.call(&["hill", "bots", "hill", "--format", "csv"]).with_status(0).out.lines().count(),
        5
    );
}

#[test]
fn a_block_of_twelve_plays_all_three_seatings_of_a_square() {
    let place = Place::new();
    let bots = [("a", "still"), ("b", "still"), ("c", "still"), ("d", "still")];
    let hill = place.hill_of_guests("hill", &[&QUICK[..], &["--block", "12"]].concat(), &bots);
    place.call(&["hill", "run", "hill"]).with_status(0);
    let rows = results_in(&hill);
    assert_eq!(rows.len(), 12 * 4);
    // The bot that sits opposite `a`, on the other corner of the diagonal: 4 games each.
    let mut across: BTreeMap<&str, u32> = BTreeMap::new();
    for game in rows.chunks(4) {
        let seat = game.iter().position(|row| row.bot.name == "a").expect("everybody plays");
        *across.entry(&game[3 - seat].bot.name).or_default() += 1;
    }
    assert_eq!(across, BTreeMap::from([("b", 4), ("c", 4), ("d", 4)]));
    place.call(&["audit", "hill"]).with_status(0);
    let refused = place.call(&["hill", "new", "other", "push", "--block", "12"]).with_status(2);
    refused.complaining(&["block = 12 is for tables of four, not for push"]);
}

#[test]
fn an_older_file_is_read() {
    let place = Place::new();
    place.call(&["hill", "new", "hill", "football", "--capacity", "3"]).with_status(0);
    let path = place.path("hill/hill.toml");
    let text = fs::read_to_string(&path).expect("settings");
    fs::write(&path, text.replace("block = \"one-game\"", "block = 12")).expect("settings");
    place.call(&["hill", "bots", "hill"]).with_status(0);
    let is_new = |line: &&str| ["block", "capacity"].iter().any(|key| line.starts_with(key));
    let older: String = text.lines().filter(|line| !is_new(line)).map(|line| format!("{line}\n")).collect();
    fs::write(&path, older).expect("settings");
    place.call(&["hill", "bots", "hill"]).with_status(0);
}

/// A run's output follows from the records at its start and the games that it plays; `hill standings` reads
/// everything again.
#[test]
fn a_run_prints_the_standings_that_follow_from_all_results() {
    let place = Place::new();
    let settings = ["-p", "2", "-k", "3", "--max-turns", "6", "--capacity", "5"];
    let bots =
        [("stone", "still"), ("fox", "greedy"), ("owl", "random"), ("hen", "random"), ("elk", "greedy")];
    place.hill_of_guests("hill", &settings, &bots);
    let run = |more: &[&str]| {
        let ran = place.call(&[&["hill", "run", "hill", "--jobs", "3"], more].concat()).with_status(0);
        let standings = place.call(&["hill", "standings", "hill"]).with_status(0).out;
        let is_hint = |line: &&str| line.ends_with(" more columns: --wide");
        let (ran_out, standings) = (ran.out.lines(), standings.lines().filter(|line| !is_hint(line)));
        assert!(ran_out.eq(standings), "{more:?}: {}", ran.out);
        ran
    };
    run(&["--rounds", "2"]);
    run(&["--to-round", "2"]); // plays nothing
    run(&["--rounds", "1"]);
    // A new field begins a new season with an account of its own, except for the ratings and the board.
    place.call(&["hill", "submit", "hill", "sweeper", "--name", "cat"]).with_status(0);
    let ran = run(&["--rounds", "1"]);
    assert!(ran.err.contains("there are 6 bots, and the capacity is 5: "), "{ran:?}");
    let clear = ["--until-clear", "--min-rounds", "2", "--max-rounds", "3"];
    let ran = run(&clear);
    assert!(
        ran.err.contains("ended after 3 rounds: ") || ran.err.contains("ended after 2 rounds: "),
        "{ran:?}"
    );
    place.call(&["audit", "hill"]).with_status(0);
}
