//! The turn loop: a function of a game, a table and a record. It knows neither processes nor clocks.

use std::time::Duration;

use crate::Answer;
use crate::error::Error;
use crate::play::table::{Question, Table, TableError, Void};
use crate::play::wrong::{Room, judge_recorded};
use crate::text::without_host_paths;
use crate::{Page, Recorder};
use referee_rules::game::{Game, Trouble};
use referee_rules::{BySeat, Events, Fault, Outcome, Seat, TimeControl};

/// Plays a game to its end.
///
/// # Errors
///
/// If the table, the record or rules that are a program are in trouble. A bot's mistakes are part of the game.
pub fn play(game: &mut dyn Game, table: &mut dyn Table, record: &mut dyn Recorder) -> Result<Outcome, Error> {
    let mut questions = Questions::new(game);
    let with_lines = table.reads_lines();
    // Answers that are read from a log have been shortened before, so they are kept as they are.
    let mut room = if with_lines { Some(Room::new(game.info().seats)) } else { None };
    let mut turn = game.turn();
    let (mut answers, mut verdicts, mut events) =
        (Vec::new(), Vec::<Option<Fault>>::new(), Events::default());
    let mut is_first = true;
    loop {
        fail_if_rules_failed(game)?;
        // The turn before.
        let page = Page { turn, answers: &answers, verdicts: &verdicts, events: &events };
        let is_recorded = is_first || record.turn_at_once(&page)?;
        let is_over = game.asked().is_empty();
        let asked = if is_over { Ok(()) } else { table.ask(questions.of_this_turn(game, with_lines)) };
        if !is_recorded {
            // This is done while the bots think.
            record.turn(&page);
        }
        asked?;
        if is_over {
            break;
        }
        is_first = false;
        turn = game.turn();
        table.collect(&mut answers)?;
        questions.charge(&answers);
        record.flush_if_full()?;
        game.expect(&mut answers.iter().filter_map(|answer| Some((answer.seat, answer.given().ok()?))));
        verdicts.clear();
        verdicts.extend(answers.iter_mut().map(|answer| match &mut room {
            Some(room) => room.judge(game, answer),
            None => judge_recorded(game, answer),
        }));
        events.clear();
        game.resolve(&mut events);
    }
    fail_if_rules_failed(game)?;
    let outcome = game.outcome().expect("a game without questions has an outcome");
    record.end(game.turn(), &outcome)?;
    Ok(outcome)
}

/// Makes sure that the game can go on. If its rules are a program that has failed, it is void.
fn fail_if_rules_failed(game: &dyn Game) -> Result<(), TableError> {
    match game.trouble() {
        Some(Trouble { why, seat, errors }) => {
            let why = without_host_paths(&why);
            Err(TableError::Void(Void::JudgeFailed { why, seat, errors }))
        }
        None => Ok(()),
    }
}

/// The questions of a turn, in memory that is used again, and the time that each seat has used.
struct Questions {
    questions: Vec<Question>,
    time: TimeControl,
    clocks: BySeat<SeatClock>,
}

/// The time that a seat has used.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SeatClock {
    questions: u32,
    /// Time of all answers but the first.
    used: Duration,
}

impl Questions {
    fn new(game: &dyn Game) -> Questions {
        let info = game.info();
        let clocks = BySeat::from_fn(info.seats, |_| SeatClock::default());
        Questions { questions: Vec::new(), time: info.time, clocks }
    }

    fn of_this_turn(&mut self, game: &mut dyn Game, with_lines: bool) -> &[Question] {
        let count = game.asked().len();
        while self.questions.len() < count {
            self.questions.push(Question { seat: Seat::new(0), line: Vec::new(), limit: Duration::ZERO });
        }
        for (index, question) in self.questions[..count].iter_mut().enumerate() {
            let seat = game.asked()[index];
            question.seat = seat;
            question.limit = self.clocks[seat].next_limit(&self.time);
            question.line.clear();
            if with_lines {
                game.question(seat, &mut question.line);
            }
        }
        &self.questions[..count]
    }

    /// Takes the time of a turn's answers from the banks.
    fn charge(&mut self, answers: &[Answer]) {
        for answer in answers {
            self.clocks[answer.seat].charge(answer.thinking);
        }
    }
}

impl SeatClock {
    /// Counts a further question, and returns its limit.
    pub(crate) fn next_limit(&mut self, time: &TimeControl) -> Duration {
        self.questions += 1;
        match time.bank {
            _ if self.questions == 1 => time.first_limit,
            Some(bank) => bank.saturating_sub(self.used).min(time.turn_limit),
            None => time.turn_limit,
        }
    }

    /// Takes the time of an answer from the bank.
    pub(crate) fn charge(&mut self, thinking: Duration) {
        if self.questions > 1 {
            // A forged log can contain any time.
            self.used = self.used.saturating_add(thinking);
        }
    }
}
