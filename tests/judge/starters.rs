//! The judges to start from: the same small game in each language, so that all leave the same logs.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use referee_rules::{Dice, Parameters, Seed};

use super::{TRON, examine, log_of, open, project};
use crate::called::Calls;
use crate::support::{Place, once_written};
use referee_testutil::simulated::SimulatedTable;

#[test]
fn the_game_to_begin_with_in_c_is_the_one_in_python() {
    is_the_one_in_python("c", "judge");
}

#[test]
#[ignore = "needs a JDK"]
fn the_game_to_begin_with_in_java_is_the_one_in_python() {
    is_the_one_in_python("java", "judge");
}

#[test]
#[ignore = "needs node"]
fn the_game_to_begin_with_in_javascript_is_the_one_in_python() {
    is_the_one_in_python("javascript", "judge.js");
}

/// Writes the game in a language, builds it, examines it, and compares the logs of games with faults.
fn is_the_one_in_python(language: &str, program: &str) {
    let place = Place::new();
    let told = place.call(&["new-game", "duel", "--lang", language]).with_status(0).out;
    assert!(told.contains(&format!("referee judge check {program}")), "{told}");
    if told.contains("./build") {
        let built = once_written(|| Command::new("./build").current_dir(place.path("duel")).output());
        let built = built.expect("a script");
        assert!(built.status.success(), "{language}: {}", String::from_utf8_lossy(&built.stderr));
    }
    let program = place.path("duel").join(program);
    let checked = examine(&program).unwrap();
    assert!(checked.name.starts_with("duel-") && checked.faults > 0, "{checked:?}");
    for seed in (0..6).map(Seed) {
        let [theirs, ours] = [program.clone(), project(TRON)].map(|judge| log(&place, judge, seed));
        let differs = theirs.iter().zip(&ours).find(|(theirs, ours)| theirs != ours);
        assert_eq!(differs, None, "{language}, {seed:?}: in this language, then in Python");
        assert_eq!(theirs.len(), ours.len(), "{language}, {seed:?}");
    }
}

/// Plays a game, and returns its log without names and digests.
fn log(place: &Place, judge: PathBuf, seed: Seed) -> Vec<String> {
    let entry = open(&judge).unwrap();
    let path = place.path("log.csv");
    let _ = fs::remove_file(&path);
    let mut parameters = Parameters::defaults(entry.parameters);
    let seats = 2 + seed.0 as usize % 3;
    parameters.set("seats", seats as i64).unwrap();
    parameters.set("side", 7).unwrap();
    let mut dice = Dice::for_turn(seed, 9);
    // Sometimes an invalid direction, or two.
    let mut table = SimulatedTable::new(seats, seed, move |_, _| {
        let direction = i64::from(dice.below(9)) / 2;
        if dice.below(20) == 0 { vec![direction; 2] } else { vec![direction] }
    });
    log_of(&entry, &parameters, seed, &path, &mut table);
    let text =
        fs::read_to_string(path).unwrap().replace(&format!("\ngame,,,{},", entry.name), "\ngame,,,GAME,");
    text.lines().filter(|line| !line.starts_with("digest,")).map(str::to_owned).collect()
}
