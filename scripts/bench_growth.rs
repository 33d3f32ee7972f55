//! Measures a hill with very many games: time and memory to enter another one, to begin a run, to compute the
//! standings, to write a report. The games are invented, their logs are empty, and of each one attempt was lost. Then
//! an audit of played games is measured.
//!
//! `scripts/bench growth [--games N] [--dir FOLDER]`: with N games, a tenth and a hundredth of N; audits with the last
//! two.

#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]

use referee_testutil::random;
use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::Parser;
use referee_contest::fixture::Fixture;
use referee_contest::hill::Hill;
use referee_files::results::ResultsFile;
use referee_files::small;
use referee_record::voids::{VoidReason, VoidRow};
use referee_rules::BySeat;

#[path = "../tests/tournament/filled.rs"]
mod filled;
#[path = "../tests/tournament/simulated.rs"]
#[expect(dead_code, reason = "shared with the tests, which use more of it")]
mod simulated;

use filled::{fill, played};
use random::Random;
use referee_testutil::support::measure;
use simulated::rows_of;

type Outcome<T> = Result<T, Box<dyn Error>>;

const REFEREE: &str = env!("CARGO_BIN_EXE_referee");

const BOTS: [&str; 4] = ["one", "two", "three", "four"];

/// Number of games in a round of four bots.
const GAMES_A_ROUND: u32 = 4;

/// Number of games that are entered one by one, for the measurement.
const ENTERED: usize = 200;

/// Measures a hill with very many games.
#[derive(Parser)]
struct Options {
    /// Greatest number of games.
    #[arg(long, default_value_t = 1_000_000)]
    games: u32,
    /// Folder for the hills. [default: where temporary files are]
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Cargo passes this to every bench.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Outcome<()> {
    let Options { games, dir, .. } = Options::parse();
    let above = dir.unwrap_or_else(std::env::temp_dir);
    fs::create_dir_all(&above)?;
    let place = || tempfile::Builder::new().prefix("referee-bench-").tempdir_in(&above);
    println!(
        "| games | results.csv | enter a game (a bare write and sync), median | worst | begin the first run | memory | begin the next one | memory | standings | memory | report | memory | report again | memory | log of a game |"
    );
    println!("| --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |");
    for games in [games / 100, games / 10, games] {
        grown(place()?.path(), games)?;
    }
    println!("\n| games | logs | audit | memory |");
    println!("| --: | --: | --: | --: |");
    for games in [games / 100, games / 10] {
        audited(place()?.path(), games)?;
    }
    Ok(())
}

/// Makes a hill of four bots.
fn new_hill(place: &Path) -> Outcome<Hill> {
    run(
        place,
        &[
            "hill",
            "new",
            "hill",
            "football",
            "--block",
            "one-seating",
            "-p",
            "2",
            "--max-turns",
            "2",
            "--seed",
            "7",
        ],
    );
    for bot in BOTS {
        run(place, &["hill", "submit", "hill", "still", "--name", bot]);
    }
    Ok(Hill::open(&place.join("hill"))?)
}

/// Runs the program. Returns its time in seconds, and its peak memory in KiB.
fn run(place: &Path, words: &[&str]) -> (f64, u64) {
    measure(Command::new(REFEREE).args(words).current_dir(place))
}

/// Measures the audit of a hill with this number of games, and prints a line.
fn audited(place: &Path, games: u32) -> Outcome<()> {
    let hill = new_hill(place)?;
    let mut bytes = 0;
    fill(&hill, games.div_ceil(GAMES_A_ROUND), |run, fixture| {
        let rows = played(hill.root(), run, fixture);
        bytes += fs::metadata(hill.root().join(rows.log())).map_or(0, |log| log.len());
        rows
    });
    let (seconds, kib) = run(place, &["audit", "hill"]);
    println!("| {games} | {} MB | {seconds:.1} s | {:.1} MiB |", bytes / 1_000_000, kib as f64 / 1024.0);
    Ok(())
}

/// Measures a hill with this number of games, and prints a line.
fn grown(place: &Path, games: u32) -> Outcome<()> {
    let hill = new_hill(place)?;
    let run = |words: &[&str]| run(place, words);
    let root = hill.root();
    let rounds = games.div_ceil(GAMES_A_ROUND);
    let mut random = Random::new(1);
    let mut voids = Vec::new();
    let last = fill(&hill, rounds, |run, fixture| {
        voids.push(VoidRow {
            game: fixture.id.clone(),
            started: "2026-01-01T00:00:00Z".to_owned(),
            bots: fixture
                .entrants
                .iter()
                .map(|(_, bot)| format!("{}:1", bot.name.name))
                .collect::<Vec<_>>()
                .join(" "),
            reason: VoidReason::LostInFlight,
            attempt: 1,
            detail: "its runner was gone".to_owned(),
            ..VoidRow::default()
        });
        let log = run.runner().log_path(&fixture.folder, &fixture.id);
        fs::create_dir_all(log.parent().expect("a folder")).expect("a folder");
        File::create(&log).expect("a log");
        let mut rows = rows_of(fixture, &numbers(fixture), &mut random);
        let name = log.strip_prefix(root).expect("below it").to_string_lossy().into_owned();
        rows.iter_mut().for_each(|row| row.log.clone_from(&name));
        rows
    });
    fs::write(root.join("voids.csv"), small::text(&voids))?;
    drop(voids);
    let path = root.join("results.csv");
    let bytes = fs::metadata(&path)?.len();

    let (mut results, _) = ResultsFile::open(&path)?;
    // The invented results were written at once: the first game entered must not wait for them.
    File::open(&path)?.sync_all()?;
    // What the disk takes is measured in turn, with a file of its own.
    let mut bare = File::create_new(place.join("bare"))?;
    let (mut times, mut of_disk) = (Vec::new(), Vec::new());
    for _ in 0..ENTERED {
        let before = fs::metadata(&path)?.len();
        let start = Instant::now();
        results.append(&last)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        let entered = vec![b'x'; (fs::metadata(&path)?.len() - before) as usize];
        let start = Instant::now();
        bare.write_all(&entered)?;
        bare.sync_data()?;
        of_disk.push(start.elapsed().as_secs_f64() * 1e3);
    }
    [&mut times, &mut of_disk].into_iter().for_each(|times| times.sort_by(f64::total_cmp));
    drop(results);
    File::options().write(true).open(&path)?.set_len(bytes)?;

    // All games of this round are there: the run plays nothing.
    let begin = || run(&["hill", "run", "hill", "--sandbox", "off", "--to-round", &rounds.to_string()]);
    // The first one reads all results, and keeps what comes of them.
    let (begun, again) = (begin(), begin());
    let standings = run(&["hill", "standings", "hill"]);
    let report = || run(&["report", "hill", "--html", "report", "--no-logs", "--replays", "none"]);
    // The second one goes on where the first one ended.
    let (report, report_again) = (report(), report());
    let found = run(&["hill", "log", "hill", &last[0].game, "--raw"]);
    let shown = |(seconds, kib): (f64, u64)| {
        let rate = bytes as f64 / 1e6 / seconds;
        format!("{seconds:.2} s ({rate:.0} MB/s) | {:.1} MiB", kib as f64 / 1024.0)
    };
    println!(
        "| {games} | {} MB | {:.2} ms ({:.2}) | {:.2} ms ({:.2}) | {} | {} | {} | {} | {} | {:.2} s |",
        bytes / 1_000_000,
        times[ENTERED / 2],
        of_disk[ENTERED / 2],
        times[ENTERED - 1],
        of_disk[ENTERED - 1],
        shown(begun),
        shown(again),
        shown(standings),
        shown(report),
        shown(report_again),
        found.0
    );
    Ok(())
}

/// The bots of a game by their numbers: the first is the best by a little, and so on.
fn numbers(fixture: &Fixture) -> BySeat<usize> {
    let number = |name: &str| BOTS.iter().position(|bot| *bot == name).expect("one of them");
    fixture.entrants.iter().map(|(_, bot)| number(&bot.name.name)).collect()
}
