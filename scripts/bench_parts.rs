//! Measures the parts of a turn without any process: rules, wire, collector, record. Each line is of whole games of
//! random legal answers, at so many turns a second; `scripts/bench parts [NAME]`.

use std::time::Duration;

use divan::Bencher;
use divan::counter::ItemsCount;
use referee::catalog;
use referee::clock::Moment;
use referee::game::Game;
use referee::record::log::{GameLog, LogFile, Sink};
use referee::record::{BotName, Digest, Heading, Page, RecordError, Recorder};
use referee::rules::{BySeat, Dice, Events, Fault, Parameters, Seat, Seed};
use referee::table::Answer;
use referee::table::collect::Collector;
use referee::wire;

fn main() {
    divan::main();
}

/// What is played: a game by name, and what is not as usual.
type Setting = (&'static str, &'static [(&'static str, i64)]);

const SETTINGS: [Setting; 6] = [
    ("football", &[("p", 1), ("max_turns", 400), ("stall_turns", 0)]),
    ("football", &[("p", 10), ("max_turns", 400), ("stall_turns", 0)]),
    ("football", &[("p", 50), ("max_turns", 400), ("stall_turns", 0)]),
    ("push", &[]),
    ("foosball", &[]),
    ("target", &[]),
];

/// A game and what is answered in it, turn by turn.
struct Script {
    start: Box<dyn Game>,
    parameters: Parameters,
    turns: Vec<Vec<Answer>>,
}

/// No game is longer.
const TURNS: usize = 400;

fn script((name, values): Setting) -> Script {
    let entry = catalog::find(name).expect("a game");
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in values {
        parameters.set(name, *value).expect("a value in range");
    }
    let start = entry.start(&parameters, Seed(1));
    let (mut game, mut dice, mut turns) = (start.copied(), Dice::for_start(Seed(2)), Vec::new());
    while !game.asked().is_empty() && turns.len() < TURNS {
        let asked = game.asked().to_vec();
        let answers = asked.into_iter().map(|seat| {
            let mut answer = Answer::empty(seat);
            game.sample(seat, &mut dice, &mut answer.integers);
            game.answer(seat, answer.given());
            answer
        });
        turns.push(answers.collect());
        game.resolve(&mut Events::default());
    }
    Script { start, parameters, turns }
}

#[divan::bench(args = SETTINGS)]
fn rules(bencher: Bencher<'_, '_>, setting: Setting) {
    play(bencher, setting, false);
}

#[divan::bench(args = SETTINGS)]
fn rules_and_questions(bencher: Bencher<'_, '_>, setting: Setting) {
    play(bencher, setting, true);
}

/// Judges the answers and plays the turns, with or without writing the questions.
fn play(bencher: Bencher<'_, '_>, setting: Setting, with_questions: bool) {
    let script = script(setting);
    let (mut events, mut lines) = (Events::default(), vec![Vec::new(); script.start.info().seats]);
    bencher
        .counter(ItemsCount::new(script.turns.len()))
        .with_inputs(|| script.start.copied())
        .bench_local_values(|mut game| {
            for turn in &script.turns {
                for answer in turn.iter().filter(|_| with_questions) {
                    let line: &mut Vec<u8> = &mut lines[answer.seat.index()];
                    line.clear();
                    game.question(answer.seat, line);
                    divan::black_box(line);
                }
                for answer in turn {
                    divan::black_box(game.answer(answer.seat, answer.given()));
                }
                events.clear();
                game.resolve(&mut events);
            }
            game
        });
}

#[divan::bench(args = SETTINGS)]
fn record(bencher: Bencher<'_, '_>, setting: Setting) {
    record_to(bencher, setting, || Nowhere);
}

#[divan::bench(args = SETTINGS)]
fn record_to_file(bencher: Bencher<'_, '_>, setting: Setting) {
    let folder = tempfile::tempdir().expect("a folder");
    record_to(bencher, setting, || LogFile::create(&folder.path().join("log.csv")).expect("a log"));
}

#[divan::bench(args = SETTINGS)]
fn record_to_compressed_file(bencher: Bencher<'_, '_>, setting: Setting) {
    let folder = tempfile::tempdir().expect("a folder");
    record_to(bencher, setting, || LogFile::create(&folder.path().join("log.csv.gz")).expect("a log"));
}

/// Writes a log to where it goes.
fn record_to<S: Sink>(bencher: Bencher<'_, '_>, setting: Setting, sink: impl Fn() -> S) {
    let script = script(setting);
    let mut game = script.start.copied();
    let mut pages: Vec<(Vec<Option<Fault>>, Events)> = Vec::new();
    for turn in &script.turns {
        let verdicts = turn.iter().map(|answer| game.answer(answer.seat, answer.given())).collect();
        let mut events = Events::default();
        game.resolve(&mut events);
        pages.push((verdicts, events));
    }
    let bot = BotName { name: "bench".to_owned(), version: 1, digest: Digest::of(b"") };
    let bots = BySeat::from_fn(script.start.info().seats, |_| bot.clone());
    let heading = Heading::new("bench", &*script.start, &script.parameters, bots);
    bencher
        .counter(ItemsCount::new(script.turns.len()))
        .with_inputs(|| GameLog::begin(&heading, sink()))
        .bench_local_values(|mut log| {
            for (turn, (answers, (verdicts, events))) in script.turns.iter().zip(&pages).enumerate() {
                log.turn(&Page { turn: turn as u32, answers, verdicts, events });
                log.settle().expect("nothing to go wrong");
            }
            log.put_away().expect("nothing to go wrong");
            log
        });
}

/// Takes a log and forgets it.
struct Nowhere;

impl Sink for Nowhere {
    fn take(&mut self, bytes: &[u8]) -> Result<(), RecordError> {
        divan::black_box(bytes);
        Ok(())
    }
}

#[divan::bench(args = SETTINGS)]
fn collector(bencher: Bencher<'_, '_>, setting: Setting) {
    let script = script(setting);
    let lines: Vec<Vec<(Seat, Vec<u8>)>> = script
        .turns
        .iter()
        .map(|turn| {
            let line = |answer: &Answer| {
                let mut line = Vec::new();
                wire::push_joined(&mut line, &answer.integers);
                line.push(b'\n');
                (answer.seat, line)
            };
            turn.iter().map(line).collect()
        })
        .collect();
    let seats = script.start.info().seats;
    let mut answer = Answer::empty(Seat::new(0));
    bencher
        .counter(ItemsCount::new(script.turns.len()))
        .with_inputs(|| Collector::new(seats))
        .bench_local_values(|mut collector| {
            let mut now = Moment::default();
            for turn in &lines {
                for (seat, _) in turn {
                    now = now + Duration::from_micros(1);
                    collector.put(*seat, Duration::from_millis(100), now, 0);
                    collector.written(*seat, now);
                }
                for (seat, line) in turn {
                    now = now + Duration::from_micros(1);
                    collector.bytes(*seat, line, now);
                    collector.take(*seat, &mut answer);
                    divan::black_box(&answer);
                }
            }
            collector
        });
}
