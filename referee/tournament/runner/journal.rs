//! Journals: what a runner has begun and ended. Each record is a line with a CRC, so half a line is not a record.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};

use flate2::Crc;

use crate::error::Error;
use crate::record::beneath::Spot;

/// The longest journal of an attempt at a batch, in bytes: of ten thousand games. One of a hill has no end.
pub(crate) const JOURNAL_MAX: u64 = 32 << 20;

/// A journal that is written.
#[derive(Debug)]
pub(crate) struct JournalFile {
    spot: Spot,
    file: File,
}

impl JournalFile {
    /// Goes on with a file.
    pub(crate) fn new(spot: Spot, file: File) -> JournalFile {
        JournalFile { spot, file }
    }

    /// Adds a record, and returns when it is on the disk: it may be the last that this machine does.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(crate) fn write(&mut self, record: &str) -> Result<(), Error> {
        let written = self.write_soon(record).and_then(|()| self.file.sync_data());
        written.map_err(Error::system(self.spot.path(), "write the journal"))
    }

    /// Adds a record that may as well be lost.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(crate) fn write_soon(&mut self, record: &str) -> io::Result<()> {
        self.file.write_all(line_of(record).as_bytes())
    }
}

/// Reads the journal of an attempt at a batch; none if it is not there.
///
/// # Errors
///
/// If the system refuses, or it is too long.
pub(crate) fn read(spot: &Spot) -> Result<Option<Vec<u8>>, Error> {
    match spot.read(JOURNAL_MAX) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        read => Ok(Some(read.map_err(Error::system(spot.path(), "read the journal"))?)),
    }
}

/// Returns the line of a record.
pub(crate) fn line_of(record: &str) -> String {
    format!("{:08x} {record}\n", checksum(record))
}

/// Returns the whole records of a journal: what a kill has torn ends it.
pub(crate) fn records(text: &[u8]) -> impl Iterator<Item = &str> {
    text.split_inclusive(|byte| *byte == b'\n').map_while(record_of)
}

/// Goes through the whole records of a journal, if it is there, however long it is: nothing of it is kept.
///
/// # Errors
///
/// If the system refuses; or what `take` says.
pub(crate) fn each_record(spot: &Spot, mut take: impl FnMut(&str) -> Result<(), Error>) -> Result<(), Error> {
    let mut lines = match spot.open() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        opened => BufReader::new(opened.map_err(Error::system(spot.path(), "open the journal"))?),
    };
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = lines.by_ref().take(JOURNAL_MAX).read_until(b'\n', &mut line);
        read.map_err(Error::system(spot.path(), "read the journal"))?;
        match record_of(&line) {
            Some(record) => take(record)?,
            None => return Ok(()),
        }
    }
}

fn record_of(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let (crc, record) = line.split_once(' ')?;
    let due = u32::from_str_radix(crc, 16).ok()?;
    (checksum(record) == due).then_some(record)
}

fn checksum(record: &str) -> u32 {
    let mut crc = Crc::new();
    crc.update(record.as_bytes());
    crc.sum()
}
