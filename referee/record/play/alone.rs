//! One seat at a table whose other seats are empty: its questions, and the time that it has used.

use std::time::Duration;

use crate::Answer;
use crate::error::Error;
use crate::play::table::{Question, Table};
use crate::play::turns::SeatClock;
use referee_rules::game::Game;
use referee_rules::{Fault, Info, Seat, TimeControl};

/// A seat at a table, and the time that it has used.
#[derive(Debug)]
pub struct Alone<'a, T: ?Sized> {
    /// The table.
    pub table: &'a mut T,
    question: Question,
    time: TimeControl,
    clock: SeatClock,
    answers: Vec<Answer>,
}

/// A question that was put, its answer, and the game's verdict.
#[derive(Debug)]
pub struct Exchange<'a> {
    /// The line of the question.
    pub question: &'a [u8],
    /// The answer.
    pub answer: &'a Answer,
    /// The fault that the game finds in it.
    pub verdict: Option<Fault>,
}

impl<'a, T: Table + ?Sized> Alone<'a, T> {
    /// Takes the seat.
    pub fn new(table: &'a mut T, seat: Seat, info: &Info) -> Alone<'a, T> {
        let question = Question { seat, line: Vec::new(), limit: Duration::ZERO };
        Alone { table, question, time: info.time, clock: SeatClock::default(), answers: Vec::new() }
    }

    /// Puts the question of this turn, and has the game judge the answer. The time limit is at least `minimum_limit`.
    pub fn ask(&mut self, game: &mut dyn Game, minimum_limit: Duration) -> Result<Exchange<'_>, Error> {
        let Alone { table, question, time, clock, answers } = self;
        question.line.clear();
        game.question(question.seat, &mut question.line);
        question.limit = clock.next_limit(time).max(minimum_limit);
        table.ask(std::slice::from_ref(question))?;
        table.collect(answers)?;
        let answer = &answers[0];
        clock.charge(answer.thinking);
        let verdict = game.answer(question.seat, answer.given());
        Ok(Exchange { question: &question.line, answer, verdict })
    }

    /// Lets a turn pass in which the seat is not asked. The table is informed, since it may have to freeze the bot.
    pub fn pass(&mut self) -> Result<(), Error> {
        self.table.ask(&[])?;
        Ok(self.table.collect(&mut self.answers)?)
    }
}
