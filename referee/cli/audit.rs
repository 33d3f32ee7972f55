//! `referee audit` and `referee export`: what can be said of a record from the record alone.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use referee::audit::{self, Counts};
use referee::export;
use referee::export::Positions;
use referee::record::file::Source;
use referee::record::{RecordError, results};
use referee::tournament::folder;
use referee::tournament::hill::Hill;
use referee::tournament::{merge, node, plan};

use super::{Failed, Usage, say};

/// Play recorded games again by the rules, and compare byte for byte.
#[derive(Debug, Args)]
pub(super) struct Audit {
    /// A log, a results file, a folder of games, a hill or a tournament
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
}

impl Audit {
    pub(super) fn run(self) -> anyhow::Result<()> {
        for path in &self.paths {
            let agreed = audit_one(path)?;
            say(format!("{}: {agreed}", path.display()));
        }
        Ok(())
    }
}

fn audit_one(path: &Path) -> anyhow::Result<String> {
    let failed = |error: RecordError| match error {
        RecordError::System { .. } => error.into(),
        _ => anyhow::Error::from(Failed(error.to_string())),
    };
    let games = |Counts { games, rows }: Counts| {
        format!("agrees: {games} games, {rows} rows; every log plays again to the same bytes")
    };
    if path.is_dir() && path.join("hill.toml").exists() {
        let hill = Hill::open(path).map_err(super::usage)?;
        let counts = hill.audit().map_err(failed)?;
        return Ok(format!("{}, and every game is the one that the schedule asks for", games(counts)));
    }
    if path.is_dir() && path.join("plan.toml").exists() {
        return audit_tournament(path).map_err(failed);
    }
    let results = if path.is_dir() { folder::results_of(path) } else { path.to_owned() };
    if !results.exists() {
        return Err(Usage(format!("{}: no such file", results.display())).into());
    }
    if is_results(&results)? && results.with_file_name("plan.toml").exists() {
        // What was merged: beside the logs of its games there may be those of runners that came second.
        let counts = audit::audit_merged(&results, node::cores()).map_err(failed)?;
        return Ok(games(counts));
    }
    if is_results(&results)? {
        let counts = audit::audit_results(&results, node::cores(), |_| Ok(())).map_err(failed)?;
        return Ok(games(counts));
    }
    let agreed = audit::audit_log(&results).map_err(failed)?;
    Ok(format!(
        "agrees: {} turns of {}, {}; the log plays again to the same bytes",
        agreed.turns, agreed.heading.rules, agreed.outcome.reason
    ))
}

/// Checks what was merged of every round.
fn audit_tournament(root: &Path) -> Result<String, RecordError> {
    let (mut games, mut rounds) = (0, 0);
    for number in 1.. {
        let folder = plan::folder_of(root, number);
        if !folder.join("plan.toml").exists() {
            break;
        }
        games += audit::audit_merged(&merge::merged_in(&folder), node::cores())?.games;
        rounds = number;
    }
    Ok(format!("agrees: {games} games of {rounds} plans; every log plays again to the same bytes"))
}

/// A results file is known by its first word, or by its name if that is damaged.
fn is_results(path: &Path) -> anyhow::Result<bool> {
    use std::io::Read;
    let mut start = [0; 5];
    let file = Source::open(path).with_context(|| format!("{}: cannot open", path.display()))?;
    let count = file.take(5).read(&mut start).with_context(|| format!("{}: cannot read", path.display()))?;
    Ok(results::header().as_bytes().starts_with(&start[..count]) || path.ends_with("results.csv"))
}

/// Write every move and every position of a recorded game as CSV.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// The log of a game
    log: PathBuf,
    /// Where the files go
    #[arg(long, default_value = ".")]
    dir: PathBuf,
    /// Write each position whole, not only what changed since the turn before (an empty value: gone)
    #[arg(long)]
    whole: bool,
}

impl Export {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let how = if self.whole { Positions::Whole } else { Positions::Changes };
        let exported = export::export(&self.log, &self.dir, how)?;
        say(format!("moves:     {}", exported.moves.display()));
        say(format!("positions: {}", exported.positions.display()));
        Ok(())
    }
}
