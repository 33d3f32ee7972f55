//! Measures a turn of the referee against the floor: a bare poll loop around the same bots, with the same bytes, no
//! rules and no record. Both run in turn, pinned to one core with their bots; what counts is the ratio of pairs.
//!
//! `scripts/bench [--turns N] [--pairs N] [--csv FILE]`

#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]

use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use referee::catalog;
use referee::game::Game;
use referee::play::play;
use referee::record::log::{GameLog, LogFile};
use referee::record::{BotName, Digest, Heading};
use referee::rules::{BySeat, Parameters, Seed};
use referee::table::process::{ProcessTable, Program, Setup};
use referee::table::{Answer, Question, Table, TableError};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::thread::{CpuSet, sched_setaffinity};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [first, players] = &words[..]
        && first == "--bot"
    {
        return Ok(be_a_bot(players.parse()?)?);
    }
    let option =
        |name: &str| words.iter().position(|word| word == name).and_then(|index| words.get(index + 1));
    let turns: u32 = option("--turns").map_or(Ok(10_000), |text| text.parse())?;
    let pairs: usize = option("--pairs").map_or(Ok(9), |text| text.parse())?;
    let mut csv = option("--csv").map(File::create).transpose()?;

    pin_to_one_core()?;
    println!("{turns} turns a run, {pairs} pairs of runs, one core; microseconds a turn");
    println!(
        "{:>4} {:>8} {:>8} {:>7} {:>16} {:>8} {:>8}",
        "p", "floor", "referee", "ratio", "from..to", "rules", "record"
    );
    if let Some(csv) = &mut csv {
        writeln!(csv, "p,pair,floor_us,referee_us,ratio,rules_us,record_us")?;
    }
    for players in [1, 10, 50] {
        let mut measured = Vec::new();
        for pair in 0..pairs {
            // Now one first, now the other: what drifts meets both.
            let (floor, referee) = if pair % 2 == 0 {
                let floor = floor(players, turns)?;
                (floor, referee(players, turns)?)
            } else {
                let referee = referee(players, turns)?;
                (floor(players, turns)?, referee)
            };
            let Measured { whole, rules, record } = referee;
            let ratio = whole / floor;
            if let Some(csv) = &mut csv {
                writeln!(csv, "{players},{pair},{floor:.3},{whole:.3},{ratio:.4},{rules:.3},{record:.3}")?;
            }
            measured.push([floor, whole, ratio, rules, record]);
        }
        let column = |index: usize| sorted(measured.iter().map(|measured| measured[index]).collect());
        let [floor, whole, ratio, rules, record] = [0, 1, 2, 3, 4].map(|index| median(&column(index)));
        let ratios = column(2);
        println!(
            "{players:>4} {floor:>8.2} {whole:>8.2} {ratio:>7.3} {:>7.3}..{:<7.3} {rules:>8.2} {record:>8.2}",
            ratios[0],
            ratios[ratios.len() - 1]
        );
    }
    Ok(())
}

/// Keeps this program and all that it starts on the first core that it may use.
fn pin_to_one_core() -> io::Result<()> {
    let may = rustix::thread::sched_getaffinity(None)?;
    let first = (0..CpuSet::MAX_CPU).find(|core| may.is_set(*core)).unwrap_or(0);
    let mut one = CpuSet::new();
    one.set(first);
    Ok(sched_setaffinity(None, &one)?)
}

/// The bot of both: reads a line, writes a line that was made before. In every turn half of its players kick a ball
/// onto their own cell, the others step to and fro, so that the rules and the record have something to do.
fn be_a_bot(players: usize) -> io::Result<()> {
    let mut input = io::BufReader::with_capacity(64 * 1024, io::stdin().lock());
    let mut output = io::stdout().lock();
    let mut question = Vec::new();
    let join = |orders: Vec<usize>| orders.iter().map(usize::to_string).collect::<Vec<_>>().join(" ") + "\n";
    let seat: usize = std::env::var("REFEREE_SEAT").ok().and_then(|seat| seat.parse().ok()).unwrap_or(0);
    let cell = move |player: usize| 33 + 240 * seat + 2 * player;
    let orders =
        |step: usize| (0..players).map(move |player| if player % 2 == 0 { 9 + cell(player) } else { step });
    let lines =
        [join((0..players).map(cell).collect()), join(orders(5).collect()), join(orders(3).collect())];
    for turn in 0.. {
        question.clear();
        if input.read_until(b'\n', &mut question)? == 0 {
            break;
        }
        let line = if turn == 0 { 0 } else { 1 + turn % 2 };
        output.write_all(lines[line].as_bytes())?;
        output.flush()?;
    }
    Ok(())
}

fn game(players: u32, turns: u32) -> (Parameters, Box<dyn Game>) {
    let entry = catalog::find("football").expect("the game");
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in [("p", players.into()), ("max_turns", turns.into()), ("stall_turns", 0)] {
        parameters.set(name, value).expect("a value in range");
    }
    let game = entry.start(&parameters, Seed(1));
    (parameters, game)
}

/// Microseconds a turn of a bare loop: write four lines, poll, read four lines.
fn floor(players: u32, turns: u32) -> Result<f64, Box<dyn Error>> {
    let (_, mut game) = game(players, turns);
    let mut bots: Vec<(Child, OwnedFd, OwnedFd)> = Vec::new();
    let mut lines = Vec::new();
    for &seat in &game.asked().to_vec() {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--bot", &players.to_string()])
            .env("REFEREE_SEAT", seat.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take().ok_or("a pipe")?.into();
        let stdout = child.stdout.take().ok_or("a pipe")?.into();
        bots.push((child, stdin, stdout));
        let mut line = Vec::new();
        game.question(seat, &mut line);
        lines.push(line);
    }
    let mut buffer = [0; 16 * 1024];
    let mut start = Instant::now();
    for turn in 0..=turns {
        for ((_, stdin, _), line) in bots.iter().zip(&lines) {
            let written = rustix::io::write(stdin, line)?;
            assert_eq!(written, line.len());
        }
        let mut waited_for: Vec<usize> = (0..bots.len()).collect();
        while !waited_for.is_empty() {
            let mut polled: Vec<PollFd<'_>> = waited_for
                .iter()
                .map(|&bot| PollFd::from_borrowed_fd(bots[bot].2.as_fd(), PollFlags::IN))
                .collect();
            poll(&mut polled, None)?;
            let ready: Vec<bool> = polled.iter().map(|fd| !fd.revents().is_empty()).collect();
            let mut index = 0;
            let mut ended = false;
            waited_for.retain(|&bot| {
                index += 1;
                if !ready[index - 1] {
                    return true;
                }
                let count = rustix::io::read(&bots[bot].2, &mut buffer[..]).unwrap_or(0);
                ended |= count == 0;
                count == 0 || buffer[count - 1] != b'\n'
            });
            if ended {
                return Err("a bot has ended".into());
            }
        }
        if turn == 0 {
            start = Instant::now();
        }
    }
    let elapsed = start.elapsed();
    for (mut child, stdin, _) in bots {
        drop(stdin);
        child.wait()?;
    }
    Ok(per_turn(elapsed, turns))
}

/// Microseconds a turn of the referee, with rules and record.
fn referee(players: u32, turns: u32) -> Result<Measured, Box<dyn Error>> {
    let (parameters, mut game) = game(players, turns);
    let folder = tempfile::tempdir()?;
    let setup = Setup::with(env!("CARGO_BIN_EXE_referee"));
    let arguments = vec!["--bot".into(), players.to_string().into()];
    let program = Program::new(std::env::current_exe()?, arguments);
    let bot = BotName { name: "bench".to_owned(), version: 1, digest: Digest::of(b"") };
    let heading = Heading::new("bench", &*game, &parameters, BySeat::from_fn(4, |_| bot.clone()));
    let mut log = GameLog::begin(&heading, LogFile::create(&folder.path().join("log.csv"))?);
    let table = ProcessTable::open(game.info(), &BySeat::from_fn(4, |_| Some(program.clone())), &setup)?;
    let (rules, record) = (Duration::ZERO, Duration::ZERO);
    let mut table = Timed { table, start: None, left: Instant::now(), rules, record };
    let outcome = play(&mut *game, &mut table, &mut log)?;
    let elapsed = table.start.ok_or("no turn was played")?.elapsed();
    assert_eq!(outcome.reason, "max_turns");
    let (rules, record) = (table.rules, table.record);
    drop(table);
    let (_, _, tally) = log.finish();
    for kind in referee::rules::FaultKind::ALL {
        assert_eq!(tally.faults(referee::rules::Seat::new(0), kind), 0, "{}", kind.name());
    }
    let [whole, rules, record] = [elapsed, rules, record].map(|time| per_turn(time, turns));
    Ok(Measured { whole, rules, record })
}

/// Microseconds a turn: all of it, and what of it rules and record take.
#[derive(Clone, Copy)]
struct Measured {
    whole: f64,
    rules: f64,
    record: f64,
}

/// A table that notes when its first turn was over (from then on all bots are there), and how long others take:
/// between the answers and the next questions it is the rules' time, between questions and answers the record's.
struct Timed {
    table: ProcessTable,
    start: Option<Instant>,
    left: Instant,
    rules: Duration,
    record: Duration,
}

impl Table for Timed {
    fn put(&mut self, questions: &[Question]) -> Result<(), TableError> {
        self.rules += self.left.elapsed();
        let put = self.table.put(questions);
        self.left = Instant::now();
        put
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        self.record += self.left.elapsed();
        self.table.collect(answers)?;
        self.left = Instant::now();
        self.start.get_or_insert(self.left);
        Ok(())
    }
}

fn per_turn(elapsed: Duration, turns: u32) -> f64 {
    elapsed.as_secs_f64() * 1e6 / f64::from(turns)
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

fn median(sorted: &[f64]) -> f64 {
    (sorted[sorted.len() / 2] + sorted[(sorted.len() - 1) / 2]) / 2.0
}
