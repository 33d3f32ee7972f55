//! Measures how close the referee is to the limits of pipes and the scheduler, and prints which aims are met.
//!
//! Everything is a ratio of two runs that follow each other. Pairs are repeated, and the median of the ratios is the
//! result, with a 95 % confidence interval. If the aim is inside the interval, the machine was not quiet enough, and
//! there is no conclusion.
//!
//! `scripts/bench [--turns N] [--pairs N] [--csv FILE] [--only WORD] [--check]`; `--check` ends with status 3 if an aim
//! is missed.

#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]

mod floor;
mod judges;
mod parts;
mod turns;

use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;

use clap::Parser;
use referee_sandbox::{Choice, Tier, probe};
use referee_table::process::{Setup, Timekeeping};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use judges::CJudge;
use turns::PinnedGame;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A measurement, pair by pair.
struct Measure {
    name: String,
    aim: Aim,
    unit: &'static str,
    /// Measures the pair with this number. Returns the two values that are compared, and the value that is judged.
    pair: Box<dyn FnMut(usize) -> Outcome<[f64; 3]>>,
}

impl Measure {
    fn new(
        name: impl Into<String>,
        aim: Aim,
        unit: &'static str,
        pair: impl FnMut(usize) -> Outcome<[f64; 3]> + 'static,
    ) -> Measure {
        Measure { name: name.into(), aim, unit, pair: Box::new(pair) }
    }
}

#[derive(Clone, Copy)]
enum Aim {
    AtMost(f64),
    AtLeast(f64),
    /// Without an aim, since the value is too noisy; it is printed only.
    None,
}

enum Verdict {
    Met,
    Missed,
    Unclear,
}

/// Measures how close a turn is to a bare poll loop, and which aims are met.
#[derive(Parser)]
struct Options {
    /// Number of turns in a run.
    #[arg(long, default_value_t = 10_000)]
    turns: u32,
    /// Number of pairs of runs that are compared.
    #[arg(long, default_value_t = 9)]
    pairs: usize,
    /// Runs only measurements whose names contain this.
    #[arg(long, default_value = "")]
    only: String,
    /// Writes every pair to this file.
    #[arg(long)]
    csv: Option<PathBuf>,
    /// Ends with status 3 if an aim is missed.
    #[arg(long)]
    check: bool,
    /// Cargo passes this to every bench.
    #[arg(long, hide = true)]
    bench: bool,
    /// Runs as a bot with this number of players.
    #[arg(long, hide = true)]
    bot: Option<usize>,
}

fn main() -> Outcome<ExitCode> {
    let Options { turns, pairs, only, csv, check, bot, .. } = Options::parse();
    if let Some(players) = bot {
        floor::be_a_bot(players)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut csv = csv.map(File::create).transpose()?;
    if let Some(csv) = &mut csv {
        writeln!(csv, "measure,pair,this,other,judged,unit")?;
    }

    println!(
        "{turns} turns a run, {pairs} pairs of runs; games and bots on one core, unless a line says otherwise"
    );
    println!(
        "{:<34} {:>10} {:>10} {:>8} {:>17} {:>8}",
        "", "this", "other", "median", "95 % of medians", "aim"
    );
    let (mut missed, mut unclear) = (0, 0);
    let mut chosen = measures(turns)?;
    chosen.retain(|measure| measure.name.contains(&only));
    if chosen.is_empty() {
        return Err(format!("no measurement has this name: --only '{only}'").into());
    }
    for mut measure in chosen {
        let pairs: Outcome<Vec<[f64; 3]>> = (0..pairs).map(&mut measure.pair).collect();
        let pairs = pairs?;
        match measure.print(&pairs) {
            Verdict::Met => {}
            Verdict::Missed => missed += 1,
            Verdict::Unclear => unclear += 1,
        }
        if let Some(csv) = &mut csv {
            for (pair, [this, other, judged]) in pairs.iter().enumerate() {
                writeln!(csv, "{},{pair},{this:.4},{other:.4},{judged:.4},{}", measure.name, measure.unit)?;
            }
        }
    }
    println!("aims missed: {missed}; unclear: {unclear}");
    Ok(ExitCode::from(if check && missed > 0 { 3 } else { 0 }))
}

/// All measurements.
fn measures(turns: u32) -> Outcome<Vec<Measure>> {
    use Aim::{AtLeast, AtMost};
    let mut all = Vec::new();
    let cores = cores()?;
    let first = cores[0];
    let us = "us a turn";
    for (players, aim) in [(1, 1.10), (10, 1.15), (50, 1.40)] {
        let measure = move |pair| {
            pin(&[first])?;
            in_turn(pair, || turns::play(players, turns, &turns::plain()), || floor::floor(players, turns))
        };
        all.push(Measure::new(format!("turn / floor, p = {players}"), AtMost(aim), us, measure));
    }
    if cores.len() > 1 {
        let cores = cores.clone();
        let measure = move |pair| {
            pin(&cores)?;
            in_turn(pair, || turns::play(10, turns, &turns::plain()), || floor::floor(10, turns))
        };
        all.push(Measure::new("turn / floor, on all cores, p = 10", Aim::None, us, measure));
    }
    let plain = turns::plain();
    let strict = Choice::Only(Tier::Strict);
    if probe::choose(strict, &plain.fork_server, plain.landlock_version_max).is_ok() {
        let measure = move |pair| {
            pin(&[first])?;
            // With its own fork server: the earlier one is not bound to one core.
            let confined = Setup { sandbox: Tier::Strict, ..turns::plain() };
            in_turn(pair, || turns::play(10, turns, &confined), || turns::play(10, turns, &turns::plain()))
        };
        all.push(Measure::new("strict / off, p = 10", AtMost(1.10), us, measure));
    } else {
        println!("strict / off is left out: no strict sandbox works here");
    }
    if probe::choose(Choice::Auto, &plain.fork_server, plain.landlock_version_max).is_ok() {
        all.extend(measures_of_a_judge(first, turns));
    } else {
        println!("judge in C / built-in is left out: no sandbox works here, and judges are always confined");
    }
    let serial = Setup { timekeeping: Timekeeping::Serial, ..turns::plain() };
    let measure = move |pair| {
        pin(&[first])?;
        in_turn(pair, || turns::play(10, turns, &serial), || turns::play(10, turns, &turns::plain()))
    };
    all.push(Measure::new("serial / at once, p = 10", AtMost(1.45), us, measure));
    let measure = move |pair| in_turn(pair, parts::question, parts::itoa_loop);
    all.push(Measure::new("question / itoa, p = 10", AtMost(0.15), "us", measure));
    for (players, aim) in [(1, 20.0), (10, 3.0), (50, 0.6)] {
        let measure = move |_| {
            let time = parts::rules(players)?;
            Ok([time, 1.0, 1.0 / time])
        };
        let name = format!("rules, millions of turns a s, p = {players}");
        all.push(Measure::new(name, AtLeast(aim), us, measure));
    }
    for (players, aim) in [(1, 100.0), (10, 15.0), (50, 5.0)] {
        let measure = move |_| {
            pin(&[first])?;
            let (played, audited) = turns::play_and_audit(players, turns)?;
            Ok([played, audited, played / audited])
        };
        all.push(Measure::new(format!("play / audit, p = {players}"), AtLeast(aim), us, measure));
    }
    match &cores[..] {
        &[one, other, ..] => {
            let measure = move |pair: usize| {
                let alone = |core| turns::at_once(&[PinnedGame { core, players: 10 }], turns);
                let (alone, both) = if pair.is_multiple_of(2) {
                    (alone(one)?, turns::two(one, other, turns)?)
                } else {
                    let both = turns::two(one, other, turns)?;
                    (alone(one)?, both)
                };
                Ok([both, alone, both / alone])
            };
            let name = "two games on two cores / one";
            all.push(Measure::new(name, AtLeast(1.75), "turns a ms", measure));
        }
        _ => println!("two games on two cores are left out: there is one"),
    }
    Ok(all)
}

/// The cost of a turn with a judge, on one core.
fn measures_of_a_judge(core: usize, turns: u32) -> impl Iterator<Item = Measure> {
    let judge = Rc::new(CJudge::default());
    [(1, Aim::None), (10, Aim::AtMost(1.6)), (50, Aim::None)].into_iter().map(move |(players, aim)| {
        let judge = Rc::clone(&judge);
        let measure = move |pair| {
            pin(&[core])?;
            in_turn(pair, || judge.play(players, turns), || turns::play(players, turns, &turns::plain()))
        };
        Measure::new(format!("judge in C / built-in, p = {players}"), aim, "us a turn", measure)
    })
}

/// Measures both sides of a pair, alternating which is first, so that drift affects both.
fn in_turn(
    pair: usize,
    mut this: impl FnMut() -> Outcome<f64>,
    mut other: impl FnMut() -> Outcome<f64>,
) -> Outcome<[f64; 3]> {
    let (this, other) = if pair.is_multiple_of(2) {
        let other = other()?;
        (this()?, other)
    } else {
        (this()?, other()?)
    };
    Ok([this, other, this / other])
}

impl Measure {
    fn print(&self, pairs: &[[f64; 3]]) -> Verdict {
        let column = |index: usize| sorted(pairs.iter().map(|pair| pair[index]).collect());
        let [this, other, judged] = [0, 1, 2].map(|index| median(&column(index)));
        let (low, high) = interval(&column(2));
        let (text, verdict) = match self.aim {
            Aim::AtMost(aim) => (format!("<= {aim:.2}"), verdict(high <= aim, low > aim)),
            Aim::AtLeast(aim) => (format!(">= {aim:.2}"), verdict(low >= aim, high < aim)),
            Aim::None => (String::new(), Verdict::Met),
        };
        let is_judged = !matches!(self.aim, Aim::None);
        let verdict = if is_judged && pairs.len() < PAIRS_MIN { Verdict::Unclear } else { verdict };
        let word = match verdict {
            Verdict::Met => "",
            Verdict::Missed => "missed",
            Verdict::Unclear if pairs.len() < PAIRS_MIN => "too few pairs to tell",
            Verdict::Unclear => "too noisy to tell",
        };
        println!(
            "{:<34} {this:>10.3} {other:>10.3} {judged:>8.3} {low:>8.3}..{high:<7.3} {text:>8} {word}",
            self.name
        );
        verdict
    }
}

/// With fewer values there is no 95 % confidence interval of the median.
const PAIRS_MIN: usize = 6;

fn verdict(met: bool, missed: bool) -> Verdict {
    match (met, missed) {
        (true, _) => Verdict::Met,
        (_, true) => Verdict::Missed,
        _ => Verdict::Unclear,
    }
}

/// The cores that this program may use.
fn cores() -> Outcome<Vec<usize>> {
    let may = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|core| may.is_set(*core)).collect())
}

/// Keeps this thread, and everything that it starts, on these cores.
fn pin(cores: &[usize]) -> Outcome<()> {
    let mut set = CpuSet::new();
    cores.iter().for_each(|core| set.set(*core));
    Ok(sched_setaffinity(None, &set)?)
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

fn median(sorted: &[f64]) -> f64 {
    (sorted[sorted.len() / 2] + sorted[(sorted.len() - 1) / 2]) / 2.0
}

/// Returns a confidence interval of the median, with a probability of at least 95 % for any distribution: from the
/// `k`-th smallest to the `k`-th greatest value. With too few values it spans all of them.
fn interval(sorted: &[f64]) -> (f64, f64) {
    let count = sorted.len();
    // The probability that at most this number of values lie below the median: each does with probability 1/2.
    let (mut term, mut tail, mut outside) = (0.5f64.powi(count as i32), 0.0, 0);
    for below in 0..count / 2 {
        tail += term;
        if tail > 0.025 {
            break;
        }
        outside = below;
        term *= (count - below) as f64 / (below + 1) as f64;
    }
    (sorted[outside], sorted[count - 1 - outside])
}
