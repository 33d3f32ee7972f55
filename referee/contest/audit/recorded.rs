//! The audit of a round's records: the results of each batch are what its runners have recorded.

use crate::batch::recorded::Recorded;
use crate::batch::results::Batch;
use crate::batch::{results_of, unit_of};
use crate::fixture::game_id;
use crate::plan::Plan;
use crate::plan::schedule_file::Game;
use crate::records;
use crate::runner::GameEnd;
use referee_record::error::Error;
use referee_record::results::ResultRow;
use referee_store::State;

/// Compares the results of a batch with the records of its round.
///
/// # Errors
///
/// Names the first game that differs, or the file of the records that is missing or was changed.
pub(super) fn check(plan: &Plan, number: usize, batch: &Batch, recorded: &mut Recorded) -> Result<(), Error> {
    if compare(plan, number, batch, recorded).is_ok() {
        return Ok(());
    }
    // A runner may have ended the batch after the records were read.
    *recorded = Recorded::at_rest(plan)?;
    compare(plan, number, batch, recorded)
}

fn compare(plan: &Plan, number: usize, batch: &Batch, recorded: &mut Recorded) -> Result<(), Error> {
    let folder = records::folder_of(plan);
    let (state, reader) = (&recorded.state, &mut recorded.reader);
    if state.runners().next().is_none() {
        return Err(records::defect(folder, "missing; it has the records of the games that were played"));
    }
    check_claims(plan, number, batch, state)?;
    let path = results_of(&plan.folder, number);
    let differs = |game: &Game| {
        let what = format!(
            "{} is not what a runner has recorded (in records/runs): remove this file, and `referee tournament merge` \
             makes it again",
            game_id(game.scheduled)
        );
        Error::file(&path, what)
    };
    let mut voids = batch.voids.iter();
    for (game, came) in &batch.games {
        let Some(due) = reader.end_of(state, &game_id(game.scheduled))? else {
            let what = format!(
                "no record of the end of {} is left: put the folder back from a backup, and keep {}",
                game_id(game.scheduled),
                path.display()
            );
            return Err(records::defect(folder, &what));
        };
        let is_same = match (came, &due.came) {
            (GameEnd::Over(rows), GameEnd::Over(due)) => text(rows) == text(due),
            (GameEnd::Void(why), GameEnd::Void(due)) => why == due,
            _ => false,
        };
        let mut due = due.voids.into_iter();
        let mut are_same = || due.all(|due| voids.next().is_some_and(|row| *row == due));
        if !is_same || !are_same() {
            return Err(differs(game));
        }
    }
    match voids.next() {
        None => Ok(()),
        Some(row) => {
            let game = batch.games.iter().find(|(game, _)| game_id(game.scheduled) == row.game);
            Err(differs(&game.or(batch.games.last()).expect("a batch has games").0))
        }
    }
}

fn text(rows: &[ResultRow]) -> Vec<String> {
    rows.iter().map(ResultRow::text).collect()
}

/// Makes sure that the runners of a batch are those that have claimed it.
fn check_claims(plan: &Plan, number: usize, batch: &Batch, state: &State) -> Result<(), Error> {
    let folder = records::folder_of(plan);
    let unit = unit_of(number);
    let claims = State::tries_at(&records::disk_of(&folder), &unit).map_err(records::told(&folder))?;
    let claim = |attempt: usize| folder.path().join(format!("records/claims/{unit}.{attempt}"));
    for (attempt, runner) in claims.iter().enumerate() {
        if !state.runners().any(|known| known == runner) {
            let what = format!("it names a runner that has no log: {}", runner.escape_debug());
            return Err(Error::file(&claim(attempt), what));
        }
    }
    for (game, _) in &batch.games {
        for runner in state.runners_of(&game_id(game.scheduled)) {
            if !claims.iter().any(|claimed| claimed == runner) {
                let what = format!("missing or changed; runs/{runner} has records of this batch");
                return Err(Error::file(&claim(claims.len().saturating_sub(1)), what));
            }
        }
    }
    Ok(())
}
