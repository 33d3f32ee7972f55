//! What counts: a pure function of the files.

use std::collections::BTreeMap;

use crate::event::{Event, Kind};
use crate::{Disk, Trouble};

/// Number of bytes of a log that are read at once.
const AT_ONCE: u64 = 1 << 20;

/// Maximum length of a record, in bytes.
pub(crate) const RECORD_MAX: u64 = 64 << 20;

/// Maximum length of a claim or a seal, in bytes.
const TEXT_MAX: u64 = 4096;

/// What a contest has come to, by its files. Equal files give equal states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The runner of each try at a unit, by the number of the try.
    claims: BTreeMap<String, BTreeMap<u32, String>>,
    logs: BTreeMap<String, Log>,
    /// The records of each game, by try, runner and number.
    games: BTreeMap<String, Vec<Entry>>,
}

/// What is known of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Log {
    /// The bytes and the number of its records that were read.
    read: u64,
    records: u64,
    /// The number of records that count, once it is sealed.
    sealed: Option<u64>,
}

/// A record of a game, by its place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    kind: Kind,
    unit: String,
    attempt: u32,
    runner: String,
    /// The number of its record in the log, from 0, and its bytes.
    number: u64,
    from: u64,
    length: u64,
}

impl Entry {
    fn order(&self) -> (u32, &str, u64) {
        (self.attempt, &self.runner, self.number)
    }
}

/// How a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// It was played to its end.
    Over,
    /// It was given up.
    GivenUp,
}

/// An attempt at a game that does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// It was void, for a reason that its runner recorded.
    Void(Vec<String>),
    /// It was lost with its runner, which recorded this at its beginning.
    Lost(Vec<String>),
}

impl State {
    /// Reads all files.
    ///
    /// # Errors
    ///
    /// If the system refuses, or a file is damaged.
    pub fn read(disk: &impl Disk) -> Result<State, Trouble> {
        let mut state = State::default();
        state.follow(disk)?;
        Ok(state)
    }

    /// Reads what is new. The result is that of [`read`](State::read).
    ///
    /// # Errors
    ///
    /// As for [`read`](State::read).
    pub fn follow(&mut self, disk: &impl Disk) -> Result<(), Trouble> {
        // In this order: a second try at a unit is claimed when the log of the first is sealed, and a log is sealed
        // when its records are on the disk.
        for name in listed(disk, "claims")? {
            self.read_claim(disk, &name)?;
        }
        for runner in listed(disk, "sealed")? {
            if self.logs.get(&runner).is_none_or(|log| log.sealed.is_none()) {
                let sealed = text_of(disk, &format!("sealed/{runner}"))?;
                let wrong = || Trouble::damaged(&format!("sealed/{runner}"), 0, "not a number of records");
                let sealed = sealed.parse().map_err(|_| wrong())?;
                self.seal(runner, sealed);
            }
        }
        for runner in listed(disk, "runs")? {
            self.read_log(disk, runner)?;
        }
        let short = self.logs.iter().find(|(_, log)| log.sealed.is_some_and(|sealed| log.records < sealed));
        if let Some((runner, log)) = short {
            let what = format!("{} of its {} records are left", log.records, log.sealed.unwrap_or_default());
            return Err(Trouble::damaged(&format!("runs/{runner}"), log.read, what));
        }
        let named = self.claims.values().flat_map(BTreeMap::values);
        let missing = named.into_iter().find(|runner| !self.logs.contains_key(*runner));
        missing.map_or(Ok(()), |runner| Err(Trouble::damaged(&format!("runs/{runner}"), 0, "it is missing")))
    }

    /// Takes note of a seal. What was read behind it is forgotten.
    fn seal(&mut self, runner: String, sealed: u64) {
        let log = self.logs.entry(runner.clone()).or_default();
        if log.records > sealed {
            *log = Log::default();
            self.games.values_mut().for_each(|entries| entries.retain(|entry| entry.runner != runner));
            self.games.retain(|_, entries| !entries.is_empty());
        }
        log.sealed = Some(sealed);
    }

    fn read_claim(&mut self, disk: &impl Disk, name: &str) -> Result<(), Trouble> {
        let wrong = |what: &str| Trouble::damaged(&format!("claims/{name}"), 0, what);
        let (unit, attempt) = name.rsplit_once('.').ok_or_else(|| wrong("not the name of a claim"))?;
        let attempt: u32 = attempt.parse().map_err(|_| wrong("not the name of a claim"))?;
        if self.claims.get(unit).is_some_and(|tries| tries.contains_key(&attempt)) {
            return Ok(());
        }
        let runner = text_of(disk, &format!("claims/{name}"))?;
        self.claims.entry(unit.to_owned()).or_default().insert(attempt, runner);
        Ok(())
    }

    /// Reads the new records of a log: up to its seal, or its end. A torn record at the end is not read yet.
    fn read_log(&mut self, disk: &impl Disk, runner: String) -> Result<(), Trouble> {
        let name = format!("runs/{runner}");
        let log = self.logs.entry(runner.clone()).or_default();
        let (mut bytes, mut start, mut torn) = (Vec::new(), log.read, None);
        loop {
            if log.sealed.is_some_and(|sealed| log.records >= sealed) {
                return Ok(());
            }
            let more = disk.read(&name, start + bytes.len() as u64, AT_ONCE);
            let more = more.map_err(Trouble::system("read", &name))?;
            let is_end = more.is_empty();
            bytes.extend(more);
            let mut at = 0;
            while let Some(length) = bytes[at..].iter().position(|byte| *byte == b'\n') {
                let (from, length) = (start + at as u64, length + 1);
                match (Event::of(&bytes[at..at + length]), torn) {
                    (None, _) => torn = torn.or(Some(from)),
                    // An interrupted write leaves its traces at the end alone.
                    (Some(_), Some(byte)) => {
                        return Err(Trouble::damaged(&name, byte, "not a record, though one follows"));
                    }
                    (Some(event), None) => {
                        let (number, length) = (log.records, length as u64);
                        (log.read, log.records) = (from + length, number + 1);
                        if event.kind != Kind::Mark {
                            let Event { kind, unit, attempt, game } = event;
                            let entry =
                                Entry { kind, unit, attempt, runner: runner.clone(), number, from, length };
                            let entries = self.games.entry(game).or_default();
                            let at = entries.partition_point(|other| other.order() < entry.order());
                            entries.insert(at, entry);
                        }
                        if log.sealed.is_some_and(|sealed| log.records >= sealed) {
                            return Ok(());
                        }
                    }
                }
                at += length;
            }
            bytes.drain(..at);
            start += at as u64;
            if is_end {
                return Ok(());
            }
            if bytes.len() as u64 > RECORD_MAX {
                return Err(Trouble::damaged(&name, start, "a record without an end"));
            }
        }
    }

    /// Tells whether an entry counts: its runner had claimed the unit, and its record was certainly on the disk.
    fn counts(&self, entry: &Entry) -> bool {
        let log = &self.logs[&entry.runner];
        // Something is appended only behind what is on the disk.
        let certain = log.sealed.unwrap_or(log.records.saturating_sub(1));
        entry.number < certain && self.runner_of(&entry.unit, entry.attempt) == Some(&entry.runner)
    }

    fn end_of(&self, game: &str) -> Option<&Entry> {
        let ends = |entry: &&Entry| matches!(entry.kind, Kind::Over | Kind::GivenUp);
        self.entries(game).iter().filter(ends).find(|entry| self.counts(entry))
    }

    fn entries(&self, game: &str) -> &[Entry] {
        self.games.get(game).map_or(&[], Vec::as_slice)
    }

    /// Returns how a game has ended; `None` if it has not.
    pub fn came(&self, game: &str) -> Option<Came> {
        let end = self.end_of(game)?;
        Some(if end.kind == Kind::Over { Came::Over } else { Came::GivenUp })
    }

    /// Lists the games that have ended, in the order of their names.
    pub fn ended(&self) -> impl Iterator<Item = (&str, Came)> {
        self.games.keys().filter_map(|game| Some((game.as_str(), self.came(game)?)))
    }

    /// Reads the cells of a game's end: the result, or why it was given up; `None` if it has not ended.
    ///
    /// # Errors
    ///
    /// If the system refuses, or the log was changed since.
    pub fn result(&self, disk: &impl Disk, game: &str) -> Result<Option<Vec<String>>, Trouble> {
        self.end_of(game).map(|end| cells(disk, end)).transpose()
    }

    /// Reads the attempts at a game that do not count, by try and in the order of each log. An attempt is lost when the
    /// log of its runner is sealed and has no end of it.
    ///
    /// # Errors
    ///
    /// As for [`result`](State::result).
    pub fn attempts(&self, disk: &impl Disk, game: &str) -> Result<Vec<Attempt>, Trouble> {
        // Of each try, only the records of one runner count.
        let entries: Vec<&Entry> = self.entries(game).iter().filter(|entry| self.counts(entry)).collect();
        let mut attempts = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            let is_last = entries.get(at + 1).is_none_or(|next| next.attempt != entry.attempt);
            match entry.kind {
                Kind::Void => attempts.push(Attempt::Void(cells(disk, entry)?)),
                Kind::Begun if is_last && self.is_sealed(&entry.runner) => {
                    attempts.push(Attempt::Lost(cells(disk, entry)?));
                }
                _ => {}
            }
        }
        Ok(attempts)
    }

    /// Returns the runner of a try at a unit.
    pub(crate) fn runner_of(&self, unit: &str, attempt: u32) -> Option<&String> {
        self.claims.get(unit)?.get(&attempt)
    }

    /// Returns the last try at a unit, and its runner.
    pub(crate) fn last_try(&self, unit: &str) -> Option<(u32, &str)> {
        let (attempt, runner) = self.claims.get(unit)?.last_key_value()?;
        Some((*attempt, runner))
    }

    pub(crate) fn is_sealed(&self, runner: &str) -> bool {
        self.logs.get(runner).is_some_and(|log| log.sealed.is_some())
    }

    pub(crate) fn records(&self, runner: &str) -> u64 {
        self.logs.get(runner).map_or(0, |log| log.records)
    }
}

fn listed(disk: &impl Disk, folder: &str) -> Result<Vec<String>, Trouble> {
    let mut names = disk.list(folder).map_err(Trouble::system("list", folder))?;
    names.sort_unstable();
    Ok(names)
}

fn text_of(disk: &impl Disk, name: &str) -> Result<String, Trouble> {
    let bytes = disk.read(name, 0, TEXT_MAX).map_err(Trouble::system("read", name))?;
    let text = String::from_utf8(bytes).ok().filter(|text| !text.is_empty());
    text.ok_or_else(|| Trouble::damaged(name, 0, "it is empty, or no text"))
}

fn cells(disk: &impl Disk, entry: &Entry) -> Result<Vec<String>, Trouble> {
    let name = format!("runs/{}", entry.runner);
    let mut line = Vec::new();
    while (line.len() as u64) < entry.length {
        let (from, most) = (entry.from + line.len() as u64, entry.length - line.len() as u64);
        let more = disk.read(&name, from, most).map_err(Trouble::system("read", &name))?;
        if more.is_empty() {
            break;
        }
        line.extend(more);
    }
    Event::cells_of(&line).ok_or_else(|| Trouble::damaged(&name, entry.from, "a record was changed"))
}
