//! Journals: what a runner has begun and ended, a record a line, each with a CRC, so that half of one is no record.

use std::fs::File;
use std::io::{self, ErrorKind, Write};

use flate2::Crc;

use crate::error::Error;
use crate::record::beneath::Spot;

/// The longest journal, in bytes: that of a batch of ten thousand games.
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

/// Reads a journal; none if it is not there.
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
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    lines.map_while(|line| {
        let line = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
        let (crc, record) = line.split_once(' ')?;
        let due = u32::from_str_radix(crc, 16).ok()?;
        (checksum(record) == due).then_some(record)
    })
}

fn checksum(record: &str) -> u32 {
    let mut crc = Crc::new();
    crc.update(record.as_bytes());
    crc.sum()
}
