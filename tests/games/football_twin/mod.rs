//! The game and a plain second implementation of its rules play the same 2,000 games and must never differ.
//!
//! The answers are random, most of them made for difficult positions. A game that differs is repeated with its number:
//! `TWIN_GAME=1234 cargo test --test main football_twin -- --include-ignored`.

mod answers;
mod told;
mod twin;

use std::collections::BTreeMap;

use referee_games::catalog;
use referee_games::football::Football;
use referee_rules::game::{Game, read_question};
use referee_rules::{Events, Fact, Fault, Parameters, Seat, Seed};

use crate::random::Random;
use answers::{Given, Temper};
use told::sort_out;
use twin::{Judgement, Setting, Twin};

const PLAYERS: [i64; 5] = [1, 2, 10, 50, 255];
const RANGES: [i64; 4] = [1, 3, 10, 46];
const GAMES: u64 = 2_000;

#[test]
#[ignore = "slow: 2,000 games"]
fn two_thousand_games_go_as_the_twin_says() {
    let only: Option<u64> = std::env::var("TWIN_GAME").ok().map(|number| number.parse().unwrap());
    let numbers = only.map_or(0..GAMES, |number| number..number + 1);
    let mut seen = Seen::default();
    for number in numbers {
        play(number, &mut seen);
    }
    println!("{seen:?}");
    if only.is_none() {
        seen.check();
    }
}

/// Counts of the events in the games: proof that they covered what they were meant to cover.
#[derive(Debug, Default)]
struct Seen {
    games: u64,
    turns: u64,
    draws: u64,
    draws_of_heaps: u64,
    goals: u64,
    verdicts: BTreeMap<&'static str, u64>,
    reasons: BTreeMap<&'static str, u64>,
    several_ends: u64,
}

impl Seen {
    fn check(&self) {
        assert_eq!(self.games, GAMES);
        assert!(self.draws > 10_000 && self.draws_of_heaps > 1_000 && self.goals > 10_000);
        for verdict in ["good", "illegal", "malformed", "silent"] {
            assert!(self.verdicts[verdict] > 1_000, "too few {verdict}");
        }
        for reason in ["no_balls", "max_turns", "stalled"] {
            assert!(self.reasons[reason] > 50, "too few {reason}");
        }
        assert!(self.several_ends > 20);
    }
}

/// Plays one game. Everything in it follows from its number.
fn play(number: u64, seen: &mut Seen) {
    let _blame = Blame(number);
    let mut random = Random::new(number);
    let p = PLAYERS[number as usize % PLAYERS.len()];
    let k = RANGES[number as usize / PLAYERS.len() % RANGES.len()];
    let united = p >= 50 && random.percent(40);
    let setting = Setting {
        p,
        k,
        max_turns: if united { random.pick(&[1, 10, 40, 80]) } else { random.between(1, 40) },
        stall_turns: if united { 0 } else { random.pick(&[0, 0, 1, 3, 10, 2_000]) },
        turn_ms: random.pick(&[1, 100, 3_600_000]),
    };
    let temper = if united { Temper::united } else { Temper::wild }(p, k, &mut random);
    let mut game = start(setting, Seed(random.next()));
    let mut twin = Twin::new(setting);
    let mut events = Events::default();

    compare_questions(game.as_mut(), &twin);
    while twin.ends().is_empty() {
        assert_eq!((game.asked().len(), game.outcome()), (4, None), "the game goes on");
        assert_eq!(i64::from(game.turn()), twin.turn());

        let mut answers = [const { None }; 4];
        let first = random.between(0, 3) as usize; // the order of answers must not matter
        for seat in (0..4).map(|seat| (seat + first) % 4) {
            let given = temper.give(game.as_ref(), &twin, seat, &mut random);
            answers[seat] = hand_in(game.as_mut(), &twin, seat, given, seen);
        }

        events.clear();
        game.resolve(&mut events);
        let (draws, goals) = sort_out(&events);
        twin.play(&answers, &draws, &goals);
        compare_questions(game.as_mut(), &twin);

        seen.turns += 1;
        seen.draws += draws.len() as u64;
        seen.draws_of_heaps += draws.iter().filter(|draw| draw.drawn.len() > 1).count() as u64;
        seen.goals += goals.len() as u64;
    }

    assert_eq!(game.asked(), [], "no seat is asked when the game is over");
    let outcome = game.outcome().expect("a game that is over has an outcome");
    assert_eq!(outcome.reason, twin.ends()[0]);
    assert_eq!(outcome.scores.as_slice(), twin.scores());
    assert_eq!(outcome.shares.as_slice(), twin.scores().map(|goals| goals as f64 / 1020.0));
    seen.games += 1;
    seen.several_ends += u64::from(twin.ends().len() > 1);
    *seen.reasons.entry(outcome.reason).or_default() += 1;
}

fn start(setting: Setting, seed: Seed) -> Box<dyn Game> {
    let entry = catalog::find("football").unwrap();
    let mut parameters = Parameters::defaults(entry.parameters);
    let Setting { p, k, max_turns, stall_turns, turn_ms } = setting;
    for (name, value) in
        [("p", p), ("k", k), ("max_turns", max_turns), ("stall_turns", stall_turns), ("turn_ms", turn_ms)]
    {
        parameters.set(name, value).unwrap();
    }
    entry.start(&parameters, seed)
}

/// Compares every integer of the questions of all seats, and counts the balls.
fn compare_questions(game: &mut dyn Game, twin: &Twin) {
    for seat in 0..4 {
        let mut line = Vec::new();
        game.question(Seat::new(seat), &mut line);
        let text = String::from_utf8(line).unwrap();
        let text = text.strip_suffix('\n').expect("a question is a line");
        let came: Vec<i64> = text.split(' ').map(|word| word.parse().unwrap()).collect();
        let due = twin.question(seat);
        assert_eq!(came[0], due.len() as i64, "the count of the integers");
        if came[1..] != due {
            let index = came[1..].iter().zip(&due).position(|(came, due)| came != due);
            let index = index.unwrap_or(due.len().min(came.len() - 1));
            panic!(
                "turn {}, seat {seat}, integer {index}: the game says {:?}, the twin {:?}",
                twin.turn(),
                came.get(1 + index),
                due.get(index),
            );
        }
        if seat == twin.turn() as usize % 4 {
            compare_view(text.as_bytes(), &due);
        }
        if seat == 0 {
            compare_facts(game, &due);
        }
        let on_the_grid: i64 = came[came.len() - 1024..].iter().sum();
        let scored: i64 = came[7..11].iter().sum();
        assert_eq!(on_the_grid + scored, 1020, "turn {}: a ball is lost or made", twin.turn());
    }
}

/// Compares the library's view of a question with the integers that are due.
fn compare_view(line: &[u8], due: &[i64]) {
    let view = read_question::<Football>(line, &mut Vec::new()).unwrap();
    let mut integers = vec![view.turn.into(), view.seat.index() as i64, view.p as i64];
    integers.extend([view.k, view.max_turns, view.turn_ms].map(i64::from));
    integers.extend(view.scores.map(i64::from));
    integers.extend(view.players.iter().map(|cell| cell.map_or(1024, |cell| cell.index() as i64)));
    integers.extend(view.balls.iter().map(|balls| i64::from(*balls)));
    assert_eq!(integers, due, "the question, read");
}

/// Compares the facts of the position: scores, players once they are placed, and the cells that hold balls.
fn compare_facts(game: &dyn Game, due: &[i64]) {
    let mut told = Vec::new();
    game.describe(&mut |fact: Fact| {
        told.push((fact.thing.as_str(), fact.seat.map(Seat::index), fact.index, fact.value));
    });
    let (players, balls) = due[10..].split_at(due.len() - 10 - 1024);
    let mut facts = Vec::new();
    for seat in 0..4 {
        facts.push(("score", Some(seat), None, due[6 + seat]));
    }
    for (index, cell) in players.iter().enumerate() {
        let p = players.len() / 4;
        if *cell != 1024 {
            facts.push(("player", Some(index / p), Some(index % p), *cell));
        }
    }
    for (cell, count) in balls.iter().enumerate() {
        if *count > 0 {
            facts.push(("balls", None, Some(cell), *count));
        }
    }
    assert_eq!(told, facts, "the position as facts");
}

/// Gives a seat's answer to the game, compares the verdicts, and returns the twin's action.
fn hand_in(game: &mut dyn Game, twin: &Twin, seat: usize, given: Given, seen: &mut Seen) -> Option<Vec<i64>> {
    let integers = match given {
        Given::Integers(integers) => integers,
        Given::Sample(integers) => {
            assert_eq!(twin.judge(seat, &integers), Judgement::Good, "a sample is legal: {integers:?}");
            integers
        }
        Given::Fault(fault) => {
            let verdict = game.answer(Seat::new(seat), Err(&fault));
            assert_eq!(verdict, Some(fault));
            *seen.verdicts.entry("silent").or_default() += 1;
            return None;
        }
        Given::Nothing => return None,
    };
    let verdict = game.answer(Seat::new(seat), Ok(&integers));
    let judgement = twin.judge(seat, &integers);
    let name = match (&verdict, judgement) {
        (None, Judgement::Good) => "good",
        (Some(Fault::Malformed(_)), Judgement::Malformed) => "malformed",
        (Some(Fault::Illegal(illegal)), Judgement::Illegal(count)) => {
            let of = twin.own(seat).len();
            assert_eq!((i64::from(illegal.count), illegal.of as usize), (count, of), "bad parts");
            "illegal"
        }
        _ => panic!(
            "turn {}, seat {seat}: the game says {verdict:?}, the twin {judgement:?} to {integers:?}",
            twin.turn()
        ),
    };
    *seen.verdicts.entry(name).or_default() += 1;
    Some(integers)
}

/// Prints, after a panic, how to repeat the game.
struct Blame(u64);

impl Drop for Blame {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let number = self.0;
            let (p, k) = (number as usize % 5, number as usize / 5 % 4);
            eprintln!("game {number} (p={} k={}) differs; again:", PLAYERS[p], RANGES[k]);
            eprintln!("TWIN_GAME={number} cargo test --test main football_twin -- --include-ignored");
        }
    }
}
