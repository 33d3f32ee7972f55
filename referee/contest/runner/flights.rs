//! Journals of a hill: the games that its runners have begun and ended. `in-flight` belongs to the first runner,
//! `in-flight.1` and so on to runners beside it. A runner keeps its journal locked while it lives: the games in it
//! that have not ended are its own. An unfinished game in any other journal was lost, because its runner or its
//! machine went down.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::Path;

use crate::fixture::Fixture;
use crate::publish::host;
use crate::runner::journal::{JournalFile, each_record, each_record_from};
use crate::runner::tries::bots_of;
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_table::clock;

/// The journals of a hill, for one of its runners. Any change or comparison needs the lock of the hill.
#[derive(Debug)]
pub(crate) struct Flights {
    number: u32,
    spot: Spot,
    file: JournalFile,
    /// The games that this runner has begun and not ended, each with its attempt.
    open: Vec<(String, u32)>,
    others: Others,
}

/// A game that was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flight {
    pub(crate) game: String,
    /// The number of the attempt, from 1.
    pub(crate) attempt: u32,
    /// When it began.
    pub(crate) started: String,
    /// Its bots, as in `voids.csv`.
    pub(crate) bots: String,
}

/// The journals of other runners that are alive, by number.
type Others = BTreeMap<u32, Live>;

/// The part of the journal of a live runner that was read.
#[derive(Debug, Default)]
struct Live {
    /// Its first record. If it changes, the journal belongs to a new runner.
    first: Option<String>,
    read: u64,
    open: Vec<Flight>,
}

/// Journals of runners that are gone, locked by this one.
#[derive(Debug, Default)]
pub(crate) struct Left {
    files: Vec<(u32, Spot, File)>,
    /// Games that were begun in them and have not ended.
    pub(crate) flights: Vec<Flight>,
}

/// The journals that a runner finds when it starts.
#[derive(Debug)]
pub(crate) struct Found {
    others: Others,
    /// The journals of runners that are gone.
    pub(crate) left: Left,
}

impl Found {
    /// Looks at the journals of a hill.
    ///
    /// # Errors
    ///
    /// If the system refuses, or a journal is damaged.
    pub(crate) fn look(root: &Path) -> Result<Found, Error> {
        let mut others = Others::new();
        let left = sweep(root, None, &mut others)?;
        Ok(Found { others, left })
    }

    /// Tells whether a game is in flight elsewhere.
    pub(crate) fn has(&self, game: &str) -> bool {
        has(&self.others, game)
    }

    /// Tells whether there is another runner.
    pub(crate) fn has_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// Begins the journal of this runner. To be called when lost games are recorded, since old journals are emptied.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(crate) fn begin(self, root: &Path) -> Result<Flights, Error> {
        let Found { others, left } = self;
        let mut files = left.forgotten()?.into_iter();
        let (number, spot, file) = match files.next() {
            Some(mine) => mine,
            None => {
                let number = (0..).find(|number| !others.contains_key(number)).expect("numbers have no end");
                let spot = file_of(root, number);
                let opened = spot.append().and_then(|file| file.lock().map(|()| file));
                let file = opened.map_err(Error::system(spot.path(), "begin the games in flight"))?;
                (number, spot, file)
            }
        };
        let mut file = JournalFile::new(spot.clone(), file);
        file.write(&format!("P {} {} {}", host(), std::process::id(), clock::date()))?;
        Ok(Flights { number, spot, file, open: Vec::new(), others })
    }
}

/// The runners of a hill that are alive, by their journals. No lock is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Aloft {
    pub(crate) runners: usize,
    pub(crate) flights: Vec<Flight>,
}

impl Aloft {
    /// Reads the journals. A runner is alive while its journal is locked.
    ///
    /// # Errors
    ///
    /// If the system refuses, or a journal is damaged.
    pub(crate) fn read(root: &Path) -> Result<Aloft, Error> {
        let mut aloft = Aloft::default();
        for number in numbers(root) {
            let spot = file_of(root, number);
            let (mut is_begun, mut open) = (false, Vec::new());
            each_record(&spot, |record| {
                if record.starts_with("P ") {
                    (is_begun, open) = (true, Vec::new());
                }
                add(&spot, &mut open, record)
            })?;
            if is_begun && is_locked(&spot)? {
                aloft.runners += 1;
                aloft.flights.extend(open);
            }
        }
        Ok(aloft)
    }
}

/// Tells whether a runner holds the lock of a journal. The look itself is no lock that another look would see.
fn is_locked(spot: &Spot) -> Result<bool, Error> {
    let opened = spot.open().map_err(Error::system(spot.path(), "open the games in flight"))?;
    match opened.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(Error::system(spot.path(), "look at the lock")(error)),
    }
}

impl Left {
    /// Empties the journals. To be called when their lost games are recorded.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(crate) fn forget(self) -> Result<(), Error> {
        self.forgotten().map(drop)
    }

    fn forgotten(self) -> Result<Vec<(u32, Spot, File)>, Error> {
        for (_, spot, file) in &self.files {
            file.set_len(0).map_err(Error::system(spot.path(), "empty the journal"))?;
        }
        Ok(self.files)
    }
}

impl Flights {
    /// Names the games that the last runners have begun, ended or not.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(crate) fn each_begun(root: &Path, mut take: impl FnMut(&str)) -> Result<(), Error> {
        for number in numbers(root) {
            each_record(&file_of(root, number), |record| {
                let begun = record.strip_prefix("B ").and_then(|rest| rest.split(' ').next());
                begun.into_iter().for_each(&mut take);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Looks at the journals of all others. Returns those of runners that are gone.
    ///
    /// # Errors
    ///
    /// If the system refuses, or a journal is damaged.
    pub(crate) fn look(&mut self) -> Result<Left, Error> {
        let root = self.spot.root().expect("below the hill").to_owned();
        sweep(&root, Some(self.number), &mut self.others)
    }

    /// Tells whether a game is in flight elsewhere.
    pub(crate) fn others_have(&self, game: &str) -> bool {
        has(&self.others, game)
    }

    /// Makes sure that no other runner has taken this one for dead. That happens if its lock is lost. Others then play
    /// its games.
    ///
    /// # Errors
    ///
    /// If one has.
    pub(crate) fn check_alive(&self) -> Result<(), Error> {
        match self.file.is_as_written() {
            true => Ok(()),
            false => {
                let what = "this runner has lost its lock, so other runners have taken over its games";
                Err(Error::file(self.spot.path(), what))
            }
        }
    }

    /// Records that a game begins, and returns when that is on the disk.
    ///
    /// # Errors
    ///
    /// If the system refuses, or this runner was taken for dead.
    pub(crate) fn begun(&mut self, fixture: &Fixture, attempt: u32) -> Result<(), Error> {
        if self.open.iter().any(|open| *open == (fixture.id.clone(), attempt)) {
            return Ok(()); // it has been claimed
        }
        self.check_alive()?;
        self.file.write(&format!("B {} {attempt} {} {}", fixture.id, clock::date(), bots_of(fixture)))?;
        self.open.push((fixture.id.clone(), attempt));
        Ok(())
    }

    /// Records that a game has ended. If the record is lost, the results and the list of void games still say so.
    pub(crate) fn ended(&mut self, fixture: &Fixture) {
        self.open.retain(|(open, _)| *open != fixture.id);
        if self.file.is_as_written() {
            let _ = self.file.write_soon(&format!("E {}", fixture.id));
        }
    }
}

fn has(others: &Others, game: &str) -> bool {
    others.values().any(|live| live.open.iter().any(|flight| flight.game == game))
}

/// Looks at all journals but one. Locked ones are read on; the others are locked and returned.
fn sweep(root: &Path, mine: Option<u32>, others: &mut Others) -> Result<Left, Error> {
    let mut left = Left::default();
    let numbers = numbers(root);
    others.retain(|number, _| numbers.contains(number));
    for number in numbers.into_iter().filter(|number| Some(*number) != mine) {
        let spot = file_of(root, number);
        let file = spot.append().map_err(Error::system(spot.path(), "open the games in flight"))?;
        match file.try_lock() {
            Ok(()) => {
                others.remove(&number);
                each_record(&spot, |record| add(&spot, &mut left.flights, record))?;
                left.files.push((number, spot, file));
            }
            Err(TryLockError::WouldBlock) => others.entry(number).or_default().read_on(&spot)?,
            Err(TryLockError::Error(error)) => {
                return Err(Error::system(spot.path(), "lock the games in flight")(error));
            }
        }
    }
    Ok(left)
}

impl Live {
    fn read_on(&mut self, spot: &Spot) -> Result<(), Error> {
        let mut first = None;
        each_record_from(spot, 0, |record| {
            first = Some(record.to_owned());
            Ok(false)
        })?;
        if self.first != first {
            *self = Live { first, ..Live::default() };
        }
        let Live { open, read, .. } = self;
        *read = each_record_from(spot, *read, |record| add(spot, open, record).map(|()| true))?;
        Ok(())
    }
}

/// Takes a record.
fn add(spot: &Spot, open: &mut Vec<Flight>, record: &str) -> Result<(), Error> {
    let wrong = || Error::file(spot.path(), format!("not a record of a journal: {record}"));
    match record.splitn(5, ' ').collect::<Vec<&str>>()[..] {
        ["P", ..] => {}
        ["B", game, attempt, started, bots] => {
            let attempt = attempt.parse().map_err(|_| wrong())?;
            let [game, started, bots] = [game, started, bots].map(str::to_owned);
            open.push(Flight { game, attempt, started, bots });
        }
        ["E", game] => open.retain(|flight| flight.game != game),
        _ => return Err(wrong()),
    }
    Ok(())
}

/// The name of the first journal. Others have a number after it.
const NAME: &str = "in-flight";

fn file_of(root: &Path, number: u32) -> Spot {
    match number {
        0 => Spot::below(root, NAME),
        _ => Spot::below(root, format!("{NAME}.{number}")),
    }
}

/// Returns the numbers of the existing journals. They have no gaps, except that the first can have been removed.
fn numbers(root: &Path) -> Vec<u32> {
    let is_there = |number: &u32| file_of(root, *number).exists();
    [0].into_iter().filter(is_there).chain((1..).take_while(is_there)).collect()
}
