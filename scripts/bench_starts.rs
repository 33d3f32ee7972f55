//! Measures the overhead of a game's four bots: from their start to the answers of all four, and until they have
//! ended. In each tier of the sandbox, and as plain children with pipes, one after the other. Figures are medians.
//! `scripts/bench starts`
//!
//! Java's bots start later here than as plain children, also without a sandbox. Part of that is `-XX:+UseSerialGC`,
//! which keeps threads and memory within a bot's limits.

#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]

use std::error::Error;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use clap::Parser;
use referee_games::catalog;
use referee_record::play::table::{Question, Table};
use referee_rules::game::Game;
use referee_rules::{BySeat, Parameters, Seed};
use referee_sandbox::{Choice, Tier, probe};
use referee_table::process::{ProcessTable, Program, Setup};

mod trivial_bot;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A kind of bots: its name, and the command that starts a bot.
type Bots = (&'static str, PathBuf, Vec<String>);

/// Times of a start and of an end, in milliseconds.
type Times = [f64; 2];

const STARTERS: [(&str, &str); 3] = [("python", "Python"), ("javascript", "Node"), ("java", "Java")];

/// Measures the overhead of a game's four bots.
#[derive(Parser)]
struct Options {
    /// Number of starts in each tier, and plainly.
    #[arg(long, default_value_t = 25)]
    starts: usize,
    /// Measures only these bots.
    #[arg(long, value_parser = ["trivial", "Python", "Node", "Java"])]
    bots: Option<String>,
    /// Measures only this tier, and plainly.
    #[arg(long, value_parser = ["strict", "landlock", "off"])]
    r#in: Option<String>,
    /// Cargo passes this to every bench.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Outcome<()> {
    // Started as a bot, the program does nothing else, since its start is measured.
    if std::env::args().nth(1).is_some_and(|word| word == "--bot") {
        return Ok(trivial_bot::be_one()?);
    }
    let Options { starts, bots: wanted, r#in: only, .. } = Options::parse();
    let is_wanted = |wanted: &Option<String>, word: &str| wanted.as_ref().is_none_or(|wanted| wanted == word);
    let setup = Setup::with(env!("CARGO_BIN_EXE_referee"));
    let tiers = Tier::ALL.into_iter().filter(|tier| is_wanted(&only, tier.name())).filter(|tier| {
        let works = probe::choose(Choice::Only(*tier), &setup.fork_server, setup.landlock_version_max);
        works.inspect_err(|why| println!("{tier} is left out: {why}")).is_ok()
    });
    let setups: Vec<Setup> = tiers.map(|tier| Setup { sandbox: tier, ..setup.clone() }).collect();
    let folder = tempfile::tempdir()?;
    println!(
        "Medians of {starts} starts of a game's four bots; milliseconds, and the difference to plain children.\n"
    );
    println!("| bots | how | start to answers | more | farewell | more | both more |");
    println!("| --- | --- | --: | --: | --: | --: | --: |");
    let trivial = Ok(("trivial", std::env::current_exe()?, vec!["--bot".to_owned()]));
    let starters = STARTERS.iter().filter(|(_, name)| is_wanted(&wanted, name));
    let built = starters.map(|(language, name)| built(folder.path(), language, name));
    for bots in std::iter::once(trivial).filter(|_| is_wanted(&wanted, "trivial")).chain(built) {
        match bots {
            Ok(bots) => compare(&bots, &setups, starts)?,
            Err(why) => println!("left out: {why}"),
        }
    }
    Ok(())
}

/// Builds a starter.
fn built(folder: &Path, language: &str, name: &'static str) -> Outcome<Bots> {
    let place = folder.join(language);
    fs::create_dir(&place)?;
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("bots/starters").join(language))? {
        let entry = entry?;
        fs::copy(entry.path(), place.join(entry.file_name()))?;
    }
    let built = Command::new(place.join("build")).output()?;
    if !built.status.success() {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&built.stderr)).into());
    }
    Ok((name, place.join("bot"), Vec::new()))
}

fn compare(bots: &Bots, setups: &[Setup], starts: usize) -> Outcome<()> {
    let mut plain: Vec<Times> = Vec::new();
    let mut tiers: Vec<Vec<Times>> = vec![Vec::new(); setups.len()];
    for start in 0..=starts {
        let mut all = vec![plainly(bots)?];
        for setup in setups {
            all.push(at_a_table(bots, setup)?);
        }
        // At the first start of each, the caches are empty.
        if start > 0 {
            plain.push(all[0]);
            tiers.iter_mut().zip(&all[1..]).for_each(|(tier, times)| tier.push(*times));
        }
    }
    let due = medians(&plain);
    println!("| {} | plain | {:.1} | | {:.1} | | |", bots.0, due[0], due[1]);
    for (setup, times) in setups.iter().zip(&tiers) {
        let is = medians(times);
        let more = [is[0] - due[0], is[1] - due[1]];
        println!(
            "| {} | {} | {:.1} | {:+.1} | {:.1} | {:+.1} | {:+.1} |",
            bots.0,
            setup.sandbox.name(),
            is[0],
            more[0],
            is[1],
            more[1],
            more[0] + more[1]
        );
    }
    Ok(())
}

/// A game and its first questions.
fn game() -> (Box<dyn Game>, Vec<Question>) {
    let entry = catalog::find("football").expect("a game");
    let mut game = entry.start(&Parameters::defaults(entry.parameters), Seed(1));
    let limit = Duration::from_secs(60);
    let questions = game.asked().to_vec().into_iter().map(|seat| {
        let mut line = Vec::new();
        game.question(seat, &mut line);
        Question { seat, line, limit }
    });
    let questions = questions.collect();
    (game, questions)
}

fn at_a_table((_, file, arguments): &Bots, setup: &Setup) -> Outcome<Times> {
    let (game, questions) = game();
    let program = Program::new(file, arguments.iter().map(Into::into).collect());
    let programs: BySeat<Option<Program>> = questions.iter().map(|_| Some(program.clone())).collect();
    let start = Instant::now();
    let mut table = ProcessTable::open(game.info(), &programs, setup)?;
    let mut answers = Vec::new();
    table.ask(&questions)?;
    table.collect(&mut answers)?;
    let started = start.elapsed();
    if let Some(silent) = answers.iter().find(|answer| answer.fault.is_some()) {
        return Err(format!("{}: {silent:?}", setup.sandbox).into());
    }
    let start = Instant::now();
    table.farewell();
    Ok([started, start.elapsed()].map(milliseconds))
}

fn plainly((_, file, arguments): &Bots) -> Outcome<Times> {
    let (_, questions) = game();
    let start = Instant::now();
    let spawn = |_: &Question| {
        let mut command = Command::new(file);
        // Only the variables that a bot gets: others make some runtimes read files.
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.env_clear().env("PATH", path).env("REFEREE_GAME", "football");
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
    };
    let mut bots: Vec<Child> = questions.iter().map(spawn).collect::<io::Result<_>>()?;
    for (bot, question) in bots.iter_mut().zip(&questions) {
        bot.stdin.as_mut().expect("a pipe").write_all(&question.line)?;
    }
    for bot in &mut bots {
        let mut answer = String::new();
        BufReader::new(bot.stdout.as_mut().expect("a pipe")).read_line(&mut answer)?;
        if answer.is_empty() {
            return Err("no answer".into());
        }
    }
    let started = start.elapsed();
    let start = Instant::now();
    bots.iter_mut().for_each(|bot| bot.stdin = None);
    for bot in &mut bots {
        bot.wait()?;
    }
    Ok([started, start.elapsed()].map(milliseconds))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn medians(times: &[Times]) -> Times {
    [0, 1].map(|which| {
        let mut sorted: Vec<f64> = times.iter().map(|times| times[which]).collect();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    })
}
