//! Writes the log of one game: a CSV file that ends with the digest of all rows before.

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::beneath::Spot;
use super::file::{Form, Target, stem};
use super::{Digest, Heading, Page, Recorder, Tally, rows};
use crate::error::Error;
use referee_rules::Outcome;

/// The log of one game, being written.
#[derive(Debug)]
pub struct GameLog<S> {
    sink: S,
    buffer: Vec<u8>,
    hasher: Sha256,
    tally: Tally,
}

/// The destination of a log's bytes.
pub trait Sink {
    /// Takes the next bytes.
    ///
    /// # Errors
    ///
    /// If they cannot be written, or (in an audit) differ from the record.
    fn take(&mut self, bytes: &[u8]) -> Result<(), Error>;
}

/// Number of bytes that are buffered before they are handed on. That happens while no answer is awaited, so that no bot
/// is charged for a slow disk.
const MUCH: usize = 64 * 1024;

impl<S: Sink> GameLog<S> {
    /// Begins a log.
    #[inline]
    pub fn begin(heading: &Heading, sink: S) -> GameLog<S> {
        let mut log = GameLog {
            sink,
            buffer: Vec::with_capacity(2 * MUCH),
            hasher: Sha256::new(),
            tally: Tally::new(heading.bots.len()),
        };
        rows::push_heading(&mut log.buffer, heading);
        log
    }

    /// Returns the faults and thinking times so far.
    #[inline]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Closes a log whose game has ended: returns the sink, the digest of the whole log, and the faults and times.
    #[inline]
    pub fn finish(self) -> (S, Digest, Tally) {
        (self.sink, Digest::finish(self.hasher), self.tally)
    }

    /// Hands all buffered bytes to the sink.
    ///
    /// # Errors
    ///
    /// As for [`Sink::take`].
    #[inline]
    pub fn flush(&mut self) -> Result<(), Error> {
        self.hasher.update(&self.buffer);
        self.sink.take(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

impl<S: Sink> Recorder for GameLog<S> {
    #[inline]
    fn turn(&mut self, page: &Page<'_>) {
        rows::push_turn(&mut self.buffer, page);
        self.tally.add(page);
    }

    #[inline]
    fn flush_if_full(&mut self) -> Result<(), Error> {
        if self.buffer.len() < MUCH { Ok(()) } else { self.flush() }
    }

    #[inline]
    fn end(&mut self, turns: u32, outcome: &Outcome) -> Result<(), Error> {
        rows::push_end(&mut self.buffer, turns, outcome);
        self.flush()?;
        let digest = Digest::finish(self.hasher.clone());
        rows::push_digest(&mut self.buffer, digest.as_str());
        self.flush()
    }
}

/// A log on its way to a file. It carries the ending `.part` until it is published; dropped before, it is removed.
#[derive(Debug)]
pub struct LogFile {
    file: Target,
    part: Spot,
    log: Spot,
    published: bool,
}

impl LogFile {
    /// Creates the file and its folder. The file is compressed if its name ends with `.gz`.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    #[inline]
    pub fn create(log: impl Into<Spot>) -> Result<LogFile, Error> {
        let log = log.into();
        let part = Spot { path: part_of(log.path()), ..log.clone() };
        log.make_folders().map_err(Error::system(log.path(), "create the folder of the log"))?;
        let file = Target::create(&part, log.path())?;
        Ok(LogFile { file, part, log, published: false })
    }

    /// Ends the file and makes sure that all bytes are on the disk. The game may now be entered into the results.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    #[inline]
    pub fn sync(&mut self) -> Result<(), Error> {
        let synced = self.file.finish().and_then(|file| file.sync_all());
        synced.map_err(Error::system(self.part.path(), "sync the log"))
    }

    /// Keeps an unfinished log of a void game, under a name of its own, which is returned.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    #[inline]
    pub fn keep_as_void(mut self, attempt: u32) -> Result<PathBuf, Error> {
        let log = self.log.path();
        let compressed = if Form::of(log) == Some(Form::Gzip) { ".gz" } else { "" };
        let path = log.with_file_name(format!("{}.void{attempt}{compressed}", stem(log)));
        self.file.finish().map_err(Error::system(self.part.path(), "write the log"))?;
        self.published = true;
        let void = Spot { path: path.clone(), ..self.log.clone() };
        self.part.rename(&void).map_err(Error::system(&path, "rename the log"))?;
        Ok(path)
    }

    /// Gives the log its final name, once the game is in the results.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    #[inline]
    pub fn publish(mut self) -> Result<(), Error> {
        self.published = true;
        self.part.rename(&self.log).map_err(Error::system(self.log.path(), "rename the log"))
    }
}

impl Sink for LogFile {
    #[inline]
    fn take(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write(bytes).map_err(Error::system(self.part.path(), "write the log"))
    }
}

impl Drop for LogFile {
    #[inline]
    fn drop(&mut self) {
        if !self.published {
            let _ = self.part.remove();
        }
    }
}

/// Returns the name that a log has until its game is in the results.
#[inline]
pub fn part_of(path: &Path) -> PathBuf {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    part.into()
}
