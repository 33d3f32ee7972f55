//! A hill's files are opened once and followed: how many a run opens, and how often.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use referee_files::opens::Opens;

use crate::called::Calls;
use crate::support::Place;

/// Number of files and folders of a hill that a run of one round opens, all counted as often as they are opened. The
/// first one makes some.
const RUN_MAX: [u64; 2] = [176, 150];

/// The same for each further game, with its part of a round's.
const GAME_MAX: u64 = 8;

/// Number of times that a run opens one of the files that say what is played and what was, likewise.
const FILE_MAX: [u64; 2] = [8, 5];

#[test]
fn a_run_opens_few_files_and_few_more_for_each_game() {
    let place = Place::new();
    let settings = ["--seed", "7", "--max-turns", "5"];
    let names = ["a", "b", "c", "d", "e", "f"];
    let hill = place.hill_of_guests("hill", &settings, &names.map(|name| (name, "house random")));
    let games =
        || fs::read_to_string(hill.join("results.csv")).map_or(0, |text| text.lines().count() as u64 / 4);
    let run = |rounds: u64| -> (u64, BTreeMap<PathBuf, u64>) {
        let (before, opens) = (games(), Opens::begin());
        // Each thread that plays games opens their folders.
        let run = ["hill", "run", "hill", "--jobs", "1", "--rounds", &rounds.to_string()];
        place.call(&run).with_status(0);
        (games() - before, opens.so_far())
    };
    let of = |opens: &BTreeMap<PathBuf, u64>| opens.values().sum::<u64>();
    let [(first, opens), (_, second)] = [run(1), run(1)];
    assert_eq!(first, 8);
    for ((opens, file_max), run_max) in [&opens, &second].into_iter().zip(FILE_MAX).zip(RUN_MAX) {
        assert!(of(opens) <= run_max, "{} opens: {opens:#?}", of(opens));
        assert_eq!(opens.get(Path::new("races.csv")), None, "there is none, so it is not opened");
        for name in ["hill.toml", "entrants.csv", "seasons.csv", "voids.csv", "results.csv"] {
            let count = opens.get(Path::new(name)).copied().unwrap_or_default();
            assert!((1..=file_max).contains(&count), "{name} was opened {count} times: {opens:#?}");
        }
    }
    let (games, more) = run(6);
    let each = (of(&more) - of(&second)).div_ceil(games - first);
    assert!(each <= GAME_MAX, "{each} opens a game: {more:#?}");
}
