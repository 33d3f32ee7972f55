//! The parts of every game of the list besides its rules: files, house bots, a page of the book. All missing
//! parts are named at once.

use std::fs;
use std::path::Path;

use referee_games::catalog::{Entry, GAMES};

use referee_bots::HOUSE_BOTS;

/// Lists everything that a game lacks, each with the file in which it should be.
fn lacking(entry: &Entry, has: impl Fn(&str) -> bool, page: &str) -> Vec<String> {
    let game = entry.name;
    let mut lacking = Vec::new();
    let mut wants = |is_there: bool, what: String| {
        if !is_there {
            lacking.push(format!("{game} lacks {what}"));
        }
    };
    for (file, what) in [
        (format!("referee/games/{game}/mod.rs"), "a folder of its own"),
        (
            format!("referee/games/{game}/playthrough.csv"),
            "a recorded game (UPDATE_PLAYTHROUGHS=1 writes it)",
        ),
        (format!("bots/starters/python/{game}.py"), "a bot to begin with"),
    ] {
        wants(has(&file), format!("{what}: {file}"));
    }
    wants(HOUSE_BOTS.iter().any(|bot| bot.game == game), format!("a house bot: bots/{game}/, bots/lib.rs"));
    wants(
        page.lines().any(|line| line.split_whitespace().next() == Some(&format!("```{game}"))),
        format!("a page with an example behind a fence of its name: docs/games/{game}.md"),
    );
    lacking
}

#[test]
fn every_game_has_all_that_a_game_has() {
    let root = Path::new(referee_testutil::ROOT);
    let page = |entry: &Entry| {
        fs::read_to_string(root.join(format!("docs/games/{}.md", entry.name))).unwrap_or_default()
    };
    let all = GAMES.iter().flat_map(|entry| lacking(entry, |file| root.join(file).exists(), &page(entry)));
    let all: Vec<String> = all.collect();
    assert!(all.is_empty(), "\n{}\n", all.join("\n"));
}

#[test]
fn what_a_game_lacks_is_named() {
    let mut chess = GAMES[0];
    chess.name = "chess";
    let lacking = lacking(&chess, |file| file.ends_with(".csv"), "").join("\n");
    for part in
        ["games/chess/mod.rs", "starters/python/chess.py", "a house bot: bots/chess/", "games/chess.md"]
    {
        assert!(lacking.contains(part), "{part}\n{lacking}");
    }
    assert!(!lacking.contains("playthrough"), "{lacking}");
}
