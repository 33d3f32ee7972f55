//! The table as the turn loop knows it: it puts questions and collects answers. Implementations for programs and for
//! records are elsewhere.

use std::fmt;
use std::io;
use std::time::Duration;

use crate::Answer;
use crate::error::{Error, ErrorKind};
use crate::voids::VoidReason;
use referee_rules::Seat;

/// A table, where a game is played: asks all questions of a turn at once and collects the answers.
pub trait Table {
    /// Sends the questions without waiting.
    ///
    /// # Errors
    ///
    /// Only if the referee itself is in trouble or told to stop. A bot's mistake is an answer with a fault.
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError>;

    /// Waits until each question is answered or its time is over. Replaces `answers` with one answer for each
    /// question, in their order.
    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError>;

    /// Returns whether the lines of the questions are read. If not, they may be empty.
    fn reads_lines(&self) -> bool {
        true
    }
}

/// One question to one seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The seat that is asked.
    pub seat: Seat,
    /// The line, with its newline.
    pub line: Vec<u8>,
    /// The time limit.
    pub limit: Duration,
}

/// The reason why a table cannot continue. It is never a bot's mistake.
#[derive(Debug)]
pub enum TableError {
    /// The referee was asked to stop, or this table has no more answers.
    Stopped,
    /// The game is void: it is recorded as such and played again.
    Void(Void),
    /// This machine cannot play, with the reason.
    Unfit(String),
    /// The system refused something.
    System {
        /// The attempted action.
        what: &'static str,
        /// The system's error.
        error: io::Error,
    },
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::Stopped => f.write_str("stopped"),
            TableError::Void(void) => void.fmt(f),
            TableError::Unfit(why) => write!(f, "this machine cannot play: {why}"),
            // The system cannot start another process.
            TableError::System { what, error } if error.kind() == io::ErrorKind::WouldBlock => write!(
                f,
                "{what}: {error}; this user or this machine has too many processes: play fewer games at a \
                 time (--jobs), or raise the limit (ulimit -u)"
            ),
            TableError::System { what, error } => write!(f, "{what}: {error}"),
        }
    }
}

impl std::error::Error for TableError {}

impl From<TableError> for Error {
    fn from(error: TableError) -> Error {
        let kind = match &error {
            TableError::Stopped => ErrorKind::Stopped,
            TableError::Void(_) => ErrorKind::Void,
            TableError::Unfit(_) => ErrorKind::Unfit,
            TableError::System { .. } => ErrorKind::System,
        };
        Error::because(kind, error)
    }
}

/// The reason for a void game. It is never charged to a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Void {
    /// A bot could not be confined as required.
    SandboxError {
        /// The bot's seat.
        seat: Seat,
        /// The system's error.
        why: String,
    },
    /// The rules are a program, a judge, and it has failed.
    JudgeFailed {
        /// The judge and its mistake.
        why: String,
        /// The seat without whose last answer the judge goes on, if there is exactly one. It is no bot's fault.
        seat: Option<Seat>,
        /// What the judge has written to standard error.
        errors: Vec<u8>,
    },
    /// The host let a bot wait too long for a core: its turn cannot be judged.
    HostOverload {
        /// The bot's seat.
        seat: Seat,
        /// Elapsed time of the turn.
        wall: Duration,
        /// Part of that time in which the bot, or the referee, waited for a core.
        waited: Duration,
    },
}

impl Void {
    /// Returns the reason in every file and table.
    pub const fn reason(&self) -> VoidReason {
        match self {
            Void::SandboxError { .. } => VoidReason::SandboxError,
            Void::JudgeFailed { .. } => VoidReason::JudgeFailed,
            Void::HostOverload { .. } => VoidReason::HostOverload,
        }
    }

    /// Returns the seat of the bot, or `None` if the reason is no bot's.
    pub const fn seat(&self) -> Option<Seat> {
        match self {
            Void::SandboxError { seat, .. } | Void::HostOverload { seat, .. } => Some(*seat),
            Void::JudgeFailed { seat, .. } => *seat,
        }
    }
}

impl fmt::Display for Void {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Void::SandboxError { seat, why } => {
                write!(f, "the bot of seat {seat} could not be confined: {why}")
            }
            Void::JudgeFailed { why, .. } => f.write_str(why),
            Void::HostOverload { seat, wall, waited } => write!(
                f,
                "the host is overloaded: of a turn of {wall:.1?}, the bot of seat {seat} waited {waited:.1?} for a core"
            ),
        }
    }
}
