//! Measures the clock on a busy machine: bots that need 20 ms of a core under a limit of 50 ms, in more and more games
//! at once. How many are late by elapsed time, and how many by charged time? `scripts/bench clock`

use std::error::Error;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use clap::Parser;
use referee_files::{log, results};
use referee_record::row_kind::RowKind;

/// The time that each bot computes in a turn, and its limit.
const NEEDS_MS: u64 = 20;
const LIMIT_MS: u64 = 50;

/// The charged time and the elapsed time of each answer but the first, and the number of late ones.
#[derive(Default)]
struct Turns {
    charged: Vec<Duration>,
    wall: Vec<Duration>,
    late: usize,
}

/// Measures the clock on a busy machine.
#[derive(Parser)]
struct Options {
    /// Number of turns in a game.
    #[arg(long, default_value_t = 250)]
    turns: u32,
    /// Numbers of games that are played at once.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8")]
    games: Vec<usize>,
    /// Cargo passes this to every bench.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let Options { turns, games, .. } = Options::parse();
    println!("four bots a game, each needs {NEEDS_MS} of {LIMIT_MS} ms; {turns} turns; milliseconds");
    println!(
        "{:>5} {:>6} | {:>9} {:>9} {:>10} {:>6} | {:>9} {:>9} {:>10} {:>6}",
        "games", "turns", "charged50", "p99.9", "max", "late", "wall50", "p99.9", "max", "over"
    );
    for games in games {
        let mut all = play(games, turns)?;
        all.charged.sort_unstable();
        all.wall.sort_unstable();
        let over = all.wall.iter().filter(|wall| **wall > Duration::from_millis(LIMIT_MS)).count();
        let percent = |count: usize| format!("{:.1}%", 100.0 * count as f64 / all.wall.len() as f64);
        println!(
            "{games:>5} {:>6} | {} {:>6} | {} {:>6}",
            all.wall.len(),
            quantiles(&all.charged),
            percent(all.late),
            quantiles(&all.wall),
            percent(over)
        );
    }
    Ok(())
}

fn play(games: usize, turns: u32) -> Result<Turns, Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    let faulty = Path::new(env!("CARGO_BIN_EXE_referee")).with_file_name("faulty");
    let bot = format!("{} works --ms {NEEDS_MS}", faulty.display());
    let start = |number: usize| -> std::io::Result<Child> {
        let mut referee = Command::new(env!("CARGO_BIN_EXE_referee"));
        referee.args(["play", "football", "-p", "2", "--stall-turns", "0", "--first-ms", "30000"]);
        referee.args(["--max-turns", &turns.to_string(), "--turn-ms", &LIMIT_MS.to_string()]);
        referee.arg("--dir").arg(place.path().join(number.to_string())).args([&bot; 4]);
        referee.stdout(Stdio::null()).spawn()
    };
    let started: Vec<Child> = (0..games).map(start).collect::<Result<_, _>>()?;
    let mut all = Turns::default();
    for (number, mut referee) in started.into_iter().enumerate() {
        if !referee.wait()?.success() {
            return Err("a game could not be played".into());
        }
        let folder = place.path().join(number.to_string());
        let (_, row) = results::read(&folder.join("results.csv"))?.swap_remove(0);
        all.read(&folder.join(row.log))?;
    }
    Ok(all)
}

impl Turns {
    fn read(&mut self, log: &Path) -> Result<(), Box<dyn Error>> {
        let (mut log, _) = log::reader(log)?;
        while let Some(row) = log.peek()? {
            if row.kind() == Some(RowKind::Answer) && row.turn()? > Some(0) {
                let (charged, wall) = row.thinking()?;
                self.charged.push(charged);
                self.wall.push(wall);
                match row.name() {
                    "ok" => {}
                    "late" => self.late += 1,
                    verdict => return Err(format!("a bot has not played: {verdict}").into()),
                }
            }
            log.take();
        }
        Ok(())
    }
}

/// The median, the 99.9 % quantile, and the longest.
fn quantiles(sorted: &[Duration]) -> String {
    let at = |thousandths: usize| sorted[(sorted.len() * thousandths / 1000).min(sorted.len() - 1)];
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    format!("{:>9.1} {:>9.1} {:>10.1}", ms(at(500)), ms(at(999)), ms(at(1000)))
}
