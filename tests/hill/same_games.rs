//! The same seed and the same bots give the same games, for any number of parallel games.

use std::fs;
use std::path::Path;

use crate::called::Calls;
use crate::support::{Place, files_below, rows_that_stay};

/// Masks the parts of a log that differ from run to run: thinking times, and the digest that covers them.
pub(crate) fn without_times(log: &Path) -> String {
    let text = fs::read_to_string(log).expect("a log");
    let rows = text.lines().map(|row| {
        let mut columns: Vec<&str> = row.splitn(8, ',').collect();
        match columns[0] {
            "answer" => columns[4..7].fill(""),
            "digest" => columns.truncate(4),
            _ => {}
        }
        columns.join(",") + "\n"
    });
    rows.collect()
}

/// The results in the order of the schedule, without the columns that differ from run to run.
fn results_without_times(root: &Path) -> Vec<String> {
    let mut rows = rows_that_stay(&root.join("results.csv"), &[]);
    rows[1..].sort(); // each begins with the game's name; the seat comes before anything that differs within it
    rows
}

#[test]
fn one_game_at_a_time_or_four_leave_the_same_records() {
    let place = Place::new();
    let settings =
        ["-p", "4", "--max-turns", "60", "--turn-ms", "30000", "--first-ms", "30000", "--seed", "11"];
    let bots = ["greedy", "sweeper", "random", "still"].map(|name| (name, name));
    let bots = [&bots[..], &[("rough", "each 4 4 4 4 77: 4 4 4 4")]].concat();
    let [one, four] = [("one", "1"), ("four", "4")].map(|(name, jobs)| {
        let root = place.hill_of_guests(name, &settings, &bots);
        place.call(&["hill", "run", name, "--rounds", "2", "--jobs", jobs]).with_status(0);
        root
    });
    let logs = files_below(&one.join("logs"), "csv");
    assert_eq!(logs.len(), 2 * 2 * 4, "two rounds, two tables, four rotations");
    assert_eq!(logs.len(), files_below(&four.join("logs"), "csv").len());
    for log in &logs {
        let other = four.join(log.strip_prefix(&one).expect("below"));
        assert_eq!(without_times(log), without_times(&other), "{}", log.display());
    }
    assert_eq!(results_without_times(&one), results_without_times(&four));
    let standings = |name| {
        let words = ["hill", "standings", name, "--format", "csv"];
        let table = place.call(&words).with_status(0).out;
        let names: Vec<&str> = table.lines().next().unwrap_or_default().split(',').collect();
        let without_times = |row: &str| {
            let cells = row.split(',').zip(&names).filter(|(_, name)| !name.ends_with("_ms"));
            cells.map(|(cell, _)| cell).collect::<Vec<_>>().join(",")
        };
        table.lines().map(without_times).collect::<Vec<_>>()
    };
    assert_eq!(standings("one"), standings("four"), "standings do not depend on which game finished first");
}
