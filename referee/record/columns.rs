//! A log as lines, each split into its columns. Their values are read elsewhere.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use super::file::ROW_MAX;
use super::row_kind::LogColumn;

/// Number of columns in every row of a log.
pub(super) const COLUMNS: usize = LogColumn::ALL.len();

/// The beginning of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineStart {
    pub(super) byte: u64,
    /// From 1.
    pub(super) line: u64,
}

/// Rows that were read where they lie in the buffer, to be passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PassedRows {
    /// In bytes.
    pub(super) length: usize,
    pub(super) lines: u64,
}

/// Reads a log line by line.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    next: LineStart,
}

impl<R: BufRead + Seek> Lines<R> {
    /// Begins with the first line.
    #[inline]
    pub(super) fn new(input: R) -> Lines<R> {
        Lines { input, next: LineStart { byte: 0, line: 1 } }
    }

    /// Returns the beginning of the next line.
    #[inline]
    pub(super) fn place(&self) -> LineStart {
        self.next
    }

    /// Continues at a bookmark.
    #[inline]
    pub(super) fn go_to(&mut self, place: LineStart) -> io::Result<()> {
        self.next = place;
        self.input.seek(SeekFrom::Start(place.byte)).map(drop)
    }

    /// Returns the buffered part of the next lines. It can be empty, or end within a line.
    #[inline]
    pub(super) fn buffered(&mut self) -> io::Result<&[u8]> {
        match self.input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(&[]),
            read => read,
        }
    }

    /// Passes over whole lines that are buffered.
    #[inline]
    pub(super) fn pass(&mut self, passed: PassedRows) {
        self.input.consume(passed.length);
        self.next.byte += passed.length as u64;
        self.next.line += passed.lines;
    }

    /// Reads the next line into `row` and splits it into columns; `None` at the end of the file.
    pub(super) fn read(&mut self, row: &mut Row) -> io::Result<Option<Result<(), NoRow>>> {
        let mut bytes = std::mem::take(&mut row.text).into_bytes();
        bytes.clear();
        let count = self.input.by_ref().take(ROW_MAX).read_until(b'\n', &mut bytes)?;
        row.place = self.next;
        if count == 0 {
            return Ok(None);
        }
        self.next = LineStart { byte: self.next.byte + count as u64, line: self.next.line + 1 };
        if count as u64 == ROW_MAX && !bytes.ends_with(b"\n") {
            return Ok(Some(Err(NoRow::TooLong)));
        }
        match String::from_utf8(bytes) {
            Ok(text) => row.text = text,
            Err(_) => return Ok(Some(Err(NoRow::Columns))),
        }
        let is_whole = row.text.ends_with('\n');
        Ok(Some(row.split().map_err(|why| if is_whole { why } else { NoRow::CutOff })))
    }
}

/// A line, and the places of its columns.
#[derive(Debug)]
pub(super) struct Row {
    place: LineStart,
    text: String,
    /// Where each column ends; the next begins one byte further.
    ends: [usize; COLUMNS],
}

/// Why a line is no row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoRow {
    /// It has more columns, or fewer, or is no text.
    Columns,
    /// A quotation mark is not closed.
    GoesOn,
    /// The file ends in the middle of it.
    CutOff,
    /// It has no end within [`ROW_MAX`].
    TooLong,
}

impl Row {
    /// A row that has not been read yet.
    #[inline]
    pub(super) fn empty() -> Row {
        Row { place: LineStart { byte: 0, line: 0 }, text: String::new(), ends: [0; COLUMNS] }
    }

    /// Returns the beginning of the row.
    #[inline]
    pub(super) fn place(&self) -> LineStart {
        self.place
    }

    /// Returns the line as it was read last, also if it is no row.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the content of a column.
    #[inline]
    pub(super) fn column(&self, column: LogColumn) -> &str {
        let column = column as usize;
        let start = column.checked_sub(1).map_or(0, |before| self.ends[before] + 1);
        self.text.get(start..self.ends[column]).unwrap_or_default()
    }

    /// Splits the line.
    fn split(&mut self) -> Result<(), NoRow> {
        let line = self.text.strip_suffix('\n').unwrap_or(&self.text);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let mut column = 0;
        for (index, byte) in line.bytes().enumerate() {
            match byte {
                // Nearly all bytes are digits and letters: no further comparison for them.
                b'-'..=0xff => {}
                b',' if column == COLUMNS - 1 => return Err(NoRow::Columns),
                b',' => {
                    self.ends[column] = index;
                    column += 1;
                }
                b'"' => return self.unquote(),
                _ => {}
            }
        }
        self.ends[column] = line.len();
        if column == COLUMNS - 1 { Ok(()) } else { Err(NoRow::Columns) }
    }

    /// Splits a line with quotation marks, and removes those that only quote. There are few such lines.
    fn unquote(&mut self) -> Result<(), NoRow> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(self.text.as_bytes());
        let mut record = csv::StringRecord::new();
        if !matches!(reader.read_record(&mut record), Ok(true)) || record.len() != COLUMNS {
            return Err(NoRow::Columns);
        }
        if record.as_slice().contains('\n') {
            return Err(NoRow::GoesOn);
        }
        self.text.clear();
        for (end, text) in self.ends.iter_mut().zip(&record) {
            self.text.push_str(text);
            *end = self.text.len();
            self.text.push(',');
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    /// All rows of a text, or the first line that is none.
    fn rows(text: &[u8]) -> Result<Vec<Vec<String>>, (u64, NoRow)> {
        let (mut lines, mut row, mut rows) = (Lines::new(Cursor::new(text)), Row::empty(), Vec::new());
        while let Some(read) = lines.read(&mut row).expect("a text in memory") {
            read.map_err(|no_row| (row.place().line, no_row))?;
            rows.push(LogColumn::ALL.map(|column| row.column(column).to_owned()).to_vec());
        }
        Ok(rows)
    }

    #[test]
    fn quotation_marks_keep_commas_together() {
        let found = rows(b"a,,,,,,,1 2,\nb,,,,,,,,\"x, \"\"y\"\"\"\r\nc,,,,,,,,d").unwrap();
        assert_eq!(found[0], ["a", "", "", "", "", "", "", "1 2", ""]);
        assert_eq!(found[1], ["b", "", "", "", "", "", "", "", "x, \"y\""]);
        assert_eq!(found[2], ["c", "", "", "", "", "", "", "", "d"]);
    }

    #[test]
    fn what_is_no_row_is_told_with_its_line() {
        for (bad, why) in [
            (&b"a,,,,,,,\n"[..], NoRow::Columns),
            (b"a,,,,,,,,,\n", NoRow::Columns),
            (b"a,,,,,,,\"b\"\n", NoRow::Columns),
            (b"a,,,,,,,,\"b\",\n", NoRow::Columns),
            (b"\n", NoRow::Columns),
            (b"a,,,,,,,,\xff\n", NoRow::Columns),
            (b"a,,,,,,,,\"b\nc,,,,,,,,\n", NoRow::GoesOn),
        ] {
            let text = [b"row,,,,,,,,\n", bad].concat();
            assert_eq!(rows(&text), Err((2, why)), "{}", bad.escape_ascii());
        }
    }

    #[test]
    fn a_place_is_come_back_to() {
        let mut lines = Lines::new(Cursor::new(b"a,,,,,,,,\nb,,,,,,,,\nc,,,,,,,,\n"));
        let mut row = Row::empty();
        let mut read = |lines: &mut Lines<_>| {
            lines.read(&mut row).unwrap().unwrap().unwrap();
            (row.column(LogColumn::Row).to_owned(), row.place().line)
        };
        read(&mut lines);
        let place = lines.place();
        assert_eq!((read(&mut lines), read(&mut lines)), (("b".to_owned(), 2), ("c".to_owned(), 3)));
        lines.go_to(place).unwrap();
        assert_eq!(read(&mut lines), ("b".to_owned(), 2));
    }

    #[test]
    fn the_end_stays_where_it_is() {
        let (mut lines, mut row) = (Lines::new(Cursor::new(b"a,,,,,,,,\n")), Row::empty());
        let mut read = || (lines.read(&mut row).unwrap().is_some(), row.place().line);
        assert_eq!([read(), read(), read()], [(true, 1), (false, 2), (false, 2)]);
    }

    proptest! {
        #[test]
        fn rows_are_what_the_csv_crate_reads(
            rows_written in proptest::collection::vec(proptest::array::uniform9("[a, \"0-9é]{0,6}"), 1..9),
        ) {
            let mut writer = csv::Writer::from_writer(Vec::new());
            rows_written.iter().for_each(|row| writer.write_record(row).unwrap());
            let text = writer.into_inner().unwrap();
            let expected: Vec<Vec<String>> = rows_written.iter().map(|row| row.to_vec()).collect();
            prop_assert_eq!(rows(&text), Ok(expected));
        }
    }
}
