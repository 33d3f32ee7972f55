//! Writes the log of one game: a CSV file that ends with the digest of all rows before.

use sha2::{Digest as _, Sha256};

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

/// Keeps the bytes in memory.
impl Sink for Vec<u8> {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.extend_from_slice(bytes);
        Ok(())
    }
}

/// Number of bytes that are buffered before they are handed on. That happens while no answer is awaited, so that no bot
/// is charged for a slow disk.
const FLUSH_BYTES: usize = 64 * 1024;

impl<S: Sink> GameLog<S> {
    /// Begins a log.
    #[inline]
    pub fn begin(heading: &Heading, sink: S) -> GameLog<S> {
        let mut log = GameLog {
            sink,
            // With room for the turn that fills it.
            buffer: Vec::with_capacity(2 * FLUSH_BYTES),
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
        if self.buffer.len() < FLUSH_BYTES { Ok(()) } else { self.flush() }
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
