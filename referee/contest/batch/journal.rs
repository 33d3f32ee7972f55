//! The journal of an attempt at a batch: its machine, the games that began, and the results of those that ended. Each
//! record is a line with a CRC, so half a line is not a record. The next attempt keeps the ended games and sees which
//! ones were lost.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use serde::Serialize;

use crate::batch::journal_of;
use crate::node::{Machine, MachineLoad};
use crate::publish::host;
use crate::runner::journal::{self, JournalFile, records};
use crate::runner::standing::LostStanding;
use crate::runner::tries::Tries;
use referee_files::beneath::Spot;
use referee_files::{digest, log};
use referee_record::Digest;
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::results::{Header, ResultRow};
use referee_record::schema::NoRow;
use referee_record::voids::VoidRow;
use referee_rules::Seat;
use referee_table::clock;

/// The journal of this attempt. It is locked while it is open, which shows others that its games are not lost.
#[derive(Debug)]
pub struct Journal {
    /// The number of the attempt, from 0.
    pub attempt: u32,
    file: JournalFile,
}

/// The remains of earlier attempts at a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The rows of games that have ended, by number.
    pub ended: BTreeMap<u32, Vec<ResultRow>>,
    /// By game: the attempts that did not count, since they were void, or lost with their runner.
    pub tries: BTreeMap<u32, Tries>,
    /// Attempts whose logs can tell the standing of a lost game, which nobody has recorded: the number of the attempt,
    /// and the game's.
    pub unread: Vec<(u32, u32)>,
    /// Whether an attempt is being played, by the locks that this machine can see.
    pub is_live: bool,
}

/// The remains of one attempt at a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attempt {
    /// The machine's name.
    pub node: String,
    /// When it began.
    pub date: String,
    /// Its description at the start.
    pub machine: Option<Machine>,
    /// Events on it until the batch was done, if this attempt completed it.
    pub wear: Option<MachineLoad>,
    /// The games that were begun.
    pub begun: Vec<u32>,
    /// Games that were begun, without a record of their end.
    pub open: Vec<u32>,
    /// The standings that it has found in earlier attempts that were lost: the number of the attempt, the game's, and
    /// the standing.
    pub standings: Vec<(u32, u32, LostStanding)>,
    /// The games that were void, each time.
    pub voids: Vec<(u32, VoidRow)>,
    /// The rows of games that have ended.
    pub ended: Vec<(u32, Vec<ResultRow>)>,
    /// The columns of these rows.
    columns: Option<String>,
    /// Whether it is being played, by the locks that this machine can see. Then open games are not lost.
    pub is_live: bool,
}

impl Journal {
    /// Begins the next attempt at a batch, on this machine.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn begin(folder: &Path, plan: &Digest, batch: usize, machine: &Machine) -> Result<Journal, Error> {
        for attempt in 0.. {
            let path = journal_of(folder, batch, attempt);
            let spot = Spot::within(folder, &path);
            spot.make_folders().map_err(Error::system(&path, "create the folder"))?;
            let file = match spot.append_new() {
                // The existing file decides: over sshfs, the second runner gets a permission error.
                Err(_) if spot.exists() => continue,
                opened => opened.map_err(Error::system(&path, "begin the journal"))?,
            };
            file.lock().map_err(Error::system(&path, "lock the journal"))?;
            // A new journal is on the disk when its name is, too.
            spot.sync_folder().map_err(Error::system(&path, "begin the journal"))?;
            let mut journal = Journal { attempt, file: JournalFile::new(spot, file) };
            let (host, process) = (host(), std::process::id());
            journal.file.write(&format!("P {plan} {batch} {host} {process} {}", clock::date()))?;
            journal.file.write(&format!("M {}", json(machine)))?;
            journal.file.write(&format!("C {}", Header::current().names()))?;
            return Ok(journal);
        }
        unreachable!("numbers have no end")
    }

    /// Records that a game begins.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn begun(&mut self, game: u32) -> Result<(), Error> {
        self.file.write(&format!("B {game}"))
    }

    /// Records the result of a game.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn ended(&mut self, game: u32, rows: &GameResult) -> Result<(), Error> {
        let rows: Vec<String> = rows.iter().map(ResultRow::text).collect();
        self.file.write(&format!("E {game} {}", rows.join("\t")))
    }

    /// Records that an attempt at a game was void: it is not lost, and the next one has a record of its own.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn void(&mut self, game: u32, row: &VoidRow) -> Result<(), Error> {
        self.file.write(&format!("V {game} {}", json(row)))
    }

    /// Records the standing of a game that was lost in an earlier attempt.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn lost(&mut self, attempt: u32, game: u32, standing: LostStanding) -> Result<(), Error> {
        let behind = standing.behind.map_or("-".to_owned(), |seat| seat.to_string());
        self.file.write(&format!("L {game} {attempt} {} {behind}", standing.turn))
    }

    /// Records that this runner gave up a game itself: it is not lost.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn given_up(&mut self, game: u32, why: &str) -> Result<(), Error> {
        self.file.write(&format!("G {game} {}", why.replace(['\n', '\r'], " ")))
    }

    /// Records the machine's load and slowdowns since the batch began.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn worn(&mut self, wear: &MachineLoad) -> Result<(), Error> {
        self.file.write(&format!("W {}", json(wear)))
    }
}

impl History {
    /// Reads the remains of attempts at a batch. A game counts as ended if its log is there, unchanged.
    ///
    /// # Errors
    ///
    /// If the system refuses, or a journal is another plan's.
    pub fn read(folder: &Path, plan: &Digest, batch: usize) -> Result<History, Error> {
        let mut history = History::default();
        let attempts = attempts(folder, plan, batch)?;
        let standings: Vec<_> = attempts.iter().flat_map(|attempt| attempt.standings.clone()).collect();
        for (attempt, number) in attempts.into_iter().zip(0..) {
            for (game, rows) in attempt.ended {
                if has_its_log(folder, &rows) {
                    history.ended.entry(game).or_insert(rows);
                }
            }
            for (game, row) in &attempt.voids {
                history.tries.entry(*game).or_default().add(row);
            }
            if attempt.is_live {
                history.is_live = true;
                continue;
            }
            for game in attempt.open {
                let standing = standing_of(&standings, number, game);
                let tries = history.tries.entry(game).or_default();
                // Only the log of a game that was lost before is written turn by turn.
                if standing.is_none() && tries.has_lost() {
                    history.unread.push((number, game));
                }
                tries.add_lost(standing.unwrap_or_default());
            }
        }
        Ok(history)
    }
}

/// Returns the standing of a game that was lost in an attempt, if a later attempt has recorded it.
pub(super) fn standing_of(
    standings: &[(u32, u32, LostStanding)],
    attempt: u32,
    game: u32,
) -> Option<LostStanding> {
    let found = standings.iter().find(|(of, lost, _)| (*of, *lost) == (attempt, game));
    found.map(|(.., standing)| *standing)
}

/// Reads the journals of a batch, in the order of the attempts.
///
/// # Errors
///
/// If the system refuses, or a journal is another plan's.
pub fn attempts(folder: &Path, plan: &Digest, batch: usize) -> Result<Vec<Attempt>, Error> {
    read(folder, plan, batch, true)
}

/// As [`attempts`], without the rows of ended games: they are most of a journal.
///
/// # Errors
///
/// As for [`attempts`].
pub(super) fn attempts_without_rows(
    folder: &Path,
    plan: &Digest,
    batch: usize,
) -> Result<Vec<Attempt>, Error> {
    read(folder, plan, batch, false)
}

fn read(folder: &Path, plan: &Digest, batch: usize, with_rows: bool) -> Result<Vec<Attempt>, Error> {
    let mut attempts = Vec::new();
    for number in 0.. {
        let path = journal_of(folder, batch, number);
        let spot = Spot::within(folder, &path);
        let file = match spot.open() {
            Err(error) if error.kind() == ErrorKind::NotFound => break,
            opened => opened.map_err(Error::system(&path, "open the journal"))?,
        };
        let mut attempt = Attempt { is_live: file.try_lock_shared().is_err(), ..Attempt::default() };
        let text = journal::read(&spot)?.unwrap_or_default();
        for record in records(&text) {
            let record = record.map_err(|byte| {
                let what = format!("damaged at byte {byte}: not a record, though one follows");
                Error::file(&path, what)
            })?;
            let added = attempt.add(plan, record, with_rows);
            added.map_err(|why| why.at(&path, |what| Error::file(&path, what)))?;
        }
        attempts.push(attempt);
    }
    Ok(attempts)
}

impl Attempt {
    /// Takes a record, or returns its mistake.
    fn add(&mut self, plan: &Digest, record: &str, with_rows: bool) -> Result<(), NoRow> {
        let wrong = || NoRow::Wrong(format!("not a record of a journal: {record}"));
        let (kind, rest) = record.split_once(' ').ok_or_else(wrong)?;
        match kind {
            "M" => self.machine = Some(serde_json::from_str(rest).map_err(|_| wrong())?),
            "W" => self.wear = Some(serde_json::from_str(rest).map_err(|_| wrong())?),
            "C" => self.columns = Some(rest.to_owned()),
            _ => {}
        }
        if matches!(kind, "M" | "W" | "C") {
            return Ok(());
        }
        let (number, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        if kind == "P" {
            if number != plan.as_str() {
                return Err(NoRow::Wrong("a journal of another plan".to_owned()));
            }
            let mut words = rest.split(' ').skip(1).map(str::to_owned);
            self.node = words.next().unwrap_or_default();
            self.date = words.nth(1).unwrap_or_default();
            return Ok(());
        }
        let game: u32 = number.parse().map_err(|_| wrong())?;
        if kind == "B" {
            self.begun.push(game);
            self.open.push(game);
            return Ok(());
        }
        if kind == "L" {
            let words: Vec<&str> = rest.split(' ').collect();
            let [attempt, turn, behind] = words[..] else { return Err(wrong()) };
            let number = |word: &str| word.parse::<u32>().map_err(|_| wrong());
            let behind = if behind == "-" { None } else { Some(Seat::new(number(behind)? as usize)) };
            self.standings.push((number(attempt)?, game, LostStanding { turn: number(turn)?, behind }));
            return Ok(());
        }
        self.open.retain(|other| *other != game);
        match kind {
            "G" => {}
            "V" => self.voids.push((game, serde_json::from_str(rest).map_err(|_| wrong())?)),
            "E" => {
                let header = Header::of_journal(self.columns.as_deref())?;
                let rows = rest.split('\t').filter(|_| with_rows).map(|row| header.parse(row));
                let rows = rows.collect::<Result<_, _>>();
                self.ended.push((
                    game,
                    rows.map_err(|why| match why {
                        NoRow::Older(_) => why,
                        NoRow::Wrong(_) => wrong(),
                    })?,
                ));
            }
            _ => return Err(wrong()),
        }
        Ok(())
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain values")
}

fn has_its_log(folder: &Path, rows: &[ResultRow]) -> bool {
    let log = rows.first().map(|row| (log::found(Spot::below(folder, &row.log)), &row.log_digest));
    log.is_some_and(|(path, due)| digest::of_log(&path).is_ok_and(|found| found == *due))
}
