//! The audit of a batch's journals: who played its games, and which were lost. Every committed game has an entry in
//! one of them.

use std::collections::BTreeSet;

use crate::batch::journal::{Attempt, attempts};
use crate::batch::journal_of;
use crate::plan::Plan;
use crate::plan::schedule_file::Game;
use crate::runner::GameEnd;
use crate::runner::journal::{self, line_of};
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_record::results::ResultRow;

/// Checks the journals of a batch against the ends of its games; `came` is `None` if the batch is not done.
///
/// # Errors
///
/// Names the first journal that is damaged or lacks a record.
pub(super) fn check(plan: &Plan, batch: usize, came: Option<&[(Game, GameEnd)]>) -> Result<(), Error> {
    let path = |attempt: usize| journal_of(&plan.folder, batch, attempt as u32);
    let attempts = attempts(&plan.folder, &plan.id, batch)?;
    for (attempt, number) in attempts.iter().zip(0..) {
        is_undamaged(&Spot::within(&plan.root, path(number)))?;
        if let Some(what) = fault(attempt) {
            return Err(Error::file(&path(number), what));
        }
    }
    // Attempts are numbered without a gap.
    let gone = path(attempts.len());
    if path(attempts.len() + 1).exists() || (attempts.is_empty() && came.is_some()) {
        return Err(Error::file(&gone, "the journal of an attempt at this batch is missing"));
    }
    let Some(came) = came else { return Ok(()) };
    if !attempts.iter().any(|attempt| attempt.wear.is_some()) {
        let what = "the batch is done, but no journal contains a finished attempt";
        return Err(Error::file(&path(attempts.len() - 1), what));
    }
    let begun: BTreeSet<u32> = attempts.iter().flat_map(|attempt| attempt.begun.iter().copied()).collect();
    for (game, came) in came {
        let is_told = match came {
            GameEnd::Over(rows) => attempts.iter().any(|attempt| has_ended_so(attempt, game.number, rows)),
            GameEnd::Void(_) => begun.contains(&game.number),
        };
        if !is_told {
            let what = format!("the journals of this batch contradict its results in game {}", game.number);
            return Err(Error::file(&path(attempts.len() - 1), what));
        }
    }
    Ok(())
}

fn has_ended_so(attempt: &Attempt, number: u32, rows: &[ResultRow]) -> bool {
    let text = |rows: &[ResultRow]| rows.iter().map(ResultRow::text).collect::<Vec<String>>();
    attempt.ended.iter().any(|(game, ended)| *game == number && text(ended) == text(rows))
}

/// Says which necessary record an attempt lacks, if any.
fn fault(attempt: &Attempt) -> Option<String> {
    if attempt.begun.is_empty() && attempt.ended.is_empty() {
        return None; // it may have been killed before its first record
    }
    if attempt.node.is_empty() {
        return Some("the record of the plan and the machine's name is missing".to_owned());
    }
    if attempt.machine.is_none() {
        return Some("the description of the machine is missing".to_owned());
    }
    let (unbegun, _) = attempt.ended.iter().find(|(game, _)| !attempt.begun.contains(game))?;
    Some(format!("game {unbegun} has ended, but the record of its start is missing"))
}

/// Makes sure that all records but the last are as they were written: a kill tears only the last one.
fn is_undamaged(spot: &Spot) -> Result<(), Error> {
    let path = spot.path();
    let text = journal::read(spot)?.unwrap_or_default();
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let before_the_last = lines.len().saturating_sub(1);
    let is_record = |line: &&[u8]| {
        let text = std::str::from_utf8(line).ok().and_then(|text| text.strip_suffix('\n'));
        let record = text.and_then(|text| text.split_once(' '));
        record.is_some_and(|(_, record)| line_of(record).as_bytes() == *line)
    };
    match lines[..before_the_last].iter().position(|line| !is_record(line)) {
        None => Ok(()),
        Some(index) => Err(Error::line(path, index as u64 + 1, "this record was changed")),
    }
}
