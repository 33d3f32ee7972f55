//! Reads the log of a game, row by row.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::file::{ROW_MAX, Source};
use super::{BotName, Digest, Heading, RecordError, rows};
use crate::rules::{Fault, FaultKind, Seat};
use crate::table::Answer;
use crate::wire;

/// A log being read.
#[derive(Debug)]
pub struct LogReader {
    path: PathBuf,
    reader: csv::Reader<Source>,
    record: csv::StringRecord,
    /// The row in `record` has been looked at, but not taken.
    peeked: bool,
}

/// Where a row of a log begins.
#[derive(Clone, Debug)]
pub struct Bookmark(csv::Position);

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct LogRow<'a> {
    path: &'a Path,
    record: &'a csv::StringRecord,
}

impl LogReader {
    /// Opens a log and reads what stands before the first turn.
    ///
    /// # Errors
    ///
    /// If it cannot be read or does not begin as a log of this format does.
    pub fn open(path: &Path) -> Result<(LogReader, Heading), RecordError> {
        let mut file = Source::open(path).map_err(RecordError::system(path, "open the log"))?;
        file.allow(ROW_MAX);
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(file);
        let mut record = csv::StringRecord::new();
        let header: Vec<&str> = rows::HEADER.trim_end().split(',').collect();
        let read = reader.read_record(&mut record);
        if !matches!(read, Ok(true)) || record != header {
            return Err(RecordError::line(
                path,
                1,
                format!("not a log of a game: it should begin with {}", rows::HEADER.trim_end()),
            ));
        }
        let mut log = LogReader { path: path.to_owned(), reader, record, peeked: false };
        let heading = log.heading()?;
        Ok((log, heading))
    }

    /// Returns the next row without taking it; `None` at the end of the file.
    ///
    /// # Errors
    ///
    /// If it is not a row of eight columns.
    pub fn peek(&mut self) -> Result<Option<LogRow<'_>>, RecordError> {
        if !self.peeked {
            self.reader.get_mut().allow(ROW_MAX);
            match self.reader.read_record(&mut self.record) {
                Ok(true) => self.peeked = true,
                Ok(false) => return Ok(None),
                Err(error) => {
                    let line = error.position().map_or(self.reader.position().line(), csv::Position::line);
                    let what = match error.into_kind() {
                        csv::ErrorKind::Io(error) => error.to_string(),
                        _ => "not a row of eight columns".to_owned(),
                    };
                    return Err(RecordError::line(&self.path, line, what));
                }
            }
        }
        let row = LogRow { path: &self.path, record: &self.record };
        if self.record.as_slice().contains('\n') {
            return Err(
                row.wrong("a row that goes on over several lines: a stray quotation mark?".to_owned())
            );
        }
        Ok(Some(row))
    }

    /// Takes the row that was peeked at.
    pub fn take(&mut self) {
        self.peeked = false;
    }

    /// Returns where the row that comes next begins.
    pub fn bookmark(&self) -> Bookmark {
        let peeked = self.record.position().filter(|_| self.peeked);
        Bookmark(peeked.unwrap_or(self.reader.position()).clone())
    }

    /// Goes on from there.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn go_to(&mut self, bookmark: &Bookmark) -> Result<(), RecordError> {
        self.peeked = false;
        let gone = self.reader.seek(bookmark.0.clone()).map_err(std::io::Error::from);
        gone.map_err(RecordError::system(&self.path, "read the log"))
    }

    /// Reads the answer of a seat in a turn, with the lines that were dropped before it.
    ///
    /// # Errors
    ///
    /// If the next row is not that answer.
    pub fn answer(&mut self, turn: u32, seat: Seat, answer: &mut Answer) -> Result<(), RecordError> {
        let due = || format!("the answer of seat {seat} in turn {turn} is due here");
        let Some(row) = self.peek()? else {
            let line = self.reader.position().line();
            return Err(RecordError::line(&self.path, line, format!("the log ends too early: {}", due())));
        };
        if row.kind() != "answer" || row.turn()? != Some(turn) || row.seat()? != Some(seat) {
            return Err(row.wrong(due()));
        }
        row.answer(answer)?;
        self.take();
        while let Some(row) = self.peek()? {
            if row.kind() != "dropped" || row.turn()? != Some(turn) || row.seat()? != Some(seat) {
                break;
            }
            let kind = FaultKind::from_name(row.name());
            let count = row.values().parse().ok();
            let known = kind.zip(count).is_some_and(|(kind, count)| answer.dropped.add(kind, count));
            if !known {
                return Err(row.wrong("not a kind and a number of dropped lines".to_owned()));
            }
            self.take();
        }
        Ok(())
    }

    /// Goes through the rest of a log, and hands over each random draw: what for, the candidates, the drawn.
    ///
    /// # Errors
    ///
    /// If a row is not one.
    pub fn each_draw(&mut self, mut take: impl FnMut(&str, &[i64], &[i64])) -> Result<(), RecordError> {
        let (mut candidates, mut drawn) = (Vec::new(), Vec::new());
        while let Some(row) = self.peek()? {
            if row.kind() == "draw" {
                candidates.clear();
                drawn.clear();
                let winners = row.detail().split_once(" drawn ").map(|(_, winners)| winners);
                let winners =
                    winners.ok_or_else(|| row.wrong("a draw in which nobody is drawn".to_owned()))?;
                for (text, numbers) in [(row.values(), &mut candidates), (winners, &mut drawn)] {
                    let read = wire::read_integers(text.as_bytes(), numbers);
                    read.map_err(|malformed| row.wrong(malformed.to_string()))?;
                }
                take(row.name(), &candidates, &drawn);
            }
            self.take();
        }
        Ok(())
    }

    fn heading(&mut self) -> Result<Heading, RecordError> {
        let mut heading = Heading {
            game: String::new(),
            rules: String::new(),
            version: 0,
            parameters: Vec::new(),
            seed: crate::rules::Seed(0),
            bots: Vec::new().into(),
        };
        let mut bots = Vec::new();
        while let Some(row) = self.peek()? {
            match row.kind() {
                "format" if row.values() == rows::FORMAT.to_string() => {}
                "format" => {
                    let what = format!(
                        "written in format {}; this program reads format {}",
                        row.values(),
                        rows::FORMAT
                    );
                    return Err(row.wrong(what));
                }
                "game" => {
                    heading.rules = row.name().to_owned();
                    heading.version = row.number("the rules' version")?;
                    heading.game = row.detail().to_owned();
                }
                "set" => {
                    let value = if row.detail().is_empty() { row.values() } else { row.detail() };
                    heading.parameters.push((row.name().to_owned(), value.to_owned()));
                }
                "seed" => {
                    heading.seed = row.detail().parse().map_err(|error| row.wrong(format!("{error}")))?;
                }
                "seat" => bots.push(BotName {
                    name: row.name().to_owned(),
                    version: row.number("the bot's version")?,
                    digest: Digest::parse(row.detail())
                        .ok_or_else(|| row.wrong("not a SHA-256".to_owned()))?,
                }),
                "answer" => break,
                other => return Err(row.wrong(format!("no row before the first turn: {other}"))),
            }
            self.take();
        }
        heading.bots = bots.into();
        Ok(heading)
    }
}

impl<'a> LogRow<'a> {
    /// Returns the line on which the row stands, from 1.
    pub fn line(self) -> u64 {
        self.record.position().map_or(0, csv::Position::line)
    }

    /// Returns the first column: what kind of row it is.
    pub fn kind(self) -> &'a str {
        &self.record[0]
    }

    /// Returns the turn, if the row belongs to one.
    ///
    /// # Errors
    ///
    /// If it is no number.
    pub fn turn(self) -> Result<Option<u32>, RecordError> {
        match &self.record[1] {
            "" => Ok(None),
            turn => turn.parse().map(Some).map_err(|_| self.wrong(format!("not a turn: {turn}"))),
        }
    }

    /// Returns the seat, if the row belongs to one.
    ///
    /// # Errors
    ///
    /// If it is no number.
    pub fn seat(self) -> Result<Option<Seat>, RecordError> {
        match &self.record[2] {
            "" => Ok(None),
            seat => match seat.parse::<u8>() {
                Ok(seat) => Ok(Some(Seat::new(seat.into()))),
                Err(_) => Err(self.wrong(format!("not a seat: {seat}"))),
            },
        }
    }

    /// Returns the name: of a verdict, an event, a parameter, a bot.
    pub fn name(self) -> &'a str {
        &self.record[3]
    }

    /// Returns the thinking time of an answer: what was charged, and what had passed.
    ///
    /// # Errors
    ///
    /// If they are no times.
    pub fn thinking(self) -> Result<(Duration, Duration), RecordError> {
        let time = |column: &str| match column.parse() {
            Ok(time) => Ok(Duration::from_micros(time)),
            Err(_) => Err(self.wrong("not a time in microseconds".to_owned())),
        };
        let charged = time(&self.record[4])?;
        Ok((charged, if self.record[5].is_empty() { charged } else { time(&self.record[5])? }))
    }

    /// Returns the values, as they stand.
    pub fn values(self) -> &'a str {
        &self.record[6]
    }

    /// Returns the detail, as it stands.
    pub fn detail(self) -> &'a str {
        &self.record[7]
    }

    /// Says what is wrong with this row.
    pub fn wrong(self, what: String) -> RecordError {
        RecordError::line(self.path, self.line(), what)
    }

    fn number<T: std::str::FromStr>(self, what: &str) -> Result<T, RecordError> {
        self.values().parse().map_err(|_| self.wrong(format!("not {what}: {}", self.values())))
    }

    fn answer(self, answer: &mut Answer) -> Result<(), RecordError> {
        (answer.thinking, answer.wall) = self.thinking()?;
        answer.dropped = Default::default();
        answer.fault = None;
        answer.integers.clear();
        let read = wire::read_integers(self.values().as_bytes(), &mut answer.integers);
        read.map_err(|malformed| self.wrong(malformed.to_string()))?;
        let kind = match self.name() {
            "ok" => return Ok(()),
            name => {
                FaultKind::from_name(name).ok_or_else(|| self.wrong(format!("no such verdict: {name}")))?
            }
        };
        // What came is kept where it was integers; then the rules say again what is wrong with them.
        if answer.integers.is_empty() {
            let fault = Fault::from_parts(kind, self.detail());
            answer.fault =
                Some(fault.ok_or_else(|| self.wrong(format!("a verdict without what it judges: {kind:?}")))?);
        }
        Ok(())
    }
}
