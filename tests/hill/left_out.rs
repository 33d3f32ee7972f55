//! Games that the results of a hill leave out: which of them an audit misses, and what it says of the others.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use referee_files::log::part_of;

use crate::audit::tampering::with_a_fitting_chain;
use crate::called::Calls;
use crate::support::{Place, copy_folder, results_in};

/// Takes the rows and the logs of some games out of a hill.
fn without(hill: &Path, games: &[&str]) {
    let file = hill.join("results.csv");
    let text = fs::read_to_string(&file).expect("results");
    let (header, rows) = text.split_once('\n').expect("a header");
    let rows: Vec<&str> = rows.lines().collect();
    let (gone, left): (Vec<&str>, Vec<&str>) =
        rows.into_iter().partition(|row| games.iter().any(|game| row.starts_with(&format!("{game},"))));
    assert!(!gone.is_empty(), "{games:?}");
    let left: String = left.iter().map(|row| format!("{row}\n")).collect();
    fs::write(&file, with_a_fitting_chain(&format!("{header}\n{left}"))).expect("results");
    for log in logs_of(&gone, header) {
        fs::remove_file(hill.join(log)).expect("removed");
    }
}

/// The logs of some rows.
fn logs_of(rows: &[&str], header: &str) -> BTreeSet<String> {
    let log = header.split(',').position(|column| column == "log").expect("a column");
    rows.iter().map(|row| row.split(',').nth(log).expect("a log").to_owned()).collect()
}

/// An unsigned hill of two bots with six rounds of one game.
fn six_games(place: &Place) -> PathBuf {
    let settings = ["-p", "2", "--max-turns", "2", "--no-key", "--block", "one-seating"];
    let hill = place.hill_of_guests("whole", &settings, &[("one", "still"), ("two", "still")]);
    place.call(&["hill", "run", "whole", "--rounds", "6"]).with_status(0);
    hill
}

fn copy_of(place: &Place, whole: &Path) -> PathBuf {
    let copy = place.path("h");
    let _ = fs::remove_dir_all(&copy);
    copy_folder(whole, &copy);
    copy
}

#[test]
fn rows_that_were_taken_out_before_others_are_missed_with_and_without_records() {
    let place = Place::new();
    let whole = six_games(&place);
    let games: Vec<String> = {
        let mut games: Vec<String> = results_in(&whole).into_iter().map(|row| row.game).collect();
        games.dedup();
        games
    };
    for gone in [&games[..1], &games[1..2], &games[3..6], &games[games.len() - 2..games.len() - 1]] {
        let hill = copy_of(&place, &whole);
        without(&hill, &gone.iter().map(String::as_str).collect::<Vec<_>>());
        let audited = place.call(&["audit", "h"]).with_status(3);
        audited.complaining(&[
            "h/results.csv: ",
            &gone[0],
            "though a runner has recorded its end",
            "hill repair",
        ]);
        fs::remove_dir_all(hill.join("records")).expect("records");
        let audited = place.call(&["audit", "h"]).with_status(3);
        audited.complaining(&["h/results.csv: ", &gone[0], "all before a listed game are listed"]);
        // With the records, they come back.
        fs::remove_dir_all(&hill).expect("a copy");
        copy_of(&place, &whole);
        without(&hill, &gone.iter().map(String::as_str).collect::<Vec<_>>());
        place.call(&["hill", "repair", "h"]).with_status(0);
        let [now, before] =
            [&hill, &whole].map(|hill| fs::read_to_string(hill.join("results.csv")).expect("results"));
        assert_eq!(now, before);
    }
    // The last ones are told, since a run can be killed before it lists what has ended.
    let hill = copy_of(&place, &whole);
    without(&hill, &[games.last().expect("a game")]);
    // Once a game is listed, each audit needs its log: it is missed before.
    let missed = place.call(&["audit", "h"]).with_status(3);
    missed.complaining(&["missing: the log of a game that a runner has recorded; put it back"]);
    let log = &results_in(&whole).pop().expect("a row").log;
    let part = part_of(&hill.join(log));
    fs::write(&part, "another").expect("another log");
    let changed = place.call(&["audit", "h"]).with_status(3);
    changed.complaining(&["not the log that its runner has recorded; put that back"]);
    fs::copy(whole.join(log), part).expect("put back");
    let audited = place.call(&["audit", "h"]).with_status(0);
    assert!(audited.out.contains("; not listed yet: 1 game"), "{audited:?}");
}

#[test]
fn games_without_a_record_are_told() {
    let place = Place::new();
    let whole = six_games(&place);
    let audited = place.call(&["audit", "whole"]).with_status(0);
    assert!(!audited.out.contains("recorded by no runner"), "{audited:?}");
    let games = results_in(&whole).len() / 4;
    let hill = copy_of(&place, &whole);
    fs::remove_dir_all(hill.join("records")).expect("records");
    let audited = place.call(&["audit", "h"]).with_status(0);
    assert!(audited.out.contains(&format!("; recorded by no runner: {games} games")), "{audited:?}");
    // A seal that hides the last records.
    let hill = copy_of(&place, &whole);
    let seals = fs::read_dir(hill.join("records/sealed")).expect("seals");
    seals.for_each(|seal| fs::write(seal.expect("a seal").path(), "3").expect("a seal"));
    let audited = place.call(&["audit", "h"]).with_status(0);
    assert!(audited.out.contains("; recorded by no runner: "), "{audited:?}");
}

#[test]
fn a_list_of_void_games_that_is_a_link_is_kept_aside_by_a_repair() {
    let place = Place::new();
    let whole = six_games(&place);
    for make in [|path: &Path| symlink("/etc/passwd", path), |path: &Path| fs::create_dir(path)] {
        let hill = copy_of(&place, &whole);
        make(&hill.join("voids.csv")).expect("a link");
        place.call(&["hill", "run", "h", "--rounds", "1"]).with_status(2);
        let repaired = place.call(&["hill", "repair", "h"]).with_status(0);
        assert!(format!("{}{}", repaired.out, repaired.err).contains("voids.csv"), "{repaired:?}");
        place.call(&["audit", "h"]).with_status(0);
        place.call(&["hill", "run", "h", "--rounds", "1"]).with_status(0);
    }
}

#[test]
fn a_repair_without_seals_says_that_nothing_is_to_be_repaired() {
    let place = Place::new();
    let hill = six_games(&place);
    fs::remove_dir_all(hill.join("records/sealed")).expect("seals");
    let repaired = place.call(&["hill", "repair", "whole"]).with_status(0);
    let said = format!("{}{}", repaired.out, repaired.err);
    assert!(said.contains("nothing to repair") && !said.contains("left out"), "{repaired:?}");
}
