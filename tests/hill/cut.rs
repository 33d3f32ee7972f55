//! Lists that were cut, and settings that were changed, before the next run: it begins no season beside what was
//! played, and says what to put back.

use std::fs;
use std::path::{Path, PathBuf};

use referee_contest::hill::Hill;
use referee_store::{Claim, RealDisk, Runner};
use referee_table::process::Setup;

use crate::called::Calls;
use crate::support::{Place, copy_folder};

const QUICK: [&str; 4] = ["-p", "2", "--max-turns", "2"];

const BOTS: [(&str, &str); 5] =
    [("one", "still"), ("two", "still"), ("three", "still"), ("four", "still"), ("five", "still")];

/// A hill with two seasons of five and four bots, signed or not.
fn two_seasons(place: &Place, more: &[&str]) -> PathBuf {
    let hill = place.hill_of_guests("whole", &[&QUICK[..], more].concat(), &BOTS);
    place.call(&["hill", "run", "whole", "--rounds", "1"]).with_status(0);
    place.call(&["hill", "retire", "whole", "five"]).with_status(0);
    place.call(&["hill", "run", "whole", "--rounds", "1"]).with_status(0);
    hill
}

/// Returns what stands in the lists of a hill.
fn lists(hill: &Path) -> Vec<String> {
    let files = ["entrants.csv", "seasons.csv", "results.csv"];
    files.iter().map(|file| fs::read_to_string(hill.join(file)).unwrap_or_default()).collect()
}

/// A copy of a hill, with a change of one of its files.
fn changed(place: &Place, hill: &Path, file: &str, change: impl Fn(String) -> String) -> PathBuf {
    let copy = place.path("h");
    let _ = fs::remove_dir_all(&copy);
    copy_folder(hill, &copy);
    let text = fs::read_to_string(hill.join(file)).expect("a list");
    fs::write(copy.join(file), change(text)).expect("written");
    copy
}

fn replace_in(file: PathBuf, from: &str, to: &str) {
    let text = fs::read_to_string(&file).expect("a file");
    assert!(text.contains(from), "{from} in {text}");
    fs::write(&file, text.replacen(from, to, 1)).expect("a file");
}

/// A cut of a list: what is gone, the list without it, and what the error says.
type Cut<'a> = (&'a str, &'a dyn Fn(String) -> String, &'a str);

/// The first lines of a text.
fn first_lines(text: &str, count: usize) -> String {
    text.split_inclusive('\n').take(count).collect()
}

#[test]
fn seasons_that_were_cut_are_named_and_nothing_is_written_beside_them() {
    for more in [&["--no-key"][..], &[]] {
        let place = Place::new();
        let whole = two_seasons(&place, more);
        let last = |text: &str| text[..text.len() - 10].to_owned();
        let cuts: [Cut<'_>; 6] = [
            ("its last bytes", &|text| last(&text), "season 2 has 3 of its 4 rows"),
            ("two rows of the last season", &|text| first_lines(&text, 8), "season 2 has 2 of its 4 rows"),
            ("the last season", &|text| first_lines(&text, 6), "season 2 is not listed"),
            (
                "a row of the first season",
                &|text| text.replacen(&first_lines(&text, 6)[first_lines(&text, 5).len()..], "", 1),
                "season 1 has 4 of its 5 rows",
            ),
            ("all rows", &|text| first_lines(&text, 1), "no season is listed, but games were played"),
            ("all", &|_| String::new(), "no season is listed, but games were played"),
        ];
        for (what, cut, says) in cuts {
            let hill = changed(&place, &whole, "seasons.csv", cut);
            let before = lists(&hill);
            for words in
                [&["hill", "run", "h"][..], &["hill", "standings", "h"], &["report", "h", "--html", "report"]]
            {
                println!("{what}: {words:?}");
                place.call(words).with_status(2).complaining(&["seasons.csv", says, "put it back"]);
            }
            assert_ne!(place.call(&["audit", "h"]).status, Some(0), "{what}");
            assert_eq!(lists(&hill), before, "{what}: nothing was written");
        }
    }
}

#[test]
fn entrants_that_were_cut_begin_no_season_without_some_bots() {
    let place = Place::new();
    let whole = place.hill_of_guests("whole", &QUICK, &BOTS);
    place.call(&["hill", "run", "whole", "--rounds", "1"]).with_status(0);
    let says = "no such submission, but seasons.csv says that it has played";
    let cuts: [Cut<'_>; 3] = [
        ("its last bytes", &|text| text[..text.len() - 20].to_owned(), says),
        ("the last row", &|text| first_lines(&text, 5), says),
        ("a row", &|text| text.replacen(&first_lines(&text, 3)[first_lines(&text, 2).len()..], "", 1), says),
    ];
    for (what, cut, says) in cuts {
        let hill = changed(&place, &whole, "entrants.csv", cut);
        let before = lists(&hill);
        let run = place.call(&["hill", "run", "h"]).with_status(2);
        run.complaining(&["entrants.csv", says]);
        assert_eq!(lists(&hill), before, "{what}: nothing was written");
    }
}

/// Changes of the settings that hold from the first game to the last.
const CHANGES: [(&str, &str); 3] =
    [("max_turns = 2", "max_turns = 3"), ("077\"", "078\""), ("\"one-seating\"", "\"one-game\"")];

#[test]
fn settings_hold_from_the_first_game_that_was_recorded_whether_it_is_listed_or_not() {
    let place = Place::new();
    let settings = ["--no-key", "--seed", "0x77"];
    let whole = place.hill_of_guests("whole", &[&QUICK[..], &settings].concat(), &BOTS);
    place.call(&["hill", "run", "whole", "--rounds", "2"]).with_status(0);
    for (from, to) in CHANGES {
        let hill = changed(&place, &whole, "hill.toml", |text| {
            assert!(text.contains(from), "{text}");
            text.replace(from, to)
        });
        fs::remove_file(hill.join("results.csv")).expect("removed");
        let before = lists(&hill);
        let run = place.call(&["hill", "run", "h"]).with_status(2);
        run.complaining(&["its settings differ from those of the first game", "restore them"]);
        assert_eq!(lists(&hill)[..2], before[..2], "{to}: no season begins");
        replace_in(hill.join("hill.toml"), to, from);
        place.call(&["hill", "run", "h", "--rounds", "1"]).with_status(0);
        place.call(&["audit", "h"]).with_status(0);
    }
}

#[test]
fn settings_hold_from_the_first_attempt_that_was_recorded() {
    let place = Place::new();
    let settings = ["--no-key", "--seed", "0x77"];
    let root = place.hill_of_guests("h", &[&QUICK[..], &settings].concat(), &BOTS);
    let (game, bots) = {
        let hill = Hill::open(&root).expect("a hill");
        let run = hill.begin_run(&Setup::this_program()).expect("a run");
        let fixture = run.fixtures_of(1).remove(0);
        let bots = fixture.entrants.iter().map(|(_, bot)| format!("{}:1", bot.name.name));
        (fixture.id.clone(), bots.collect::<Vec<String>>().join(" "))
    };
    // A runner that was lost with the first game.
    let disk = RealDisk::new(&root.join("records"));
    let mut runner = Runner::start(disk, "lost").expect("a runner");
    assert_eq!(runner.claim(&game, &[&game]).expect("a claim"), Claim::Mine);
    let cells = ["1", "2026-01-01T00:00:00Z", &*bots].map(str::to_owned);
    let _never_ended = runner.begin(&game, &game, &cells).expect("a beginning");
    drop(runner);
    // The next one records the loss, and plays nothing.
    drop(Hill::open(&root).expect("a hill").begin_run(&Setup::this_program()).expect("a run"));
    replace_in(root.join("hill.toml"), "077\"", "078\"");
    let run = place.call(&["hill", "run", "h"]).with_status(2);
    run.complaining(&["its settings differ from those of the first game", "restore them"]);
    replace_in(root.join("hill.toml"), "078\"", "077\"");
    place.call(&["hill", "run", "h"]).with_status(0);
    place.call(&["audit", "h"]).with_status(0);
}

#[test]
fn a_season_without_games_binds_nobody_to_its_block() {
    for more in [&["--no-key"][..], &[]] {
        let place = Place::new();
        let root = place.hill_of_guests("h", &[&QUICK[..], more].concat(), &BOTS);
        drop(Hill::open(&root).expect("a hill").begin_run(&Setup::this_program()).expect("a run"));
        replace_in(root.join("hill.toml"), "\"one-seating\"", "\"one-game\"");
        let run = place.call(&["hill", "run", "h"]);
        if more.is_empty() {
            // What was signed at the beginning holds.
            run.with_status(3).complaining(&["was signed at the beginning: put it back"]);
            replace_in(root.join("hill.toml"), "\"one-game\"", "\"one-seating\"");
            place.call(&["hill", "run", "h"]).with_status(0);
        } else {
            run.with_status(0);
        }
        place.call(&["audit", "h"]).with_status(0);
        place.call(&["hill", "run", "h"]).with_status(0);
    }
}

#[test]
fn a_list_with_the_header_of_something_else_is_named_though_it_has_no_row() {
    let place = Place::new();
    let whole = place.hill_of_guests("whole", &[&QUICK[..], &["--no-key"]].concat(), &BOTS);
    place.call(&["hill", "run", "whole", "--rounds", "1"]).with_status(0);
    fs::write(whole.join("voids.csv"), "").expect("a list");
    for header in ["garbage\n", "game,bots\n", "\n"] {
        let hill = changed(&place, &whole, "voids.csv", |_| header.to_owned());
        for words in [["audit", "h"].as_slice(), &["hill", "run", "h"]] {
            println!("{header:?}: {words:?}");
            place.call(words).with_status(3).complaining(&["voids.csv, line 1", "the header lacks columns"]);
        }
        place.call(&["hill", "repair", "h"]).with_status(0);
        assert!(
            !hill.join("voids.csv").exists()
                || fs::read(hill.join("voids.csv")).is_ok_and(|text| text != header.as_bytes())
        );
        place.call(&["audit", "h"]).with_status(0);
        place.call(&["hill", "run", "h"]).with_status(0);
    }
}
