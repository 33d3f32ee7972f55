//! What a bot in Rust needs: read a question, answer it, until the game is over.
//!
//! ```no_run
//! use referee::rules::football::{Football, Order};
//!
//! // Everybody stays where they are, for the whole game.
//! referee::kit::run::<Football>(|view, orders| orders.extend(view.own().map(|_cell| Order::STAY)));
//! ```

use std::io::{self, BufRead, Write};

use crate::game;
use crate::rules::Codec;
use crate::wire;

/// Plays one game on standard input and output: calls `think` with every question and an empty action to fill in.
/// Returns when the game is over.
///
/// Each answer is tagged (`@i`) with the number of its question, so that a late one harms no later one.
///
/// # Panics
///
/// Panics, with the reason on standard error, if a line is no question of this game.
pub fn run<R: Codec>(mut think: impl FnMut(&R::View, &mut R::Action)) {
    let stdin = io::stdin().lock();
    let stdout = io::stdout().lock();
    serve::<R>(stdin, stdout, |view, action| think(view, action));
}

/// Does what [`run`] does, on any input and output.
///
/// # Panics
///
/// Panics if a line is no question of this game.
pub fn serve<R: Codec>(
    mut questions: impl BufRead,
    mut answers: impl Write,
    mut think: impl FnMut(&R::View, &mut R::Action),
) {
    let (mut line, mut integers, mut answer) = (Vec::new(), Vec::new(), Vec::new());
    for number in 1u64.. {
        line.clear();
        // An error here means the same as the end: the referee is gone. So does half a line.
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
