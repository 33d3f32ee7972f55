//! Journals: the games that a runner has begun and ended. Each record is a line with a CRC, so half a line is no
//! record.

use std::fs::File;
use std::io::{self, ErrorKind, Write};

use flate2::Crc;

use referee_files::beneath::Spot;
use referee_record::error::Error;

/// Maximum length of the journal of an attempt at a batch, in bytes: enough for ten thousand games. The journal of a
/// hill has no limit.
pub(crate) const JOURNAL_MAX: u64 = 32 << 20;

/// A journal that is being written.
#[derive(Debug)]
pub(crate) struct JournalFile {
    spot: Spot,
    file: File,
    /// The number of bytes that were written.
    written: u64,
}

impl JournalFile {
    /// Begins with an empty file.
    pub(crate) fn new(spot: Spot, file: File) -> JournalFile {
        JournalFile { spot, file, written: 0 }
    }

    /// Adds a record, and returns when it is on the disk, since the machine can go down at any time.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(crate) fn write(&mut self, record: &str) -> Result<(), Error> {
        let written = self.write_soon(record).and_then(|()| self.file.sync_data());
        written.map_err(Error::system(self.spot.path(), "write the journal"))
    }

    /// Adds a record that can get lost.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(crate) fn write_soon(&mut self, record: &str) -> io::Result<()> {
        let line = line_of(record);
        self.file.write_all(line.as_bytes())?;
        self.written += line.len() as u64;
        Ok(())
    }
}

/// Reads the journal of an attempt at a batch; `None` if it is missing.
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

/// Returns the whole records of a journal. An interrupted write leaves its traces at the end: damage before a record is
/// an error, with its place in bytes.
pub(crate) fn records(text: &[u8]) -> impl Iterator<Item = Result<&str, usize>> {
    let mut lines: Vec<(usize, Option<&str>)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        lines.push((at, record_of(line)));
        at += line.len();
    }
    let whole = lines.iter().rposition(|(_, record)| record.is_some()).map_or(0, |last| last + 1);
    lines.truncate(whole);
    lines.into_iter().map(|(at, record)| record.ok_or(at))
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
