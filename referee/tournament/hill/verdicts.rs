//! The verdicts of a hill, compared with its results.

use super::Hill;
use crate::error::Error;
use crate::statistics::rounds::{Field, Round, Rounds};
use crate::statistics::stop_rule::StopRule;
use crate::statistics::verdict::{VerdictRow, VerdictWatch};
use crate::tournament::seasons::Season;
use crate::tournament::verdicts;

/// Reads the verdicts of a hill, and checks that each follows from the results.
///
/// # Errors
///
/// Names the first row that does not.
pub(super) fn audit(hill: &Hill) -> Result<(), Error> {
    let path = verdicts::file_of(hill.root());
    for (index, row) in verdicts::read(hill.root())?.iter().enumerate() {
        let wrong = |what: String| Error::line(&path, index as u64 + 2, what);
        if let Some(fault) = row.rule().fault() {
            return Err(wrong(fault));
        }
        let seasons = hill.seasons()?;
        let season = seasons.iter().find(|season| season.number == row.season);
        let season = season.ok_or_else(|| wrong(format!("seasons.csv knows no season {}", row.season)))?;
        let watch = watch(hill, season, row.rule())?;
        match watch.verdict() {
            Some(due) if due == row => {}
            Some(due) => {
                let VerdictRow { round, verdict, kings, .. } = due;
                let verdict = verdict.name();
                return Err(wrong(format!("by the results it is {verdict} in round {round}: {kings}")));
            }
            None => {
                let rounds = watch.rounds();
                return Err(wrong(format!("by the results nothing is clear after {rounds} rounds")));
            }
        }
    }
    Ok(())
}

/// Watches what a season has been so far.
fn watch(hill: &Hill, season: &Season, rule: StopRule) -> Result<VerdictWatch, Error> {
    let mut rounds = Rounds::new(hill.round_games(season.bots.len()));
    let field = Field::new(season.bots.iter().cloned());
    let mut watch = VerdictWatch::new(season.number, field.clone(), rule);
    let mut look = |complete: Vec<Round>| {
        complete.iter().for_each(|round| watch.look(round.number, &round.block_means(&field)));
    };
    for (place, bots) in hill.given_up(season)? {
        look(rounds.leave_out(place, bots));
    }
    for game in hill.games()? {
        let game = game?;
        if game.scheduled().is_some_and(|place| place.season == season.number) {
            look(rounds.add(game));
        }
    }
    Ok(watch)
}
