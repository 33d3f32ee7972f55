//! The check game: a short game that a program plays alone at the table before it is admitted.

use std::cell::Cell;
use std::fmt;
use std::time::Duration;

use referee_files::work;
use referee_games::catalog::Entry;
use referee_record::error::{Error, ErrorKind};
use referee_record::play::play;
use referee_record::play::table::{Question, Table, TableError};
use referee_record::{Answer, BotName, Dropped};
use referee_record::{Page, Recorder};
use referee_rules::{Fault, FaultKind, Outcome, Parameters, Seat};
use referee_table::examine::{Cause, Mistake, Reader, Subject};
use referee_table::game_table::GameTable;
use referee_table::open;
use referee_table::process::{Program, Setup};

use super::transcript::{CheckTranscript, Exchange, SEED, answer_of_empty_seat};

/// Number of questions of a check game.
pub const QUESTIONS: u32 = 50;

/// The part of the answers that may be late in a check game, in percent, unless the hill says another.
pub const LATE_PERCENT: u32 = 10;

/// Returns the number of late answers that are allowed of this number of answers, since the machine can be busy: this
/// percentage, and at least one unless it is 0.
fn late_allowed(questions: u32, percent: u32) -> u32 {
    (questions * percent / 100).max(percent.min(1))
}

/// Returns how long a check game can take on a quiet machine, where each answer comes just in time; with the tries that
/// find out why a program is silent.
pub fn longest(entry: &Entry, parameters: &Parameters) -> Duration {
    let time = entry.info(parameters).time;
    let game = time.first_limit.saturating_add(time.turn_limit.saturating_mul(QUESTIONS));
    game.saturating_add(referee_table::examine::longest_silence(&time))
}

/// A check game that was passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The first late answer and the first illegal action, if there were some: no reason for a refusal, but worth a
    /// warning.
    pub warnings: Vec<CheckFault>,
    /// The record of the game, as text; empty if it is not kept.
    pub record: String,
}

/// Plays a check game. The other seats are empty: the table returns malformed answers for them. It ends as soon as it
/// is certain that the program is refused. `late_percent` of its answers may be late. `bot` is its name in the record.
///
/// # Errors
///
/// [`NotAdmitted`] is the cause if the program does not play as it should.
pub fn check(
    entry: &Entry,
    parameters: &Parameters,
    program: &Program,
    bot: &BotName,
    setup: &Setup,
    late_percent: u32,
) -> Result<Passed, Error> {
    let mut game = entry.start(parameters, SEED);
    let info = game.info().clone();
    let seat = Seat::new(0);
    let table = open::alone(&info, seat, program, setup).map_err(not_played)?;
    let is_decided = Cell::new(false);
    let mut table = LimitedTable::new(table, seat, &is_decided);
    let mut faults = CheckFaults::new(seat, late_percent, &is_decided);
    match play(&mut *game, &mut table, &mut faults) {
        Ok(_) => {}
        Err(error)
            if error.kind() == ErrorKind::Stopped && (table.questions_left == 0 || is_decided.get()) => {}
        Err(error) => return Err(not_played(error)),
    }
    let leftovers = &table.table.farewell()[seat];
    if leftovers.dropped.extra + leftovers.dropped.early > 0 {
        // More lines than questions. In a quick game each can have counted as the answer to the next question.
        faults.all.push(CheckFault::new(game.turn(), Fault::Extra, None));
    }
    let errors = leftovers.errors.to_bytes();
    let last_words = String::from_utf8_lossy(&errors).lines().last().map(str::to_owned);
    let transcript = CheckTranscript { entry, parameters, seat, answers: &table.own_answers };
    let with_exchange = |fault: CheckFault| CheckFault {
        exchange: fault.question.and_then(|number| transcript.exchange(number as usize)).map(Box::new),
        ..fault
    };
    let record = transcript.record(bot);
    match faults.judge(last_words) {
        Ok(warnings) => Ok(Passed { warnings: warnings.into_iter().map(with_exchange).collect(), record }),
        Err(fault) => {
            let refused = NotAdmitted::new(with_exchange(fault), &errors, Reader::Here(entry.name), record);
            Err(Error::because(ErrorKind::Failed, refused))
        }
    }
}

/// Plays a check game as [`check`] does, and explains a refusal to its reader. If the program was silent, finds out the
/// reason by trials, as `referee check` does.
pub fn check_and_explain(
    subject: &Subject<'_>,
    bot: &BotName,
    late_percent: u32,
    reader: Reader<'static>,
) -> Result<Passed, Error> {
    let Subject { entry, parameters, program, setup } = subject;
    let explained = |refusal: Error| match refusal.cause::<NotAdmitted>() {
        Some(refused) => {
            let cause = reason_of_silence(refused, subject).unwrap_or_else(|| refused.cause.clone());
            Error::because(ErrorKind::Failed, NotAdmitted { cause, reader, ..refused.clone() })
        }
        None => refusal,
    };
    check(entry, parameters, program, bot, setup, late_percent).map_err(explained)
}

/// Returns the reason why a program was silent, if it was refused for that; `None` if the trials fail.
fn reason_of_silence(refused: &NotAdmitted, subject: &Subject<'_>) -> Option<Cause> {
    if !refused.fault.is_silent || refused.fault.fault != Fault::Late {
        return None;
    }
    referee_table::examine::reason_of_silence(subject).ok()?
}

fn not_played(error: impl Into<Error>) -> Error {
    let error: Error = error.into();
    match error.kind() {
        ErrorKind::Stopped => error,
        _ => error.context("the check game could not be played"),
    }
}

/// The reason for a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAdmitted {
    /// The first grave fault of the check game.
    pub fault: CheckFault,
    /// What is behind it, and what helps.
    pub cause: Cause,
    /// Who is told.
    pub reader: Reader<'static>,
    /// The record of the check game, as text; empty if it is not kept.
    pub record: String,
}

impl NotAdmitted {
    fn new(fault: CheckFault, errors: &[u8], reader: Reader<'static>, record: String) -> NotAdmitted {
        let cause = if fault.is_silent && fault.fault == Fault::Late {
            Mistake::Silent.into()
        } else {
            Cause::of(&fault.fault, errors)
        };
        NotAdmitted { fault, cause, reader, record }
    }
}

impl fmt::Display for NotAdmitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cause = self.cause.summary(self.reader);
        match &self.fault {
            // The cause has its reason.
            CheckFault { turn, fault: fault @ Fault::StartFailed(_), .. } => match fault.kind().name() {
                kind if kind == self.cause.mistake.name() => {
                    write!(f, "it failed its check game in turn {turn}. {cause}")
                }
                kind => write!(f, "it failed its check game in turn {turn}: {kind}. {cause}"),
            },
            fault => write!(f, "it failed its check game in {fault}. {cause}"),
        }
    }
}

impl std::error::Error for NotAdmitted {}

/// A fault in one turn of a check game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckFault {
    /// The turn.
    pub turn: u32,
    /// The fault.
    pub fault: Fault,
    /// The last line that the program wrote to standard error.
    pub last_words: Option<String>,
    /// Whether no whole line came on its standard output while it was asked. What it writes only when its input is
    /// closed was held back in a buffer.
    pub is_silent: bool,
    /// The number of its question, from 0; `None` if it came with none.
    question: Option<u32>,
    /// The question, the answer, and what was expected, where they are known.
    pub exchange: Option<Box<Exchange>>,
}

impl CheckFault {
    fn new(turn: u32, fault: Fault, question: Option<u32>) -> CheckFault {
        CheckFault { turn, fault, last_words: None, is_silent: false, question, exchange: None }
    }
}

impl fmt::Display for CheckFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "turn {}: {}", self.turn, self.fault)?;
        if self.is_silent && self.fault == Fault::Late {
            f.write_str(", and no line came while it was asked")?;
        }
        match &self.last_words {
            // A program that could not be started wrote nothing itself.
            Some(words) if !matches!(self.fault, Fault::StartFailed(_)) => {
                write!(
                    f,
                    " (it wrote to standard error, last: {:?})",
                    words.chars().take(200).collect::<String>()
                )
            }
            _ => Ok(()),
        }
    }
}

/// A table with one bot, which stops after some questions to it. For the other seats it returns malformed answers,
/// since silence would end some games at once.
struct LimitedTable<'a> {
    table: Box<dyn GameTable>,
    seat: Seat,
    /// The seats that are asked in this turn.
    asked: Vec<Seat>,
    /// The answers of the bot in this turn.
    own: Vec<Answer>,
    /// All answers of the bot.
    own_answers: Vec<Answer>,
    questions_left: u32,
    /// Set as soon as the program will certainly be refused.
    is_decided: &'a Cell<bool>,
}

impl LimitedTable<'_> {
    fn new(table: Box<dyn GameTable>, seat: Seat, is_decided: &Cell<bool>) -> LimitedTable<'_> {
        let (asked, own, own_answers) = (Vec::new(), Vec::new(), Vec::new());
        LimitedTable { table, seat, asked, own, own_answers, questions_left: QUESTIONS, is_decided }
    }
}

impl Table for LimitedTable<'_> {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        if self.is_decided.get() {
            return Err(TableError::Stopped);
        }
        self.asked.clear();
        self.asked.extend(questions.iter().map(|question| question.seat));
        match questions.iter().find(|question| question.seat == self.seat) {
            Some(question) => {
                work::question_put();
                self.questions_left = self.questions_left.checked_sub(1).ok_or(TableError::Stopped)?;
                self.table.ask(std::slice::from_ref(question))
            }
            None => self.table.ask(&[]),
        }
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        self.table.collect(&mut self.own)?;
        answers.clear();
        for seat in &self.asked {
            let own = self.own.iter().find(|own| own.seat == *seat);
            self.own_answers.extend(own.cloned());
            answers.push(own.cloned().unwrap_or_else(|| answer_of_empty_seat(*seat)));
        }
        Ok(())
    }
}

/// A recorder that keeps the faults of one seat alone.
struct CheckFaults<'a> {
    seat: Seat,
    all: Vec<CheckFault>,
    has_answered: bool,
    /// Number of questions so far.
    questions: u32,
    /// Number of answers in time.
    in_time: u32,
    /// The part of its answers that may be late, in percent.
    late_percent: u32,
    /// Set as soon as the program will certainly be refused.
    is_decided: &'a Cell<bool>,
}

impl Recorder for CheckFaults<'_> {
    fn turn(&mut self, page: &Page<'_>) {
        for (answer, verdict) in page.answers.iter().zip(page.verdicts).filter(|(a, _)| a.seat == self.seat) {
            self.has_answered |= answer.fault.as_ref().is_none_or(|fault| !fault.kind().is_silence());
            self.has_answered |= answer.dropped != Dropped::default();
            let question = Some(self.questions);
            let mut add = |fault| self.all.push(CheckFault::new(page.turn, fault, question));
            self.questions += 1;
            self.in_time += u32::from(answer.fault.is_none());
            if let Some(fault) = verdict {
                add(fault.clone());
            }
            if answer.dropped.early > 0 {
                add(Fault::Early);
            }
            if answer.dropped.extra > 0 {
                add(Fault::Extra);
            }
        }
        // A full game allows the most late answers: a fault that is grave then is grave in any case.
        if self.grave(late_allowed(QUESTIONS, self.late_percent)).is_some() {
            self.is_decided.set(true);
        }
    }

    fn flush_if_full(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn end(&mut self, _turns: u32, _outcome: &Outcome) -> Result<(), Error> {
        Ok(())
    }
}

impl CheckFaults<'_> {
    fn new(seat: Seat, late_percent: u32, is_decided: &Cell<bool>) -> CheckFaults<'_> {
        let (all, has_answered, questions, in_time) = (Vec::new(), false, 0, 0);
        CheckFaults { seat, all, has_answered, questions, in_time, late_percent, is_decided }
    }

    /// Returns the first fault for which a program is refused, if this number of late answers is allowed.
    fn grave(&self, late_allowed: u32) -> Option<&CheckFault> {
        let late = self.all.iter().filter(|found| found.fault == Fault::Late).count() as u32;
        let is_grave = |found: &&CheckFault| match found.fault {
            Fault::Late => late > late_allowed,
            Fault::Illegal(_) => false,
            _ => true,
        };
        self.all.iter().find(is_grave)
    }

    /// Returns the faults that deserve a warning; or the one for which the program is refused.
    fn judge(self, last_words: Option<String>) -> Result<Vec<CheckFault>, CheckFault> {
        // A bot that never answered in time has shown nothing.
        let late_allowed = if self.in_time > 0 { late_allowed(self.questions, self.late_percent) } else { 0 };
        if let Some(fault) = self.grave(late_allowed) {
            return Err(CheckFault { last_words, is_silent: !self.has_answered, ..fault.clone() });
        }
        let illegal = self.all.iter().find(|found| found.fault.kind() == FaultKind::Illegal);
        // So has one whose only answer was illegal.
        if let Some(illegal) = illegal
            && self.in_time == 1
        {
            return Err(CheckFault { last_words, ..illegal.clone() });
        }
        let of_kind = |kind| self.all.iter().find(|found| found.fault.kind() == kind).cloned();
        Ok([FaultKind::Late, FaultKind::Illegal].into_iter().filter_map(of_kind).collect())
    }
}
