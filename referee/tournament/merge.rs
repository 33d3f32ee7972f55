//! Merges the batches of a plan: checks each against the schedule and writes `merged.csv`, a results file in the order of
//! the schedule. The bytes are the same whoever played which batch, in whatever order.

use std::fmt;
use std::io::{BufWriter, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use super::batch::voids::{self, Unfinished};
use super::batch::{Came, results};
use super::fixture::game_id;
use super::plan::Plan;
use super::{node, publish};
use crate::audit;
use crate::error::Error;
use crate::record::beneath::Spot;
use crate::record::results::{self as record, Header};
use crate::record::voids::VoidRow;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Games with results.
    pub games: u64,
    /// Games that count for nobody: which, and why.
    pub voids: Vec<(String, String)>,
    /// Attempts at games that were void or lost, and the games that are void for good: what `voids.csv` says.
    pub attempts: Vec<VoidRow>,
    /// Batches that are not done.
    pub missing: Missing,
}

/// Batches that are not done, as ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing(pub Vec<RangeInclusive<usize>>);

impl Missing {
    /// Makes ranges of batches that come in order.
    pub fn of(batches: impl IntoIterator<Item = usize>) -> Missing {
        let mut missing = Missing::default();
        batches.into_iter().for_each(|batch| missing.add(batch));
        missing
    }

    fn add(&mut self, batch: usize) {
        match self.0.last_mut() {
            Some(last) if *last.end() + 1 == batch => *last = *last.start()..=batch,
            _ => self.0.push(batch..=batch),
        }
    }

    /// Returns how many there are.
    pub fn count(&self) -> usize {
        self.0.iter().map(|range| range.end() - range.start() + 1).sum()
    }

    /// Returns the shards of a division that would play them, as ranges.
    pub fn shards(&self, of: usize) -> Missing {
        let mut shards: Vec<usize> = self.0.iter().cloned().flatten().map(|batch| batch % of).collect();
        shards.sort_unstable();
        shards.dedup();
        Missing::of(shards)
    }
}

/// As job arrays are written: `0-3,7`.
impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, range) in self.0.iter().enumerate() {
            write!(f, "{}{}", if index > 0 { "," } else { "" }, range.start())?;
            if range.start() != range.end() {
                write!(f, "-{}", range.end())?;
            }
        }
        Ok(())
    }
}

/// What is merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Write what there is, to `partial.csv`, if not all batches are done.
    pub partial: bool,
    /// Play every game again from its log.
    pub deep: bool,
}

/// Merges a plan, and lists the attempts that do not count in `voids.csv`. If batches are missing, `merged.csv` is not written.
///
/// # Errors
///
/// Names the first line of a batch that is not what it should be.
pub fn merge(plan: &Plan, options: Options) -> Result<Merged, Error> {
    let mut merged = Merged::default();
    let file = tempfile::NamedTempFile::new_in(&plan.folder);
    let file = file.map_err(Error::system(&plan.folder, "write what is merged"))?;
    let named = file.path().to_owned();
    let mut part = BufWriter::new(file);
    let refused = || Error::system(&named, "write what is merged");
    // What other rounds have named by its digest is the same when it is merged again by a later version.
    let batches = 0..plan.index.batches.len();
    let header =
        batches.clone().find_map(|batch| results::header_of(plan, batch)).unwrap_or_else(Header::current);
    let mut chain = header.chain();
    part.write_all(header.line().as_bytes()).map_err(refused())?;
    let mut attempts = Vec::new();
    for batch in batches {
        let unfinished = Unfinished::of(plan, batch)?;
        let from = attempts.len();
        attempts.extend(unfinished.rows.iter().cloned());
        let Some(games) = results::read(plan, batch)? else {
            merged.missing.add(batch);
            continue;
        };
        unfinished.remove_parts();
        for (game, came) in games {
            match came {
                Came::Void(why) => {
                    attempts.push(voids::given_up(plan, &game, &attempts[from..], &why));
                    merged.voids.push((game_id(game.scheduled), why));
                }
                Came::Over(rows) => {
                    merged.games += 1;
                    for row in rows {
                        let line = record::chained(&header.text(&row), &mut chain);
                        part.write_all(line.as_bytes()).map_err(refused())?;
                    }
                }
            }
        }
    }
    voids::write(plan, &attempts)?;
    merged.attempts = attempts;
    let part = part.into_inner().map_err(|error| refused()(error.into_error()))?;
    let target = match (merged.missing.0.is_empty(), options.partial) {
        (true, _) => merged_of(plan),
        (false, true) => plan.folder.join("partial.csv"),
        (false, false) => return Ok(merged),
    };
    let target = Spot::within(&plan.root, target);
    publish::replace_with(&target, part)?;
    if options.deep {
        audit::audit_merged(&target, node::cores())?;
    }
    Ok(merged)
}

/// Returns the file of what was merged.
pub fn merged_of(plan: &Plan) -> PathBuf {
    merged_in(&plan.folder)
}

/// Tells whether a plan was merged.
pub fn is_merged(plan: &Plan) -> bool {
    Spot::within(&plan.root, merged_of(plan)).exists()
}

/// Returns the file of what was merged in the folder of a plan.
pub fn merged_in(folder: &Path) -> PathBuf {
    folder.join("merged.csv")
}
