//! `in-flight` of a hill: a journal of the games that a run has begun and ended. A game that began and did not end
//! was lost with the referee or its machine; the next run sees which.

use std::path::Path;
use std::sync::Mutex;

use super::journal::{JournalFile, each_record};
use super::pool::held;
use super::tries::bots_of;
use crate::clock;
use crate::error::Error;
use crate::record::beneath::Spot;
use crate::tournament::fixture::Fixture;

/// The journal of a run.
#[derive(Debug)]
pub(crate) struct Flights(Mutex<JournalFile>);

/// A game that was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flight {
    pub(crate) game: String,
    /// For which time, from 1.
    pub(crate) attempt: u32,
    /// When.
    pub(crate) started: String,
    /// Its bots, as in `voids.csv`.
    pub(crate) bots: String,
}

impl Flights {
    /// Lists the games that an earlier run has begun and not ended.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(crate) fn left_in(root: &Path) -> Result<Vec<Flight>, Error> {
        let mut open: Vec<Flight> = Vec::new();
        let spot = file_of(root);
        each_record(&spot, |record| {
            let wrong = || Error::file(spot.path(), format!("not a record of a journal: {record}"));
            match record.splitn(5, ' ').collect::<Vec<&str>>()[..] {
                ["B", game, attempt, started, bots] => {
                    let attempt = attempt.parse().map_err(|_| wrong())?;
                    let [game, started, bots] = [game, started, bots].map(str::to_owned);
                    open.push(Flight { game, attempt, started, bots });
                }
                ["E", game] => open.retain(|flight| flight.game != game),
                _ => return Err(wrong()),
            }
            Ok(())
        })?;
        Ok(open)
    }

    /// Names the games that the last run has begun, whatever came of them.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(crate) fn each_begun(root: &Path, mut take: impl FnMut(&str)) -> Result<(), Error> {
        each_record(&file_of(root), |record| {
            let begun = record.strip_prefix("B ").and_then(|rest| rest.split(' ').next());
            begun.into_iter().for_each(&mut take);
            Ok(())
        })
    }

    /// Begins the journal anew.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(crate) fn begin(root: &Path) -> Result<Flights, Error> {
        let spot = file_of(root);
        let opened = spot.append().and_then(|file| file.set_len(0).map(|()| file));
        let file = opened.map_err(Error::system(spot.path(), "begin the games in flight"))?;
        Ok(Flights(Mutex::new(JournalFile::new(spot, file))))
    }

    /// Records that a game begins, and returns when that is on the disk.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(crate) fn begun(&self, fixture: &Fixture, attempt: u32) -> Result<(), Error> {
        let record = format!("B {} {attempt} {} {}", fixture.id, clock::date(), bots_of(fixture));
        held(&self.0).write(&record)
    }

    /// Records that a game has ended. Where this is lost, results and void games tell as well.
    pub(crate) fn ended(&self, fixture: &Fixture) {
        let _ = held(&self.0).write_soon(&format!("E {}", fixture.id));
    }
}

fn file_of(root: &Path) -> Spot {
    Spot::below(root, "in-flight")
}
