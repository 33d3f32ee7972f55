//! Built-in games implemented again as judges: Push in Python, football in C. The same answers lead to the
//! same log.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use referee_files::audit::audit_log;
use referee_games::catalog::{self, Entry};
use referee_record::Answer;
use referee_record::play::table::{Question, Table, TableError};
use referee_rules::{Dice, Parameters, Seat, Seed};
use serde_json::Value;

use super::{log_of, open, project};
use crate::original;
use crate::support::Place;
use referee_testutil::simulated::SimulatedTable;

/// A built-in game and its judge.
struct Twins {
    place: Place,
    judge: Entry,
    built_in: &'static Entry,
}

impl Twins {
    fn push() -> Twins {
        let judge = open(&project("tests/judge/push.py")).unwrap();
        Twins { place: Place::new(), judge, built_in: catalog::find("push").unwrap() }
    }

    fn football() -> Twins {
        let place = Place::new();
        let program = place.path("football");
        let mut compiler = Command::new("cc");
        compiler.args(["-O2", "-o"]).arg(&program).arg(project("tests/judge/football.c"));
        // A Rust toolchain needs `cc`, so it is installed.
        let compiled = compiler.output().expect("cc");
        assert!(compiled.status.success(), "{compiled:?}");
        let judge = open(&program).unwrap();
        Twins { place, judge, built_in: catalog::find("football").unwrap() }
    }

    /// Plays a game with each, and makes sure that the logs differ only in the name of the game. Returns the
    /// log.
    fn play<T: Table>(&self, seed: Seed, set: &[(&str, i64)], table: impl Fn() -> T) -> String {
        let [theirs, ours] = [&self.judge, self.built_in].map(|entry| {
            let path = self.place.path(&format!("{}.csv", entry.name));
            let _ = fs::remove_file(&path);
            let mut parameters = Parameters::defaults(entry.parameters);
            set.iter().for_each(|(name, value)| parameters.set(name, *value).unwrap());
            log_of(entry, &parameters, seed, &path, &mut table());
            fs::read_to_string(path).unwrap().replace(&format!("\ngame,,,{},", entry.name), "\ngame,,,GAME,")
        });
        // The digest covers all lines, including the name.
        let lines = |log: &str| -> Vec<String> {
            log.lines().filter(|line| !line.starts_with("digest,")).map(str::to_owned).collect()
        };
        let (theirs, ours_lines) = (lines(&theirs), lines(&ours));
        let differs = theirs.iter().zip(&ours_lines).find(|(theirs, ours)| theirs != ours);
        assert_eq!(differs, None, "{seed:?}, {set:?}: the judge, then the built-in game");
        assert_eq!(theirs.len(), ours_lines.len(), "{seed:?}, {set:?}");
        ours
    }

    /// Audits the log of the judge's last game. Once for each judge, since the list of games contains it
    /// afterwards.
    fn audit(&self) {
        catalog::add(self.judge).unwrap();
        audit_log(&self.place.path(&format!("{}.csv", self.judge.name))).unwrap();
    }
}

/// A table whose answers are made from the questions. No seat is late.
struct Scripted<F>(F, Vec<(Seat, Vec<u8>)>);

impl<F: FnMut(Seat, &[u8]) -> Vec<i64>> Table for Scripted<F> {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        self.1 = questions.iter().map(|question| (question.seat, question.line.clone())).collect();
        Ok(())
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        let Scripted(think, asked) = self;
        let answer =
            |(seat, line): &(Seat, Vec<u8>)| Answer { integers: think(*seat, line), ..Answer::empty(*seat) };
        *answers = asked.iter().map(answer).collect();
        Ok(())
    }
}

fn integers(line: &[u8]) -> Vec<i64> {
    std::str::from_utf8(line).unwrap().split_ascii_whitespace().map(|word| word.parse().unwrap()).collect()
}

/// Plays random games of Push with every kind of fault. Returns their logs.
fn random_push(twins: &Twins, games: std::ops::Range<u64>) -> String {
    let one = |number| {
        twins.play(Seed(number), &[("turns", 12)], || {
            let mut dice = Dice::for_turn(Seed(number), 9);
            SimulatedTable::new(6, Seed(number), move |_, _| {
                // In the middle of the board, so that several push one pile.
                let slot = match dice.below(20) {
                    0 => 61,
                    1 => 0,
                    _ => 29 + i64::from(dice.below(3)),
                };
                let all = [slot, i64::from(dice.below(7)), 0];
                all[..if dice.below(20) == 0 { 3 } else { 2 }].to_vec()
            })
        })
    };
    games.map(one).collect()
}

/// The orders of a team whose players gather, kick onto each other's cells and homes, and make mistakes.
fn orders(dice: &mut Dice, line: &[u8]) -> Vec<i64> {
    const MEETING: [i64; 3] = [33, 70, 527];
    const HOMES: [i64; 4] = [0, 31, 992, 1023];
    let question = integers(line);
    let (turn, players) = (question[1], question[3]);
    let mut order = || {
        let meeting = MEETING[dice.below(3) as usize];
        match (turn, dice.below(20)) {
            (0, 0) => -1,
            (0, 1..=5) => i64::from(dice.below(1024)),
            (0, _) => meeting,
            (_, 0) => [i64::MIN, -1, 1033, i64::MAX][dice.below(4) as usize],
            (_, 1..=3) => i64::from(dice.below(9)),
            (_, 4..=5) => 9 + i64::from(dice.below(1024)),
            (_, 6..=9) => 9 + HOMES[dice.below(4) as usize],
            _ => 9 + meeting,
        }
    };
    let orders: Vec<i64> = (0..players).map(|_| order()).collect();
    match dice.below(20) {
        0 => [&orders[..], &[4]].concat(),
        1 => orders[1..].to_vec(),
        _ => orders,
    }
}

/// Plays random games of football with every kind of fault. Returns their logs.
fn random_football(twins: &Twins, games: std::ops::Range<u64>) -> String {
    let one = |number| {
        let of = |all: [i64; 3], stride: u64| all[(number / stride % 3) as usize];
        let set = [
            ("p", of([10, 2, 30], 1)),
            ("k", of([46, 10, 3], 3)),
            ("max_turns", 10),
            ("stall_turns", of([0, 2, 2000], 9)),
            ("turn_ms", of([100, 7, 100], 1)),
        ];
        twins.play(Seed(number), &set, || {
            let mut dice = Dice::for_turn(Seed(number), 9);
            SimulatedTable::new(4, Seed(number), move |_, line| orders(&mut dice, line))
        })
    };
    games.map(one).collect()
}

fn assert_rows(logs: &str, rows: &[&str]) {
    let missing: Vec<_> = rows.iter().filter(|row| !logs.contains(**row)).collect();
    assert!(missing.is_empty(), "no {missing:?} in {} lines of logs", logs.lines().count());
}

const PUSH_ROWS: &[&str] =
    &["draw,", "effect,", ",illegal,", ",malformed,", ",late,", "no coin", "off the board", "is no slot"];

const FOOTBALL_ROWS: &[&str] = &[
    "draw,",
    "effect,",
    ",illegal,",
    ",malformed,",
    ",late,",
    "no ball to kick",
    "off the grid",
    "is out of range",
    "is no order",
    "is no cell",
    "no cell to start on",
    "max_turns",
    "stalled",
];

#[test]
fn push_as_a_judge_leaves_the_same_log() {
    let twins = Twins::push();
    assert_rows(&random_push(&twins, 0..6), PUSH_ROWS);
    twins.audit();
}

#[test]
fn football_as_a_judge_leaves_the_same_log() {
    let twins = Twins::football();
    assert_rows(&random_football(&twins, 0..27), FOOTBALL_ROWS);
    twins.audit();
}

#[test]
fn football_as_a_judge_ends_alike_when_no_ball_is_left() {
    let twins = Twins::football();
    // Each player starts on a ball of its own, and kicks it home.
    let homes = [0, 31, 992, 1023];
    let think = move |seat: Seat, line: &[u8]| {
        let kick = integers(line)[1] > 0;
        let cells = (0..1024).filter(|cell| !homes.contains(cell)).skip(255 * seat.index()).take(255);
        cells.map(|cell| if kick { 9 + homes[seat.index()] } else { cell }).collect()
    };
    let log = twins.play(Seed(1), &[("p", 255), ("k", 46)], || Scripted(think, Vec::new()));
    assert_rows(&log, &["no_balls"]);
}

#[test]
#[ignore = "slow: 1,000 games of Push in Python"]
fn push_as_a_judge_leaves_the_same_log_in_a_thousand_games() {
    random_push(&Twins::push(), 0..1_000);
}

#[test]
#[ignore = "slow: 1,000 games"]
fn football_as_a_judge_leaves_the_same_log_in_a_thousand_games() {
    random_football(&Twins::football(), 0..1_000);
}

fn numbers(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|number| number.as_i64().unwrap()).collect()
}

/// The answer to a recorded attempt. "No move at all" is an answer of the wrong shape here.
fn attempt(round: &Value, seat: usize) -> Vec<i64> {
    match &round["attempts"][seat] {
        Value::Null => Vec::new(),
        attempt => numbers(attempt),
    }
}

#[test]
fn original_push_games_played_by_the_judge_leave_the_same_log() {
    let name = "original_push_games_played_by_the_judge_leave_the_same_log";
    let Some(folder) = original::folder(name) else { return };
    let twins = Twins::push();
    for (number, game) in (0..).zip(original::json_lines(folder.join("push/original-games.jsonl.gz"))) {
        let rounds = game["rounds"].as_array().unwrap().clone();
        let rounds = &rounds;
        twins.play(Seed(number), &[("turns", game["turns"].as_i64().unwrap())], || {
            let rounds = rounds.clone();
            let think =
                move |seat: Seat, line: &[u8]| attempt(&rounds[integers(line)[1] as usize], seat.index());
            Scripted(think, Vec::new())
        });
    }
}

#[test]
fn original_push_games_lead_the_judge_to_the_recorded_positions() {
    let name = "original_push_games_lead_the_judge_to_the_recorded_positions";
    let Some(folder) = original::folder(name) else { return };
    let mut turns = 0;
    for (number, game) in (0..).zip(original::json_lines(folder.join("push/original-games.jsonl.gz"))) {
        let mut judge = Spoken::start(project("tests/judge/push.py"));
        judge.ask(&format!("start 6 {}\n", game["turns"]), |_| panic!("a draw"));
        let mut zeroed = Vec::new();
        for round in game["rounds"].as_array().unwrap() {
            let answer = |seat: usize| match &attempt(round, seat)[..] {
                [slot, way] => format!("answer {seat} {slot} {way}\n"),
                _ => format!("fault {seat} malformed\n"),
            };
            let answers: String = (0..6).map(answer).collect();
            // Conflicts have their recorded winners.
            let won = |seat: &i64| round["won"][*seat as usize].as_bool() == Some(true);
            let told =
                judge.ask(&(answers + "go\n"), |rivals| *rivals.iter().find(|seat| won(seat)).unwrap());
            let void = told.iter().filter_map(|line| line.strip_prefix("effect void "));
            zeroed.extend(void.map(|seat| seat.parse::<i64>().unwrap()));
            zeroed.sort_unstable();
            assert_eq!(zeroed, numbers(&round["zeroed"]), "game {number}");
            let (mut coins, mut scores) = (vec![0; 61], Vec::new());
            for fact in judge.ask("facts\n", |_| panic!("a draw")) {
                match &fact.split(' ').collect::<Vec<_>>()[..] {
                    ["fact", "score", _, _, score] => scores.push(score.parse::<i64>().unwrap()),
                    ["fact", "coins", _, slot, pile] => {
                        coins[slot.parse::<usize>().unwrap()] = pile.parse().unwrap();
                    }
                    other => assert_eq!(other, ["end"]),
                }
            }
            assert_eq!(
                (coins, scores),
                (numbers(&round["after"]), numbers(&round["scores"])),
                "game {number}"
            );
            turns += 1;
        }
    }
    assert!(turns > 1_000, "{turns}");
}

/// A judge that is used without a referee, so that a test decides the draws.
struct Spoken {
    child: std::process::Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Spoken {
    fn start(file: PathBuf) -> Spoken {
        let mut child = Command::new(file).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Spoken { child, lines }
    }

    /// Returns the lines of a reply, without draws. `draw` chooses among the candidates of each.
    fn ask(&mut self, request: &str, draw: impl Fn(&[i64]) -> i64) -> Vec<String> {
        let input = self.child.stdin.as_mut().unwrap();
        input.write_all(request.as_bytes()).unwrap();
        let mut told = Vec::new();
        loop {
            let line = self.lines.next().expect("a line").unwrap();
            if let Some(rest) = line.strip_prefix("draw ") {
                // After the name: the place, the number, and the candidates.
                let (_, numbers) = rest.split_once(' ').unwrap();
                writeln!(input, "drawn {}", draw(&integers(numbers.as_bytes())[2..])).unwrap();
                continue;
            }
            let is_last = line == "end";
            told.push(line);
            if is_last {
                return told;
            }
        }
    }
}

impl Drop for Spoken {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
