//! A judge that makes a mistake on demand, as the program `judge MISTAKE`. The referee starts judges without
//! arguments, so [`judge`] writes the mistake into a copy of the program.
//!
//! Its game: two to four seats answer a number from 0 to 9 in each turn, and the greatest sum wins. A mistake is a
//! function that is called at a point of the game. It sees the position and the lines that the judge is about to print,
//! and can change both. [`mistakes`] and [`checking`] list them, each with a part of the referee's error.

pub mod checking;
pub mod mistakes;
pub mod rare;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::{self, BufRead, StdinLock, Write};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::{env, fs, panic, process};

use crate::support::{Beside, Place};

/// The program.
pub static JUDGE: Beside = Beside::named("judge");

/// The place in the program for the name of a mistake, after the mark.
#[used]
static ROOM: [u8; 80] = *b"MISTAKE OF THIS JUDGE: none                                                     ";

/// Number of bytes of its mark.
const MARK: usize = 23;

/// Makes a judge with this mistake.
pub fn judge(place: &Place, file: &str, mistake: &str) -> PathBuf {
    static PROGRAM: OnceLock<(Vec<u8>, usize)> = OnceLock::new();
    let (program, room) = PROGRAM.get_or_init(|| {
        let program = fs::read(&*JUDGE).expect("the program");
        let room = program.windows(MARK).position(|bytes| bytes == &ROOM[..MARK]).expect("its room");
        (program, room + MARK)
    });
    assert!(mistakes::find(mistake).is_some(), "no mistake {mistake}");
    let mut copy = program.clone();
    let name = format!("{mistake:<width$}", width = ROOM.len() - MARK);
    copy[*room..*room + name.len()].copy_from_slice(name.as_bytes());
    place.program(file, copy).into()
}

/// A point at which a judge can make its mistake: the request that it answers, or what it shows after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    Describe,
    Start,
    /// A position in which seats are asked.
    Ask,
    /// The last position.
    Over,
    Check,
    Sample,
    Answer,
    Fault,
    Go,
    Ahead,
    Facts,
    /// All of these.
    Any,
}

/// The position.
#[derive(Debug, Default)]
pub struct Game {
    pub seats: usize,
    pub side: i64,
    pub length: i64,
    pub turn: i64,
    pub sums: Vec<i64>,
    pub given: BTreeMap<usize, i64>,
    /// The answers that were checked since the last turn; `None` if one was malformed.
    pub checked: Option<BTreeMap<usize, i64>>,
    /// Number of answers that were checked.
    pub checks: u32,
    /// Number of faults by seat.
    pub lost: BTreeMap<usize, u32>,
    /// What follows the colon in the mistake.
    pub object: String,
}

/// A point of the game, as a mistake sees it.
#[derive(Debug)]
pub struct Moment<'a> {
    pub point: Point,
    /// The lines that will be printed.
    pub out: Vec<String>,
    pub seat: usize,
    pub numbers: &'a [i64],
    /// The kind of a fault.
    pub kind: &'a str,
}

impl Moment<'_> {
    /// Adds a line before the last one, which is `end`.
    pub fn before_end(&mut self, line: impl Into<String>) {
        self.out.insert(self.out.len() - 1, line.into());
    }

    /// Adds a line before all others.
    pub fn first(&mut self, line: impl Into<String>) {
        self.out.insert(0, line.into());
    }

    /// Replaces the line of this number from the end: 0 is `end`, 1 `scores`, 2 `over`.
    pub fn replace(&mut self, from_end: usize, line: impl Into<String>) {
        let at = self.out.len() - 1 - from_end;
        self.out[at] = line.into();
    }

    /// Replaces the facts of the board.
    pub fn board(&mut self, facts: &[&str]) {
        self.out.truncate(self.out.len() - 5);
        self.out.extend(facts.iter().chain(&["end"]).map(|fact| (*fact).to_owned()));
    }
}

const NOTHING: &[&str] = &[];

/// Writes bytes at once.
fn write(bytes: &[u8]) {
    let mut output = io::stdout().lock();
    // An error means that the referee is gone.
    if output.write_all(bytes).and_then(|()| output.flush()).is_err() {
        process::exit(0);
    }
}

/// A judge that is running.
struct Judge {
    game: Game,
    mistake: &'static mistakes::Mistake,
    input: StdinLock<'static>,
}

/// The program: judges games until its input ends.
pub fn main() {
    // The last line is the message.
    panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    let room = String::from_utf8_lossy(&black_box(&ROOM)[MARK..]).trim_end().to_owned();
    let name = env::args().nth(1).unwrap_or(room);
    let mistake = mistakes::find(&name).expect("a mistake of the list");
    let object = name.split_once(':').map(|(_, object)| object.to_owned()).unwrap_or_default();
    Judge { game: Game { object, ..Game::default() }, mistake, input: io::stdin().lock() }.serve();
}

impl Judge {
    fn line(&mut self) -> String {
        let mut line = String::new();
        if !self.input.read_line(&mut line).is_ok_and(|count| count > 0) {
            process::exit(0);
        }
        line
    }

    fn serve(&mut self) {
        loop {
            let line = self.line();
            let mut words = line.split_ascii_whitespace();
            let word = words.next().unwrap_or_default();
            let rest: Vec<&str> = words.collect();
            let numbers: Vec<i64> = rest.iter().map_while(|word| word.parse().ok()).collect();
            match word {
                "describe" => self.say(Point::Describe, &description(self.mistake.lines), &[], ""),
                "start" => self.start(&numbers),
                "check" => self.check(&numbers),
                "sample" => {
                    write(b"draw sample 0 1 0 1 2 3 4 5 6 7 8 9\n");
                    let drawn = self.line().replace("drawn", "answer");
                    self.say(Point::Sample, &[drawn.trim_end()], &numbers, "");
                }
                "answer" => {
                    self.game.given.insert(numbers[0] as usize, numbers[1]);
                    self.say(Point::Answer, NOTHING, &numbers, "");
                }
                "fault" => {
                    *self.game.lost.entry(numbers[0] as usize).or_default() += 1;
                    self.say(Point::Fault, NOTHING, &numbers, rest[1]);
                }
                "go" => self.go(),
                "ahead" => {
                    self.say(Point::Ahead, NOTHING, &[], "");
                    if let Some(checked) = self.game.checked.replace(BTreeMap::new()) {
                        self.game.given = checked;
                        self.go();
                    }
                }
                "facts" => {
                    let scores = self.game.sums.iter().enumerate();
                    let mut facts: Vec<String> =
                        scores.map(|(seat, sum)| format!("fact score {seat} -1 {sum}")).collect();
                    facts.extend(
                        ["rows -1 -1 3", "columns -1 -1 4", "player 0 -1 0", "player 1 0 11"]
                            .map(|fact| format!("fact {fact}")),
                    );
                    facts.push("end".to_owned());
                    self.say(Point::Facts, &facts, &[], "");
                }
                _ => {}
            }
        }
    }

    /// Returns lines as the mistake changes them. `numbers` begins with the seat.
    fn changed(&mut self, point: Point, lines: Vec<String>, numbers: &[i64], kind: &str) -> Vec<String> {
        let (seat, numbers) = numbers.split_first().unwrap_or((&0, &[]));
        let mut moment = Moment { point, out: lines, seat: *seat as usize, numbers, kind };
        if [point, Point::Any].contains(&self.mistake.point) {
            (self.mistake.act)(&mut self.game, &mut moment);
        }
        moment.out
    }

    /// Prints them.
    fn say(&mut self, point: Point, lines: &[impl AsRef<str>], numbers: &[i64], kind: &str) {
        let lines = lines.iter().map(|line| line.as_ref().to_owned()).collect();
        let lines = self.changed(point, lines, numbers, kind);
        if !lines.is_empty() {
            write((lines.join("\n") + "\n").as_bytes());
        }
    }

    fn start(&mut self, numbers: &[i64]) {
        let [seats, side, length] = *numbers else { panic!("{} numbers", numbers.len()) };
        let object = std::mem::take(&mut self.game.object);
        let (seats, checked) = (seats as usize, Some(BTreeMap::new()));
        self.game = Game { seats, side, length, sums: vec![0; seats], checked, object, ..Game::default() };
        self.say(Point::Start, NOTHING, &[], "");
        self.show(Vec::new());
    }

    fn check(&mut self, numbers: &[i64]) {
        let answer = match numbers {
            [seat, answer @ 0..=9] => Some((*seat as usize, *answer)),
            _ => None,
        };
        self.game.checks += 1;
        match (&mut self.game.checked, answer) {
            (Some(checked), Some((seat, answer))) => drop(checked.insert(seat, answer)),
            (checked, _) => *checked = None,
        }
        let verdict = if answer.is_some() { "fine" } else { "malformed a number from 0 to 9 is due" };
        self.say(Point::Check, &[verdict], numbers, "");
    }

    fn go(&mut self) {
        let given = self.game.given.iter();
        let effects = given.map(|(seat, number)| format!("effect sum {seat} {number}")).collect();
        let effects = self.changed(Point::Go, effects, &[], "");
        for (seat, number) in std::mem::take(&mut self.game.given) {
            self.game.sums[seat] += number;
        }
        self.game.turn += 1;
        self.game.checked = Some(BTreeMap::new());
        self.show(effects);
    }

    /// Prints a position after these lines.
    fn show(&mut self, mut lines: Vec<String>) {
        let Game { seats, length, turn, ref sums, .. } = self.game;
        let sums = sums.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
        if turn < length {
            lines.extend((0..seats).map(|seat| format!("ask {seat} {turn} {seat} {sums}")));
        } else {
            lines.extend(["over turns".to_owned(), format!("scores {sums}")]);
        }
        lines.push("end".to_owned());
        self.say(if turn < length { Point::Ask } else { Point::Over }, &lines, &[], "");
    }
}

/// Returns the description of the game, with more lines.
fn description(more: &[&'static str]) -> Vec<&'static str> {
    let [first, rest @ ..] = [
        "game sums 1",
        "seats 2 4",
        "turns 6",
        "parameter side 5 1 9 unused",
        "parameter length 4 1 6 turns",
        "label Alps",
        "end",
    ];
    [&[first], more, &rest].concat()
}
