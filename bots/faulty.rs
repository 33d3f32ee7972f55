//! A bot that misbehaves on demand: the first argument is its kind, then come flags.
//!
//! | kind | what it does | flags |
//! | --- | --- | --- |
//! | `honest` | answers every question | |
//! | `late` | sleeps before each Mth answer | `--every M`, `--ms N` (150) |
//! | `works` | computes before each answer, for `--ms` on a core; with `--threads` in new threads, one after the other; with `--beside` for `--ms` in each of N threads, side by side | `--ms N` (20), `--threads N` (0), `--beside N` (0) |
//! | `wakes` | sleeps before each answer; its threads wake together again and again | `--ms N` (60), `--threads N` (62) |
//! | `burns` | answers at once, but computes all the time | `--threads N` (4) |
//! | `busy` | computes for ever, neither reads nor writes | |
//! | `silent` | reads, never answers | |
//! | `mute` | stops answering, still reads | `--at N` |
//! | `skip` | leaves out each Mth answer | `--every M` |
//! | `deaf` | neither reads nor writes, sleeps | |
//! | `flood` | writes answers without end, does not read | |
//! | `garbage` | writes text, NULs, UTF-8 and a number that is too long, in turn | `--every M` (1) |
//! | `long` | writes a line of more than 64 KiB | `--every M` |
//! | `extra` | writes the answer twice | `--every M` |
//! | `debug` | writes a line of text before the answer; its answers are tagged | `--every M` |
//! | `crash` | aborts | `--at N` |
//! | `exit` | exits | `--at N`, `--status S` (1) |
//! | `closes-stdout` | closes standard output, still reads | `--at N` |
//! | `closes-stdin` | closes standard input, sleeps | `--at N` |
//! | `forks` | first starts a child that holds the pipes open for 20 minutes | |
//! | `half` | writes half an answer and nothing more, still reads | `--at N` |
//! | `split` | writes every answer in two halves | `--ms N` (5) |
//! | `stderr` | writes to standard error before every answer | `--kib N` (64) |
//! | `lingers` | does not leave at the end of input | |
//! | `ends-badly` | exits with status 3 at the end of input | |
//! | `count-short` | leaves out the last integer | `--every M` |
//! | `illegal` | answers integers that are no orders | `--every M` (1) |
//! | `says` | writes what a text says | `--text T`, `--every M` (1), `--banner T` |
//! | `holds-back` | writes its answers at the end of input | |
//! | `word-by-word` | takes each number of a question from a line of its own | |
//! | `pieces` | takes the result of a single read for a question | |
//! | `hoards` | keeps memory from every question | `--kib N` (64) |
//! | `sleeper` | sleeps for 20 minutes: the child of `forks` | |
//!
//! `--every M` (7) counts questions from 1; `--at N` (5) is a turn and counts from 0. With `--tag` each answer begins
//! with `@i`, the number of its question. With `--stamp` (football) player 0 kicks to cell `turn % 1024`, legal
//! or not, so that a record shows for which turn an answer was made.
//!
//! In the text of `says`, `*` is the answer, `<` and `>` its halves, `#` the number of the question and `_` a blank;
//! `\n`, `\r`, `\t`, `\0` and `\xff` are bytes. Braces contain an action: `{5:text}` writes a text five times,
//! `{n:-1}` the number of the question before, `{wait:5}` waits for 5 milliseconds, `{err:4}` writes 4 KiB to standard
//! error, `{close:1}` closes a descriptor, `{raise:9}` sends itself a signal, `{exit:3}` exits, `{again}` executes this
//! program anew, as `honest`. A banner is written before anything is read.

use std::env;
use std::io::{self, BufRead, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{self, Command};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use referee_table::clock::CpuClock;
use rustix::process::{Signal, getpid, kill_process};

/// Plays one game, badly.
pub fn main() {
    let flags = Flags::new();
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    match flags.kind.as_str() {
        "deaf" => sleep_for_ever(),
        "busy" => compute(u64::MAX),
        "burns" => (0..flags.number("threads", 4)).for_each(|_| drop(thread::spawn(|| compute(u64::MAX)))),
        "wakes" => wake_together(flags.number("threads", 62)),
        "sleeper" => thread::sleep(Duration::from_secs(1200)),
        "flood" => flood(&flags, &mut output),
        "forks" => start_sleeper(),
        "pieces" => take_pieces(&mut input, &mut output),
        "says" => {
            let banner = flags.text("banner").unwrap_or_default();
            say(banner, 0, "", &mut output).and_then(|()| output.flush()).expect("the referee is there");
        }
        _ => {}
    }
    let (mut line, mut held) = (String::new(), Vec::new());
    for number in 1u64.. {
        line.clear();
        if read_question(&flags, &mut input, &mut line) == 0 {
            break;
        }
        let integers: Vec<i64> =
            line.split_whitespace().skip(1).map_while(|word| word.parse().ok()).collect();
        if flags.kind == "hoards" {
            held.resize(held.len() + 1024 * flags.number("kib", 64) as usize, 1);
        } else if flags.kind == "holds-back" {
            let _ = answer(&flags, number, &integers, &mut held);
            continue;
        }
        // An error here means the same as the end of input: the referee is gone.
        if answer(&flags, number, &integers, &mut output).and_then(|()| output.flush()).is_err() {
            break;
        }
    }
    match flags.kind.as_str() {
        "lingers" => sleep_for_ever(),
        "ends-badly" => process::exit(3),
        "holds-back" => drop(output.write_all(&held)),
        _ => {}
    }
}

fn read_question(flags: &Flags, input: &mut impl BufRead, line: &mut String) -> usize {
    let first = input.read_line(line).unwrap_or(0);
    if flags.kind == "word-by-word" {
        let count: usize = line.trim().parse().unwrap_or(usize::MAX);
        for _ in 0..count {
            if input.read_line(line).unwrap_or(0) == 0 {
                return 0;
            }
        }
    }
    first
}

/// Takes the result of a single read for a question.
fn take_pieces(input: &mut impl BufRead, output: &mut impl Write) {
    loop {
        let count = input.fill_buf().map_or(0, <[u8]>::len);
        input.consume(count);
        if count == 0 || output.write_all(b"4 4\n").and_then(|()| output.flush()).is_err() {
            process::exit(0);
        }
    }
}

/// Answers one question in the manner of its kind.
fn answer(flags: &Flags, number: u64, question: &[i64], output: &mut impl Write) -> io::Result<()> {
    let is_due = |default| number.is_multiple_of(flags.number("every", default).max(1));
    let (turn, at) = (number - 1, flags.number("at", 5));
    let mut orders = honest(flags, question);
    match flags.kind.as_str() {
        "late" if is_due(7) => flags.sleep("ms", 150),
        "works" => match flags.number("beside", 0) {
            0 => work(flags.number("ms", 20), flags.number("threads", 0)),
            threads => work_beside(flags.number("ms", 20), threads),
        },
        "wakes" => flags.sleep("ms", 60),
        "silent" => return Ok(()),
        "mute" if turn >= at => return Ok(()),
        "skip" if is_due(7) => return Ok(()),
        "garbage" if is_due(1) => return write_garbage(number, output),
        "long" if is_due(7) => return writeln!(output, "{}", "4 ".repeat(40 * 1024)),
        // Both lines are written at once. Otherwise the second could come after the next question, as its answer.
        "extra" if is_due(7) => return output.write_all(text(flags, number, &orders).repeat(2).as_bytes()),
        "debug" if is_due(7) => writeln!(output, "turn {}: all is well", question.first().unwrap_or(&0))?,
        "crash" if turn == at => process::abort(),
        "exit" if turn == at => process::exit(flags.number("status", 1) as i32),
        "closes-stdout" if turn >= at => {
            if turn == at {
                close(1);
            }
            return Ok(());
        }
        "closes-stdin" if turn == at => {
            close(0);
            sleep_for_ever();
        }
        "half" if turn > at => return Ok(()),
        "half" if turn == at => {
            let line = text(flags, number, &orders);
            return output.write_all(&line.as_bytes()[..line.len() / 2]);
        }
        "split" => return write_split(flags, &text(flags, number, &orders), output),
        "stderr" => io::stderr().write_all(&vec![b'e'; 1024 * flags.number("kib", 64) as usize])?,
        "count-short" if is_due(7) => drop(orders.pop()),
        "says" if is_due(1) => {
            let template = flags.text("text").expect("--text");
            return say(template, number, text(&Flags::default(), number, &orders).trim_end(), output);
        }
        "illegal" if is_due(1) => orders.fill(99_999),
        _ => {}
    }
    write_line(flags, number, &orders, output)
}

/// Returns a simple answer, legal in most positions.
fn honest(flags: &Flags, question: &[i64]) -> Vec<i64> {
    match env::var("REFEREE_GAME").as_deref() {
        Ok("foosball") => [[0; 22].as_slice(), &[100; 4]].concat(), // 22 men in the middle, 4 on the bench
        Ok("target") => vec![2],                                    // stays
        Ok("push") => push(question).to_vec(),
        _ => {
            let [turn, _seat, p, ..] = question else { return Vec::new() };
            let mut orders = vec![if *turn == 0 { 528 } else { 4 }; *p as usize]; // to the middle; stay
            if *turn > 0 && flags.has("stamp") {
                orders[0] = 9 + turn % 1024;
            }
            orders
        }
    }
}

/// Makes the first push in reading order that is valid.
fn push(question: &[i64]) -> [i64; 2] {
    // Rows and columns along the two axes NE-SW and E-W: each direction is then the same step from every slot.
    const STEPS: [(i64, i64); 6] = [(-1, -1), (-1, 0), (0, -1), (0, 1), (1, 0), (1, 1)];
    const DIRECTIONS: [[usize; 3]; 6] = [[3, 5, 4], [5, 4, 2], [4, 2, 0], [2, 0, 1], [0, 1, 3], [1, 3, 5]];
    let [_turn, _turns, seat, rest @ ..] = question else { return [0, 0] };
    let slots: Vec<(i64, i64)> = (0..9)
        .flat_map(|row| ((row - 4).max(0)..=(row + 4).min(8)).map(move |column| (row, column)))
        .collect();
    for ((slot, (row, column)), coins) in slots.iter().enumerate().zip(rest) {
        for direction in DIRECTIONS[*seat as usize % 6] {
            let (down, right) = STEPS[direction];
            if *coins > 0 && slots.contains(&(row + down, column + right)) {
                return [slot as i64, direction as i64];
            }
        }
    }
    [0, 0] // nothing can be pushed: anything will do
}

fn write_line(flags: &Flags, number: u64, orders: &[i64], output: &mut impl Write) -> io::Result<()> {
    output.write_all(text(flags, number, orders).as_bytes())
}

/// Returns an answer as it should be written.
fn text(flags: &Flags, number: u64, orders: &[i64]) -> String {
    let tag = (flags.has("tag") || flags.kind == "debug").then(|| format!("@{number}"));
    let words: Vec<String> = tag.into_iter().chain(orders.iter().map(i64::to_string)).collect();
    words.join(" ") + "\n"
}

/// Writes a line in two halves, with a pause between them.
fn write_split(flags: &Flags, line: &str, output: &mut impl Write) -> io::Result<()> {
    let (front, back) = line.as_bytes().split_at(line.len() / 2);
    output.write_all(front)?;
    output.flush()?;
    flags.sleep("ms", 5);
    output.write_all(back)
}

fn write_garbage(number: u64, output: &mut impl Write) -> io::Result<()> {
    output.write_all(match number % 4 {
        0 => b"I would rather kick\n",
        1 => b"\0\0\0 4\n",
        2 => "vier \u{2468} \u{1f600}\n".as_bytes(),
        _ => b"99999999999999999999999999999999999999999999\n",
    })
}

/// Writes the text of a template and performs its actions. Text without an action in between is written at once.
/// Otherwise the referee could read a part of it as an answer to the next question.
fn say(template: &str, number: u64, answer: &str, output: &mut impl Write) -> io::Result<()> {
    let mut output = io::BufWriter::with_capacity(8 << 20, output);
    let (front, back) = answer.split_at(answer.len() / 2);
    let mut rest = template.chars();
    while let Some(next) = rest.next() {
        match next {
            '*' => output.write_all(answer.as_bytes())?,
            '<' => output.write_all(front.as_bytes())?,
            '>' => output.write_all(back.as_bytes())?,
            '#' => write!(output, "{number}")?,
            '_' => output.write_all(b" ")?,
            '\\' => {
                let byte = match rest.next() {
                    Some('n') => b'\n',
                    Some('r') => b'\r',
                    Some('t') => b'\t',
                    Some('0') => 0,
                    _ => {
                        let digits: String = rest.by_ref().take(2).collect();
                        u8::from_str_radix(&digits, 16).expect("\\x and two digits")
                    }
                };
                output.write_all(&[byte])?;
            }
            '{' => {
                let (what, after) = rest.as_str().split_once('}').expect("a closing brace");
                rest = after.chars();
                if !what.starts_with(|first: char| first.is_ascii_digit()) {
                    output.flush()?;
                }
                perform(what, number, answer, &mut output)?;
            }
            other => write!(output, "{other}")?,
        }
    }
    output.flush()
}

/// Performs the action in braces.
fn perform(what: &str, number: u64, answer: &str, output: &mut impl Write) -> io::Result<()> {
    let (verb, object) = what.split_once(':').unwrap_or((what, ""));
    let amount = || object.parse::<i64>().expect("a number");
    match verb {
        "n" => write!(output, "{}", number as i64 + amount())?,
        "wait" => thread::sleep(Duration::from_millis(amount() as u64)),
        "err" => io::stderr().write_all(&vec![b'e'; 1024 * amount() as usize])?,
        "close" => close(amount() as i32),
        "raise" => {
            let signal = Signal::from_named_raw(amount() as i32).expect("a signal");
            kill_process(getpid(), signal)?;
        }
        "exit" => process::exit(amount() as i32),
        "again" => return Err(Command::new(env::current_exe()?).arg("honest").exec()),
        times => {
            let mut piece = Vec::new();
            say(object, number, answer, &mut piece)?;
            output.write_all(&piece.repeat(times.parse().expect("a number of times")))?;
        }
    }
    Ok(())
}

/// Writes answers until the pipe is closed.
fn flood(flags: &Flags, output: &mut impl Write) {
    for number in 1.. {
        if write_line(flags, number, &[4; 10], output).is_err() {
            return;
        }
    }
}

/// Computes for `ms` milliseconds, in this thread or in new ones, one after the other.
fn work(ms: u64, threads: u64) {
    if threads == 0 {
        return compute(ms);
    }
    for _ in 0..threads {
        thread::spawn(move || compute(ms / threads)).join().expect("a thread that computes");
    }
}

/// Computes for `ms` milliseconds in each of some threads, side by side.
fn work_beside(ms: u64, threads: u64) {
    let threads: Vec<_> = (0..threads).map(|_| thread::spawn(move || compute(ms))).collect();
    threads.into_iter().for_each(|thread| thread.join().expect("a thread that computes"));
}

/// Computes until this thread has run for `ms` more milliseconds on a core.
fn compute(ms: u64) {
    let clock = CpuClock::of_this_thread();
    let computed = || clock.read().expect("a thread has a clock");
    let until = computed().saturating_add(Duration::from_millis(ms));
    while computed() < until {
        (0..10_000).for_each(|number| {
            std::hint::black_box(number);
        });
    }
}

/// Starts threads that wake at the same moments, for ever: all but the first few wait for a core.
fn wake_together(threads: u64) {
    let moments = Arc::new(Barrier::new(threads as usize));
    for _ in 0..threads {
        let moments = Arc::clone(&moments);
        thread::spawn(move || {
            loop {
                if moments.wait().is_leader() {
                    thread::sleep(Duration::from_millis(1));
                }
            }
        });
    }
}

/// Starts this program once more, with the pipes of this one.
#[expect(clippy::zombie_processes, reason = "that the child outlives its parent is the point")]
fn start_sleeper() {
    // The kind is one argument among several when another program includes this one.
    let arguments = env::args().skip(1).map(|word| if word == "forks" { "sleeper".to_owned() } else { word });
    let program = env::current_exe().expect("a program has a path");
    Command::new(program).args(arguments).spawn().expect("this program can be started");
}

#[expect(unsafe_code, reason = "the standard library closes its own streams in no other way")]
fn close(descriptor: i32) {
    // SAFETY: nothing here uses the descriptor again except through the standard streams, which do without it.
    drop(unsafe { OwnedFd::from_raw_fd(descriptor) });
}

fn sleep_for_ever() -> ! {
    loop {
        thread::sleep(Duration::from_secs(3600));
    }
}

/// The command line.
#[derive(Default)]
struct Flags {
    kind: String,
    words: Vec<String>,
}

impl Flags {
    /// Finds the kind: the word before the first flag.
    fn new() -> Flags {
        let words: Vec<String> = env::args().collect();
        let first_flag = words.iter().position(|word| word.starts_with("--")).unwrap_or(words.len());
        Flags { kind: words[..first_flag].last().expect("a program has a name").clone(), words }
    }

    fn has(&self, name: &str) -> bool {
        self.words.iter().any(|word| word.strip_prefix("--") == Some(name))
    }

    fn text(&self, name: &str) -> Option<&str> {
        let flag = self.words.iter().position(|word| word.strip_prefix("--") == Some(name))?;
        Some(&self.words[flag + 1])
    }

    fn number(&self, name: &str, default: u64) -> u64 {
        let value = self.text(name).map(|text| text.parse().expect("a flag's value is a whole number"));
        value.unwrap_or(default)
    }

    fn sleep(&self, name: &str, default: u64) {
        thread::sleep(Duration::from_millis(self.number(name, default)));
    }
}
