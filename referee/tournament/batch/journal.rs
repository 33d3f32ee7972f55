//! The journal of an attempt at a batch: on which machine, which games were begun, and what came of those that ended. Each
//! record is a line with a CRC, so that half of one is no record. The next attempt takes over what has ended, and sees which
//! games were lost.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::journal_of;
use crate::clock;
use crate::record::file;
use crate::record::results::ResultRow;
use crate::record::{Digest, RecordError};
use crate::tournament::node::{Machine, Wear};
use crate::tournament::publish::host;

/// The journal of this attempt. While it is open it is locked: who finds it so knows that its games are not lost.
#[derive(Debug)]
pub struct Journal {
    /// Which attempt this is, from 0.
    pub attempt: u32,
    path: PathBuf,
    file: File,
}

/// What earlier attempts at a batch have left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The rows of games that have ended, by number.
    pub ended: BTreeMap<u32, Vec<ResultRow>>,
    /// How often a game was begun and never heard of again.
    pub lost: BTreeMap<u32, u32>,
    /// Whether an attempt is under way, as far as this machine can tell.
    pub is_live: bool,
}

/// What one attempt at a batch has left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attempt {
    /// The machine's name.
    pub node: String,
    /// What it was like at the begin.
    pub machine: Option<Machine>,
    /// What happened to it until the batch was done, if this attempt did that.
    pub wear: Option<Wear>,
    /// The games that were begun.
    pub begun: Vec<u32>,
    /// Those of them that were never heard of again.
    pub open: Vec<u32>,
    /// The rows of games that have ended.
    pub ended: Vec<(u32, Vec<ResultRow>)>,
    /// Whether it is under way, as far as this machine can tell: then open games are not lost.
    pub is_live: bool,
}

impl Journal {
    /// Begins the next attempt at a batch, on this machine.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn begin(
        folder: &Path,
        plan: &Digest,
        batch: usize,
        machine: &Machine,
    ) -> Result<Journal, RecordError> {
        for attempt in 0.. {
            let path = journal_of(folder, batch, attempt);
            let above = path.parent().unwrap_or(folder);
            fs::create_dir_all(above).map_err(RecordError::system(above, "create the folder"))?;
            let file = match OpenOptions::new().append(true).create_new(true).open(&path) {
                // By what is there: over sshfs, who comes second is told that it is not permitted.
                Err(_) if path.exists() => continue,
                opened => opened.map_err(RecordError::system(&path, "begin the journal"))?,
            };
            file.lock().map_err(RecordError::system(&path, "lock the journal"))?;
            let mut journal = Journal { attempt, path, file };
            let (host, process) = (host(), std::process::id());
            journal.write(&format!("P {plan} {batch} {host} {process} {}", clock::date()))?;
            journal.write(&format!("M {}", json(machine)))?;
            return Ok(journal);
        }
        unreachable!("numbers have no end")
    }

    /// Records that a game begins.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn begun(&mut self, game: u32) -> Result<(), RecordError> {
        self.write(&format!("B {game}"))
    }

    /// Records what a game came to.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn ended(&mut self, game: u32, rows: &[ResultRow]) -> Result<(), RecordError> {
        let rows: Vec<String> = rows.iter().map(ResultRow::text).collect();
        self.write(&format!("E {game} {}", rows.join("\t")))
    }

    /// Records that a game was given up in good order: it is not lost.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn given_up(&mut self, game: u32, why: &str) -> Result<(), RecordError> {
        self.write(&format!("G {game} {}", why.replace(['\n', '\r'], " ")))
    }

    /// Records what has happened to the machine since the begin.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn worn(&mut self, wear: &Wear) -> Result<(), RecordError> {
        self.write(&format!("W {}", json(wear)))
    }

    fn write(&mut self, record: &str) -> Result<(), RecordError> {
        let line = format!("{:08x} {record}\n", crc32fast::hash(record.as_bytes()));
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(RecordError::system(&self.path, "write the journal"))
    }
}

impl History {
    /// Reads what attempts at a batch have left. A game has ended if its log is there, as it was written.
    ///
    /// # Errors
    ///
    /// If the system refuses, or a journal is another plan's.
    pub fn read(folder: &Path, plan: &Digest, batch: usize) -> Result<History, RecordError> {
        let mut history = History::default();
        for attempt in attempts(folder, plan, batch)? {
            for (game, rows) in attempt.ended {
                if has_its_log(folder, &rows) {
                    history.ended.entry(game).or_insert(rows);
                }
            }
            if attempt.is_live {
                history.is_live = true;
            } else {
                attempt.open.iter().for_each(|game| *history.lost.entry(*game).or_default() += 1);
            }
        }
        Ok(history)
    }
}

/// Reads the journals of a batch, in the order of the attempts.
///
/// # Errors
///
/// If the system refuses, or a journal is another plan's.
pub fn attempts(folder: &Path, plan: &Digest, batch: usize) -> Result<Vec<Attempt>, RecordError> {
    let mut attempts = Vec::new();
    for number in 0.. {
        let path = journal_of(folder, batch, number);
        let file = match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => break,
            opened => opened.map_err(RecordError::system(&path, "open the journal"))?,
        };
        let mut attempt = Attempt { is_live: file.try_lock_shared().is_err(), ..Attempt::default() };
        let text = fs::read(&path).map_err(RecordError::system(&path, "read the journal"))?;
        for record in records(&text) {
            let wrong = || RecordError::file(&path, format!("not a record of a journal: {record}"));
            let (kind, rest) = record.split_once(' ').ok_or_else(wrong)?;
            match kind {
                "M" => attempt.machine = Some(serde_json::from_str(rest).map_err(|_| wrong())?),
                "W" => attempt.wear = Some(serde_json::from_str(rest).map_err(|_| wrong())?),
                _ => {}
            }
            if matches!(kind, "M" | "W") {
                continue;
            }
            let (number, rest) = rest.split_once(' ').unwrap_or((rest, ""));
            if kind == "P" {
                if number != plan.as_str() {
                    return Err(RecordError::file(&path, "a journal of another plan"));
                }
                attempt.node = rest.split(' ').nth(1).unwrap_or_default().to_owned();
                continue;
            }
            let game: u32 = number.parse().map_err(|_| wrong())?;
            match kind {
                "B" => {
                    attempt.begun.push(game);
                    attempt.open.push(game);
                }
                "G" => attempt.open.retain(|other| *other != game),
                "E" => {
                    attempt.open.retain(|other| *other != game);
                    let rows: Result<Vec<_>, _> = rest.split('\t').map(ResultRow::parse).collect();
                    attempt.ended.push((game, rows.map_err(|_| wrong())?));
                }
                _ => return Err(wrong()),
            }
        }
        attempts.push(attempt);
    }
    Ok(attempts)
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain values")
}

/// Returns the whole records of a journal: what a kill has torn ends it.
fn records(text: &[u8]) -> impl Iterator<Item = &str> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    lines.map_while(|line| {
        let line = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
        let (crc, record) = line.split_once(' ')?;
        let due = u32::from_str_radix(crc, 16).ok()?;
        (crc32fast::hash(record.as_bytes()) == due).then_some(record)
    })
}

fn has_its_log(folder: &Path, rows: &[ResultRow]) -> bool {
    let log = rows.first().map(|row| (file::found(folder.join(&row.log)), &row.log_digest));
    log.is_some_and(|(path, due)| Digest::of_log(&path).is_ok_and(|found| found == *due))
}
