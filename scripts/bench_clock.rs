//! Measures the clock on a busy machine. `scripts/bench clock`
//!
//! First table: bots compute for 3 ms in each turn, by their own CPU clock, beside programs that compute for ever. How
//! many are charged less, with the referee's priority and without it (as for an ordinary user, who measures the latter
//! alone)?
//!
//! Second table: bots that need 20 ms of a core under a limit of 50 ms, in more and more games at once. How many are
//! late by elapsed time, and how many by charged time?

use std::error::Error;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use clap::Parser;
use referee_files::{log, results};
use referee_record::row_kind::RowKind;

/// The time that each bot computes in a turn, and its limit.
const NEEDS_MS: u64 = 20;
const LIMIT_MS: u64 = 50;

/// The time that each bot of the first table computes in a turn.
const COMPUTES_MS: u64 = 3;

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
    /// Number of turns in a game of the first table; four bots answer in each.
    #[arg(long, default_value_t = 2500)]
    answers: u32,
    /// Numbers of programs that compute beside a game of the first table.
    #[arg(long, value_delimiter = ',', default_value = "0,8,24")]
    loads: Vec<usize>,
    /// Numbers of games that are played at once.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8")]
    games: Vec<usize>,
    /// Cargo passes this to every bench.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let Options { turns, answers, loads, games, .. } = Options::parse();
    println!("four bots compute for {COMPUTES_MS} ms in each turn; milliseconds");
    println!(
        "{:>5} {:>9} {:>8} | {:>8} {:>10} {:>10}",
        "load", "priority", "answers", "too low", "by at most", "max"
    );
    for load in loads {
        for with_priority in [true, false].into_iter().filter(|with| !with || may_have_priority()) {
            let charged = beside(load, answers, with_priority)?;
            let missing = |charged: &&Duration| Duration::from_millis(COMPUTES_MS).saturating_sub(**charged);
            // The record has whole microseconds.
            let low: Vec<Duration> =
                charged.iter().map(|time| missing(&time)).filter(|time| time.as_micros() > 0).collect();
            let [by, longest] =
                [low.iter().max(), charged.iter().max()].map(|time| time.copied().unwrap_or_default());
            let [by, longest] = [by, longest].map(|time| time.as_secs_f64() * 1000.0);
            let priority = if with_priority { "yes" } else { "no" };
            println!(
                "{load:>5} {priority:>9} {:>8} | {:>8} {by:>10.3} {longest:>10.1}",
                charged.len(),
                low.len()
            );
        }
    }
    println!();
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

/// Tells whether this user may give the referee its priority.
fn may_have_priority() -> bool {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max realtime priority"));
    let is_raised = limit.and_then(|limit| limit.split_whitespace().next()).is_some_and(|limit| limit != "0");
    is_raised || fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// Programs that compute for ever, each in a session of its own.
struct Busy(Vec<Child>);

impl Drop for Busy {
    fn drop(&mut self) {
        for program in &mut self.0 {
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}

/// The test bot that computes.
fn faulty() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_referee")).with_file_name("faulty")
}

/// Plays a game beside some busy programs, and returns what each answer but the first ones was charged.
fn beside(load: usize, turns: u32, with_priority: bool) -> Result<Vec<Duration>, Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    // They end with this program, even if somebody kills it.
    let start = |_| {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "setsid"]).arg(faulty()).arg("busy");
        command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()
    };
    let _busy = Busy((0..load).map(start).collect::<Result<_, _>>()?);
    let bot = format!("{} works --ms {COMPUTES_MS}", faulty().display());
    let referee = env!("CARGO_BIN_EXE_referee");
    let mut command = Command::new(if with_priority { referee } else { "setpriv" });
    if !with_priority {
        command.args(["--bounding-set", "-sys_nice", "--", "prlimit", "--rtprio=0", referee]);
    }
    command.args(["play", "football", "-p", "1", "--stall-turns", "0", "--first-ms", "30000"]);
    command.args(["--max-turns", &turns.to_string(), "--turn-ms", "1000", "--dir"]);
    command.arg(place.path()).args([&bot; 4]).stdout(Stdio::null());
    if !command.status()?.success() {
        return Err("a game could not be played".into());
    }
    let (_, row) = results::read(&place.path().join("results.csv"))?.swap_remove(0);
    let mut all = Turns::default();
    all.read(&place.path().join(row.log))?;
    Ok(all.charged)
}

fn play(games: usize, turns: u32) -> Result<Turns, Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    let bot = format!("{} works --ms {NEEDS_MS}", faulty().display());
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
