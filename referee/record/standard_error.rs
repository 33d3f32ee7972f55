//! The standard error of bots: a file for each seat that wrote something, below `stderr` as the log is below
//! `logs`. A table beside it, `NAME.turns.csv`, says where the part of each turn ends. Files of earlier versions have
//! no such table, and are shown as a whole.

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::beneath::Spot;
use super::file;
use crate::error::Error;
use referee_rules::Seat;

/// The columns of the table: the number of a turn, and the byte of the file before which its part ends.
const COLUMNS: &str = "turn,end";

/// Maximum number of bytes that are read of a file: a referee writes fewer.
const BYTES: u64 = 1 << 20;

/// Returns the file of a seat's standard error in the game of a log; none where the log is not below `logs`.
pub fn beside(log: &Spot, seat: Seat) -> Option<Spot> {
    let path = log.path();
    let logs = path.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "logs"))?;
    let below = path.strip_prefix(logs).ok()?;
    let name = format!("{}-seat{seat}.txt", file::stem(below));
    // If the user has named the log, everything beside its folder is a stranger's.
    let root = log.root().unwrap_or(logs.parent().unwrap_or(logs));
    Some(Spot::within(root, logs.with_file_name("stderr").join(below).with_file_name(name)))
}

/// Keeps the standard error of a bot. `ends` lists turns in order, each with the byte before which its part ends. Files
/// of an earlier, interrupted attempt at the same game are removed.
///
/// # Errors
///
/// If the system refuses.
pub fn keep(file: &Spot, written: &[u8], ends: &[(u32, u64)]) -> Result<(), Error> {
    let table = if ends.is_empty() { String::new() } else { text_of(ends) };
    for (spot, bytes) in [(file, written), (&file.at(table_of(file.path())), table.as_bytes())] {
        if bytes.is_empty() {
            let _ = spot.remove();
            continue;
        }
        spot.make_folders().map_err(Error::system(spot.path(), "create the folder"))?;
        let kept = spot.create().and_then(|mut file| file.write_all(bytes));
        kept.map_err(Error::system(spot.path(), "write down a bot's standard error"))?;
    }
    Ok(())
}

fn table_of(file: &Path) -> PathBuf {
    file.with_extension("turns.csv")
}

fn text_of(ends: &[(u32, u64)]) -> String {
    let lines = ends.iter().map(|(turn, end)| format!("{turn},{end}\n"));
    format!("{COLUMNS}\n{}", lines.collect::<String>())
}

/// The standard error of a bot in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    bytes: Vec<u8>,
    /// Turns in order, each with the byte before which its part ends; empty in records of earlier versions.
    ends: Vec<(u32, usize)>,
}

impl Written {
    /// Reads a kept file; `None` if there is none. A table that does not fit the file counts as missing.
    pub fn read(file: &Spot) -> Option<Written> {
        let bytes = first_bytes(file).ok().filter(|bytes| !bytes.is_empty())?;
        let table = first_bytes(&file.at(table_of(file.path()))).ok();
        let ends = table.and_then(|table| ends_in(&String::from_utf8(table).ok()?, bytes.len()));
        Some(Written { bytes, ends: ends.unwrap_or_default() })
    }

    /// Returns all of it.
    pub fn whole(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// Iterates over the turns in which something was written, each with its text. Empty if the turns are unknown.
    pub fn turns(&self) -> impl Iterator<Item = (u32, Cow<'_, str>)> {
        let mut from = 0;
        self.ends.iter().map(move |(turn, end)| {
            let part = &self.bytes[std::mem::replace(&mut from, *end)..*end];
            (*turn, String::from_utf8_lossy(part))
        })
    }
}

fn first_bytes(spot: &Spot) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    spot.open()?.take(BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a table; none unless turns and ends rise, up to the end of the file.
fn ends_in(table: &str, length: usize) -> Option<Vec<(u32, usize)>> {
    let mut lines = table.lines();
    lines.next().filter(|line| *line == COLUMNS)?;
    let end = |line: &str| {
        let (turn, end) = line.split_once(',')?;
        Some((turn.parse().ok()?, end.parse().ok()?))
    };
    let ends: Vec<(u32, usize)> = lines.map(end).collect::<Option<_>>()?;
    let rises = ends.is_sorted_by(|one, other| one.0 < other.0 && one.1 < other.1);
    (rises && ends.last().is_none_or(|(_, end)| *end == length)).then_some(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_does_not_fit_counts_as_none() {
        for table in ["", "turn,end", "turn,end\n3,5\n7,9\n"] {
            assert_eq!(ends_in(table, 9).is_some(), !table.is_empty(), "{table}");
        }
        for table in
            ["3,5\n", "turn,end\n3,9\n3,9\n", "turn,end\n3,10\n", "turn,end\n4,2\n3,9\n", "turn,end\n4\n"]
        {
            assert_eq!(ends_in(table, 9), None, "{table}");
        }
    }
}
