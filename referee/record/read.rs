//! Reads the log of a game, row by row.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::columns::{Lines, NoRow, Place, Row};
use super::file::{ROW_MAX, Source};
use super::{BotName, Digest, Heading, RecordError, rows};
use crate::rules::{Fault, FaultKind, Seat};
use crate::table::Answer;
use crate::wire;

/// A log being read.
#[derive(Debug)]
pub struct LogReader {
    path: PathBuf,
    lines: Lines<Source>,
    row: Row,
    /// The row in `row` has been looked at, but not taken.
    peeked: bool,
}

/// Where a row of a log begins.
#[derive(Clone, Debug)]
pub struct Bookmark(Place);

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct LogRow<'a> {
    path: &'a Path,
    row: &'a Row,
}

impl LogReader {
    /// Opens a log and reads what stands before the first turn.
    ///
    /// # Errors
    ///
    /// If it cannot be read or does not begin as a log of this format does.
    pub fn open(path: &Path) -> Result<(LogReader, Heading), RecordError> {
        let file = Source::open(path).map_err(RecordError::system(path, "open the log"))?;
        let mut log =
            LogReader { path: path.to_owned(), lines: Lines::new(file), row: Row::empty(), peeked: false };
        let header = rows::HEADER.trim_end();
        if !matches!(log.peek(), Ok(Some(row)) if row.row.columns().eq(header.split(','))) {
            let what = format!("not a log of a game: it should begin with {header}");
            return Err(RecordError::line(path, 1, what));
        }
        log.take();
        let heading = log.heading()?;
        Ok((log, heading))
    }

    /// Returns the next row without taking it; `None` at the end of the file.
    ///
    /// # Errors
    ///
    /// If it is not a row of eight columns.
    pub fn peek(&mut self) -> Result<Option<LogRow<'_>>, RecordError> {
        if self.peeked {
            return Ok(Some(LogRow { path: &self.path, row: &self.row }));
        }
        let read = match self.lines.read(&mut self.row) {
            Ok(read) => read,
            Err(error) => return Err(RecordError::system(&self.path, "read the log")(error)),
        };
        let row = LogRow { path: &self.path, row: &self.row };
        match read {
            None => return Ok(None),
            Some(Ok(())) => self.peeked = true,
            Some(Err(NoRow::Columns)) => return Err(row.wrong("not a row of eight columns".to_owned())),
            Some(Err(NoRow::TooLong)) => {
                return Err(row.wrong(format!("a row of more than {} KiB", ROW_MAX / 1024)));
            }
            Some(Err(NoRow::GoesOn)) => {
                let what = "a row that goes on over several lines: a stray quotation mark?";
                return Err(row.wrong(what.to_owned()));
            }
        }
        Ok(Some(row))
    }

    /// Takes the row that was peeked at.
    pub fn take(&mut self) {
        self.peeked = false;
    }

    /// Returns where the row that comes next begins.
    pub fn bookmark(&self) -> Bookmark {
        Bookmark(if self.peeked { self.row.place() } else { self.lines.place() })
    }

    /// Goes on from there.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn go_to(&mut self, bookmark: &Bookmark) -> Result<(), RecordError> {
        self.peeked = false;
        self.lines.go_to(bookmark.0).map_err(RecordError::system(&self.path, "read the log"))
    }

    /// Reads the answer of a seat in a turn, with the lines that were dropped before it.
    ///
    /// # Errors
    ///
    /// If the next row is not that answer.
    pub fn answer(&mut self, turn: u32, seat: Seat, answer: &mut Answer) -> Result<(), RecordError> {
        let due = || format!("the answer of seat {seat} in turn {turn} is due here");
        let Some(row) = self.peek()? else {
            let line = self.row.place().line;
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
        self.row.place().line
    }

    /// Returns the first column: what kind of row it is.
    pub fn kind(self) -> &'a str {
        self.row.column(0)
    }

    /// Returns the turn, if the row belongs to one.
    ///
    /// # Errors
    ///
    /// If it is no number.
    pub fn turn(self) -> Result<Option<u32>, RecordError> {
        match self.row.column(1) {
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
        match self.row.column(2) {
            "" => Ok(None),
            seat => match seat.parse::<u8>() {
                Ok(seat) => Ok(Some(Seat::new(seat.into()))),
                Err(_) => Err(self.wrong(format!("not a seat: {seat}"))),
            },
        }
    }

    /// Returns the name: of a verdict, an event, a parameter, a bot.
    pub fn name(self) -> &'a str {
        self.row.column(3)
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
        let charged = time(self.row.column(4))?;
        Ok((charged, if self.row.column(5).is_empty() { charged } else { time(self.row.column(5))? }))
    }

    /// Returns the values, as they stand.
    pub fn values(self) -> &'a str {
        self.row.column(6)
    }

    /// Returns the detail, as it stands.
    pub fn detail(self) -> &'a str {
        self.row.column(7)
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
