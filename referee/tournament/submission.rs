//! A program that is handed in to a hill: what is asked of it, and what comes of it.

use std::fmt;
use std::path::PathBuf;

use super::check::{CheckError, Finding};
use super::entrants::Event;
use crate::record::RecordError;
use crate::table::program::NotAProgram;

/// A program that somebody hands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// The bot's name.
    pub name: String,
    /// The program.
    pub file: PathBuf,
    /// What the history says of where it came from.
    pub source: String,
    /// What it is called with.
    pub arguments: Vec<String>,
    /// It may start other programs.
    pub may_fork: bool,
}

/// A program that plays from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// Its row in the history.
    pub event: Event,
    /// What its author should look at.
    pub warning: Option<Finding>,
}

/// Why a program does not play.
#[derive(Debug)]
pub enum SubmitError {
    /// The name or an argument does not do.
    Name(String),
    /// The file cannot be started.
    NotAProgram {
        /// The file.
        file: PathBuf,
        /// Why.
        why: NotAProgram,
    },
    /// It failed its check game.
    Check(CheckError),
    /// The very same program plays already under this name.
    Same {
        /// The name.
        name: String,
        /// As which version.
        version: u32,
    },
    /// The hill is in trouble.
    Record(RecordError),
}

impl fmt::Display for SubmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SubmitError::Name(why) => f.write_str(why),
            SubmitError::NotAProgram { file, why } => write!(f, "{}: {why}", file.display()),
            SubmitError::Check(error) => error.fmt(f),
            SubmitError::Same { name, version } => {
                write!(f, "this very program plays already, as version {version} of {name}")
            }
            SubmitError::Record(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SubmitError {}

impl From<RecordError> for SubmitError {
    fn from(error: RecordError) -> SubmitError {
        SubmitError::Record(error)
    }
}

impl From<CheckError> for SubmitError {
    fn from(error: CheckError) -> SubmitError {
        SubmitError::Check(error)
    }
}
