//! Games with known answers, and the parts of a turn that process them: rules, questions, wire, record, audit. There is
//! no process and no clock.

use std::hint::black_box;
use std::time::Duration;

use referee_files::audit::audit_log;
use referee_files::log::LogFile;
use referee_games::catalog;
use referee_record::Answer;
use referee_record::error::Error;
use referee_record::log::{GameLog, Sink};
use referee_record::play::collect::Collector;
use referee_record::play::replay::advance;
use referee_record::{BotName, Digest, Heading, Page, Recorder};
use referee_rules::game::{Game, play_turn};
use referee_rules::moment::Moment;
use referee_rules::wire;
use referee_rules::{BySeat, Dice, Events, Fault, Parameters, Seat, Seed};
use tempfile::TempDir;

/// A game by name, with the parameters that are not the defaults.
pub(crate) type Setting = (&'static str, &'static [(&'static str, i64)]);

pub(crate) const SETTINGS: [Setting; 6] = [
    ("football", &[("p", 1), ("max_turns", 400), ("stall_turns", 0)]),
    ("football", &[("p", 10), ("max_turns", 400), ("stall_turns", 0)]),
    ("football", &[("p", 50), ("max_turns", 400), ("stall_turns", 0)]),
    ("push", &[]),
    ("foosball", &[]),
    ("target", &[("max_rounds", 25)]),
];

/// A whole game, with its random legal answers, turn by turn.
pub(crate) struct Script {
    start: Box<dyn Game>,
    parameters: Parameters,
    pub(crate) turns: Vec<Vec<Answer>>,
}

impl Script {
    pub(crate) fn new((name, values): Setting) -> Script {
        let entry = catalog::find(name).expect("a game");
        let mut parameters = Parameters::defaults(entry.parameters);
        for (name, value) in values {
            parameters.set(name, *value).expect("a value in range");
        }
        let start = entry.start(&parameters, Seed(1));
        let (mut game, mut dice, mut turns) = (start.copied(), Dice::for_start(Seed(2)), Vec::new());
        while !game.asked().is_empty() {
            let mut answers = Vec::new();
            play_turn(&mut *game, &mut Events::default(), |game, seat| {
                let mut answer = Answer::empty(seat);
                game.sample(seat, &mut dice, &mut answer.integers);
                game.answer(seat, answer.given());
                answer.thinking = Duration::from_micros(dice.below(20_000).into());
                answer.wall = answer.thinking;
                answers.push(answer);
            });
            turns.push(answers);
        }
        Script { start, parameters, turns }
    }

    fn heading(&self) -> Heading {
        let bot = BotName { name: "bench".to_owned(), version: 1, digest: Digest::of(b"") };
        let bots = BySeat::from_fn(self.start.info().seats, |_| bot.clone());
        Heading::new("bench", &*self.start, &self.parameters, bots)
    }
}

/// Plays a script once, in memory that is used again.
pub(crate) type Play<'a> = Box<dyn FnMut() + 'a>;

/// A part of a turn.
pub(crate) type Part = (&'static str, fn(&Script) -> Play<'_>);

pub(crate) const PARTS: [Part; 5] = [
    ("rules", |script| rules(script, false)),
    ("rules_and_questions", |script| rules(script, true)),
    ("collector", collector),
    ("record", record),
    ("audit", audit),
];

/// Judges the answers and plays the turns, with or without writing the questions.
fn rules(script: &Script, with_questions: bool) -> Play<'_> {
    let (mut events, mut lines) = (Events::default(), vec![Vec::new(); script.start.info().seats]);
    Box::new(move || {
        let mut game = script.start.copied();
        for turn in &script.turns {
            for answer in turn.iter().filter(|_| with_questions) {
                let line: &mut Vec<u8> = &mut lines[answer.seat.index()];
                line.clear();
                game.question(answer.seat, line);
                black_box(line);
            }
            for answer in turn {
                black_box(game.answer(answer.seat, answer.given()));
            }
            events.clear();
            game.resolve(&mut events);
        }
    })
}

/// Reads the lines of the answers.
fn collector(script: &Script) -> Play<'_> {
    let line = |answer: &Answer| {
        let mut line = Vec::new();
        wire::push_joined(&mut line, &answer.integers);
        line.push(b'\n');
        (answer.seat, line)
    };
    let turns = script.turns.iter().map(|turn| turn.iter().map(line).collect());
    let turns: Vec<Vec<(Seat, Vec<u8>)>> = turns.collect();
    let seats = script.start.info().seats;
    let mut answer = Answer::empty(Seat::new(0));
    Box::new(move || {
        let (mut collector, mut now) = (Collector::new(seats), Moment::default());
        for turn in &turns {
            for (seat, _) in turn {
                now = now + Duration::from_micros(1);
                collector.ask(*seat, Duration::from_millis(100), now, 0);
                collector.written(*seat, now);
            }
            for (seat, line) in turn {
                now = now + Duration::from_micros(1);
                collector.bytes(*seat, line, now);
                collector.take(*seat, &mut answer);
                black_box(&answer);
            }
        }
    })
}

/// Writes the log.
fn record(script: &Script) -> Play<'_> {
    let (heading, mut pages) = (script.heading(), Vec::new());
    play(script, |verdicts, events| pages.push((verdicts.to_vec(), events.clone())));
    Box::new(move || {
        let mut log = GameLog::begin(&heading, Nowhere);
        for (turn, (answers, (verdicts, events))) in (0..).zip(script.turns.iter().zip(&pages)) {
            log.turn(&Page { turn, answers, verdicts, events });
            log.flush_if_full().expect("nothing to go wrong");
        }
    })
}

/// Audits a log in a file.
fn audit(script: &Script) -> Play<'_> {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("log.csv");
    let mut log = GameLog::begin(&script.heading(), LogFile::create(&path).expect("a log"));
    let mut turn = 0;
    let game = play(script, |verdicts, events| {
        log.turn(&Page { turn, answers: &script.turns[turn as usize], verdicts, events });
        log.flush_if_full().expect("room on the disk");
        turn += 1;
    });
    log.end(game.turn(), &game.outcome().expect("a whole game")).expect("room on the disk");
    log.finish().0.publish().expect("room on the disk");
    Box::new(move || {
        let _ = &folder; // which is removed with the last that needs it
        let agreed = audit_log(&path).expect("a log as it was written");
        assert_eq!(agreed.turns as usize, script.turns.len());
    })
}

/// Plays a script, shows each turn, and returns the game as it ended.
fn play(script: &Script, mut look: impl FnMut(&[Option<Fault>], &Events)) -> Box<dyn Game> {
    let (mut game, mut events) = (script.start.copied(), Events::default());
    for turn in &script.turns {
        let mut verdicts = Vec::new();
        advance(&mut *game, turn, &mut events, None, |_, _, verdict| verdicts.push(verdict));
        look(&verdicts, &events);
    }
    game
}

/// Takes the bytes of a log and drops them.
struct Nowhere;

impl Sink for Nowhere {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Error> {
        black_box(bytes);
        Ok(())
    }
}
