//! What was merged of a round, compared with what its batches say, row by row as they come.

use std::iter::Peekable;
use std::path::PathBuf;

use crate::error::Error;
use crate::record::beneath::Spot;
use crate::record::results::{self, Games, Numbered};
use crate::tournament::merge::merged_of;
use crate::tournament::plan::Plan;

/// `merged.csv`: the games of all batches, in the order of the schedule.
pub(super) struct Merged(Option<Compared>);

struct Compared {
    path: PathBuf,
    games: Games,
    line: u64,
}

impl Merged {
    /// Opens what was merged, if it is there and `is_whole`: without all batches nobody can say what it should be.
    pub(super) fn open(plan: &Plan, is_whole: bool) -> Result<Merged, Error> {
        let path = merged_of(plan);
        let spot = Spot::within(&plan.root, &path);
        if !is_whole || !spot.exists() {
            return Ok(Merged(None));
        }
        let games = results::games(spot)?;
        Ok(Merged(Some(Compared { path, games, line: 1 })))
    }

    /// Compares the next game.
    pub(super) fn take(&mut self, game: &[Numbered]) -> Result<(), Error> {
        let Some(compared) = &mut self.0 else { return Ok(()) };
        let found = compared.games.next().transpose()?.unwrap_or_default();
        for (index, (_, due)) in game.iter().enumerate() {
            compared.line += 1;
            if found.get(index).is_none_or(|(_, found)| found.difference(due).is_some()) {
                let what = format!("not what the batches say; due here: seat {} of {}", due.seat, due.game);
                return Err(Error::line(&compared.path, compared.line, what));
            }
        }
        Ok(())
    }

    /// Makes sure that there is nothing more.
    pub(super) fn end(self) -> Result<(), Error> {
        let Some(mut compared) = self.0 else { return Ok(()) };
        match compared.games.next().transpose()? {
            None => Ok(()),
            Some(_) => {
                let what = "not what the batches say; due here: the end of the file";
                Err(Error::line(&compared.path, compared.line + 1, what))
            }
        }
    }
}

/// `partial.csv`: the rows of those batches that were there when somebody looked.
pub(super) struct Partial {
    path: PathBuf,
    games: Option<Peekable<Games>>,
}

impl Partial {
    /// Opens it, if it is there.
    pub(super) fn open(plan: &Plan) -> Result<Partial, Error> {
        let path = plan.folder.join("partial.csv");
        let spot = Spot::within(&plan.root, &path);
        let games = if spot.exists() { Some(results::games(spot)?.peekable()) } else { None };
        Ok(Partial { path, games })
    }

    /// Compares the game that comes next in the schedule, if it is there.
    pub(super) fn take(&mut self, game: &[Numbered]) -> Result<(), Error> {
        let Some(games) = &mut self.games else { return Ok(()) };
        let is_it = |next: &Result<Vec<Numbered>, Error>| {
            next.as_ref().is_ok_and(|next| next[0].1.game == game[0].1.game)
        };
        let Some(found) = games.next_if(is_it) else { return Ok(()) };
        let rows = found?.into_iter().zip(game);
        for ((line, found), (_, due)) in rows {
            if found.difference(due).is_some() {
                let what = format!("not what the batch of {} says", due.game);
                return Err(Error::line(&self.path, line, what));
            }
        }
        Ok(())
    }

    /// Makes sure that no game is left that is no batch's.
    pub(super) fn end(self) -> Result<(), Error> {
        match self.games.and_then(|mut games| games.next()) {
            None => Ok(()),
            Some(Err(error)) => Err(error),
            Some(Ok(game)) => {
                let (line, row) = &game[0];
                let what =
                    format!("{} is not among the results of the batches, or not in this place", row.game);
                Err(Error::line(&self.path, *line, what))
            }
        }
    }
}
