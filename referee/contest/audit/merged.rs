//! The audit of merged results: compared with the batches row by row, round by round.

use std::iter::Peekable;
use std::path::PathBuf;

use crate::merge::{as_merged, merged_of, partial_of};
use crate::plan::Plan;
use referee_files::beneath::Spot;
use referee_files::results;
use referee_record::error::Error;
use referee_record::results::{Games, NumberedRow};

/// `merged.csv`: the games of all batches, in the order of the schedule.
pub(super) struct Merged(Option<Compared>);

struct Compared {
    path: PathBuf,
    games: Peekable<Games>,
    line: u64,
}

/// A round before its comparison.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    /// Whether all its batches are there.
    pub(super) is_whole: bool,
    /// Whether it is the first.
    pub(super) is_first: bool,
    /// Whether it is the last that is planned.
    pub(super) is_last: bool,
}

impl Merged {
    /// Opens the merged results, if they are there.
    pub(super) fn open(plan: &Plan) -> Result<Merged, Error> {
        let path = merged_of(plan);
        let spot = Spot::within(&plan.root, &path);
        if !spot.exists() {
            return Ok(Merged(None));
        }
        let games = results::games(spot)?.peekable();
        Ok(Merged(Some(Compared { path, games, line: 1 })))
    }

    /// Begins with a round. If batches of it are missing, it cannot be compared. If the file contains games of the
    /// round nevertheless, the batches were removed later: then returns the file.
    pub(super) fn begin(&mut self, round: Round) -> Option<PathBuf> {
        let Compared { path, games, .. } = self.0.as_mut()?;
        let Round { is_whole, is_first, is_last } = round;
        let goes_on = games.peek().is_some() || is_first;
        let was_whole = (!is_whole && goes_on).then(|| path.clone());
        // The last round need not be merged yet.
        if !is_whole || is_last && !goes_on {
            self.0 = None;
        }
        was_whole
    }

    /// Compares the next game of a plan.
    pub(super) fn take(&mut self, plan: &Plan, game: &[NumberedRow]) -> Result<(), Error> {
        let Some(compared) = &mut self.0 else { return Ok(()) };
        let found = compared.games.next().transpose()?.unwrap_or_default();
        for (index, (_, due)) in game.iter().enumerate() {
            compared.line += 1;
            let due = &as_merged(plan, due.clone());
            if found.get(index).is_none_or(|(_, found)| found.difference(due).is_some()) {
                let what = format!("differs from the batches; expected: seat {} of {}", due.seat, due.game);
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
                let what = "differs from the batches; expected: the end of the file";
                Err(Error::line(&compared.path, compared.line + 1, what))
            }
        }
    }
}

/// `partial.csv`: the rows of the batches that were done when it was written.
pub(super) struct Partial {
    path: PathBuf,
    games: Option<Peekable<Games>>,
}

impl Partial {
    /// Opens it, if it is there.
    pub(super) fn open(plan: &Plan) -> Result<Partial, Error> {
        let path = partial_of(plan);
        let spot = Spot::within(&plan.root, &path);
        let games = if spot.exists() { Some(results::games(spot)?.peekable()) } else { None };
        Ok(Partial { path, games })
    }

    /// Compares the game of a plan that comes next in the schedule, if it is there.
    pub(super) fn take(&mut self, plan: &Plan, game: &[NumberedRow]) -> Result<(), Error> {
        let Some(games) = &mut self.games else { return Ok(()) };
        let is_it = |next: &Result<Vec<NumberedRow>, Error>| {
            next.as_ref().is_ok_and(|next| next[0].1.game == game[0].1.game)
        };
        let Some(found) = games.next_if(is_it) else { return Ok(()) };
        let rows = found?.into_iter().zip(game);
        for ((line, found), (_, due)) in rows {
            let due = &as_merged(plan, due.clone());
            if found.difference(due).is_some() {
                let what = format!("differs from the batch of {}", due.game);
                return Err(Error::line(&self.path, line, what));
            }
        }
        Ok(())
    }

    /// Makes sure that no game is left over.
    pub(super) fn end(self) -> Result<(), Error> {
        match self.games.and_then(|mut games| games.next()) {
            None => Ok(()),
            Some(Err(error)) => Err(error),
            Some(Ok(game)) => {
                let (line, row) = &game[0];
                let what =
                    format!("{} is not among the results of the batches, or is out of order", row.game);
                Err(Error::line(&self.path, *line, what))
            }
        }
    }
}
