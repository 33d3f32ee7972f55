//! Hills: deals, seasons, standings and their confidence, and that no game is lost.

mod authors;
mod cache;
mod class;
mod cut;
mod hill_conduct;
mod identity;
mod kill;
mod left_out;
mod many_rounds;
mod names;
mod opens;
mod racing;
mod runners;
pub(crate) mod same_games;
mod until_clear;
mod voids;
mod waits;

use std::path::Path;

use referee_store::{ContestState, RealDisk};

/// The games that runners have begun and not ended, by their records.
fn in_flight(root: &Path) -> Vec<String> {
    let disk = RealDisk::new(&root.join("records"));
    let state = ContestState::read(&disk).expect("the records");
    let open = |runner: &str| state.open_of(&disk, runner).expect("the records");
    state.unsealed().flat_map(open).map(|(game, _)| game).collect()
}

/// Tells whether a game has ended, by the records of the runners.
fn has_ended(root: &Path, game: &str) -> bool {
    ContestState::read(&RealDisk::new(&root.join("records"))).expect("the records").ending(game).is_some()
}

/// Tells whether a runner waits for the games of another: it lets others see what it has recorded.
fn is_waiting(root: &Path) -> bool {
    let runs = root.join("records/runs").read_dir().expect("runners");
    let text = |run: std::fs::DirEntry| std::fs::read_to_string(run.path()).unwrap_or_default();
    runs.flatten().map(text).any(|text| text.lines().any(|line| line.split(',').nth(1) == Some("mark")))
}
