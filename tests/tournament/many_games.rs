//! Very many games at once on few cores: no bot is charged for it, and the referee stays small.

use std::fs;
use std::process::Command;

use super::planned;
use crate::called::Calls;
use crate::support::{Place, REFEREE, Ran, measure, results_in};

const GAMES: usize = 100;

/// A hill of games that take some turns, with limits that no bot comes near.
fn hill(place: &Place, name: &str) {
    let settings =
        ["-p", "2", "--max-turns", "6", "--turn-ms", "600000", "--first-ms", "600000", "--seed", "3"];
    let bots = ["greedy", "random", "still", "sweeper"].map(|bot| (bot, bot));
    place.hill(name, &settings, &bots);
}

/// The words that play games of a hill, `jobs` at a time. `files` are the limits of open files at first, and
/// at last.
fn played(place: &Place, hill: &str, games: usize, jobs: usize, files: (u32, u32)) -> Command {
    let rounds = games / 4;
    limited(place, &format!("hill run {hill} --rounds {rounds} --jobs {jobs}"), files)
}

/// A call of the referee with these limits of open files, at first and at last.
fn limited(place: &Place, words: &str, files: (u32, u32)) -> Command {
    let line = format!("ulimit -Sn {} && ulimit -Hn {} && exec '{REFEREE}' {words}", files.0, files.1);
    let mut command = Command::new("bash");
    command.args(["-c", &line]).current_dir(place.path("")).env("TMPDIR", place.path("tmp"));
    command
}

#[test]
fn a_hundred_games_at_once_harm_nobody_and_take_little_memory() {
    const MIB: u64 = 1024;
    let place = Place::new();
    ["one", "many"].iter().for_each(|name| hill(&place, name));
    // Most shells allow 1,024 open files, and more on request.
    let hills = [("one", 8, 1), ("many", GAMES, GAMES)];
    let most =
        hills.map(|(name, games, jobs)| measure(&mut played(&place, name, games, jobs, (256, 4096))).1);
    for (name, games, _) in hills {
        let rows = results_in(&place.path(name));
        assert_eq!(rows.len(), 4 * games);
        for row in &rows {
            assert_eq!(row.faults.iter().sum::<u64>(), 0, "{row:?}");
        }
        let voids = fs::read_to_string(place.path(name).join("voids.csv")).unwrap_or_default();
        assert_eq!(voids, "", "no game was void");
    }
    let a_game = most[1].saturating_sub(most[0]) / (GAMES as u64 - 1);
    println!("{} KiB with one game, {} KiB with {GAMES}: {a_game} KiB a game more", most[0], most[1]);
    assert!(a_game <= 2 * MIB, "{a_game} KiB a game");
    place.call(&["audit", "many"]).with_status(0);
    place.assert_nothing_stays();
}

#[test]
fn who_may_not_open_enough_files_is_told_how_many_games_can_be_played() {
    let place = Place::new();
    hill(&place, "hill");
    let output = played(&place, "hill", GAMES, GAMES, (256, 256)).output().expect("bash");
    let ran = Ran::new("hill run".to_owned(), &output).with_status(1);
    let ran = ran.complaining(&[
        "100 games at a time, of 4 bots each, need 4064 open files, but 256 are allowed",
        "--jobs 4)",
    ]);
    assert!(!ran.err.contains("Too many open files"), "{}", ran.err);
    assert!(!fs::exists(place.path("hill/logs/s001")).expect("a look"), "no game was begun");
    let output = played(&place, "hill", 16, 4, (256, 256)).output().expect("bash");
    Ran::new("hill run".to_owned(), &output).with_status(0);
    assert_eq!(results_in(&place.path("hill")).len(), 4 * 16);

    // The runner of a tournament is told, too, with the status that makes an engine try another machine.
    planned(&place);
    let output = limited(&place, "tournament run T --jobs 30", (256, 256)).output().expect("bash");
    let ran = Ran::new("tournament run".to_owned(), &output).with_status(75);
    ran.complaining(&[
        "30 games at a time, of 4 bots each, need 1264 open files, but 256 are allowed",
        "--jobs 4)",
    ]);
    assert!(!fs::exists(place.path("T/logs")).expect("a look"), "no game was begun");
    place.assert_nothing_stays();
}
