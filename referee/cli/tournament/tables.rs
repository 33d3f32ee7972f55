//! `referee tournament status` and `standings`: tables of what is there.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use referee::record::results::{self, ResultRow};
use referee::rules::FaultKind;
use referee::tournament::batch::{Came, results as batches, results_of};
use referee::tournament::merge::{Missing, merged_of};
use referee::tournament::overall::Overall;
use referee::tournament::plan::{self, Next, Plan};
use referee::tournament::verdicts::{self, VerdictRow};
use serde_json::Value;

use super::{Format, plan_error};
use crate::cli::sheet::{Sheet, rounded};
use crate::cli::{note, say};

#[derive(Debug, Args)]
pub(in crate::cli) struct Status {
    /// The tournament's folder
    #[arg(long, value_name = "T")]
    dir: PathBuf,
    /// Shards to divide what is missing by
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    n: u32,
    /// How it is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Standings {
    /// The tournament's folder
    #[arg(long, value_name = "T")]
    dir: PathBuf,
    /// Those of one sub-tournament, from 1
    #[arg(long, value_name = "N")]
    set: Option<usize>,
    /// How they are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Status {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let plan = plan::open(&self.dir).map_err(plan_error)?;
        let all = plan.index.batches.len();
        let missing = Missing::of((0..all).filter(|batch| !results_of(&plan.folder, *batch).exists()));
        let games = |batch: usize| u64::from(plan.index.batches[batch].games);
        let left: u64 = missing.0.iter().cloned().flatten().map(games).sum();
        let merged = merged_of(&plan).exists();
        let mut sheet = Sheet::new([
            "round", "batches", "done", "games", "played", "merged", "missing", "array", "verdict",
        ]);
        sheet.row(vec![
            Value::from(plan.contents.round),
            Value::from(all),
            Value::from(all - missing.count()),
            Value::from(plan.contents.games),
            Value::from(u64::from(plan.contents.games) - left),
            Value::from(merged),
            Value::from(missing.to_string()),
            Value::from(missing.shards(self.n as usize).to_string()),
            Value::from(verdict(&plan)?),
        ]);
        sheet.print(self.format)
    }
}

/// What the stop rule has found, as it was recorded; nothing without one, or while it goes on.
fn verdict(plan: &Plan) -> anyhow::Result<String> {
    let rows = verdicts::read(&plan.root)?;
    let verdicts = rows.iter().map(|VerdictRow { season, round, verdict, kings, .. }| {
        let set = if plan.sets.len() > 1 { format!("{season}: ") } else { String::new() };
        format!("{set}{} after round {round}: {kings}", verdict.replace('_', " "))
    });
    Ok(verdicts.collect::<Vec<String>>().join("; "))
}

impl Standings {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let plan = plan::open(&self.dir).map_err(plan_error)?;
        match self.set {
            None => print_standings(&plan, self.format),
            Some(set) => {
                let overall = standings(&plan)?;
                let lines = set.checked_sub(1).and_then(|index| overall.sets.get(index));
                let lines =
                    lines.with_context(|| format!("there are sub-tournaments 1 to {}", plan.sets.len()))?;
                let mut sheet = Sheet::new(["place", "bot", "games", "mean_share", "mean_score"]);
                for line in lines {
                    sheet.row(vec![
                        Value::from(line.place),
                        Value::from(line.bot.name.clone()),
                        Value::from(line.games),
                        rounded(line.mean_share, 6),
                        rounded(line.mean_score, 4),
                    ]);
                }
                sheet.print(self.format)
            }
        }
    }
}

/// Prints the standings over all sub-tournaments, with the mean share in each.
pub(super) fn print_standings(plan: &Plan, format: Format) -> anyhow::Result<()> {
    let overall = standings(plan)?;
    let kinds = FaultKind::ALL.map(FaultKind::name);
    let names = || (1..=plan.sets.len()).map(|set| format!("share_{set}"));
    let several = plan.sets.len() > 1;
    let mut columns: Vec<String> = ["place", "bot", "games", "mean_share"].map(str::to_owned).to_vec();
    columns.extend(names().filter(|_| several));
    columns.extend(kinds.map(str::to_owned));
    let mut sheet = Sheet::new(columns);
    for total in &overall.total {
        let lines: Vec<_> =
            overall.sets.iter().map(|lines| lines.iter().find(|line| line.bot.name == total.bot)).collect();
        let mut values = vec![
            Value::from(total.place),
            Value::from(total.bot.clone()),
            Value::from(total.games),
            rounded(total.mean_share, 6),
        ];
        if several {
            values.extend(
                lines.iter().map(|line| line.map_or(Value::Null, |line| rounded(line.mean_share, 6))),
            );
        }
        values.extend(FaultKind::ALL.iter().map(|kind| {
            let faults = lines.iter().flatten().map(|line| line.faults[*kind as usize]);
            Value::from(faults.sum::<u64>())
        }));
        sheet.row(values);
    }
    sheet.drop_zeros(&kinds);
    sheet.print(format)?;
    if several && format == Format::Table {
        for (set, number) in plan.contents.set.iter().zip(1..) {
            let differs =
                |name: &&String| plan.contents.set.iter().any(|other| other.get(*name) != set.get(*name));
            let named: Vec<String> =
                set.keys().filter(differs).map(|name| format!("{name} = {}", set[name])).collect();
            say(format!("  share_{number}: {}", named.join(", ")));
        }
    }
    Ok(())
}

/// Draws up the standings of what was merged, or, where that is not all, of the batches that are done.
fn standings(plan: &Plan) -> anyhow::Result<Overall> {
    let mut rows: Vec<ResultRow> = Vec::new();
    for round in 1..=plan.contents.round {
        let plan = plan::open_round(&plan.root, round).map_err(plan_error)?;
        let path = merged_of(&plan);
        if path.exists() {
            rows.extend(results::read(&path)?.into_iter().map(|(_, row)| row));
            continue;
        }
        for batch in 0..plan.index.batches.len() {
            for (_, came) in batches::read(&plan, batch).map_err(plan_error)?.into_iter().flatten() {
                if let Came::Over(game) = came {
                    rows.extend(game);
                }
            }
        }
    }
    let mut overall = Overall::new(&rows, plan.sets.len());
    if !merged_of(plan).exists() {
        note("not all is played and merged: these are no final standings");
        return Ok(overall);
    }
    match plan::following(plan).map_err(plan_error)? {
        Next::Round(_) => note("there are rounds to come: these are no final standings"),
        Next::Over(rankings) => {
            let names: Vec<&str> = plan.entrants.iter().map(|bot| &*bot.name.name).collect();
            overall.rank(&rankings, &names);
            for (ranking, set) in rankings.iter().zip(1..) {
                let of_set =
                    if rankings.len() > 1 { format!("sub-tournament {set}: ") } else { String::new() };
                note(format!("{of_set}{}", ranking.reason));
            }
        }
    }
    Ok(overall)
}
