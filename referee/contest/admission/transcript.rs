//! What a check game leaves for the author of the bot: its record, and the question, the answer and an expected answer
//! of a fault. The game is played again from its answers, so none of this takes time while the bot thinks.

use std::fmt;
use std::slice;
use std::time::Duration;

use referee_games::catalog::Entry;
use referee_record::error::Error;
use referee_record::log::GameLog;
use referee_record::play::play;
use referee_record::play::table::{Question, Table, TableError};
use referee_record::text::visible_line;
use referee_record::{Answer, BotName, Digest, Heading, Page, Recorder};
use referee_rules::game::Game;
use referee_rules::{BySeat, Dice, Fault, Malformed, Outcome, Parameters, Seat, Seed, wire};

/// The seed of a check game.
pub(crate) const SEED: Seed = Seed(1);

/// Maximum length of the record of a check game, in bytes. A longer one is not kept.
pub const RECORD_MAX: usize = 1 << 20;

/// Maximum number of characters of a line in a message.
const LINE_MAX: usize = 240;

/// Number of characters that are shown of the end of a line that is cut.
const LINE_END: usize = 60;

/// The exchange in which a fault occurred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The question: its line, cut in the middle if it is long.
    pub question: String,
    /// The integers of the answer, cut in the middle if they are long; `None` if no line of integers came.
    pub answer: Option<String>,
    /// The time limit of the answer.
    pub limit: Duration,
    /// An answer that the rules accept in this position, cut in the middle if it is long. Empty if the rules name none.
    pub example: String,
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Exchange { question, answer, limit, example } = self;
        write!(f, "\n  question: {question}")?;
        if let Some(answer) = answer {
            write!(f, "\n  answer:   {answer}")?;
        }
        write!(f, "\n  expected: one line within {} ms", limit.as_millis())?;
        if example.is_empty() { Ok(()) } else { write!(f, ", for example {example}") }
    }
}

/// A check game that was played, with the answers of the bot in their order.
pub(crate) struct CheckTranscript<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) parameters: &'a Parameters,
    pub(crate) seat: Seat,
    pub(crate) answers: &'a [Answer],
}

impl CheckTranscript<'_> {
    /// Returns the record of the game, as text: a log, up to the turn in which the game was ended. Empty if it is too
    /// long, or if the rules are a program that fails.
    pub(crate) fn record(&self, bot: &BotName) -> String {
        let mut game = self.entry.start(self.parameters, SEED);
        let absent_bot = BotName { name: "nobody".to_owned(), version: 1, digest: Digest::of(b"") };
        let bots = BySeat::from_fn(game.info().seats, |seat| {
            if seat == self.seat { bot.clone() } else { absent_bot.clone() }
        });
        let mut log = GameLog::begin(&Heading::new("check", &*game, self.parameters, bots), Vec::new());
        self.play(&mut *game, self.answers.len(), &mut log);
        if log.flush().is_err() || game.trouble().is_some() {
            return String::new();
        }
        let (bytes, ..) = log.finish();
        String::from_utf8(bytes).ok().filter(|text| text.len() <= RECORD_MAX).unwrap_or_default()
    }

    /// Returns the exchange with the question of this number, from 0; `None` if the rules fail before it.
    pub(crate) fn exchange(&self, number: usize) -> Option<Exchange> {
        let answer = self.answers.get(number)?;
        let mut game = self.entry.start(self.parameters, SEED);
        let Question { line, limit, .. } = self.play(&mut *game, number, &mut Nothing)?;
        let (mut dice, mut example) = (Dice::for_start(SEED), Vec::new());
        game.sample(self.seat, &mut dice, &mut example);
        // A malformed answer is shown as far as it is integers. With any other fault, no integers count.
        let integers = match &answer.fault {
            None | Some(Fault::Malformed(_)) => &answer.integers[..],
            Some(_) => &[],
        };
        Some(Exchange {
            question: cut(&line),
            answer: if integers.is_empty() { None } else { Some(joined(integers)) },
            limit,
            example: joined(&example),
        })
    }

    /// Plays until the bot gets the question of this number. Returns that question, if there is one.
    fn play(&self, game: &mut dyn Game, number: usize, record: &mut dyn Recorder) -> Option<Question> {
        let answers = self.answers[..number].iter();
        let mut table = ReplayTable { answers, seat: self.seat, asked: Vec::new(), unanswered: None };
        // The table stops the game at the question for which there is no answer.
        let _ = play(game, &mut table, record);
        table.unanswered
    }
}

/// Returns the answer of a seat without a bot. It is malformed, so the rules replace it; silence would end some games
/// at once.
pub(crate) fn answer_of_empty_seat(seat: Seat) -> Answer {
    Answer { fault: Some(Fault::Malformed(Malformed::new("nobody sits here"))), ..Answer::empty(seat) }
}

fn joined(integers: &[i64]) -> String {
    let mut line = Vec::new();
    wire::push_joined(&mut line, integers);
    cut(&line)
}

/// Returns a line without control characters, and without its middle if it is long. It is cut at blanks where there are
/// some.
fn cut(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = visible_line(text.trim());
    let count = text.chars().count();
    if count <= LINE_MAX {
        return text.into_owned();
    }
    let at = |number: usize| text.char_indices().nth(number).map_or(text.len(), |(at, _)| at);
    let (start, end) = (&text[..at(LINE_MAX - LINE_END)], &text[at(count - LINE_END)..]);
    let start = start.rsplit_once(' ').map_or(start, |(start, _)| start);
    let end = end.split_once(' ').map_or(end, |(_, end)| end);
    let omitted = count - start.chars().count() - end.chars().count();
    format!("{start} [{omitted} characters] {end}")
}

/// A table that gives the recorded answers of a bot again, until there are no more.
struct ReplayTable<'a> {
    answers: slice::Iter<'a, Answer>,
    seat: Seat,
    asked: Vec<Seat>,
    /// The question for which there is no answer.
    unanswered: Option<Question>,
}

impl Table for ReplayTable<'_> {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        self.asked.clear();
        self.asked.extend(questions.iter().map(|question| question.seat));
        match questions.iter().find(|question| question.seat == self.seat) {
            Some(question) if self.answers.len() == 0 => {
                self.unanswered = Some(question.clone());
                Err(TableError::Stopped)
            }
            _ => Ok(()),
        }
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        answers.clear();
        for seat in &self.asked {
            let own = if *seat == self.seat { self.answers.next().cloned() } else { None };
            answers.push(own.unwrap_or_else(|| answer_of_empty_seat(*seat)));
        }
        Ok(())
    }
}

/// A record of nothing.
struct Nothing;

impl Recorder for Nothing {
    fn turn(&mut self, _: &Page<'_>) {}

    fn flush_if_full(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn end(&mut self, _: u32, _: &Outcome) -> Result<(), Error> {
        Ok(())
    }
}
