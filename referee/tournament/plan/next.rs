//! The next round of a tournament in which results decide who plays.

use std::fs;

use super::rounds::{self, Following};
use super::{
    Contents, Plan, PlanError, complete, folder_of, lock, open_folder, plan_of, read_contents, write,
};
use crate::record::{Digest, RecordError};
use crate::rules::BySeat;
use crate::tournament::batch::{self, Came};
use crate::tournament::format::{Played, Ranking};
use crate::tournament::merge::merged_of;

/// What comes after a round.
#[derive(Debug)]
pub enum Next {
    /// The plan of the next round; it may have been there already.
    Round(Box<Plan>),
    /// Nothing. The rankings of the sub-tournaments, if their format has its own.
    Over(Vec<Ranking>),
}

/// Plans what comes after a round that was merged: a pure function of the first plan and of what was merged.
///
/// # Errors
///
/// If something of the rounds so far is missing, or not what the schedule says.
pub fn following(plan: &Plan) -> Result<Next, PlanError> {
    let merged = merged_of(plan);
    let earlier = Digest::of_file(&merged).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            RecordError::file(&merged, "not there: merge the round first, with `referee tournament merge`")
        }
        _ => RecordError::system(&merged, "read what was merged")(error),
    })?;
    let mut played = Vec::new();
    for round in 1..=plan.contents.round {
        let earlier = open_folder(&plan.root, &folder_of(&plan.root, round))?;
        earlier.add_played(&mut played)?;
    }
    let contests = rounds::contests(plan.entry, plan.seed, &plan.sets, plan.entrants.len());
    let following = rounds::following(&plan.contents.format, contests, &played);
    let pairings = match following.map_err(|error| RecordError::file(&merged, error.to_string()))? {
        Following::Over(rankings) => return Ok(Next::Over(rankings)),
        Following::Games(pairings) => pairings,
    };
    let round = plan.contents.round + 1;
    let contents = Contents { round, earlier: Some(earlier.to_string()), ..plan.contents.clone() };
    let (text, schedule) = complete(contents, &pairings);
    let folder = folder_of(&plan.root, round);
    fs::create_dir_all(&folder).map_err(RecordError::system(&folder, "create the folder"))?;
    let _lock = lock(&plan.root)?;
    write(&folder, read_contents(&plan_of(&folder))?, &text, &schedule)?;
    Ok(Next::Round(Box::new(open_folder(&plan.root, &folder)?)))
}

impl Plan {
    /// Adds the games of this round that were played. A void one is level: nobody is put at a disadvantage by a host.
    fn add_played(&self, played: &mut Vec<Played>) -> Result<(), PlanError> {
        for number in 0..self.index.batches.len() {
            let games = batch::results::read(self, number)?.ok_or_else(|| {
                RecordError::file(&batch::results_of(&self.folder, number), "missing: it is merged, but gone")
            })?;
            for (game, came) in games {
                let shares = match came {
                    Came::Over(rows) => rows.iter().map(|row| row.share).collect(),
                    Came::Void(_) => BySeat::from_fn(game.entrants.len(), |_| 0.5),
                };
                played.push(Played { scheduled: game.scheduled, entrants: game.entrants, shares });
            }
        }
        Ok(())
    }
}
