//! The outcomes of a hill's games: its results, and the error if they are gone.

use std::path::PathBuf;

use super::Hill;
use crate::folder;
use crate::records;
use referee_files::beneath::Spot;
use referee_files::results;
use referee_files::walk;
use referee_record::error::Error;
use referee_record::file::{self, Form};
use referee_record::game_result::GameResult;
use referee_record::results::ResultRow;
use referee_store::ContestState;

impl Hill {
    /// Reads the results; none if nothing was played.
    pub fn results(&self) -> Result<Vec<ResultRow>, Error> {
        match results::read(folder::results_of(&self.root)) {
            Ok(rows) => Ok(rows.into_iter().map(|(_, row)| row).collect()),
            Err(error) if error.is_not_found() => self.check_nothing_played().map(|()| Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Reads the results game by game, up to the last one that is there now.
    ///
    /// # Errors
    ///
    /// If they cannot be read. A damaged game is an error of the iterator.
    pub fn games(&self) -> Result<impl Iterator<Item = Result<GameResult, Error>> + use<>, Error> {
        let games = match results::games(folder::results_of(&self.root)) {
            Ok(games) => Some(games),
            Err(error) if error.is_not_found() => {
                self.check_nothing_played()?;
                None
            }
            Err(error) => return Err(error),
        };
        Ok(games.into_iter().flatten().map(|game| game.map(GameResult::of)))
    }

    /// Tells whether runners have left records, from which results can be made again.
    pub(super) fn has_records(&self) -> bool {
        let records = records::read(&self.root);
        records.is_ok_and(|records| records.ended().next().is_some())
    }

    /// Makes sure that no game was played whose result is gone.
    pub(super) fn check_nothing_played(&self) -> Result<(), Error> {
        self.check_all_recorded()?;
        if !self.has_records() {
            return Ok(());
        }
        let what = "missing, but games were played: `referee hill repair` makes it again";
        Err(Error::file(folder::results_of(&self.root).path(), what))
    }

    /// Finds a log of a game that no runner has recorded. There is none, unless records were lost: a log gets its final
    /// name when its game is recorded.
    pub(super) fn unrecorded_log(&self, records: &ContestState) -> Result<Option<PathBuf>, Error> {
        let mut log = None;
        walk::each_file(&Spot::below(&self.root, "logs"), |entry| {
            let is_log = Form::of(&entry.path).is_some();
            if log.is_none() && is_log && !records.is_known(&file::stem(&entry.path)) {
                log = Some(entry.path);
            }
            Ok(())
        })?;
        Ok(log)
    }

    /// Makes sure that runners have recorded each game that has a log.
    pub(super) fn check_all_recorded(&self) -> Result<(), Error> {
        let Some(log) = self.unrecorded_log(&records::read(&self.root)?)? else { return Ok(()) };
        let what = format!("missing, but games were played (see {}): put it back", log.display());
        Err(Error::file(folder::results_of(&self.root).path(), what))
    }
}
