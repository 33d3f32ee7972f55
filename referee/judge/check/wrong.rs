//! A mistake of a judge, as its author reads it.

use std::fmt;

use crate::game::JudgeGame;
use crate::session::Failure;
use referee_record::text::{harmless, harmless_line};
use referee_rules::game::Game;

/// A judge's mistake.
#[derive(Debug)]
pub(super) struct Wrong {
    turn: Option<u32>,
    what: String,
    failure: Option<Box<Failure>>,
}

impl From<String> for Wrong {
    fn from(what: String) -> Wrong {
        Wrong { turn: None, what, failure: None }
    }
}

impl From<Failure> for Wrong {
    fn from(failure: Failure) -> Wrong {
        Wrong { turn: None, what: failure.why.clone(), failure: Some(Box::new(failure)) }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(turn) = self.turn {
            write!(f, "turn {turn}: ")?;
        }
        f.write_str(&self.what)?;
        let Some(failure) = &self.failure else { return Ok(()) };
        let Failure { request, reply, errors, .. } = &**failure;
        for line in request.lines() {
            write!(f, "\n  request: {}", harmless(line, 400))?;
        }
        for line in reply {
            write!(f, "\n  reply: {line}")?;
        }
        for line in errors.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            write!(f, "\n  standard error: {}", harmless_line(line))?;
        }
        Ok(())
    }
}

/// Returns a mistake in a turn.
pub(super) fn wrong(turn: u32, what: impl Into<String>) -> Wrong {
    Wrong { turn: Some(turn), what: what.into(), failure: None }
}

/// Fails if the judge has failed.
pub(super) fn fail_if_judge_failed(game: &JudgeGame) -> Result<(), Wrong> {
    let turn = Some(game.turn());
    match game.failure() {
        Some(failure) => Err(Wrong { turn, ..failure.into() }),
        None => Ok(()),
    }
}
