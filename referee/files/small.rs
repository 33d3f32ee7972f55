//! Small CSV files. Each has a header, and rows of one kind whose columns are defined once.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::beneath::Spot;
use crate::grown::ReadMark;
use crate::lock;
use referee_record::error::Error;
use referee_record::results::saved_otherwise;
use referee_record::schema::{Columns, Layout};
use referee_record::text::{one_line, size};

/// The longest file, in bytes: a hundred thousand rows.
pub const FILE_MAX: u64 = 32 << 20;

/// The longest row, in bytes.
pub const ROW_MAX: u64 = 64 << 10;

/// The contents of a file.
struct Table<R: 'static> {
    layout: Layout<R>,
    rows: Vec<R>,
    /// The cells of unknown columns, row by row.
    unknown: Vec<Vec<String>>,
}

/// Reads the rows of a file. A file that is not there has none.
///
/// # Errors
///
/// If the system refuses, or the file is too long; names the line that is no such row.
pub fn read<R: Columns>(spot: impl Into<Spot>) -> Result<Vec<R>, Error> {
    Ok(table(&spot.into(), false)?.rows)
}

/// Reads the rows of a file whose last line an interrupted program can have left unfinished. Such a line is no row.
pub fn read_whole<R: Columns>(spot: impl Into<Spot>) -> Result<Vec<R>, Error> {
    Ok(table(&spot.into(), true)?.rows)
}

/// Reads the rows of a list that grows for years, one at a time. The list can have any length. Half a row at its end
/// does not count. A file that is not there has no rows.
///
/// # Errors
///
/// If the system refuses; names the line that is no such row; or an error of `take`.
pub fn each<R: Columns>(
    spot: impl Into<Spot>,
    take: impl FnMut(R) -> Result<(), Error>,
) -> Result<(), Error> {
    each_behind(&spot.into(), None, take).map(drop)
}

/// The end of a row in a list that can have grown since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The file; `None` if it cannot be recognized later.
    file: Option<ReadMark>,
    /// The numbers of bytes and lines up to it.
    bytes: u64,
    lines: u64,
}

/// Reads the rows behind a place of a list, in order, and hands each one to `take`; all rows if no place is given.
/// Returns the place behind the last row; `None` if the list is empty.
pub fn each_behind<R: Columns>(
    spot: &Spot,
    place: Option<&Place>,
    mut take: impl FnMut(R) -> Result<(), Error>,
) -> Result<Option<Place>, Error> {
    let path = spot.path();
    let not_read = || Error::system(path, "read the file");
    let file = match spot.open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(not_read())?,
    };
    let whole_length = || -> io::Result<u64> {
        let length = file.metadata()?.len();
        Ok(length - torn(&file, length)?)
    };
    let whole = whole_length().map_err(Error::system(path, "look at the file"))?;
    if whole == 0 {
        return Ok(None);
    }
    (&file).seek(SeekFrom::Start(0)).map_err(not_read())?;
    // The header is the first line.
    let mut lines = 1;
    let mut result = Ok(());
    let take = |row: R, _: Vec<String>| {
        lines += 1;
        result = take(row);
        result.is_ok()
    };
    match place {
        None => drop(each_row(path, (&file).take(whole), 0, take)?),
        Some(place) => {
            let mut header = Vec::new();
            BufReader::new((&file).take(ROW_MAX)).read_until(b'\n', &mut header).map_err(not_read())?;
            (&file).seek(SeekFrom::Start(place.bytes)).map_err(not_read())?;
            let rest = (&file).take(whole.saturating_sub(place.bytes));
            let lines_before = place.lines.saturating_sub(1);
            drop(each_row(path, header.chain(rest), lines_before, take)?);
            lines += lines_before;
        }
    }
    result?;
    let file = ReadMark::of(&file, whole).map_err(Error::system(path, "look at the file"))?;
    Ok(Some(Place { file, bytes: whole, lines }))
}

/// Reads the new rows of a list that grows, and adds them to `content`, which was made of the rows before. If the list
/// is another one, or was changed before its end, `content` is emptied, and the whole list is read.
pub fn follow<R: Columns, T: Default>(
    spot: &Spot,
    place: &mut Option<Place>,
    content: &mut T,
    mut take: impl FnMut(&mut T, R),
) -> Result<(), Error> {
    if let Some(known) = place
        && !is_there(spot, known)?
    {
        *place = None;
    }
    if place.is_none() {
        *content = T::default();
    }
    *place = each_behind(spot, place.as_ref(), |row| {
        take(content, row);
        Ok(())
    })?;
    Ok(())
}

/// Tells whether a list is that of a place, and programs only appended to it since. Always `false` where the system
/// does not say when a file was made.
pub fn is_there(spot: &Spot, place: &Place) -> Result<bool, Error> {
    let Some(mark) = &place.file else { return Ok(false) };
    let is_valid = match spot.open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        opened => opened.and_then(|file| mark.still_valid_for(&file)),
    };
    is_valid.map_err(Error::system(spot.path(), "look at the file"))
}

/// Returns the text of a file after a change to its rows. New rows must come last. Unknown columns are kept.
pub fn changed<R: Columns>(
    spot: impl Into<Spot>,
    change: impl FnOnce(&mut Vec<R>),
) -> Result<Vec<u8>, Error> {
    let mut table = table(&spot.into(), true)?;
    change(&mut table.rows);
    Ok(text_of(table))
}

/// Returns the text of a file with today's columns, and the unknown ones behind them.
fn text_of<R: Columns>(mut table: Table<R>) -> Vec<u8> {
    let unknown_names: Vec<String> = table.layout.unknown().map(|(_, name)| name.to_owned()).collect();
    table.unknown.resize(table.rows.len(), vec![String::new(); unknown_names.len()]);
    let layout = Layout::current();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = layout.names().map(str::to_owned).chain(unknown_names);
    writer.write_record(header).expect("in memory");
    for (row, unknown) in table.rows.iter().zip(&table.unknown) {
        write_row(&mut writer, layout.cells(row).iter().chain(unknown));
    }
    writer.into_inner().expect("in memory")
}

/// Reads the rows of a text that starts with the header. In the file at `path`, which errors name, `lines_before` lines
/// stand before this text.
///
/// # Errors
///
/// Names the first line that is no such row.
pub fn parse<R: Columns>(path: &Path, text: &[u8], lines_before: u64) -> Result<Vec<R>, Error> {
    Ok(parse_table(path, text, lines_before)?.rows)
}

/// Writes rows as a file holds them.
pub fn text<R: Columns>(rows: &[R]) -> Vec<u8> {
    lines(&Layout::current(), true, rows)
}

fn lines<R: Columns>(layout: &Layout<R>, with_header: bool, rows: &[R]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    if with_header {
        writer.write_record(layout.names()).expect("in memory");
    }
    for row in rows {
        write_row(&mut writer, &layout.cells(row));
    }
    writer.into_inner().expect("in memory")
}

/// Writes a row in one line.
fn write_row<'a>(writer: &mut csv::Writer<Vec<u8>>, cells: impl IntoIterator<Item = &'a String>) {
    writer.write_record(cells.into_iter().map(|cell| one_line(cell).into_owned())).expect("in memory");
}

/// Appends a row, in the columns of the file's header, and waits until it is on the disk. If that fails, nothing is
/// added.
///
/// # Errors
///
/// If the system refuses, or the file is of a format that is not read.
pub fn append<R: Columns>(spot: impl Into<Spot>, row: &R) -> Result<(), Error> {
    let spot = spot.into();
    let path = spot.path();
    let mut file = spot.append().map_err(Error::system(path, "open the file"))?;
    lock::claim_waiting(&file, path)?;
    file.seek(SeekFrom::End(0)).map_err(Error::system(path, "open the file"))?;
    let length = file.metadata().map_err(Error::system(path, "look at the file"))?.len();
    // Only the names of the columns are read, since a list can grow for years.
    let layout = match length {
        0 => Layout::current(),
        _ => each_row(path, spot.open().map_err(Error::system(path, "read the file"))?, 0, |_: R, _| false)?,
    };
    layout.check_complete().map_err(|why| why.at(path, |what| Error::line(path, 1, what)))?;
    let length = cut_torn(&file, length).map_err(Error::system(path, "cut off an unfinished row"))?;
    let text = lines(&layout, length == 0, std::slice::from_ref(row));
    let mut written = (&file).write_all(&text).and_then(|()| file.sync_all());
    if length == 0 {
        // A new file is on the disk only when its name is, too.
        written = written.and_then(|()| spot.sync_folder());
    }
    written.map_err(|error| {
        let _ = file.set_len(length);
        Error::system(path, "write the file")(error)
    })
}

/// Cuts off half a row that an interrupted program has left at the end of a list of this length. Returns the length
/// that remains.
fn cut_torn(mut file: &File, length: u64) -> io::Result<u64> {
    let whole = length - torn(file, length)?;
    if whole < length {
        file.set_len(whole)?;
    }
    file.seek(SeekFrom::End(0))?;
    Ok(whole)
}

/// Returns the length of half a row at the end of a list of this length.
fn torn(mut file: &File, length: u64) -> io::Result<u64> {
    file.seek(SeekFrom::Start(length.saturating_sub(ROW_MAX)))?;
    let mut end = Vec::new();
    file.take(ROW_MAX).read_to_end(&mut end)?;
    let torn = end.len() - end.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    // What is longer than any row is no torn row.
    Ok(if (torn as u64) < ROW_MAX { torn as u64 } else { 0 })
}

fn check_length(path: &Path, length: u64) -> Result<(), Error> {
    let what = || format!("longer than {}, the maximum for such a list", size(FILE_MAX));
    if length > FILE_MAX { Err(Error::file(path, what())) } else { Ok(()) }
}

/// Reads a file. If it may be torn, an unfinished last line is no row, else it is an error.
fn table<R: Columns>(spot: &Spot, may_be_torn: bool) -> Result<Table<R>, Error> {
    let path = spot.path();
    let empty = || Table { layout: Layout::current(), rows: Vec::new(), unknown: Vec::new() };
    let file = match spot.open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(empty()),
        opened => opened.map_err(Error::system(path, "read the file"))?,
    };
    let length = file.metadata().map_err(Error::system(path, "look at the file"))?.len();
    check_length(path, length)?;
    if may_be_torn {
        let mut text = Vec::new();
        let read = file.take(FILE_MAX + 1).read_to_end(&mut text);
        check_length(path, read.map_err(Error::system(path, "read the file"))? as u64)?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        return if whole == 0 { Ok(empty()) } else { parse_table(path, &text[..whole], 0) };
    }
    parse_table(path, file, 0)
}

fn parse_table<R: Columns>(path: &Path, input: impl Read, lines_before: u64) -> Result<Table<R>, Error> {
    let (mut rows, mut unknown) = (Vec::new(), Vec::new());
    let layout = each_row(path, input, lines_before, |row, cells| {
        rows.push(row);
        unknown.push(cells);
        true
    })?;
    Ok(Table { layout, rows, unknown })
}

/// Reads the header and hands each row to `take`, with its cells of unknown columns, until `take` returns `false`. In
/// the file, `lines_before` lines stand before the first line of `input`.
fn each_row<R: Columns>(
    path: &Path,
    input: impl Read,
    lines_before: u64,
    mut take: impl FnMut(R, Vec<String>) -> bool,
) -> Result<Layout<R>, Error> {
    let input = BufReader::with_capacity(AT_ONCE, input);
    let mut lines = Lines { path, input, line: Vec::new(), number: lines_before };
    let header_number = lines_before + 1;
    let header = lines.line()?.map_or("", |(_, line)| line);
    let is_empty = header.is_empty();
    if let Some((how, remedy)) = saved_otherwise(header.as_bytes()) {
        let what = format!("saved by another program, such as a spreadsheet: {how}; {remedy}");
        return Err(Error::line(path, header_number, what));
    }
    let names = header.strip_suffix('\n').unwrap_or(header);
    let layout = Layout::<R>::of(names.split(',')).map_err(|what| Error::line(path, header_number, what))?;
    loop {
        let Some((number, line)) = lines.line()? else {
            // Each row checks that no column is missing, but there can be no row.
            if !is_empty && !layout.is_complete() {
                let what = format!("the header lacks columns of {}; take the file from a backup", R::WHAT);
                return Err(Error::line(path, header_number, what));
            }
            return Ok(layout);
        };
        let not_a_row =
            |line, what: &dyn Display| Error::line(path, line, format!("not {}: {what}", R::WHAT));
        let Some(text) = line.strip_suffix('\n') else {
            let what = "it has no line end: the file is cut off; take it from a backup, or complete the row";
            return Err(not_a_row(number, &what));
        };
        if text.is_empty() {
            return Err(not_a_row(number, &"an empty line; remove it"));
        }
        let at = if layout.is_complete() { number } else { header_number };
        let (row, unknown) =
            layout.read_line(text).map_err(|why| why.at(path, |what| not_a_row(at, &what)))?;
        if !take(row, unknown) {
            return Ok(layout);
        }
    }
}

/// Number of bytes that are read at once.
const AT_ONCE: usize = 8 << 10;

/// The lines of a file.
struct Lines<'a, I> {
    path: &'a Path,
    input: BufReader<I>,
    line: Vec<u8>,
    /// The number of this line, counted from 1.
    number: u64,
}

impl<I: Read> Lines<'_, I> {
    /// Reads the next line. Returns its number and the line with its end; `None` at the end of the file.
    fn line(&mut self) -> Result<Option<(u64, &str)>, Error> {
        self.line.clear();
        let read = self.input.by_ref().take(ROW_MAX + 1).read_until(b'\n', &mut self.line);
        let length = read.map_err(Error::system(self.path, "read the file"))? as u64;
        if length == 0 {
            return Ok(None);
        }
        self.number += 1;
        let wrong = |what: String| Error::line(self.path, self.number, what);
        if length > ROW_MAX {
            return Err(wrong(format!("a row of more than {}", size(ROW_MAX))));
        }
        let line = std::str::from_utf8(&self.line).map_err(|_| wrong("not text".to_owned()))?;
        let text = line.strip_suffix('\n').unwrap_or(line);
        // A header with another line end is reported with a remedy (`saved_otherwise`).
        let text = if self.number == 1 { text.trim_end_matches('\r') } else { text };
        if let Some(letter) = text.chars().find(|letter| letter.is_control()) {
            return Err(wrong(format!(
                "a control character that no record contains: {}",
                letter.escape_unicode()
            )));
        }
        Ok(Some((self.number, line)))
    }
}
