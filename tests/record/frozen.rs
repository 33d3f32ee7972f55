//! Hills and tournaments in the formats of version 1.0: today's program reads, audits and continues them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::called::Calls;
use crate::support::{Place, copy_folder, results_in};

pub(crate) const HILL: &str = "hill";
pub(crate) const TOURNAMENTS: [&str; 2] = ["rounds", "cup"];

/// A game of each.
pub(crate) fn game_of(name: &str) -> &'static str {
    match name {
        HILL => "s001-r00001-t001-g1",
        "rounds" => "s002-r00001-t001-g4",
        _ => "s001-r00002-t001-g1",
    }
}

/// Returns the folder of the frozen records.
pub(crate) fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/record/frozen"))
}

/// Copies the records of the hill or a tournament into a place of its own.
pub(crate) fn copied(name: &str) -> Place {
    let place = Place::new();
    copy_folder(&folder().join(name), &place.path(name));
    place
}

#[test]
fn frozen_records_are_audited() {
    for (name, told) in [
        (HILL, "agrees: 8 games, 32 rows"),
        ("rounds", "agrees: 8 games planned, 7 played and agree, 1 void, 0 missing"),
        ("cup", "agrees: 4 games planned in 2 rounds, 4 played and agree, 0 void, 0 missing"),
    ] {
        let audited = copied(name).call(&["audit", name]).with_status(0);
        assert!(audited.out.contains(told), "{name}: {}", audited.out);
    }
}

/// The facts of standings that follow from the results by definition.
const FACTS: [&str; 8] = ["place", "bot", "games", "wins", "mean_share", "mean_score", "faults", "late"];

/// Reads a table of standings: for each bot the facts that are there.
fn facts(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut table = csv::Reader::from_reader(text.as_bytes());
    let names = table.headers().expect("a header").clone();
    let row = |row: csv::StringRecord| {
        let cells = names.iter().zip(&row).filter(|(name, _)| FACTS.contains(name));
        cells.map(|(name, cell)| (name.to_owned(), cell.to_owned())).collect()
    };
    table.records().map(|cells| row(cells.expect("a row"))).collect()
}

#[test]
fn frozen_records_have_the_standings_of_that_day_and_a_report() {
    for name in [HILL].into_iter().chain(TOURNAMENTS) {
        let place = copied(name);
        let words = match name {
            HILL => vec!["hill", "standings", name, "--format", "csv"],
            _ => vec!["tournament", "standings", "--dir", name, "--format", "csv"],
        };
        let standings = place.call(&words).with_status(0).out;
        let kept = fs::read_to_string(folder().join(format!("{name}.csv"))).expect("standings");
        assert!(kept.lines().count() > 3 && facts(&kept)[0].len() > 3, "{kept}");
        let kept = facts(&kept);
        let mut standings = facts(&standings);
        // There are more columns today.
        standings.iter_mut().for_each(|row| row.retain(|name, _| kept[0].contains_key(name)));
        assert_eq!(standings, kept, "{name}");
        if name != HILL {
            place.call(&["tournament", "status", "--dir", name]).with_status(0);
        }
        place.call(&["report", name, "--html", "report"]).with_status(0);
    }
}

#[test]
fn a_frozen_hill_is_played_on_and_then_audited_as_one() {
    let place = copied(HILL);
    place.referee(&["hill", "run", HILL, "--rounds", "1"]).with_status(0);
    let mut ids: Vec<_> = results_in(&place.path(HILL)).into_iter().map(|row| row.game).collect();
    ids.dedup();
    assert!(ids.len() == 12 && ids[8].starts_with("s002-r00002-"), "its season goes on: {ids:?}");
    place.call(&["audit", HILL]).with_status(0);
    place.assert_nothing_stays();
}

#[test]
fn what_was_listed_is_the_same_when_it_is_listed_again() {
    for name in TOURNAMENTS {
        let place = copied(name);
        let files = ["results.csv", "voids.csv"].map(|file| place.path(name).join(file));
        let texts = || files.each_ref().map(|file| fs::read(file).ok());
        let before = texts();
        files.iter().filter(|file| file.exists()).for_each(|file| fs::remove_file(file).expect("removed"));
        place.call(&["tournament", "repair", "--dir", name]).with_status(0);
        assert_eq!(texts(), before, "{name}");
        place.call(&["audit", name]).with_status(0);
    }
}

/// Returns the length of all files below a folder, in bytes.
fn length(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries
        .map(|path| if path.is_dir() { length(&path) } else { path.metadata().expect("a file").len() })
        .sum()
}

#[test]
fn frozen_records_are_small_and_have_every_kind_of_file() {
    let length = length(folder());
    assert!(length < 150_000, "{length} bytes");
    for name in [
        "hill/results.csv",
        "hill/entrants.csv",
        "hill/seasons.csv",
        "hill/voids.csv",
        "hill/verdicts.csv",
        "hill/records/runs",
        "rounds/plan.toml",
        "rounds/records/runs",
        "rounds/results.csv",
        "rounds/voids.csv",
        "rounds/rulings.csv",
        "cup/rounds/0002/plan.toml",
    ] {
        assert!(folder().join(name).exists(), "{name}");
    }
}
