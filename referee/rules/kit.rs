//! The kit for bots in Rust: read a question, answer it, until the game is over.
//!
//! [`run`] calls a function with every question, read ([`View`](Codec::View)), and an empty answer to fill in
//! ([`Action`](crate::Rules::Action)); it writes the tag and flushes. [`practice`] plays a whole game within
//! one process, against seats that answer at random, and returns the first fault. The module `guide` of the
//! crate `referee-games` contains a whole bot for each of its games.

use std::fmt::Debug;
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;

use crate::game::{self, Game, Playing};
use crate::wire;
use crate::{Codec, Dice, Events, Fault, Outcome, Seat, Seed};

/// Plays one game on standard input and output: calls `think` with every question and an empty action to fill in.
/// Returns when the game is over.
///
/// Each answer begins with the tag `@i`, the number of its question, so a late answer does not spoil the next
/// one.
///
/// # Panics
///
/// Panics, with the reason on standard error, if a line is not a question of this game.
pub fn run<R: Codec>(mut think: impl FnMut(&R::View, &mut R::Action)) {
    let stdin = io::stdin().lock();
    let stdout = io::stdout().lock();
    serve::<R>(stdin, stdout, |view, action| think(view, action));
}

/// Does what [`run`] does, on any input and output.
///
/// # Panics
///
/// Panics if a line is not a question of this game.
pub fn serve<R: Codec>(
    mut questions: impl BufRead,
    mut answers: impl Write,
    mut think: impl FnMut(&R::View, &mut R::Action),
) {
    let (mut line, mut integers, mut answer) = (Vec::new(), Vec::new(), Vec::new());
    for number in 1u64.. {
        line.clear();
        // An error means the same as the end: the referee has ended. So does half a line.
        if questions.read_until(b'\n', &mut line).is_err() || line.pop() != Some(b'\n') {
            return;
        }
        let view = match game::read_question::<R>(&line, &mut integers) {
            Ok(view) => view,
            Err(malformed) => panic!("question {number}: {malformed}"),
        };
        let mut action = R::Action::default();
        think(&view, &mut action);
        integers.clear();
        R::write_action(&action, &mut integers);
        answer.clear();
        answer.extend_from_slice(format!("@{number}").as_bytes());
        wire::push_integers(&mut answer, &integers);
        answer.push(b'\n');
        if answers.write_all(&answer).and_then(|()| answers.flush()).is_err() {
            return;
        }
    }
}

/// Returns the view of a seat in a position: for a bot that looks ahead, and then needs the scores or the
/// players. The module `guide` of the crate `referee-games` explains more.
pub fn view<R: Codec>(rules: &R, state: &R::State, seat: Seat) -> R::View {
    let mut integers = Vec::new();
    rules.write_own(state, seat, &mut integers);
    rules.write_shared(state, &mut integers);
    R::read_view(&integers).expect("a question of this game")
}

/// Plays a whole game in this process: `think` has one seat, and all others answer at random, but legally. Questions
/// and answers become integers and are read back, as in a real game. There is no time limit.
///
/// # Errors
///
/// Returns the first fault of `think`: an illegal or malformed answer.
///
/// # Panics
///
/// Panics if there is no such seat.
pub fn practice<R: Codec + Debug>(
    rules: R,
    seed: Seed,
    seat: Seat,
    mut think: impl FnMut(&R::View, &mut R::Action),
) -> Result<Outcome, Fault> {
    let mut game = Playing::new(rules, seed);
    assert!(seat.index() < game.info().seats, "the game has {} seats", game.info().seats);
    // Other dice than those of the game itself.
    let mut dice = Dice::for_start(Seed(!seed.0));
    let by_chance = |game: &mut dyn Game, other| {
        let mut integers = Vec::new();
        game.sample(other, &mut dice, &mut integers);
        let _ = game.answer(other, Ok(&integers));
    };
    let fault = play_against(&mut game, seat, by_chance, |game| match answer::<R>(game, seat, &mut think) {
        Some(fault) => ControlFlow::Break(fault),
        None => ControlFlow::Continue(()),
    });
    match fault {
        Some(fault) => Err(fault),
        None => Ok(game.outcome().expect("nobody is asked: the game is over")),
    }
}

/// Has `think` answer the question of a seat, which is written and read as in a real game. Returns the fault, or
/// `None`.
///
/// # Panics
///
/// Panics if the seat is not asked.
pub fn answer<R: Codec>(
    game: &mut dyn Game,
    seat: Seat,
    think: impl FnOnce(&R::View, &mut R::Action),
) -> Option<Fault> {
    let (mut line, mut integers) = (Vec::new(), Vec::new());
    game.question(seat, &mut line);
    let view =
        game::read_question::<R>(line.trim_ascii_end(), &mut integers).expect("a question of this game");
    let mut action = R::Action::default();
    think(&view, &mut action);
    integers.clear();
    R::write_action(&action, &mut integers);
    game.answer(seat, Ok(&integers))
}

/// Plays a game to its end: `ask` answers for one seat, `others` for each other seat. If `ask` stops, the
/// game stops there, and the value of `ask` is returned.
pub fn play_against<B>(
    game: &mut dyn Game,
    seat: Seat,
    mut others: impl FnMut(&mut dyn Game, Seat),
    mut ask: impl FnMut(&mut dyn Game) -> ControlFlow<B>,
) -> Option<B> {
    let mut events = Events::default();
    while !game.asked().is_empty() {
        let flow = game::play_turn_unless(game, &mut events, |game, asked| {
            if asked == seat {
                return ask(game);
            }
            others(game, asked);
            ControlFlow::Continue(())
        });
        if let ControlFlow::Break(value) = flow {
            return Some(value);
        }
    }
    None
}
