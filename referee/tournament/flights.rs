//! `in-flight` of a hill: a journal of the games that a run has begun and ended. A game that was begun and never heard of again was lost: the
//! referee, or its machine, went down. The next run sees which.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::batch::journal::{JOURNAL_MAX, line_of, records};
use super::fixture::Fixture;
use super::runner::tries::bots_of;
use crate::clock;
use crate::error::Error;
use crate::record::beneath::Spot;

/// The journal of a run.
#[derive(Debug)]
pub(super) struct Flights {
    spot: Spot,
    file: Mutex<File>,
}

/// A game that was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flight {
    pub(super) game: String,
    /// For which time, from 1.
    pub(super) attempt: u32,
    /// When.
    pub(super) started: String,
    /// Its bots, as in `voids.csv`.
    pub(super) bots: String,
}

/// A game in flight, until this is dropped. What is left of a run that was killed is never dropped.
#[derive(Debug)]
pub(super) struct InFlight<'a> {
    flights: &'a Flights,
    game: String,
}

impl Flights {
    /// Lists the games that an earlier run has begun and not ended.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(super) fn left_in(root: &Path) -> Result<Vec<Flight>, Error> {
        let spot = file_of(root);
        let path = spot.path();
        let text = match spot.read(JOURNAL_MAX) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            read => read.map_err(Error::system(path, "read the games in flight"))?,
        };
        let mut open: Vec<Flight> = Vec::new();
        for record in records(&text) {
            let wrong = || Error::file(path, format!("not a record of a journal: {record}"));
            match record.splitn(5, ' ').collect::<Vec<&str>>()[..] {
                ["B", game, attempt, started, bots] => {
                    let attempt = attempt.parse().map_err(|_| wrong())?;
                    let [game, started, bots] = [game, started, bots].map(str::to_owned);
                    open.push(Flight { game, attempt, started, bots });
                }
                ["E", game] => open.retain(|flight| flight.game != game),
                _ => return Err(wrong()),
            }
        }
        Ok(open)
    }

    /// Lists the games that the last run has begun, whatever came of them.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(super) fn begun_in(root: &Path) -> Result<Vec<String>, Error> {
        let spot = file_of(root);
        let mut text = Vec::new();
        // As far as it goes: of the longest journals the beginning.
        match spot.open().and_then(|file| file.take(JOURNAL_MAX).read_to_end(&mut text)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            read => read.map_err(Error::system(spot.path(), "read the games in flight"))?,
        };
        let begun = records(&text).filter_map(|record| record.strip_prefix("B ")?.split(' ').next());
        Ok(begun.map(str::to_owned).collect())
    }

    /// Begins the journal anew.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(super) fn begin(root: &Path) -> Result<Flights, Error> {
        let spot = file_of(root);
        let opened = spot.append().and_then(|file| file.set_len(0).map(|()| file));
        let file = opened.map_err(Error::system(spot.path(), "begin the games in flight"))?;
        Ok(Flights { spot, file: Mutex::new(file) })
    }

    /// Records that a game begins, and returns when that is on the disk: it may be the last that this machine does.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(super) fn begun(&self, fixture: &Fixture, attempt: u32) -> Result<InFlight<'_>, Error> {
        let record = format!("B {} {attempt} {} {}", fixture.id, clock::date(), bots_of(fixture));
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = file.write_all(line_of(&record).as_bytes()).and_then(|()| file.sync_data());
        written.map_err(Error::system(self.spot.path(), "write the games in flight"))?;
        Ok(InFlight { flights: self, game: fixture.id.clone() })
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        let mut file = self.flights.file.lock().unwrap_or_else(PoisonError::into_inner);
        // What came of the game is on the disk already. Where this is not, the results tell as well.
        let _ = file.write_all(line_of(&format!("E {}", self.game)).as_bytes());
    }
}

fn file_of(root: &Path) -> Spot {
    Spot::below(root, "in-flight")
}
