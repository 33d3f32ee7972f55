//! Columns of CSV files, each defined once: name, meaning, kind of cell, reader and writer. Headers, readers,
//! writers, comparisons and the tables of `docs/records.md` follow from these definitions.
//!
//! A file is read by the names in its header: their order does not matter, and unknown columns are skipped. The column
//! `format` is the version of the definitions with which a row was written; without it, the first. A row has all
//! columns of its version: a missing one is an error, because its content could have been taken out. In a row of an
//! earlier version, a column that came later has the value that its definition gives for such rows.

use std::fmt::{Display, Write as _};
use std::path::Path;
use std::str::FromStr;

use super::cells::Cells;
use super::error::Error;
use super::older::{Older, READ_BY};
use super::{Digest, Share, cells, names};

/// The column that says by which version of the definitions a row was written.
const FORMAT: &str = "format";

/// The first version of all definitions.
const FIRST: u32 = 1;

/// A column of rows of one kind.
#[derive(Debug)]
pub struct Column<R: 'static> {
    /// Its name in the header.
    pub name: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
    /// The kind of value in its cells.
    pub kind: &'static str,
    /// The first version of the definitions that has it: rows of this version and later ones must have it.
    pub since: u32,
    /// The cell that rows of earlier versions are read with. Empty: there is none, and the row keeps its blank value.
    pub before: &'static str,
    /// Which of its cells have the one form of their value for certain.
    pub certain: Certain,
    /// Appends the cell of a row.
    pub get: fn(&R, &mut String),
    /// Sets the value of a row from a cell. `Err`: a description of the wrong cell.
    pub set: fn(&mut R, &str) -> Result<(), String>,
}

/// A kind of row that files hold.
pub trait Columns: Sized + 'static {
    /// The name of such a row, with its article: `a void game`.
    const WHAT: &'static str;
    /// The version of the definitions that rows are written by.
    const FORMAT: u32;
    /// The oldest version of the definitions whose rows are read.
    const OLDEST: u32 = FIRST;
    /// The columns, in the order in which they are written.
    const COLUMNS: &'static [Column<Self>];

    /// Returns an empty row, to be filled in from cells.
    fn blank() -> Self;
}

/// The columns of one file, in its order.
#[derive(Debug)]
pub struct Layout<R: 'static> {
    slots: Vec<Slot<R>>,
    /// The columns of the kind of row that this file does not have.
    missing: Vec<&'static Column<R>>,
    /// The place of the column that says the version.
    format: Option<usize>,
    /// The last version whose columns are all there; none if no version's are.
    whole: Option<u32>,
}

/// Why cells are no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoRow {
    /// They are one of a format that is not read.
    Older(Older),
    /// Anything else, in words.
    Wrong(String),
}

impl NoRow {
    /// Makes the error about the whole file, or by `wrong` about one of its lines: an older format is the file's.
    pub fn at(self, path: &Path, wrong: impl FnOnce(String) -> Error) -> Error {
        match self {
            NoRow::Older(older) => older.at(path),
            NoRow::Wrong(what) => wrong(what),
        }
    }
}

impl From<String> for NoRow {
    fn from(what: String) -> NoRow {
        NoRow::Wrong(what)
    }
}

/// A column of a file.
#[derive(Debug)]
enum Slot<R: 'static> {
    Known(&'static Column<R>),
    Format,
    Unknown(String),
}

impl<R: Columns> Layout<R> {
    /// Returns the columns of new files.
    pub fn current() -> Layout<R> {
        let slots = R::COLUMNS.iter().map(Slot::Known).chain([Slot::Format]).collect();
        Layout::new(slots)
    }

    /// Finds the columns by the names in a header.
    pub fn of<'a>(header: impl IntoIterator<Item = &'a str>) -> Result<Layout<R>, String> {
        let mut slots: Vec<Slot<R>> = Vec::new();
        for name in header {
            if slots.iter().any(|slot| slot.name() == name) {
                return Err(format!("column {name} is in the header twice"));
            }
            slots.push(match R::COLUMNS.iter().find(|column| column.name == name) {
                Some(column) => Slot::Known(column),
                None if name == FORMAT => Slot::Format,
                None => Slot::Unknown(name.to_owned()),
            });
        }
        Ok(Layout::new(slots))
    }

    fn new(slots: Vec<Slot<R>>) -> Layout<R> {
        let is_missing = |column: &&Column<R>| !slots.iter().any(|slot| slot.name() == column.name);
        let missing: Vec<&Column<R>> = R::COLUMNS.iter().filter(is_missing).collect();
        let format = slots.iter().position(|slot| matches!(slot, Slot::Format));
        let last = if format.is_some() { R::FORMAT } else { FIRST };
        let is_whole = |version: &u32| !missing.iter().any(|column| column.since <= *version);
        let whole = (R::OLDEST..=last).rev().find(is_whole);
        Layout { slots, missing, format, whole }
    }

    /// Returns the names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.slots.iter().map(Slot::name)
    }

    /// Tells whether all columns of some version are there. If not, the header is at fault for any mistake in
    /// a row.
    pub fn is_complete(&self) -> bool {
        self.whole.is_some()
    }

    /// Makes a row of its cells.
    ///
    /// # Errors
    ///
    /// If its format is not read. Otherwise names the column that is missing or has a wrong value.
    pub fn read(&self, cells: &[&str]) -> Result<R, NoRow> {
        let format = self.format(cells)?;
        if let Some(Column { name, .. }) = self.missing.iter().find(|column| column.since <= format) {
            return Err(format!("the header has no column {name}, which rows of format {format} have").into());
        }
        if cells.len() != self.slots.len() {
            return Err(format!("{} columns instead of {}", cells.len(), self.slots.len()).into());
        }
        let mut row = R::blank();
        let mut set = |column: &Column<R>, cell: &str| {
            (column.set)(&mut row, cell).map_err(|what| format!("column {} is {what}", column.name))
        };
        for column in self.missing.iter().filter(|column| !column.before.is_empty()) {
            set(column, column.before)?;
        }
        for (slot, cell) in self.slots.iter().zip(cells) {
            if let Slot::Known(column) = slot {
                set(column, cell)?;
            }
        }
        self.check_form(&row, cells)?;
        Ok(row)
    }

    /// Makes a row of a line, without its end. The cells of unknown columns come with it.
    pub fn read_line(&self, line: &str) -> Result<(R, Vec<String>), NoRow> {
        let cells = Cells::of(line)?;
        let list = cells.list();
        let row = self.read(&list)?;
        cells.check_marks(line)?;
        let unknown = self.unknown().map(|(index, _)| list[index].to_owned()).collect();
        Ok((row, unknown))
    }

    /// Makes sure that each cell is the one that is written for its value: a value has one form.
    fn check_form(&self, row: &R, cells: &[&str]) -> Result<(), String> {
        let mut expected = String::new();
        for (slot, cell) in self.slots.iter().zip(cells) {
            let Slot::Known(column) = slot else { continue };
            if column.certain.is(cell) {
                continue;
            }
            expected.clear();
            (column.get)(row, &mut expected);
            if expected != *cell {
                return Err(format!("column {} is {cell:?}; its only form is {expected:?}", column.name));
            }
        }
        Ok(())
    }

    /// Returns the version by which a row of these cells was written.
    ///
    /// # Errors
    ///
    /// If it is not read. The error names the remedy.
    pub fn format(&self, cells: &[&str]) -> Result<u32, NoRow> {
        let older =
            |format| NoRow::Older(Older { what: R::WHAT, format, oldest: R::OLDEST, read_by: READ_BY });
        let Some(index) = self.format else {
            return match R::OLDEST {
                FIRST => Ok(FIRST),
                // It has none of the columns, so it is another file. The error then names the columns that it lacks.
                oldest if self.missing.len() == R::COLUMNS.len() => Ok(oldest),
                _ => Err(older(FIRST)),
            };
        };
        // A row that is cut short has no version.
        let Some(cell) = cells.get(index) else { return Ok(R::FORMAT) };
        match cell.parse::<u32>() {
            Ok(format) if format.to_string() != *cell => {
                Err(format!("column {FORMAT} is {cell:?}; its only form is \"{format}\"").into())
            }
            Ok(format) if (R::OLDEST..=R::FORMAT).contains(&format) => Ok(format),
            Ok(format) if (FIRST..R::OLDEST).contains(&format) => Err(older(format)),
            Ok(format) if format > R::FORMAT => {
                let read = R::FORMAT;
                Err(format!(
                    "written in format {format} by a later referee; this one reads formats up to {read}: install that one"
                ).into())
            }
            _ => Err(format!("column {FORMAT} is unreadable: {cell:?}").into()),
        }
    }

    /// Makes sure that rows can be added in these columns: they are all of some version.
    ///
    /// # Errors
    ///
    /// Names the first that is missing, or the format if it is not read.
    pub fn check_complete(&self) -> Result<(), NoRow> {
        self.format(&[])?;
        match self.missing.iter().find(|column| column.since <= R::OLDEST) {
            Some(Column { name, .. }) => Err(format!("the header has no column {name}").into()),
            None => Ok(()),
        }
    }

    /// Returns the cells of a row. Those of unknown columns are empty.
    pub fn cells(&self, row: &R) -> Vec<String> {
        let cell = |slot: &Slot<R>| {
            let mut text = String::new();
            self.write(slot, row, &mut text);
            text
        };
        self.slots.iter().map(cell).collect()
    }

    /// Writes a row, without the end of the line. A cell with a comma or a quotation mark is quoted.
    pub fn text(&self, row: &R) -> String {
        let mut text = String::with_capacity(400);
        for slot in &self.slots {
            let start = text.len();
            self.write(slot, row, &mut text);
            cells::quote_last_text(&mut text, start);
            text.push(',');
        }
        text.pop();
        text
    }

    fn write(&self, slot: &Slot<R>, row: &R, text: &mut String) {
        match slot {
            Slot::Known(column) => (column.get)(row, text),
            // A file that an earlier version has begun has the columns of that version.
            Slot::Format => push(text, self.whole.unwrap_or(R::FORMAT)),
            Slot::Unknown(_) => {}
        }
    }

    /// Lists the unknown columns of this file, each with its place.
    pub fn unknown(&self) -> impl Iterator<Item = (usize, &str)> {
        self.slots.iter().enumerate().filter_map(|(index, slot)| match slot {
            Slot::Unknown(name) => Some((index, &**name)),
            _ => None,
        })
    }
}

impl<R: Columns> Slot<R> {
    fn name(&self) -> &str {
        match self {
            Slot::Known(column) => column.name,
            Slot::Format => FORMAT,
            Slot::Unknown(name) => name,
        }
    }
}

/// Returns the first column in which two rows differ: its name, the cell that was found, the cell that is due.
pub fn difference<R: Columns>(found: &R, expected: &R) -> Option<(&'static str, String, String)> {
    let (mut one, mut other) = (String::new(), String::new());
    R::COLUMNS.iter().find_map(|column| {
        one.clear();
        other.clear();
        (column.get)(found, &mut one);
        (column.get)(expected, &mut other);
        (one != other).then(|| (column.name, one.clone(), other.clone()))
    })
}

/// Returns the columns as a table in Markdown.
pub fn reference<R: Columns>() -> String {
    let mut table = String::from("| column | holds | meaning | since format |\n| --- | --- | --- | --- |\n");
    let oldest = R::OLDEST;
    for Column { name, kind, meaning, since, before, .. } in R::COLUMNS {
        let since = match (*since, *before) {
            (since, _) if since <= oldest => oldest.to_string(),
            (since, "") => format!("{since}; empty before"),
            (since, cell) => format!("{since}; `{cell}` before"),
        };
        let _ = writeln!(table, "| `{name}` | {kind} | {meaning} | {since} |");
    }
    let format = R::FORMAT;
    let _ = writeln!(table, "| `{FORMAT}` | number | version of these columns: {format} | {oldest} |");
    table
}

/// How cells say values of type `T`.
pub trait CellForm<T>: CellKind {
    /// Appends the cell of a value.
    fn write(value: &T, text: &mut String);

    /// Reads a cell.
    fn read(cell: &str) -> Result<T, String>;
}

/// The kind of value in the cells of a form.
pub trait CellKind {
    /// In a word.
    const KIND: &'static str;
    /// Which cells have the one form of their value for certain. All others are written again, and compared.
    const CERTAIN: Certain = Certain::None;
}

/// Cells that have the one form of their value for certain, so that they need not be written again: there can be
/// millions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certain {
    /// All: the value is the text of the cell.
    All,
    /// Short numbers of digits, without a zero in front.
    Digits,
    /// Parts of 1 with six digits after the point.
    Millionths,
    /// `0x` and 16 hexadecimal digits with small letters.
    Hex,
    /// The empty cell.
    Empty,
    /// None.
    None,
}

impl Certain {
    fn is(self, cell: &str) -> bool {
        match self {
            Certain::All => true,
            // Any type of number has that many digits exactly.
            Certain::Digits => {
                (1..=15).contains(&cell.len())
                    && cell.bytes().all(|byte| byte.is_ascii_digit())
                    && (cell.len() == 1 || !cell.starts_with('0'))
            }
            Certain::Millionths => match cell.as_bytes() {
                [b'0', b'.', digits @ ..] => digits.len() == 6 && digits.iter().all(u8::is_ascii_digit),
                _ => false,
            },
            Certain::Hex => match cell.as_bytes() {
                [b'0', b'x', digits @ ..] => {
                    digits.len() == 16
                        && digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
                }
                _ => false,
            },
            Certain::Empty => cell.is_empty(),
            Certain::None => false,
        }
    }
}

/// Defines forms that hold something.
macro_rules! forms {
    ($($(#[$about:meta])* $form:ident = $kind:literal, $certain:ident;)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub struct $form;

        impl CellKind for $form {
            const KIND: &'static str = $kind;
            const CERTAIN: Certain = Certain::$certain;
        }
    )*};
}

forms! {
    /// Any text.
    Text = "text", All;
    /// A bot's name.
    Name = "name", All;
    /// A game's name.
    Id = "name", All;
    /// A bot's name, or nothing.
    MaybeName = "name or empty", All;
    /// Any value that is written and read as a number is.
    Number = "number", Digits;
    /// A number that may be missing: then the cell is empty.
    MaybeNumber = "number or empty", Digits;
    /// `true` or `false`.
    Flag = "`true` or `false`", All;
    /// `1` or `0`.
    Bit = "`1` or `0`", All;
    /// 64 hexadecimal digits.
    Sha256 = "SHA-256", All;
    /// The same, or nothing.
    MaybeSha256 = "SHA-256 or empty", All;
    /// A part of 1, in millionths.
    Millionths = "0 to 1", Millionths;
}

/// Appends a value as text.
fn push(text: &mut String, value: impl Display) {
    let _ = write!(text, "{value}");
}

fn parsed<T: FromStr>(cell: &str) -> Result<T, String> {
    cell.parse().map_err(|_| format!("unreadable: {cell:?}"))
}

/// Says how forms write and read values of a type.
macro_rules! cells {
    ($($form:ident, $type:ty, |$value:ident, $text:ident| $write:expr, |$cell:ident| $read:expr;)*) => {$(
        impl CellForm<$type> for $form {
            fn write($value: &$type, $text: &mut String) {
                $write;
            }

            fn read($cell: &str) -> Result<$type, String> {
                $read
            }
        }
    )*};
}

cells! {
    Text, String, |value, text| text.push_str(value), |cell| Ok(cell.to_owned());
    Text, Option<String>, |value, text| text.push_str(value.as_deref().unwrap_or("")), |cell| Ok(Some(cell.to_owned()));
    Name, String, |value, text| text.push_str(value), |cell| names::check(cell).map(str::to_owned);
    MaybeName, String, |value, text| text.push_str(value),
        |cell| if cell.is_empty() { Ok(String::new()) } else { names::check(cell).map(str::to_owned) };
    Id, String, |value, text| text.push_str(value), |cell| names::check_id(cell).map(str::to_owned);
    Flag, bool, |value, text| push(text, value), |cell| parsed(cell);
    Bit, bool, |value, text| push(text, u8::from(*value)), |cell| match cell {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(format!("{cell:?}; it can be 0 or 1")),
    };
    Sha256, Digest, |value, text| text.push_str(value.as_str()),
        |cell| Digest::parse(cell).ok_or_else(|| format!("no SHA-256: {cell:?}"));
    MaybeSha256, Option<Digest>, |value, text| text.push_str(value.as_ref().map_or("", Digest::as_str)),
        |cell| if cell.is_empty() { Ok(None) } else { <Sha256 as CellForm<Digest>>::read(cell).map(Some) };
    MaybeSha256, String, |value, text| text.push_str(value),
        |cell| {
            if cell.is_empty() {
                return Ok(String::new());
            }
            <Sha256 as CellForm<Digest>>::read(cell).map(String::from)
        };
    Millionths, Share, |value, text| push(text, value), |cell| cell.parse();
}

impl<T: Display + FromStr> CellForm<T> for Number {
    fn write(value: &T, text: &mut String) {
        push(text, value);
    }

    fn read(cell: &str) -> Result<T, String> {
        parsed(cell)
    }
}

impl<T: Display + FromStr> CellForm<Option<T>> for MaybeNumber {
    fn write(value: &Option<T>, text: &mut String) {
        if let Some(value) = value {
            push(text, value);
        }
    }

    fn read(cell: &str) -> Result<Option<T>, String> {
        if cell.is_empty() { Ok(None) } else { parsed(cell).map(Some) }
    }
}

/// Defines a column of a field: its name, the field, its form, since which version of the definitions there is one and
/// which cell replaces it in earlier rows, and its meaning.
#[macro_export]
macro_rules! column {
    ($name:literal, $($field:ident).+, $form:ty, $meaning:literal) => {
        $crate::column!($name, $($field).+, $form, since 1 else "", $meaning)
    };
    ($name:literal, $($field:ident).+, $form:ty, since $since:literal else $cell:literal, $meaning:literal) => {
        $crate::schema::Column {
            name: $name,
            meaning: $meaning,
            kind: <$form as $crate::schema::CellKind>::KIND,
            certain: <$form as $crate::schema::CellKind>::CERTAIN,
            since: $since,
            before: $cell,
            get: |row, text| {
                <$form as $crate::schema::CellForm<_>>::write(&row.$($field).+, text);
            },
            set: |row, cell| {
                row.$($field).+ = <$form as $crate::schema::CellForm<_>>::read(cell)?;
                Ok(())
            },
        }
    };
}

pub use column;
