//! The turn loop: a function of a game, a table and a record. It sees neither process nor clock.

use std::fmt;

use crate::game::Game;
use crate::record::{Page, RecordError, Recorder};
use crate::rules::{BySeat, Events, Fault, Outcome};
use crate::table::{Question, Table, TableError};

/// Plays a game to its end.
///
/// # Errors
///
/// Only if the table or the record is in trouble. What bots do wrong is part of the game.
pub fn play(
    game: &mut dyn Game,
    table: &mut dyn Table,
    record: &mut dyn Recorder,
) -> Result<Outcome, PlayError> {
    let mut questions = Questions::new(game);
    let mut turn = game.turn();
    let (mut answers, mut verdicts, mut events) =
        (Vec::new(), Vec::<Option<Fault>>::new(), Events::default());
    let mut first = true;
    loop {
        let over = game.asked().is_empty();
        if !over {
            table.put(questions.of_this_turn(game))?;
        }
        if !first {
            // Now, while the bots think.
            record.turn(&Page { turn, answers: &answers, verdicts: &verdicts, events: &events });
        }
        if over {
            break;
        }
        first = false;
        turn = game.turn();
        table.collect(&mut answers)?;
        record.settle()?;
        verdicts.clear();
        verdicts.extend(answers.iter().map(|answer| game.answer(answer.seat, answer.given())));
        events.clear();
        game.resolve(&mut events);
    }
    let outcome = game.outcome().expect("a game in which nobody is asked has an outcome");
    record.end(game.turn(), &outcome)?;
    Ok(outcome)
}

/// The questions of a turn, in memory that is used again.
struct Questions {
    questions: Vec<Question>,
    /// Seats that have been asked before: their first question has a longer limit.
    asked_before: BySeat<bool>,
}

impl Questions {
    fn new(game: &dyn Game) -> Questions {
        Questions { questions: Vec::new(), asked_before: BySeat::from_fn(game.info().seats, |_| false) }
    }

    fn of_this_turn(&mut self, game: &mut dyn Game) -> &[Question] {
        let time = game.info().time;
        let count = game.asked().len();
        while self.questions.len() < count {
            let (seat, limit) = (game.asked()[0], time.turn_limit);
            self.questions.push(Question { seat, line: Vec::new(), limit });
        }
        for (index, question) in self.questions[..count].iter_mut().enumerate() {
            let seat = game.asked()[index];
            let known = std::mem::replace(&mut self.asked_before[seat], true);
            question.seat = seat;
            question.limit = if known { time.turn_limit } else { time.first_limit };
            question.line.clear();
            game.question(seat, &mut question.line);
        }
        &self.questions[..count]
    }
}

/// Why a game could not be played to its end.
#[derive(Debug)]
pub enum PlayError {
    /// The table cannot go on.
    Table(TableError),
    /// The record cannot be kept.
    Record(RecordError),
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayError::Table(error) => error.fmt(f),
            PlayError::Record(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PlayError {}

impl From<TableError> for PlayError {
    fn from(error: TableError) -> PlayError {
        PlayError::Table(error)
    }
}

impl From<RecordError> for PlayError {
    fn from(error: RecordError) -> PlayError {
        PlayError::Record(error)
    }
}
