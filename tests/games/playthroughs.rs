//! A recorded game of each kind, compared as a whole: a change here changes the meaning of every old record.
//!
//! `UPDATE_PLAYTHROUGHS=1 cargo test --test main playthroughs` rewrites them. If the change is intended, the
//! version of the rules goes up.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use referee_files::audit::audit_log;
use referee_games::catalog::{Entry, GAMES};
use referee_record::Answer;
use referee_record::error::Error;
use referee_record::log::{GameLog, Sink};
use referee_record::{BotName, Digest, Heading, Page, Recorder};
use referee_rules::game::play_turn;
use referee_rules::{BySeat, Dice, Events, Fault, Malformed, Parameters, Seed};

#[test]
fn every_game_plays_as_it_did_when_it_was_recorded() {
    let mut missing = Vec::new();
    for (name, log) in GAMES.iter().map(play) {
        let path = recorded(name);
        if std::env::var_os("UPDATE_PLAYTHROUGHS").is_some() {
            fs::write(&path, &log).unwrap();
        }
        let Ok(due) = fs::read(&path) else {
            missing.push(format!("{name}: {}", path.display()));
            continue;
        };
        let line = due.split(|byte| *byte == b'\n').zip(log.split(|byte| *byte == b'\n'));
        let differs = line.enumerate().find(|(_, (due, found))| due != found);
        if let Some((line, (due, found))) = differs {
            let [due, found] = [due, found].map(String::from_utf8_lossy);
            panic!("{}, line {}: `{due}` was recorded, now it is `{found}`", path.display(), line + 1);
        }
        assert_eq!(due.len(), log.len(), "{}: the rest of the game", path.display());
        audit_log(&path).unwrap();
    }
    assert!(missing.is_empty(), "no recorded game; UPDATE_PLAYTHROUGHS=1 writes it: {missing:?}");
}

/// The number of players, and the settings, so that the record is small and rich. For other games: the
/// defaults.
fn settings(entry: &Entry) -> (usize, &'static [(&'static str, i64)]) {
    match entry.name {
        "football" => (4, &[("p", 3), ("k", 6), ("max_turns", 40)]),
        "push" => (6, &[("turns", 20)]),
        "target" => (5, &[("max_rounds", 12)]),
        _ => (entry.table(&Parameters::defaults(entry.parameters)).unwrap_or(5), &[]),
    }
}

/// Plays a game whose bots answer at random, sometimes late or with nonsense.
fn play(entry: &Entry) -> (&'static str, Vec<u8>) {
    let (name, (entrants, set)) = (entry.name, settings(entry));
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in set {
        parameters.set(name, *value).unwrap();
    }
    let (parameters, _) = entry.seat(&parameters, entrants).unwrap();
    let mut game = entry.start(&parameters, Seed(2010));
    let bot = BotName { name: "random".to_owned(), version: 1, digest: Digest::of(b"") };
    let bots = BySeat::from_fn(game.info().seats, |_| bot.clone());
    let mut log = GameLog::begin(&Heading::new(name, &*game, &parameters, bots), Bytes::default());
    let (mut dice, mut events) = (Dice::for_start(Seed(1)), Events::default());
    while !game.asked().is_empty() {
        let turn = game.turn();
        let (mut answers, mut verdicts) = (Vec::new(), Vec::new());
        play_turn(&mut *game, &mut events, |game, seat| {
            let mut answer = Answer::empty(seat);
            answer.thinking = Duration::from_micros(dice.below(1000).into());
            game.sample(seat, &mut dice, &mut answer.integers);
            misbehave(&mut answer, turn, name);
            if answer.fault == Some(Fault::Late) {
                answer.thinking += game.info().time.first_limit;
            }
            answer.wall = answer.thinking;
            verdicts.push(game.answer(seat, answer.given()));
            answers.push(answer);
        });
        log.turn(&Page { turn, answers: &answers, verdicts: &verdicts, events: &events });
        log.flush_if_full().unwrap();
    }
    log.end(game.turn(), &game.outcome().unwrap()).unwrap();
    (name, log.finish().0.0)
}

fn misbehave(answer: &mut Answer, turn: u32, game: &str) {
    let fault = match (turn % 8, answer.seat.index()) {
        // A team of comFoosball that is silent has lost.
        (3, 0) if game != "foosball" => Fault::Late,
        (5, 1) => Fault::Malformed(Malformed::new("word 1 is not an integer: \"hello, world\"")),
        (6, 1) => {
            answer.dropped.extra = 2;
            answer.integers[0] = 5000; // off every board
            return;
        }
        _ => return,
    };
    answer.integers.clear();
    answer.fault = Some(fault);
}

fn recorded(name: &str) -> PathBuf {
    Path::new(referee_testutil::ROOT).join(format!("referee/games/{name}/playthrough.csv"))
}

#[derive(Debug, Default)]
struct Bytes(Vec<u8>);

impl Sink for Bytes {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}
