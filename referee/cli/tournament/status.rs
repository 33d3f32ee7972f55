//! `referee tournament status`: which batches are done, missing or lost.

use referee_contest::batch::list::is_listed;
use referee_contest::batch::losses::LossTally;
use referee_contest::batch::missing;
use referee_contest::batch::ranges::Missing;
use referee_contest::plan::Plan;
use referee_contest::verdicts;
use referee_record::error::Error;
use referee_report::tables::contests::verdict_json;
use referee_statistics::verdict::VerdictRow;
use serde_json::{Value, json};

use crate::sheet::{Audience, Cells, Format, Print, Printed, Sheet};
use crate::{losses, say, shell};

/// Prints the progress of the last round, and the tasks of an array of `shards` shards that play the missing games. If
/// `losses`, prints lost and void games.
pub(crate) fn print(plan: &Plan, shards: Option<u32>, losses: bool, printed: Printed) -> anyhow::Result<()> {
    if !losses {
        progress(plan, shards)?.print(printed)?;
        if printed.format != Format::Table {
            return Ok(());
        }
        if let Some(shards) = shards {
            say(array_sentence(plan, shards)?);
        }
    }
    let mut tally = LossTally::default();
    // There can be millions of records. Without --losses, they are read only if some game may be lost.
    if losses || LossTally::may_have_some(plan) {
        plan.rounds()?.iter().try_for_each(|round| tally.add(round))?;
    }
    if losses || tally.all.lost + tally.all.void + tally.all.void_attempts > 0 {
        losses::sheet(&tally).print(printed)?;
    }
    Ok(())
}

fn progress(plan: &Plan, shards: Option<u32>) -> anyhow::Result<Sheet> {
    let all = plan.count_batches();
    let (missing, left) = missing(plan)?;
    let columns = ["round", "batches", "done", "games", "played", "listed", "verdict", "missing", "array"];
    let columns_for_programs = ["verdicts", "missing_ranges", "array_ranges"];
    let mut sheet = Sheet::new(columns.into_iter().chain(columns_for_programs))
        .audience(Audience::Programs, &columns_for_programs)
        .about("tournament", plan.contents.name.as_str())
        .cells(Cells::Prose, &["verdict", "missing", "array"]);
    let tasks = missing.shards(shards.unwrap_or(1) as usize);
    let ranges =
        |batches: &Missing| batches.0.iter().map(|range| json!([range.start(), range.end()])).collect();
    let verdicts = verdicts::read(&plan.root)?;
    sheet.row(vec![
        Value::from(plan.contents.round),
        Value::from(all),
        Value::from(all.saturating_sub(missing.count())),
        Value::from(plan.contents.games),
        Value::from(u64::from(plan.contents.games).saturating_sub(left)),
        Value::from(is_listed(plan)),
        Value::from(verdict(plan, &verdicts)),
        Value::from(missing.to_string()),
        Value::from(tasks.to_string()),
        verdicts.iter().map(verdict_for_programs).collect(),
        ranges(&missing),
        ranges(&tasks),
    ]);
    Ok(sheet)
}

/// Returns the sentence about the tasks of an array that would play the missing games.
fn array_sentence(plan: &Plan, shards: u32) -> Result<String, Error> {
    let tasks = missing(plan)?.0.shards(shards as usize);
    if tasks.0.is_empty() {
        return Ok("Nothing is missing.".to_owned());
    }
    let dir = shell(&plan.root);
    Ok(format!(
        "To play missing games, use tasks {tasks} of {shards}: sbatch --array={tasks} slurm.sh {dir} {shards} (see \
         referee docs cluster)"
    ))
}

/// Returns a verdict for programs, with the number of its sub-tournament.
fn verdict_for_programs(row: &VerdictRow) -> Value {
    let mut verdict = verdict_json(row);
    verdict["set"] = Value::from(row.season);
    verdict
}

/// Returns the recorded verdicts of the stop rule in words; empty without a rule, or before a verdict.
fn verdict(plan: &Plan, rows: &[VerdictRow]) -> String {
    let verdicts = rows.iter().map(|row| {
        let VerdictRow { season, round, verdict, .. } = row;
        let set = if plan.sets.len() > 1 { format!("{season}: ") } else { String::new() };
        format!("{set}{verdict} after round {round}: {}{}", row.named(), row.caveat())
    });
    verdicts.collect::<Vec<String>>().join("; ")
}
