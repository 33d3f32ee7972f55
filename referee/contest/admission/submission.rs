//! A submission to a hill: its conditions and its result.

use std::path::PathBuf;

use crate::admission::check::CheckFault;
use crate::admission::entrants::Event;

/// A program that is submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// The bot's name.
    pub name: String,
    /// The program.
    pub file: PathBuf,
    /// Its source, as the history names it.
    pub source: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// It may start other programs.
    pub may_fork: bool,
    /// Contact of its author; `None` keeps the known one.
    pub contact: Option<String>,
    /// Its author, if known.
    pub author: Option<String>,
}

/// A program that has been admitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// Its row in the history.
    pub event: Event,
    /// A warning for its author.
    pub warning: Option<CheckFault>,
    /// Bots with other names that have the same program and arguments.
    pub same: Vec<String>,
}
