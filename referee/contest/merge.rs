//! Merges the batches of a tournament: checks each against the schedule and writes `merged.csv`, the results of all
//! rounds so far in the order of the schedule. Later rounds only append. The bytes do not depend on who played which
//! batch, or when. The results of a batch that are gone are made again of the records.

use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::batch::ranges::Missing;
use crate::batch::recorded::Recorded;
use crate::batch::results::{Batch, named};
use crate::batch::voids;
use crate::batch::{self, results, results_of};
use crate::fixture::game_id;
use crate::plan::{self, Plan};
use crate::runner::GameEnd;
use crate::{node, publish};
use referee_files::beneath::Spot;
use referee_files::results::chain_behind;
use referee_files::{audit, work};
use referee_record::Digest;
use referee_record::error::Error;
use referee_record::results::{Header, ResultRow, chained};
use referee_record::voids::VoidRow;

/// The results found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Games with results, of all rounds so far.
    pub games: u64,
    /// Void games of the last round, each with the reason.
    pub voids: Vec<(String, String)>,
    /// Attempts that were void or lost, and games that are void for good: the rows of `voids.csv`.
    pub attempts: Vec<VoidRow>,
    /// Batches that are not done.
    pub missing: Missing,
}

/// Options of a merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Write the existing results to `partial.csv` if batches are missing.
    pub partial: bool,
    /// Play every game again from its log.
    pub deep: bool,
}

/// Merges the rounds up to that of a plan, and lists the attempts that do not count in `voids.csv`. Does not write
/// `merged.csv` if batches are missing.
///
/// # Errors
///
/// Names the first wrong line of a batch; or a plan that was made after other results.
pub fn merge(plan: &Plan, options: Options) -> Result<Merged, Error> {
    let earlier = (1..plan.contents.round).map(|round| plan::open_round(&plan.root, round));
    let earlier: Vec<Plan> = earlier.collect::<Result<_, Error>>()?;
    let file = tempfile::NamedTempFile::new_in(&plan.root);
    let file = file.map_err(Error::system(&plan.root, "write what is merged"))?;
    let rounds = || earlier.iter().chain([plan]);
    // The header stays that of the batches: a later version must write the same bytes, since the next rounds name them.
    let header = rounds().find_map(|plan| batches_of(plan).find_map(|batch| results::header_of(plan, batch)));
    let mut part = Part::begin(header.unwrap_or_else(Header::current), file)?;
    let mut merged = Merged::default();
    work::games_open(rounds().map(|round| u64::from(round.contents.games)).sum());
    for round in rounds() {
        let is_named = || round.contents.earlier.as_deref() == Some(part.chain.as_str());
        if round.contents.round > 1 && !is_named() {
            let what = "earlier rounds were changed after this round was planned: put back their results";
            return Err(round.wrong("earlier", what));
        }
        merged.add_round(round, &mut part)?;
        if let Some(batch) = merged.missing.first().filter(|_| round.contents.round < plan.contents.round) {
            let what = "missing, but its games are merged, and no records of them are left: put it back";
            return Err(Error::file(&results_of(&round.folder, batch), what));
        }
    }
    // Another runner may be rounds ahead, and has merged more by now.
    let next = plan::folder_of(&plan.root, plan.contents.round + 1);
    let is_behind = plan::is_there(&plan.root, &next) && is_merged(plan);
    if !is_behind {
        voids::write(plan, &merged.attempts)?;
    }
    let part = part.end()?;
    let target = match (merged.missing.0.is_empty(), options.partial) {
        (true, _) => merged_of(plan),
        (false, true) => partial_of(plan),
        (false, false) => return Ok(merged),
    };
    let target = Spot::within(&plan.root, target);
    if !is_behind {
        publish::replace_with(&target, part)?;
    }
    if options.deep {
        audit::audit_merged(&target, node::cores())?;
    }
    Ok(merged)
}

impl Merged {
    /// Adds the batches of a round. `voids` and `missing` are then those of this round.
    fn add_round(&mut self, plan: &Plan, part: &mut Part) -> Result<(), Error> {
        self.voids.clear();
        let mut recorded = Recorded::of(plan);
        for number in batches_of(plan) {
            let Some(Batch { games, voids, .. }) = recorded.batch(plan, number)? else {
                self.missing.add(number);
                self.attempts.extend(recorded.voids(plan, number)?);
                continue;
            };
            self.attempts.extend(voids.into_iter().map(|row| named(plan, row)));
            for (game, came) in games {
                match came {
                    GameEnd::Void(why) => self.voids.push((game_id(game.scheduled), why)),
                    GameEnd::Over(rows) => {
                        self.games += 1;
                        work::game_done();
                        rows.into_iter().try_for_each(|row| part.write(&as_merged(plan, row)))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The merged file while it is written.
struct Part {
    out: BufWriter<tempfile::NamedTempFile>,
    /// Its name, for errors.
    path: PathBuf,
    header: Header,
    chain: Digest,
}

impl Part {
    fn begin(header: Header, file: tempfile::NamedTempFile) -> Result<Part, Error> {
        let path = file.path().to_owned();
        let mut part = Part { out: BufWriter::new(file), path, chain: header.chain(), header };
        let line = part.header.line().to_owned();
        part.write_line(&line)?;
        Ok(part)
    }

    fn write(&mut self, row: &ResultRow) -> Result<(), Error> {
        let line = chained(&self.header.text(row), &mut self.chain);
        self.write_line(&line)
    }

    fn write_line(&mut self, line: &str) -> Result<(), Error> {
        self.out
            .write_all(line.as_bytes())
            .map_err(|error| Error::system(&self.path, "write what is merged")(error))
    }

    fn end(self) -> Result<tempfile::NamedTempFile, Error> {
        let refused = Error::system(&self.path, "write what is merged");
        self.out.into_inner().map_err(|error| refused(error.into_error()))
    }
}

/// Returns a row of a batch as it is in `merged.csv`, with the log's name from there.
pub(super) fn as_merged(plan: &Plan, row: ResultRow) -> ResultRow {
    ResultRow { log: plan.name_merged(&row.log), ..row }
}

fn batches_of(plan: &Plan) -> Range<usize> {
    0..plan.index.batches.len()
}

/// Returns the file of the merged results of all rounds.
pub fn merged_of(plan: &Plan) -> PathBuf {
    merged_in(&plan.root)
}

/// Returns the file of results that were merged while batches were missing.
pub(super) fn partial_of(plan: &Plan) -> PathBuf {
    plan.root.join("partial.csv")
}

/// Tells whether the round of a plan was merged.
pub fn is_merged(plan: &Plan) -> bool {
    matches!(named_after(plan), Ok(Some(_)))
}

/// Returns the digest by which the plan of the next round names all merged results: the chain of the last row. `None`
/// if this round was not merged.
///
/// # Errors
///
/// If a file is damaged.
pub fn named_after(plan: &Plan) -> Result<Option<Digest>, Error> {
    let spot = Spot::within(&plan.root, merged_of(plan));
    if !spot.exists() || !batch::missing(plan).0.is_empty() {
        return Ok(None);
    }
    chain_behind(spot, last_game(plan)?.as_deref())
}

/// Returns the last game up to this round that has results.
fn last_game(plan: &Plan) -> Result<Option<String>, Error> {
    for batch in batches_of(plan).rev() {
        let games = results::read(plan, batch)?.unwrap_or_default().games.into_iter().rev();
        let mut over = games.filter(|(_, came)| matches!(came, GameEnd::Over(_)));
        if let Some((game, _)) = over.next() {
            return Ok(Some(game_id(game.scheduled)));
        }
    }
    match plan.contents.round {
        1 => Ok(None),
        round => last_game(&plan::open_round(&plan.root, round - 1)?),
    }
}

/// Returns the file of merged results in the folder of a tournament.
pub fn merged_in(folder: &Path) -> PathBuf {
    folder.join("merged.csv")
}
