//! Measures the cost of each tier of the sandbox: the time from the start of a bot to its first answer, and of a turn.
//! The tiers run one after the other, again and again, on one core with their bots. The result is the ratio to `off`.
//! `scripts/bench sandbox`

#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]

use std::error::Error;
use std::time::{Duration, Instant};

use clap::Parser;
use referee_games::catalog;
use referee_record::Answer;
use referee_record::play::table::{Question, Table};
use referee_rules::{Info, Parameters, Seat, Seed};
use referee_sandbox::{Choice, Tier, probe};
use referee_table::process::{ProcessTable, Program, Setup};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

mod trivial_bot;

/// Measures the cost of each tier of the sandbox.
#[derive(Parser)]
struct Options {
    /// Number of starts of a bot in each tier.
    #[arg(long, default_value_t = 200)]
    starts: usize,
    /// Number of turns after each start.
    #[arg(long, default_value_t = 2_000)]
    turns: u32,
    /// Cargo passes this to every bench.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    // Started as a bot, the program does nothing else, since its start is measured.
    if std::env::args().nth(1).is_some_and(|word| word == "--bot") {
        return Ok(trivial_bot::be_one()?);
    }
    let Options { starts, turns, .. } = Options::parse();

    let mut one = CpuSet::new();
    let may = sched_getaffinity(None)?;
    one.set((0..CpuSet::MAX_CPU).find(|core| may.is_set(*core)).unwrap_or(0));
    sched_setaffinity(None, &one)?;

    let setup = Setup::with(env!("CARGO_BIN_EXE_referee"));
    let tiers = Tier::ALL.into_iter().filter(|tier| {
        let works = probe::choose(Choice::Only(*tier), &setup.fork_server, setup.landlock_version_max);
        works.inspect_err(|why| println!("{tier} is left out: {why}")).is_ok()
    });
    let mut measured: Vec<(Tier, Vec<f64>, Vec<f64>)> =
        tiers.map(|tier| (tier, Vec::new(), Vec::new())).collect();
    for start in 0..starts {
        for (tier, first, turn) in &mut measured {
            let one = measure(&Setup { sandbox: *tier, ..setup.clone() }, turns)?;
            // At the first start of each, the caches are empty.
            if start > 0 {
                first.push(one.0);
                turn.push(one.1);
            }
        }
    }
    println!("{starts} starts of each, {turns} turns a start, one bot, one core; medians");
    println!("{:>9} {:>16} {:>7} {:>10} {:>7}", "tier", "first answer ms", "ratio", "turn us", "ratio");
    let off = measured.iter().find(|(tier, ..)| *tier == Tier::Off).expect("it works everywhere");
    let (first_off, turn_off) = (median(&off.1), median(&off.2));
    for (tier, first, turn) in &measured {
        let (first, turn) = (median(first), median(turn));
        println!(
            "{:>9} {first:>16.2} {:>7.2} {turn:>10.2} {:>7.3}",
            tier.name(),
            first / first_off,
            turn / turn_off
        );
    }
    Ok(())
}

/// Returns the milliseconds from the start to the first answer, and the microseconds a turn after that.
fn measure(setup: &Setup, turns: u32) -> Result<(f64, f64), Box<dyn Error>> {
    let program = Program::new(std::env::current_exe()?, vec!["--bot".into()]);
    let start = Instant::now();
    let mut table = ProcessTable::open(&info(), &vec![Some(program), None].into(), setup)?;
    let limit = Duration::from_secs(60);
    let question = [Question { seat: Seat::new(0), line: b"1 0\n".to_vec(), limit }];
    let mut answers = Vec::new();
    ask(&mut table, &question, &mut answers)?;
    let first = start.elapsed().as_secs_f64() * 1e3;
    let start = Instant::now();
    for _ in 0..turns {
        ask(&mut table, &question, &mut answers)?;
    }
    Ok((first, start.elapsed().as_secs_f64() * 1e6 / f64::from(turns)))
}

fn ask(
    table: &mut ProcessTable,
    question: &[Question],
    answers: &mut Vec<Answer>,
) -> Result<(), Box<dyn Error>> {
    table.ask(question)?;
    table.collect(answers)?;
    if answers[0].integers == [7] { Ok(()) } else { Err(format!("{answers:?}").into()) }
}

fn info() -> Info {
    let entry = catalog::find("target").expect("the game");
    let mut parameters = Parameters::defaults(entry.parameters);
    parameters.set("seats", 2).expect("a parameter");
    entry.start(&parameters, Seed(1)).info().clone()
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}
