//! What can be wrong with a plan.

use std::fmt;

use crate::record::RecordError;
use crate::tournament::rulings::Unruled;

/// Why a plan cannot be made or followed.
#[derive(Debug)]
pub enum PlanError {
    /// A file is in trouble.
    Record(RecordError),
    /// The plan is for another program, other bots or another tournament: trying again does not help.
    Mismatch(String),
    /// Who plays next depends on void games on which nobody has ruled.
    NotRuled(Unruled),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::Record(error) => error.fmt(f),
            PlanError::Mismatch(what) => f.write_str(what),
            PlanError::NotRuled(unruled) => write!(f, "who plays next depends on it: {unruled}"),
        }
    }
}

impl std::error::Error for PlanError {}

impl From<RecordError> for PlanError {
    fn from(error: RecordError) -> PlanError {
        PlanError::Record(error)
    }
}
