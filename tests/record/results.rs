//! Results: what is read from the whole file, and what from its end alone.

use std::fs;
use std::path::PathBuf;

use referee_files::results::{self, ResultsFile};

use super::compressed::compressed;
use crate::support::Place;

const FIRST: &str = "s001-r00001-t001-g1";
const LAST: &str = "s002-r00001-t001-g4";

/// Eight games of four seats: 33 lines.
const RESULTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/record/frozen/hill/results.csv");

fn lines() -> Vec<String> {
    let text = fs::read_to_string(RESULTS).expect("results");
    text.split_inclusive('\n').map(str::to_owned).collect()
}

fn file(place: &Place, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = place.path("results.csv");
    fs::write(&path, bytes).expect("a file");
    path
}

#[test]
fn a_game_is_found_by_its_name_and_the_last_at_the_end() {
    let place = Place::new();
    let lines = lines();
    let chain_on = |line: usize| lines[line - 1].trim_end().rsplit(',').next().map(str::to_owned);
    let packed = compressed(lines.concat().as_bytes());
    for bytes in [lines.concat().into_bytes(), packed] {
        let path = file(&place, bytes);
        assert_eq!(results::last_name(&path).expect("a name").as_deref(), Some(LAST));
        let numbers = |name: &str| -> Vec<(u64, usize)> {
            let rows = results::game_named(&path, name).expect("results").unwrap_or_default();
            rows.iter().map(|(number, row)| (*number, row.seat.index())).collect()
        };
        assert_eq!(numbers(LAST), [(30, 0), (31, 1), (32, 2), (33, 3)]);
        assert_eq!(numbers(FIRST), [(2, 0), (3, 1), (4, 2), (5, 3)]);
        let all = results::read(&path).expect("results");
        for game in all.chunks(4) {
            assert_eq!(results::game_named(&path, &game[0].1.game).expect("results").expect("rows"), game);
        }
        // Neither a part of a name nor the contents of another column.
        for nobody in ["nobody", "s001-r00001-t001-g", &FIRST[1..], "game", "football", ""] {
            assert_eq!(numbers(nobody), [], "{nobody}");
        }
        let chain = |name| results::chain_behind(&path, Some(name)).expect("results");
        assert_eq!(chain(LAST).map(|chain| chain.as_str().to_owned()), chain_on(33));
        assert_eq!(chain(FIRST).map(|chain| chain.as_str().to_owned()), chain_on(5));
        assert_eq!(chain("nobody"), None);
        assert_eq!(results::read(&path).expect("results").len(), 32);
    }
}

#[test]
fn a_file_that_ends_early_says_where_and_its_end_names_no_game() {
    let place = Place::new();
    let lines = lines();
    let told = |path: &PathBuf| results::read(path).expect_err("it is not whole").to_string();
    let header = file(&place, &lines[0]);
    assert_eq!(results::last_name(&header).expect("no game"), None);
    assert_eq!(results::game_named(&header, FIRST).expect("no game"), None);
    assert_eq!(results::read(&header).expect("no game"), []);

    // A game is found whatever is wrong with others.
    let found = |path: &PathBuf, name: &str| {
        results::game_named(path, name).map(|rows| rows.map_or(0, |rows| rows[0].0))
    };
    let names: Vec<&str> =
        lines.iter().skip(1).step_by(4).map(|line| line.split(',').next().expect("a name")).collect();
    let spoiled = file(&place, lines.concat().replacen(",slow,", ",fast,", 1));
    assert!(found(&spoiled, names[0]).is_err());
    assert_eq!(found(&spoiled, names[1]).expect("it is whole"), 6);
    let mut unchained = lines.clone();
    unchained[4] = format!("{}?\n", unchained[4].trim_end());
    let unchained = file(&place, unchained.concat());
    assert!(found(&unchained, names[1]).expect_err("line 5").to_string().contains("line 5"));
    assert_eq!(found(&unchained, names[2]).expect("it is whole"), 10);

    let torn = lines.concat();
    let torn = file(&place, &torn[..torn.len() - 9]);
    assert_eq!(results::last_name(&torn).expect("no name"), None);
    assert!(told(&torn).contains("line 33: the last row is unfinished"), "{}", told(&torn));

    let short = file(&place, lines[..31].concat());
    assert_eq!(results::last_name(&short).expect("a name").as_deref(), Some(LAST));
    assert!(
        told(&short).contains(&format!("line 32: 2 rows of game {LAST} are missing")),
        "{}",
        told(&short)
    );

    let changed = file(&place, lines.concat().replacen(",slow,", ",fast,", 1));
    assert!(
        told(&changed).contains("line 2: this row, or the one before it, was changed"),
        "{}",
        told(&changed)
    );
}

#[test]
fn a_file_that_a_spreadsheet_saved_is_refused_with_what_it_changed_and_what_helps() {
    let text = fs::read_to_string(RESULTS).expect("results");
    let marked = format!("\u{feff}{text}");
    let cases = [
        (text.replace('\n', "\r\n"), "line ends were changed to CR LF; put back a copy"),
        (marked, "byte order mark"),
        (text.replace(',', ";"), "separated by `;`"),
        (
            format!("\"{}\"", text.trim().replace(',', "\",\"").replace('\n', "\"\n\"")),
            "its cells are quoted",
        ),
        (format!("\u{feff}{}", text.replace('\n', "\r\n").replace(',', ";")), "separated by `;`"),
        ("another text\n".to_owned(), "not a results file"),
    ];
    for (changed, said) in cases {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results.csv");
        fs::write(&path, &changed).expect("results");
        let read = results::read(&*path).map(drop).expect_err(said).to_string();
        let appended = ResultsFile::open(&*path).map(drop).expect_err(said).to_string();
        assert!(read.contains(said) && appended.contains(said), "{said}: {read} {appended}");
        assert_eq!(fs::read_to_string(&path).expect("results"), changed, "nothing is cut off");
    }
}
