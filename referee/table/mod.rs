//! Where questions go and answers come from. The turn loop sees no more of it than [`Table`].

pub mod collect;
pub mod excerpt;
pub mod launch;
pub mod process;
pub mod program;
pub mod sandbox;
pub mod simulated;

use std::fmt;
use std::io;
use std::time::Duration;

use crate::rules::{Fault, FaultKind, Seat};

/// A place where a game is played: it puts the questions of a turn, all at once, and collects the answers.
pub trait Table {
    /// Hands the questions over, and does not wait.
    ///
    /// # Errors
    ///
    /// Only if the referee itself is in trouble or told to stop; what bots do wrong is an answer.
    fn put(&mut self, questions: &[Question]) -> Result<(), TableError>;

    /// Waits until each question that was put is answered or its time is over. Writes one answer for each, in
    /// their order, over what `answers` held.
    ///
    /// # Errors
    ///
    /// As for [`put`](Table::put).
    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError>;
}

/// One question to one seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Who is asked.
    pub seat: Seat,
    /// The line, with its newline.
    pub line: Vec<u8>,
    /// How long the seat may think.
    pub limit: Duration,
}

/// What came of one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Who was asked.
    pub seat: Seat,
    /// The integers of the line, if one came in time that is made of integers.
    pub integers: Vec<i64>,
    /// Why there are no integers.
    pub fault: Option<Fault>,
    /// From the whole question written to the newline of the answer, or to the end of the waiting.
    pub thinking: Duration,
    /// Lines that came since the question before and answer nothing.
    pub dropped: Dropped,
}

impl Answer {
    /// Returns the answer of a seat that has said nothing yet.
    pub fn empty(seat: Seat) -> Answer {
        Answer {
            seat,
            integers: Vec::new(),
            fault: None,
            thinking: Duration::ZERO,
            dropped: Dropped::default(),
        }
    }

    /// Returns the integers, or the fault.
    pub fn given(&self) -> Result<&[i64], &Fault> {
        self.fault.as_ref().map_or(Ok(&self.integers), Err)
    }
}

/// Numbers of lines that were dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Answers that came after their limit.
    pub late: u32,
    /// Lines that came before their question.
    pub early: u32,
    /// Lines that answer nothing.
    pub extra: u32,
}

impl Dropped {
    /// Goes through the kinds and their numbers.
    pub fn iter(self) -> impl Iterator<Item = (FaultKind, u32)> {
        [(FaultKind::Late, self.late), (FaultKind::Early, self.early), (FaultKind::Extra, self.extra)]
            .into_iter()
    }

    /// Adds to one of the kinds. Tells whether there is such a kind here.
    pub fn add(&mut self, kind: FaultKind, count: u32) -> bool {
        let number = match kind {
            FaultKind::Late => &mut self.late,
            FaultKind::Early => &mut self.early,
            FaultKind::Extra => &mut self.extra,
            _ => return false,
        };
        // A log that somebody made up may say anything.
        *number = number.saturating_add(count);
        true
    }
}

/// Why a table cannot go on. Never a bot's doing.
#[derive(Debug)]
pub enum TableError {
    /// The referee was asked to stop, or there is nothing more to be had at this table.
    Stopped,
    /// The system refused something.
    System {
        /// What was tried.
        what: &'static str,
        /// What it said.
        error: io::Error,
    },
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::Stopped => f.write_str("stopped"),
            TableError::System { what, error } => write!(f, "{what}: {error}"),
        }
    }
}

impl std::error::Error for TableError {}
