//! Counts the instructions of the parts of a turn, which do not depend on the speed of the machine, and compares them
//! with the record: `scripts/bench instructions [--record] [--only WORD]`.
//!
//! Each part plays its game once in one run under valgrind and twice in another; the difference is the count of a game.
//! Counts depend on the compiler and on the features of the processor, so the record names both. Without a record for
//! these, the counts are compared with another one, with a wide margin. Status 1: a part takes too many instructions.

#[path = "script.rs"]
mod script;

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use script::{PARTS, SETTINGS, Script, Setting};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The record.
const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/parts/instructions.csv");

const HEADER: &str = "compiler,processor,part,game,instructions_a_turn\n";

/// The greatest excess over the count on record, as a part of it.
const MARGIN: f64 = 0.05;

/// Likewise where the record is of another compiler or another kind of processor.
const MARGIN_OF_OTHERS: f64 = 0.30;

fn main() -> Outcome<ExitCode> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match &words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => compare(""),
        ["--only", word] => compare(word),
        ["--record"] => record(),
        ["--play", part, setting, times] => play(part.parse()?, setting.parse()?, times.parse()?),
        _ => Err("usage: scripts/bench instructions [--record | --only WORD]".into()),
    }
}

/// Plays a part this number of times: the run that valgrind watches.
fn play(part: usize, setting: usize, times: usize) -> Outcome<ExitCode> {
    let script = Script::new(SETTINGS[setting]);
    let mut play = PARTS[part].1(&script);
    for _ in 0..times {
        play();
    }
    Ok(ExitCode::SUCCESS)
}

/// Compares the count of each part with the record, and prints those that are too high.
fn compare(only: &str) -> Outcome<ExitCode> {
    let here = Environment::here()?;
    let rows = read()?;
    let environment = match rows.last() {
        _ if rows.iter().any(|row| row.environment == here) => here.clone(),
        Some(last) => last.environment.clone(),
        None => return Err(format!("{RECORD} is empty: scripts/bench instructions --record").into()),
    };
    let margin = if environment == here { MARGIN } else { MARGIN_OF_OTHERS };
    println!("instructions a turn, on record for {environment}; at most {:.0} % more", 100.0 * margin);
    if environment != here {
        println!("this is {here}, which has no record of its own");
    }
    let (mut over, mut under) = (0, 0);
    for (part, game, count) in count(only)? {
        let known =
            rows.iter().find(|row| (&row.environment, &row.part, &row.game) == (&environment, &part, &game));
        let Some(known) = known else {
            over += 1;
            println!("{part:<20} {game:<14} {count:>9.0}            not on record");
            continue;
        };
        let change = count / known.count - 1.0;
        let word = match change {
            _ if change > margin => "TOO MUCH",
            _ if change < -margin => "less",
            _ => "",
        };
        over += usize::from(change > margin);
        under += usize::from(change < -margin);
        println!("{part:<20} {game:<14} {count:>9.0} {:>9.0} {:>+7.1} % {word}", known.count, 100.0 * change);
    }
    if over > 0 {
        println!(
            "{over} take too many. If that is intended, `scripts/bench instructions --record` records the current counts; \
             commit scripts/parts/instructions.csv, and say why."
        );
        return Ok(ExitCode::FAILURE);
    }
    if under > 0 {
        println!(
            "{under} take far less than on record: `scripts/bench instructions --record` keeps them there."
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Records the counts of this machine, and keeps those of others.
fn record() -> Outcome<ExitCode> {
    let here = Environment::here()?;
    let mut rows = read()?;
    rows.retain(|row| row.environment != here);
    for (part, game, count) in count("")? {
        rows.push(Row { environment: here.clone(), part, game, count });
    }
    let mut text = HEADER.to_owned();
    for Row { environment, part, game, count } in &rows {
        writeln!(text, "{},{},{part},{game},{count:.1}", environment.compiler, environment.processor)?;
    }
    fs::write(RECORD, text)?;
    println!("recorded for {here}");
    Ok(ExitCode::SUCCESS)
}

/// A row of the record.
struct Row {
    environment: Environment,
    part: String,
    game: String,
    count: f64,
}

fn read() -> Outcome<Vec<Row>> {
    let text = fs::read_to_string(RECORD).unwrap_or_default();
    let row = |line: &str| -> Outcome<Row> {
        let [compiler, processor, part, game, count] = line.split(',').collect::<Vec<_>>()[..] else {
            return Err(format!("{RECORD}: not a row of five columns: {line}").into());
        };
        let environment = Environment { compiler: compiler.to_owned(), processor: processor.to_owned() };
        Ok(Row { environment, part: part.to_owned(), game: game.to_owned(), count: count.parse()? })
    };
    text.lines().skip(1).map(row).collect()
}

/// The environment on which counts depend.
#[derive(Clone, Debug, PartialEq)]
struct Environment {
    compiler: String,
    processor: String,
}

impl Environment {
    fn here() -> Outcome<Environment> {
        let compiler = String::from_utf8(Command::new("rustc").arg("--version").output()?.stdout)?;
        // Some libraries, and the C library, have code for these features. valgrind does not offer newer ones.
        #[cfg(target_arch = "x86_64")]
        let with = if std::arch::is_x86_feature_detected!("avx2") { " with AVX2" } else { "" };
        #[cfg(not(target_arch = "x86_64"))]
        let with = "";
        let processor = format!("{}{with}", std::env::consts::ARCH);
        Ok(Environment { compiler: compiler.trim().to_owned(), processor })
    }
}

impl std::fmt::Display for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} on {}", self.compiler, self.processor)
    }
}

/// Counts the instructions a turn of each part of each game, with one run on each core.
fn count(only: &str) -> Outcome<Vec<(String, String, f64)>> {
    let all = (0..PARTS.len()).flat_map(|part| (0..SETTINGS.len()).map(move |setting| (part, setting)));
    let name = |(part, setting): (usize, usize)| (PARTS[part].0.to_owned(), game(SETTINGS[setting]));
    let wanted: Vec<(usize, usize)> = all.filter(|job| format!("{:?}", name(*job)).contains(only)).collect();
    let next = AtomicUsize::new(0);
    let work = || -> Outcome<Vec<(usize, f64)>> {
        let mut counts = Vec::new();
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(&(part, setting)) = wanted.get(index)
        {
            let turns = Script::new(SETTINGS[setting]).turns.len();
            let [once, twice] = [instructions(part, setting, 1)?, instructions(part, setting, 2)?];
            counts.push((index, (twice - once) as f64 / turns as f64));
        }
        Ok(counts)
    };
    let mut counts = thread::scope(|scope| -> Outcome<Vec<(usize, f64)>> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let counts = workers.into_iter().map(|worker| worker.join().expect("no panic"));
        Ok(counts.collect::<Outcome<Vec<_>>>()?.concat())
    })?;
    counts.sort_by_key(|(index, _)| *index);
    let named = counts.into_iter().map(|(index, count)| {
        let (part, game) = name(wanted[index]);
        (part, game, count)
    });
    Ok(named.collect())
}

fn game((name, values): Setting) -> String {
    let players = values.iter().find(|(name, _)| *name == "p");
    players.map_or(name.to_owned(), |(_, players)| format!("{name} p={players}"))
}

/// Runs this program under valgrind. Returns the number of instructions.
fn instructions(part: usize, setting: usize, times: usize) -> Outcome<u64> {
    let run = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .args(["--play", &part.to_string(), &setting.to_string(), &times.to_string()])
        .output()
        .map_err(|error| format!("valgrind: {error}"))?;
    let said = String::from_utf8_lossy(&run.stderr);
    let count =
        said.lines().find_map(|line| line.split_once("refs:")).map(|(_, count)| count.replace(',', ""));
    match count {
        Some(count) if run.status.success() => Ok(count.trim().parse()?),
        _ => Err(format!("valgrind ends with {} and says {said}", run.status).into()),
    }
}
