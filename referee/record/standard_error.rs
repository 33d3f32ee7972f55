//! The standard error of bots: a file for each seat that wrote something, below `stderr` as the log is below
//! `logs`. A table beside it, `NAME.turns.csv`, says where the part of each turn ends. A file without a table that fits
//! is shown as a whole.

use std::borrow::Cow;

/// The columns of the table: the number of a turn, and the byte of the file before which its part ends.
const COLUMNS: &str = "turn,end";

/// Returns the table of turns, each with the byte before which its part ends.
pub fn text_of(ends: &[(u32, u64)]) -> String {
    let lines = ends.iter().map(|(turn, end)| format!("{turn},{end}\n"));
    format!("{COLUMNS}\n{}", lines.collect::<String>())
}

/// The standard error of a bot in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    bytes: Vec<u8>,
    /// Turns in order, each with the byte before which its part ends; empty without a table that fits.
    ends: Vec<(u32, usize)>,
}

impl Written {
    /// Takes the bytes of a kept file and of its table. A table that does not fit the file counts as missing.
    pub fn new(bytes: Vec<u8>, table: Option<Vec<u8>>) -> Written {
        let ends = table.and_then(|table| ends_in(&String::from_utf8(table).ok()?, bytes.len()));
        Written { bytes, ends: ends.unwrap_or_default() }
    }

    /// Returns all of it.
    pub fn whole(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// Iterates over the turns in which something was written, each with its text. Empty if the turns are unknown.
    pub fn turns(&self) -> impl Iterator<Item = (u32, Cow<'_, str>)> {
        let mut start = 0;
        self.ends.iter().map(move |(turn, end)| {
            let part = &self.bytes[std::mem::replace(&mut start, *end)..*end];
            (*turn, String::from_utf8_lossy(part))
        })
    }
}

/// Reads the table of a file of this length; `None` unless turns and ends rise, up to the end of the file.
fn ends_in(table: &str, length: usize) -> Option<Vec<(u32, usize)>> {
    let mut lines = table.lines();
    if lines.next() != Some(COLUMNS) {
        return None;
    }
    let end = |line: &str| {
        let (turn, end) = line.split_once(',')?;
        Some((turn.parse().ok()?, end.parse().ok()?))
    };
    let ends: Vec<(u32, usize)> = lines.map(end).collect::<Option<_>>()?;
    let is_rising = ends.is_sorted_by(|one, other| one.0 < other.0 && one.1 < other.1);
    let fits = is_rising && ends.last().is_none_or(|(_, end)| *end == length);
    if fits { Some(ends) } else { None }
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
