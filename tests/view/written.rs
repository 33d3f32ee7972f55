//! The bots' standard error, shown with the turn: in the terminal, and on the page for its author.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::DeflateDecoder;
use referee_files::beneath::Spot;
use referee_files::threads::together;
use referee_files::{log, standard_error};
use referee_record::Digest;
use referee_show::page::html::{self, Context, public_page};
use serde_json::{Value, json};

use crate::called::Calls;
use crate::support::{Place, files_below};

/// Writes something before each answer except the second one.
const TALKER: &str = r#"#!/usr/bin/env python3
import sys

print("hello", file=sys.stderr)
for number, line in enumerate(sys.stdin, 1):
    turn = int(line.split()[1])
    if turn != 1:
        print(f"turn {turn}", file=sys.stderr)
    print(f"@{number} 0 0", flush=True)
print("bye", file=sys.stderr)
"#;

/// The page that the author of the bots makes.
fn page(log: &Path) -> String {
    let log = Spot::from(log);
    html::page(log::open(&log).unwrap(), &standard_error::of_log(&log), None, &together).unwrap()
}

/// Plays six turns with it on seat 0. Returns the log.
fn played(place: &Place) -> PathBuf {
    let bot = place.program("talker.py", TALKER);
    let game = ["play", "football", &bot, "still", "still", "still", "-p", "2", "--max-turns", "5"];
    let time = ["--turn-ms", "30000", "--first-ms", "30000", "--seed", "7"];
    place.referee(&[&game[..], &time].concat()).with_status(0);
    files_below(&place.path("games/logs"), "csv").remove(0)
}

/// Plays six turns with a bot on seat 0 that writes the same, and is no program. Returns the log.
fn played_by_a_guest(place: &Place) -> PathBuf {
    let bots = [("talker", "talks"), ("still", "house still")].map(|(name, words)| place.guest(name, words));
    let [bot, still] = bots.each_ref().map(String::as_str);
    let game = ["play", "football", bot, still, still, still, "-p", "2", "--max-turns", "5", "--seed", "7"];
    place.call(&[&game[..], &["--sandbox", "off"]].concat()).with_status(0);
    files_below(&place.path("games/logs"), "csv").remove(0)
}

/// The lines of a page's data: one for each turn, then the rest.
pub(super) fn lines_of(page: &str) -> Vec<Value> {
    let (_, tape) = page.split_once("id=\"tape\">").expect("a tape");
    let tape = STANDARD.decode(tape.split_once('<').expect("its end").0).expect("base64");
    let mut lines = String::new();
    DeflateDecoder::new(&*tape).read_to_string(&mut lines).expect("lines");
    lines.trim_end().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A page's data about its first seat.
fn first_seat(page: &str) -> Value {
    lines_of(page).pop().expect("a line")["seats"][0].clone()
}

/// Two threads that compute side by side are charged more than the time that has passed.
#[test]
fn a_page_knows_the_elapsed_time_of_who_was_charged_more() {
    let place = Place::new();
    let log = played_by_a_guest(&place);
    let text = fs::read_to_string(&log).expect("a log");
    let digest = |text: &str| format!("digest,,,sha256,,,,,{}\n", Digest::of(text.as_bytes()).as_str());
    let (body, _) = text.split_once("digest,").expect("the last line");
    let mut answers = 0;
    let rows = body.lines().map(|line| {
        let mut cells: Vec<&str> = line.split(',').collect();
        if line.starts_with("answer,1,") {
            answers += 1;
            // Charged, elapsed, of the CPU.
            (cells[4], cells[5], cells[6]) = ("40000", "25000", "40000");
        }
        cells.join(",") + "\n"
    });
    let body: String = rows.collect();
    assert!(answers > 0, "{text}");
    fs::write(&log, format!("{body}{}", digest(&body))).expect("a log");
    let lines = lines_of(&page(&log));
    let turn = lines.iter().find(|line| line["thinking"][0] == 40_000).expect("the turn");
    assert_eq!(turn["waited"][0], -15_000, "{turn}");
}

#[test]
fn standard_error_is_told_with_the_turn_in_which_it_was_written() {
    let place = Place::new();
    let log = played(&place);
    let table = &files_below(&place.path("games/stderr"), "csv")[0];
    assert_eq!(fs::read_to_string(table).unwrap(), "turn,end\n0,13\n2,20\n3,27\n4,34\n5,45\n");
    let told = |turn: &str| {
        place.call(&["replay", log.to_str().unwrap(), "--plain", "--turn", turn]).with_status(0).out
    };
    for (turn, due) in [("1", "hello\n  turn 0\n"), ("3", "turn 2\n"), ("6", "turn 5\n  bye\n")] {
        assert!(told(turn).ends_with(&format!("standard error of talker:\n  {due}")), "{}", told(turn));
    }
    assert!(!told("2").contains("standard error"), "{}", told("2"));
    let wrote =
        json!([[0, "hello\nturn 0"], [2, "turn 2"], [3, "turn 3"], [4, "turn 4"], [5, "turn 5\nbye"]]);
    assert_eq!(first_seat(&page(&log))["wrote"], wrote);
    place.call(&["audit", "games"]).with_status(0);
}

#[test]
fn a_page_for_others_has_none_of_it() {
    let place = Place::new();
    let public = first_seat(
        &public_page(log::open(&played_by_a_guest(&place)).unwrap(), &Context::default(), &together).unwrap(),
    );
    assert_eq!((&public["errors"], public.get("wrote")), (&Value::Null, None));
    let hill = place.hill_of_guests("hill", &["-p", "2", "--max-turns", "5", "--turn-ms", "30000"], &[]);
    place.call(&["hill", "submit", "hill", "./talker.guest"]).with_status(0);
    place.call(&["hill", "submit", "hill", "./still.guest"]).with_status(0);
    place.call(&["hill", "run", "hill"]).with_status(0);
    place.call(&["report", "hill", "--html", "report"]).with_status(0);
    assert!(!files_below(&hill.join("stderr"), "txt").is_empty());
    let pages = files_below(&place.path("report/games"), "html");
    assert!(!pages.is_empty());
    for page in pages {
        assert_eq!(first_seat(&fs::read_to_string(page).unwrap())["errors"], Value::Null);
    }
}

#[test]
fn without_its_table_or_with_a_wrong_one_it_is_shown_as_a_whole() {
    let place = Place::new();
    let log = played_by_a_guest(&place);
    let table = files_below(&place.path("games/stderr"), "csv").remove(0);
    let whole = "hello\nturn 0\nturn 2\nturn 3\nturn 4\nturn 5\nbye";
    for text in [Some("turn,end\n0,13\n2,20\n3,27\n4,34\n5,46\n"), Some("rubbish"), None] {
        text.map_or_else(|| fs::remove_file(&table), |text| fs::write(&table, text)).unwrap();
        let seat = first_seat(&page(&log));
        assert_eq!((&seat["errors"], seat.get("wrote")), (&json!(whole), None));
        let told = place.call(&["replay", log.to_str().unwrap(), "--plain", "--turn", "6"]).with_status(0);
        let due = format!("standard error of talker:\n  {}\n", whole.replace('\n', "\n  "));
        assert!(told.out.ends_with(&due), "{told:?}");
    }
}
