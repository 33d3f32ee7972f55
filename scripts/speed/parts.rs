//! Parts of a turn, in one process: the question, and the rules.

use std::hint::black_box;
use std::time::{Duration, Instant};

use referee_games::football::{Action, Football, PARAMETERS};
use referee_rules::wire;
use referee_rules::{Dice, Events, Parameters, Rules, Seat, Seed};

use crate::Outcome;
use crate::floor::game;

/// Number of times that a question is written, and of turns that are played.
const QUESTIONS: u32 = 2_000;
const TURNS: u32 = 1_000;
/// Number of times that the rules play these turns: once takes a tenth of a millisecond.
const GAMES: u32 = 20;
const K: i64 = 10;

/// Microseconds to write the integers of a question.
pub(crate) fn question() -> Outcome<f64> {
    let (integers, mut line) = (integers(), Vec::new());
    let start = Instant::now();
    for _ in 0..QUESTIONS {
        line.clear();
        wire::push_integers(&mut line, black_box(&integers));
        black_box(&line);
    }
    Ok(micros(start, QUESTIONS))
}

/// The same with a loop around `itoa`, the fastest library for one integer.
pub(crate) fn itoa_loop() -> Outcome<f64> {
    let (integers, mut line) = (integers(), Vec::new());
    let start = Instant::now();
    for _ in 0..QUESTIONS {
        line.clear();
        let mut text = itoa::Buffer::new();
        for integer in black_box(&integers) {
            line.push(b' ');
            line.extend_from_slice(text.format(*integer).as_bytes());
        }
        black_box(&line);
    }
    Ok(micros(start, QUESTIONS))
}

/// The integers of a question with ten players a team.
fn integers() -> Vec<i64> {
    let (_, mut game) = game(10, 10);
    let (mut line, mut integers) = (Vec::new(), Vec::new());
    game.question(Seat::new(0), &mut line);
    wire::read_integers(line.trim_ascii_end(), &mut integers).expect("a question");
    integers
}

/// A game of random legal answers: the action of each seat in each turn.
fn script(players: u32) -> (Football, Vec<Vec<(Seat, Action)>>) {
    let mut parameters = Parameters::defaults(PARAMETERS);
    for (name, value) in [("p", i64::from(players)), ("k", K), ("max_turns", 50_000), ("stall_turns", 0)] {
        parameters.set(name, value).expect("a value in range");
    }
    let rules = Football::new(&parameters);
    let mut dice = Dice::for_start(Seed(2));
    let mut state = rules.start(&mut dice);
    let turns = (0..=TURNS).map(|turn| {
        let actions = Seat::first(4).map(|seat| {
            let mut action = Action::new();
            rules.sample(&state, seat, &mut dice, &mut action);
            (seat, action)
        });
        let actions: Vec<(Seat, Action)> = actions.collect();
        rules.resolve(&mut state, &actions, &mut Dice::for_turn(Seed(1), turn), &mut Events::default());
        actions
    });
    (rules, turns.collect())
}

/// Microseconds a turn of the rules: the same game again and again, as a thread that plays games does.
pub(crate) fn rules(players: u32) -> Outcome<f64> {
    let (rules, turns) = script(players);
    let mut events = Events::default();
    let mut elapsed = Duration::ZERO;
    for game in 0..=GAMES {
        let mut state = rules.start(&mut Dice::for_start(Seed(2)));
        let start = Instant::now();
        for (turn, actions) in (0..).zip(&turns) {
            events.clear();
            rules.resolve(&mut state, actions, &mut Dice::for_turn(Seed(1), turn), &mut events);
            black_box(&events);
        }
        // The first game warms up memory and branch prediction.
        if game > 0 {
            elapsed += start.elapsed();
        }
    }
    Ok(elapsed.as_secs_f64() * 1e6 / f64::from(GAMES * TURNS))
}

fn micros(start: Instant, count: u32) -> f64 {
    start.elapsed().as_secs_f64() * 1e6 / f64::from(count)
}
