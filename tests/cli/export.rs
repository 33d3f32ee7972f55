//! The output of `export`, compared with the recorded playthroughs.

use std::collections::BTreeMap;
use std::fs;

use referee_files::export::{Positions, export};
use referee_games::catalog::GAMES;

use crate::support::playthrough;

/// Every position of a positions file: for each turn, all facts.
fn positions(text: &str, whole: bool) -> Vec<BTreeMap<String, String>> {
    let mut all: Vec<BTreeMap<String, String>> = Vec::new();
    for row in text.lines().skip(1) {
        let (turn, fact) = row.split_once(',').unwrap();
        let (fact, value) = fact.rsplit_once(',').unwrap();
        let turn: usize = turn.parse().unwrap();
        while all.len() <= turn {
            let next = if whole { BTreeMap::new() } else { all.last().cloned().unwrap_or_default() };
            all.push(next);
        }
        if value.is_empty() {
            assert!(all[turn].remove(fact).is_some(), "{row}: gone, but it was not there");
        } else {
            all[turn].insert(fact.to_owned(), value.to_owned());
        }
    }
    all
}

#[test]
fn the_changes_add_up_to_the_whole_positions_of_every_game() {
    let folder = tempfile::tempdir().unwrap();
    for game in GAMES.iter().map(|entry| entry.name) {
        let log = playthrough(game);
        let [changes, whole] = [Positions::Changes, Positions::Whole].map(|how| {
            let exported = export(&log, folder.path(), how).unwrap();
            positions(&fs::read_to_string(exported.positions).unwrap(), how == Positions::Whole)
        });
        assert!(whole.len() > 12, "{game}: {} positions", whole.len());
        for (turn, position) in whole.iter().enumerate() {
            // A last turn that changed nothing has no row of its own.
            assert_eq!(changes.get(turn).or(changes.last()), Some(position), "{game}, turn {turn}");
        }
    }
}

#[test]
fn the_moves_are_the_integers_of_the_answers() {
    let folder = tempfile::tempdir().unwrap();
    let log = playthrough("push");
    let exported = export(&log, folder.path(), Positions::Changes).unwrap();
    let moves = fs::read_to_string(exported.moves).unwrap();
    let mut due = String::from("turn,seat,index,order\n");
    for row in fs::read_to_string(log).unwrap().lines().filter(|row| row.starts_with("answer,")) {
        let columns: Vec<&str> = row.splitn(9, ',').collect();
        for (index, order) in columns[7].split_whitespace().enumerate() {
            due += &format!("{},{},{index},{order}\n", columns[1], columns[2]);
        }
    }
    assert_eq!(moves, due);
}
