//! Tournaments from a file: planned, run, killed, divided, listed.

mod audit;
mod cup;
mod files;
pub(crate) mod filled;
mod interruptions;
mod killer;
mod kills;
mod large;
mod looked_at;
mod machines;
mod many_games;
mod racing;
mod rounds;
mod scripts;
pub(crate) mod simulated;
mod tampering;
mod until_clear;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::called::{Calls, SHORT as FILE};
use crate::support::{FAULTY, Place, football, rows_that_stay};

pub(crate) fn entrants(bots: &[(&str, &str)]) -> String {
    let entrant = |(name, kind): &(&str, &str)| {
        format!("[[entrant]]\nname = \"{name}\"\nprogram = \"{FAULTY}\"\narguments = [\"{kind}\"]\n")
    };
    let greedy = football("greedy").expect("a house bot");
    let greedy = format!("[[entrant]]\nname = \"greedy\"\nprogram = \"{greedy}\"\n");
    bots.iter().map(entrant).collect::<String>() + &greedy
}

/// Plans a tournament of four bots: 32 games in four batches.
pub(crate) fn planned(place: &Place) -> PathBuf {
    let bots = entrants(&[("honest", "honest"), ("tagged", "honest"), ("other", "honest")]);
    fs::write(place.path("short.toml"), format!("{FILE}{bots}")).expect("a file");
    plan(place, "short.toml", "T");
    place.path("T")
}

pub(crate) fn plan(place: &Place, file: &str, dir: &str) {
    place.referee(&["tournament", "plan", file, "--dir", dir]).with_status(0);
}

/// Plans a tournament in this process. Only calls play it: to the program it is another referee's.
fn plan_by_call(place: &Place, file: &str, dir: &str) {
    place.call(&["tournament", "plan", file, "--dir", dir]).with_status(0);
}

/// Entrants that play in this process: their names, and how they play.
fn guests(place: &Place, bots: &[(&str, &str)]) -> String {
    let entrant = |(name, words): &(&str, &str)| {
        let program = place.guest(name, words);
        format!("[[entrant]]\nname = \"{name}\"\nprogram = {program:?}\n")
    };
    bots.iter().map(entrant).collect()
}

/// Starts a runner.
fn runner(place: &Place, dir: &str, more: &[&str]) -> std::process::Child {
    let words = [&["tournament", "run", "--dir", dir, "--jobs", "1"], more].concat();
    let mut command = place.command(&words);
    let said = File::create(place.path(SAID)).expect("a file");
    command.stdout(Stdio::null()).stderr(said).spawn().expect("referee can be started")
}

/// The file with the standard error of the last runner.
const SAID: &str = "runner.txt";

/// Returns what the last runner has said so far.
fn said(place: &Place) -> String {
    fs::read_to_string(place.path(SAID)).unwrap_or_default()
}

/// Counts the games that have ended, by the records of all rounds.
fn ended(place: &Place, dir: &str) -> usize {
    recorded(place, dir, "over,")
}

/// Counts the records that begin so, of all runners of all rounds.
fn recorded(place: &Place, dir: &str, what: &str) -> usize {
    let is_it = |line: &&str| line.get(9..).is_some_and(|record| record.starts_with(what));
    runs(&place.path(dir)).iter().map(|text| text.lines().filter(is_it).count()).sum()
}

/// The texts of what all runners of all rounds have recorded.
fn runs(folder: &Path) -> Vec<String> {
    let below = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<PathBuf>>()
    };
    let own = below(&folder.join("records/runs")).into_iter().flat_map(fs::read_to_string);
    let rounds = below(&folder.join("rounds")).into_iter().flat_map(|round| runs(&round));
    own.chain(rounds).collect()
}

/// The listed rows, without the parts that differ from run to run.
fn listed(dir: &Path) -> Vec<String> {
    rows_that_stay(&dir.join("results.csv"), &["log"])
}

fn bytes(dir: &Path) -> Vec<u8> {
    fs::read(dir.join("results.csv")).expect("the results")
}
