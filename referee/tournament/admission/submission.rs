//! A program that is handed in to a hill: what is asked of it, and what comes of it.

use std::path::PathBuf;

use super::check::Finding;
use super::entrants::Event;

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
    /// Whose it is, if anybody says.
    pub author: Option<String>,
}

/// A program that plays from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// Its row in the history.
    pub event: Event,
    /// What its author should look at.
    pub warning: Option<Finding>,
    /// Bots that play under other names and are this very program with these arguments.
    pub same: Vec<String>,
}
