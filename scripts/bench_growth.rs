//! Measures a hill on which very many games were played: what it takes to enter one more, to begin a run, to draw up the
//! standings. The games are made up; logs are there, and empty.
//!
//! `scripts/bench growth [--games N] [--dir FOLDER]`: at N, and at a tenth and a hundredth of it.

#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use referee::record::Digest;
use referee::record::results::{self, ResultRow, ResultsFile};
use referee::rules::BySeat;
use referee::tournament::fixture::Fixture;
use referee::tournament::hill::Hill;

#[path = "../tests/random.rs"]
#[expect(dead_code, reason = "shared with the tests, which use more of it")]
mod random;
#[path = "../tests/tournament/simulated.rs"]
#[expect(dead_code, reason = "shared with the tests, which use more of it")]
mod simulated;

use random::Random;
use simulated::{measure, rows_of};

type Outcome<T> = Result<T, Box<dyn Error>>;

const REFEREE: &str = env!("CARGO_BIN_EXE_referee");

const BOTS: [&str; 4] = ["one", "two", "three", "four"];

/// So many games make a round of four bots.
const GAMES_A_ROUND: u32 = 4;

/// So many games are entered one by one, to see what that takes.
const ENTERED: usize = 200;

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let option =
        |name: &str| words.iter().position(|word| word == name).and_then(|index| words.get(index + 1));
    let games: u32 = option("--games").map_or(Ok(1_000_000), |text| text.parse())?;
    let above = option("--dir").map_or_else(std::env::temp_dir, PathBuf::from);
    fs::create_dir_all(&above)?;
    println!(
        "| games | results.csv | enter a game, median | worst | begin a run | memory | standings | memory | log of a game |"
    );
    println!("| --: | --: | --: | --: | --: | --: | --: | --: | --: |");
    for games in [games / 100, games / 10, games] {
        let place = tempfile::Builder::new().prefix("referee-bench-").tempdir_in(&above)?;
        grown(place.path(), games)?;
    }
    Ok(())
}

/// Measures a hill of so many games, and prints a line.
fn grown(place: &Path, games: u32) -> Outcome<()> {
    let run = |words: &[&str]| measure(Command::new(REFEREE).args(words).current_dir(place));
    run(&["hill", "new", "hill", "football", "-p", "2", "--max-turns", "2", "--seed", "7"]);
    for bot in BOTS {
        run(&["hill", "submit", "hill", "still", "--name", bot]);
    }
    let root = place.join("hill");
    let rounds = games.div_ceil(GAMES_A_ROUND);
    let last = fill(&root, rounds)?;
    let path = root.join("results.csv");
    let bytes = fs::metadata(&path)?.len();

    let (mut results, _) = ResultsFile::open(&path)?;
    let mut times = Vec::new();
    for _ in 0..ENTERED {
        let start = Instant::now();
        results.append(&last)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    drop(results);
    File::options().write(true).open(&path)?.set_len(bytes)?;

    // All that was asked for is there: the run plays nothing.
    let begun = run(&["hill", "run", "hill", "--to-round", &rounds.to_string()]);
    let standings = run(&["hill", "standings", "hill"]);
    let found = run(&["hill", "log", "hill", &last[0].game, "--raw"]);
    let shown = |(seconds, kib): (f64, u64)| {
        let rate = bytes as f64 / 1e6 / seconds;
        format!("{seconds:.2} s ({rate:.0} MB/s) | {:.1} MiB", kib as f64 / 1024.0)
    };
    println!(
        "| {games} | {} MB | {:.2} ms | {:.2} ms | {} | {} | {:.2} s |",
        bytes / 1_000_000,
        times[ENTERED / 2],
        times[ENTERED - 1],
        shown(begun),
        shown(standings),
        found.0
    );
    Ok(())
}

/// The bots of a game by their numbers: the first is the best by a little, and so on.
fn numbers(fixture: &Fixture) -> BySeat<usize> {
    let number = |name: &str| BOTS.iter().position(|bot| *bot == name).expect("one of them");
    fixture.entrants.iter().map(|(_, bot)| number(&bot.name.name)).collect()
}

/// Makes up the games of the first rounds of a hill. Returns the rows of the last.
fn fill(root: &Path, rounds: u32) -> Outcome<Vec<ResultRow>> {
    let hill = Hill::open(root)?;
    let run = hill.begin_run()?;
    let path = root.join("results.csv");
    let mut text = BufWriter::new(File::options().append(true).open(&path)?);
    let mut chain = Digest::of(results::header().as_bytes());
    let (mut random, mut last) = (Random::new(1), Vec::new());
    for round in 1..=rounds {
        for fixture in run.fixtures_of(round) {
            let log = run.folder().log_path(&fixture.folder, &fixture.id);
            fs::create_dir_all(log.parent().expect("a folder"))?;
            File::create(&log)?;
            last = rows_of(&fixture, &numbers(&fixture), &mut random);
            let name = log.strip_prefix(root)?.to_string_lossy().into_owned();
            last.iter_mut().for_each(|row| row.log.clone_from(&name));
            for row in &last {
                text.write_all(results::chained(&row.text(), &mut chain).as_bytes())?;
            }
        }
    }
    text.flush()?;
    Ok(last)
}
