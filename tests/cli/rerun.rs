//! `referee rerun`: the recorded questions are put again, exactly, and the first different answer is found.

use std::fs;

use referee_games::catalog::GAMES;

use crate::called::Calls;
use crate::support::{Place, Ran, faulty, rows_of_json};

/// The bots of a short game that is played again, and its settings.
fn short(game: &str) -> (&'static [&'static str], &'static str) {
    match game {
        "football" => (&["greedy", "sweeper", "greedy", "still"], "--max-turns 40"),
        "foosball" => (&["chaser", "planner"], ""),
        "push" => (&["reader", "homeward", "homeward", "homeward", "homeward", "homeward"], "--turns 10"),
        "target" => (&["bayes", "lurker"], "--max-rounds 5"),
        _ => panic!(
            "{game} lacks a short game of house bots that answer the same each time: tests/cli/rerun.rs"
        ),
    }
}

/// Looking for a sandbox starts a program.
const OFF: [&str; 2] = ["--sandbox", "off"];

fn play(place: &Place, run: fn(&Place, &[&str]) -> Ran, game: &str, bots: &[&str], settings: &str) -> String {
    let settings: Vec<&str> = settings.split_whitespace().collect();
    let wide = if game == "foosball" { ["--bank-ms", "3600000"] } else { ["--turn-ms", "60000"] };
    let words = [
        &["play", game, "--first-ms", "60000", "--seed", "9", "--dir", game],
        &wide[..],
        &settings,
        bots,
        &OFF,
    ];
    run(place, &words.concat()).with_status(0);
    let logs = fs::read_dir(place.path(game).join("logs")).expect("logs");
    let log =
        logs.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|e| e == "csv"));
    log.expect("a log").display().to_string()
}

#[test]
fn a_house_bot_answers_a_whole_game_again_as_it_did() {
    let place = Place::new();
    for game in GAMES.iter().map(|entry| entry.name) {
        let (bots, settings) = short(game);
        let log = play(&place, Place::call, game, bots, settings);
        for (seat, bot) in bots.iter().enumerate().take(2) {
            let words = ["rerun", &log, "--seat", &seat.to_string(), bot, "--format", "json"];
            let ran = place.call(&[&words[..], &OFF].concat()).with_status(0);
            let turns = rows_of_json(&ran.out);
            assert!(
                !turns.is_empty() && turns.iter().all(|turn| turn["same"] == true),
                "{game} {bot}: {ran:?}"
            );
        }
    }
    place.assert_nothing_stays();
}

#[test]
fn a_planted_difference_is_found_in_its_turn() {
    let place = Place::new();
    let honest = place.guest("honest", "says 4 4");
    let log =
        play(&place, Place::call, "football", &[&honest, "greedy", "greedy", "still"], "-p 2 --max-turns 40");
    let changed = place.guest("changed", "each 24 4 99999: 4 4");
    let words = [&["rerun", &log, "--seat", "0", &changed][..], &OFF].concat();
    let ran = place.call(&words).with_status(3).complaining(&["the first different answer is in turn 23"]);
    for said in
        ["Turn 23, the first difference", "then", "now", "99999", "player of seat 0", "1 of 41 answers"]
    {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
    // The game stopped before it, so there is none. Its question there is shown in full.
    let ran = place.call(&[&words[..], &["--turn", "22"]].concat()).with_status(0);
    assert!(ran.out.contains("Turn 22, as recorded") && ran.out.contains("All 23 answers"), "{}", ran.out);
    let question = ran.out.lines().find_map(|line| line.trim().strip_prefix("question")).expect("a question");
    let integers: Vec<i64> =
        question.split_whitespace().map(|word| word.parse().expect("an integer")).collect();
    assert_eq!(integers[0] as usize, integers.len() - 1, "whole");
    assert_eq!(integers[1], 22);
}

#[test]
fn who_needs_more_time_than_there_is_gets_it_if_asked_for() {
    let place = Place::new();
    let honest = faulty("honest");
    let log =
        play(&place, Place::referee, "football", &[&honest, "still", "still", "still"], "--max-turns 3");
    let log_with_limit =
        fs::read_to_string(&log).expect("the log").replace("turn_ms,,,,60000", "turn_ms,,,,100");
    fs::write(&log, log_with_limit).expect("the log");
    let slow = faulty("late --every 2 --ms 1000");
    place.referee(&["rerun", &log, "--seat", "0", &slow]).with_status(3);
    let ran =
        place.referee(&["rerun", &log, "--seat", "0", &slow, "--no-timeout", "--turn", "3"]).with_status(0);
    let ran = ran.complaining(&["turn 3 comes next; the program is process "]);
    drop(ran);
}

#[test]
fn wrong_input_is_named() {
    let place = Place::new();
    let random = place.guest("random", "house random");
    let words = [&["play", "push", "--turns", "2", "--seed", "9", "--sandbox", "off"][..], &[&*random; 6]];
    place.call(&words.concat()).with_status(0);
    let log = "games/logs/push-0x0000000000000009.csv";
    place.call(&["rerun", log, "--seat", "6", "random"]).with_status(2).complaining(&["seats are 0 to 5"]);
    place
        .call(&["rerun", "missing.csv", "--seat", "0", "random"])
        .with_status(2)
        .complaining(&["missing.csv"]);
    place
        .call(&["rerun", log, "--seat", "0", "sweeper"])
        .with_status(2)
        .complaining(&["sweeper", "homeward"]);
    fs::write(place.path("other.csv"), "a,b\n1,2\n").expect("a file");
    place.call(&["rerun", "other.csv", "--seat", "0", "random"]).with_status(2).complaining(&["not a log"]);
}
