//! Reads the log of a game, row by row.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::columns::{LineStart, Lines, NoRow, Row};
use super::contents::{Contents, Input};
use super::file::ROW_MAX;
use super::older::{Older, READ_BY};
use super::order::{Order, SEATS_MAX};
use super::row_kind::{Definition, LogColumn, Part, RowKind};
use super::{BotName, Digest, Heading, Laid, names, plain, rows};
use crate::Answer;
use crate::error::Error;
use crate::note::has_note;
use referee_rules::wire;
use referee_rules::{Fault, FaultKind, Seat, Seed};

/// Maximum number of parameters in the heading of a log; no game has thirty.
const PARAMETERS_MAX: usize = 100;

/// Maximum number of rows `start` in the heading of a log: a target, and a player for each seat.
const STARTS_MAX: usize = 1 + SEATS_MAX;

/// The name of such a file in errors, with its article.
const WHAT: &str = "a log";

/// How logs of older formats begin.
const OLDER_HEADER: &str = "row,turn,seat,name,time_us,wall_us,values,detail";
const OLDER_FORMAT: &str = "format,,,referee-log,,,";

/// A log being read.
#[derive(Debug)]
pub struct LogReader {
    path: PathBuf,
    lines: Lines<Box<dyn Input>>,
    row: Row,
    /// Whether the row in `row` has been looked at, but not taken.
    is_peeked: bool,
    /// Number of rows of draws and effects that may come before the next answer; `None` if that is not known.
    events_left: Option<usize>,
    order: Order,
}

/// Where a row of a log begins.
#[derive(Clone, Debug)]
pub struct Bookmark(LineStart);

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct LogRow<'a> {
    path: &'a Path,
    row: &'a Row,
}

impl LogReader {
    /// Reads the heading of a log, which is all before the first turn.
    ///
    /// # Errors
    ///
    /// If it cannot be read or does not begin as a log of this format does.
    pub fn open(log: Contents) -> Result<(LogReader, Heading), Error> {
        let mut log = LogReader::of_rows(log);
        let is_header = |row: LogRow<'_>| {
            LogColumn::ALL.into_iter().all(|column| row.row.column(column) == column.name())
        };
        if !matches!(log.peek(), Ok(Some(row)) if is_header(row)) {
            if let Some(older) = log.older() {
                return Err(older.at(&log.path));
            }
            let what = format!("not a log of a game: it should begin with {}", LogColumn::header());
            return Err(Error::line(&log.path, 1, what));
        }
        log.take();
        let heading = log.heading()?;
        Ok((log, heading))
    }

    fn of_rows(log: Contents) -> LogReader {
        let (path, input) = log.into_parts();
        LogReader {
            path,
            lines: Lines::new(input),
            row: Row::empty(),
            is_peeked: false,
            events_left: None,
            order: Order::default(),
        }
    }

    /// After a first line that is no header: tells whether it is that of a log of an older format.
    fn older(&mut self) -> Option<Older> {
        if self.row.text().trim_end() != OLDER_HEADER {
            return None;
        }
        // This row has a column less, too.
        self.lines.read(&mut self.row).ok()??.err()?;
        let format = self.row.text().strip_prefix(OLDER_FORMAT)?.split(',').next()?.parse().ok()?;
        Some(Older { what: WHAT, format, oldest: rows::OLDEST, read_by: READ_BY })
    }

    /// Returns the next row without taking it; `None` at the end of the file.
    pub fn peek(&mut self) -> Result<Option<LogRow<'_>>, Error> {
        if self.is_peeked {
            return Ok(Some(LogRow { path: &self.path, row: &self.row }));
        }
        let read = match self.lines.read(&mut self.row) {
            Ok(read) => read,
            Err(error) => return Err(Error::system(&self.path, "read the log")(error)),
        };
        let row = LogRow { path: &self.path, row: &self.row };
        match read {
            None => return Ok(None),
            Some(Ok(())) => {
                let here = row.row.place().byte;
                if let Some(kind) = row.kind() {
                    let turn = row.turn()?;
                    self.order.next(kind, turn, here).map_err(|what| row.wrong(what))?;
                }
                self.is_peeked = true;
            }
            Some(Err(NoRow::Columns)) => {
                return Err(row.wrong(format!("not a row of {} columns", LogColumn::ALL.len())));
            }
            Some(Err(NoRow::CutOff)) => {
                return Err(row.wrong("the file ends early, within this row; copy it again".to_owned()));
            }
            Some(Err(NoRow::TooLong)) => {
                return Err(row.wrong(format!("a row of more than {} KiB", ROW_MAX / 1024)));
            }
            Some(Err(NoRow::GoesOn)) => {
                let what = "a row that extends over several lines: a stray quotation mark?";
                return Err(row.wrong(what.to_owned()));
            }
        }
        Ok(Some(row))
    }

    /// Takes the row that was peeked at.
    pub fn take(&mut self) {
        self.is_peeked = false;
    }

    /// Returns where the row that comes next begins.
    pub fn bookmark(&self) -> Bookmark {
        Bookmark(if self.is_peeked { self.row.place() } else { self.lines.place() })
    }

    /// Continues to read from a bookmark.
    pub fn go_to(&mut self, bookmark: &Bookmark) -> Result<(), Error> {
        self.is_peeked = false;
        self.order = Order::default();
        self.lines.go_to(bookmark.0).map_err(Error::system(&self.path, "read the log"))
    }

    /// Says how many rows of draws and effects may come before the next answer. A reader that plays the game knows it.
    pub fn allow_events(&mut self, rows: usize) {
        self.events_left = Some(rows);
    }

    /// Passes over rows of draws and effects.
    ///
    /// # Errors
    ///
    /// If one has not as many columns as the header, or there are more than
    /// [`allow_events`](LogReader::allow_events) says.
    pub fn skip_events(&mut self) -> Result<(), Error> {
        let mut events_left = self.events_left;
        while let Some(row) = self.peek()?
            && matches!(row.kind(), Some(RowKind::Draw | RowKind::Effect))
        {
            if let Some(left) = &mut events_left {
                if *left == 0 {
                    return Err(row.wrong("the rules say no such row here".to_owned()));
                }
                *left -= 1;
            }
            self.take();
        }
        self.events_left = events_left;
        Ok(())
    }

    /// Passes over draws and effects, and reads the answer of a seat in a turn, with the numbers of dropped lines.
    pub fn answer(&mut self, turn: u32, seat: Seat, answer: &mut Answer) -> Result<(), Error> {
        if !self.is_peeked && self.read_plain_answer(turn, seat, answer)? {
            return Ok(());
        }
        self.skip_events()?;
        let expected = || format!("the answer of seat {seat} in turn {turn} is expected here");
        let Some(row) = self.peek()? else {
            let line = self.row.place().line;
            return Err(Error::line(&self.path, line, format!("the log ends too early: {}", expected())));
        };
        if row.kind() != Some(RowKind::Answer) || row.turn()? != Some(turn) || row.seat()? != Some(seat) {
            return Err(row.wrong(expected()));
        }
        row.read_answer(answer)?;
        self.take();
        // A row that is plainly another is not looked at, but left where the fast reader finds it.
        while !plain::is_answer_or_event(self.buffered()?)
            && let Some(row) = self.peek()?
        {
            if row.kind() != Some(RowKind::Dropped) || row.turn()? != Some(turn) || row.seat()? != Some(seat)
            {
                break;
            }
            row.read_dropped(answer)?;
            self.take();
        }
        Ok(())
    }

    /// Reads draws and effects and the answer after them if the fast reader can. Tells whether it could.
    #[inline]
    fn read_plain_answer(&mut self, turn: u32, seat: Seat, answer: &mut Answer) -> Result<bool, Error> {
        let Some(passed) = plain::read_answer(self.buffered()?, turn, seat, answer) else { return Ok(false) };
        let events = passed.lines as usize - 1;
        if let Some(left) = self.events_left {
            // If there are more than may come, the full reader names the first of them.
            let Some(left) = left.checked_sub(events) else { return Ok(false) };
            self.events_left = Some(left);
        }
        self.lines.pass(passed);
        self.order.note_answer(turn);
        Ok(true)
    }

    /// Makes the error about the answer that was read last.
    pub fn wrong_answer(&self, answer: &Answer, what: String) -> Error {
        let next = if self.is_peeked { self.row.place().line } else { self.lines.place().line };
        let dropped = answer.dropped.iter().filter(|(_, count)| *count > 0).count() as u64;
        Error::line(&self.path, next.saturating_sub(1 + dropped), what)
    }

    /// Returns the buffered part of the rows that come next.
    fn buffered(&mut self) -> Result<&[u8], Error> {
        self.lines.buffered().map_err(|error| Error::system(&self.path, "read the log")(error))
    }

    fn heading(&mut self) -> Result<Heading, Error> {
        let mut rows = HeadingRows::default();
        while let Some(row) = self.peek()? {
            let Some(kind) = row.kind_in_heading(rows.last_kind)? else { break };
            rows.add(row, kind)?;
            self.take();
        }
        Ok(rows.into_heading())
    }
}

/// The rows of a heading so far.
#[derive(Default)]
struct HeadingRows {
    last_kind: Option<RowKind>,
    game: String,
    rules: String,
    version: u32,
    parameters: Vec<(String, String)>,
    seed: Option<Seed>,
    bots: Vec<BotName>,
    /// By seat; empty for a bot without arguments.
    arguments: Vec<String>,
    /// The seat of the last row of arguments.
    last_with_arguments: Option<Seat>,
    start: Vec<Laid>,
}

impl HeadingRows {
    fn add(&mut self, row: LogRow<'_>, kind: RowKind) -> Result<(), Error> {
        match kind {
            RowKind::Format => row.check_format()?,
            RowKind::Game => {
                names::check_id(row.detail()).map_err(|what| row.wrong(what))?;
                self.rules = row.name().to_owned();
                self.version = row.number("the rules' version")?;
                self.game = row.detail().to_owned();
            }
            RowKind::Set => {
                let parameters = self.parameters.len();
                row.check_room(parameters, PARAMETERS_MAX, "parameters, the most that a game has")?;
                let value = if row.detail().is_empty() { row.values() } else { row.detail() };
                self.parameters.push((row.name().to_owned(), value.to_owned()));
            }
            RowKind::Seed => {
                let seed = row.detail().parse().map_err(|error| row.wrong(format!("{error}")))?;
                self.seed = Some(seed);
            }
            RowKind::Seat => {
                row.check_room(self.bots.len(), SEATS_MAX, "seats, the most that a game has")?;
                self.bots.push(row.bot()?);
                self.arguments.push(String::new());
            }
            RowKind::Arguments => {
                let seat = row.seat_of_arguments(self.bots.len(), self.last_with_arguments)?;
                self.last_with_arguments = Some(seat);
                self.arguments[seat.index()] = row.detail().to_owned();
            }
            RowKind::Start => {
                row.check_room(self.start.len(), STARTS_MAX, "random positions before the first turn")?;
                let (thing, seat) = (row.name().to_owned(), row.seat()?);
                self.start.push(Laid { thing, seat, value: row.number("a place")? });
            }
            _ => unreachable!("not a kind of row before the first turn"),
        }
        self.last_kind = Some(kind);
        Ok(())
    }

    fn into_heading(self) -> Heading {
        Heading {
            game: self.game,
            rules: self.rules,
            version: self.version,
            parameters: self.parameters,
            seed: self.seed.unwrap_or(Seed(0)),
            bots: self.bots.into(),
            arguments: self.arguments.into(),
            start: self.start,
        }
    }
}

impl<'a> LogRow<'a> {
    /// Returns the line of the row, from 1.
    pub fn line(self) -> u64 {
        self.row.place().line
    }

    /// Returns the kind of the row; none if there is no such kind.
    pub fn kind(self) -> Option<RowKind> {
        RowKind::from_name(self.kind_name())
    }

    /// Returns the kind of a row of the heading; `None` if the first turn begins with it. `last` is the kind of the row
    /// before.
    fn kind_in_heading(self, last: Option<RowKind>) -> Result<Option<RowKind>, Error> {
        let no_row = || self.wrong(format!("not a row of the heading: {}", self.kind_name()));
        let kind = self.kind().ok_or_else(no_row)?;
        let Definition { part, for_each, .. } = kind.definition();
        if kind == RowKind::Answer {
            return Ok(None);
        }
        if *part != Part::Heading {
            return Err(no_row());
        }
        let wrong = match last {
            None if kind != RowKind::Format => Some(format!("a log begins with a row {}", RowKind::Format)),
            Some(last) if last > kind => Some(format!("out of order: rows {kind} come before rows {last}")),
            Some(last) if last == kind && for_each.is_none() => Some(format!("a second row {kind}")),
            _ => None,
        };
        if let Some(what) = wrong {
            return Err(self.wrong(what));
        }
        self.check_columns(kind)?;
        Ok(Some(kind))
    }

    /// Makes sure that this program reads the format that the first row of a log names.
    fn check_format(self) -> Result<(), Error> {
        let format = self.number("a version of the format")?;
        if format < rows::OLDEST {
            let older = Older { what: WHAT, format, oldest: rows::OLDEST, read_by: READ_BY };
            return Err(older.at(self.path));
        }
        if format > rows::FORMAT {
            let newest = rows::FORMAT;
            return Err(self.wrong(format!(
                "written in format {format}; this program reads formats up to {newest}: install the one that wrote it"
            )));
        }
        if self.detail() != rows::WHOLE_US {
            return Err(self.wrong(format!("in format {format} its detail is {}", rows::WHOLE_US)));
        }
        Ok(())
    }

    /// Makes sure that there is room for this row, after a number of others of its kind.
    fn check_room(self, count: usize, max: usize, what: &str) -> Result<(), Error> {
        if count == max {
            return Err(self.wrong(format!("more than {max} {what}")));
        }
        Ok(())
    }

    /// Returns the bot of a row of the heading.
    fn bot(self) -> Result<BotName, Error> {
        Ok(BotName {
            name: names::check(self.name()).map_err(|what| self.wrong(what))?.to_owned(),
            version: self.number("the bot's version")?,
            digest: Digest::parse(self.detail()).ok_or_else(|| self.wrong("not a SHA-256".to_owned()))?,
        })
    }

    /// Returns the seat of a row of arguments. `seats` is the number of seats so far, and `last` the seat of the row of
    /// arguments before.
    fn seat_of_arguments(self, seats: usize, last: Option<Seat>) -> Result<Seat, Error> {
        let Some(seat) = self.seat()?.filter(|seat| seat.index() < seats) else {
            return Err(self.wrong("arguments of a seat that was not named before".to_owned()));
        };
        if last >= Some(seat) {
            let what = "arguments out of order: one row for each seat, in the order of the seats";
            return Err(self.wrong(what.to_owned()));
        }
        names::check_text(self.detail()).map_err(|what| self.wrong(what))?;
        Ok(seat)
    }

    /// Returns the word in the first column, which names the kind.
    fn kind_name(self) -> &'a str {
        self.row.column(LogColumn::Row)
    }

    /// Makes sure that columns that rows of this kind do not use are empty.
    fn check_columns(self, kind: RowKind) -> Result<(), Error> {
        let is_empty = |column: LogColumn| self.row.column(column).is_empty();
        match LogColumn::ALL.into_iter().find(|column| !kind.uses(*column) && !is_empty(*column)) {
            Some(column) => Err(self.wrong(format!("a row {kind} has no {}", column.name()))),
            None => Ok(()),
        }
    }

    /// Returns the turn, if the row belongs to one.
    pub fn turn(self) -> Result<Option<u32>, Error> {
        match self.row.column(LogColumn::Turn) {
            "" => Ok(None),
            turn => turn.parse().map(Some).map_err(|_| self.wrong(format!("not a turn: {turn}"))),
        }
    }

    /// Returns the seat, if the row belongs to one.
    pub fn seat(self) -> Result<Option<Seat>, Error> {
        match self.row.column(LogColumn::Seat) {
            "" => Ok(None),
            seat => match seat.parse::<u8>() {
                Ok(seat) => Ok(Some(Seat::new(seat.into()))),
                Err(_) => Err(self.wrong(format!("not a seat: {seat}"))),
            },
        }
    }

    /// Returns the name: of a verdict, an event, a parameter, a bot.
    pub fn name(self) -> &'a str {
        self.row.column(LogColumn::Name)
    }

    /// Returns the charged time of an answer, and the elapsed time.
    pub fn thinking(self) -> Result<(Duration, Duration), Error> {
        let charged = self.time(self.row.column(LogColumn::TimeUs))?;
        match self.row.column(LogColumn::WallUs) {
            "" => Ok((charged, charged)),
            wall => Ok((charged, self.time(wall)?)),
        }
    }

    /// Returns the CPU time of an answer, if it was measured.
    pub fn cpu(self) -> Result<Option<Duration>, Error> {
        match self.row.column(LogColumn::CpuUs) {
            "" => Ok(None),
            cpu => self.time(cpu).map(Some),
        }
    }

    fn time(self, column: &str) -> Result<Duration, Error> {
        let time = column.parse().map_err(|_| self.wrong("not a time in microseconds".to_owned()))?;
        Ok(Duration::from_micros(time))
    }

    /// Returns the values as text.
    pub fn values(self) -> &'a str {
        self.row.column(LogColumn::Values)
    }

    /// Returns the detail as text.
    pub fn detail(self) -> &'a str {
        self.row.column(LogColumn::Detail)
    }

    /// Makes the error about this row.
    pub fn wrong(self, what: String) -> Error {
        Error::line(self.path, self.line(), what)
    }

    fn number<T: std::str::FromStr>(self, what: &str) -> Result<T, Error> {
        self.values().parse().map_err(|_| self.wrong(format!("not {what}: {}", self.values())))
    }

    /// Reads a row of dropped lines into the answer of their seat.
    fn read_dropped(self, answer: &mut Answer) -> Result<(), Error> {
        self.check_columns(RowKind::Dropped)?;
        let wrong = || self.wrong("not a kind and a number of dropped lines".to_owned());
        let kind = FaultKind::from_name(self.name()).ok_or_else(wrong)?;
        let count: u32 = self.values().parse().map_err(|_| wrong())?;
        let has_row_before = answer.dropped.iter().any(|(other, count)| other == kind && count > 0);
        if count == 0 || has_row_before || !answer.dropped.add(kind, count) {
            return Err(wrong());
        }
        Ok(())
    }

    /// Reads a row of an answer.
    fn read_answer(self, answer: &mut Answer) -> Result<(), Error> {
        (answer.thinking, answer.wall) = self.thinking()?;
        answer.cpu = self.cpu()?;
        answer.dropped = Default::default();
        answer.fault = None;
        answer.integers.clear();
        if self.values().len() > wire::LINE_MAX {
            return Err(self.wrong(format!("an answer longer than {} KiB", wire::LINE_MAX / 1024)));
        }
        wire::read_integers(self.values().as_bytes(), &mut answer.integers)
            .map_err(|malformed| self.wrong(malformed.to_string()))?;
        let verdict = self.name();
        if verdict == "ok" {
            return Ok(());
        }
        let kind =
            FaultKind::from_name(verdict).ok_or_else(|| self.wrong(format!("no such verdict: {verdict}")))?;
        // An answer of integers is whole in the log, and the rules find its mistake again. Of a long one only the
        // beginning and the mistake are there.
        let is_beginning = kind == FaultKind::Malformed && has_note(self.detail());
        if answer.integers.is_empty() || is_beginning {
            let fault = Fault::from_parts(kind, self.detail())
                .ok_or_else(|| self.wrong(format!("a detail that does not fit {kind:?}")))?;
            answer.fault = Some(fault);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor};

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const SEATS: u8 = 3;

    /// Number of bytes that are read at once, as of a file.
    const AT_ONCE: usize = 64 * 1024;

    fn reader(text: &[u8]) -> LogReader {
        let input = BufReader::with_capacity(AT_ONCE, Cursor::new(text.to_vec()));
        LogReader::of_rows(Contents::new("log.csv", input))
    }

    /// The answers that `read` finds in a text, each with the place of the reader; last, the error.
    fn answers(
        text: &[u8],
        mut read: impl FnMut(&mut LogReader, u32, Seat, &mut Answer) -> Result<(), Error>,
    ) -> (Vec<(Answer, String)>, String) {
        let (mut reader, mut found) = (reader(text), Vec::new());
        let seats = (0..).flat_map(|turn| Seat::first(SEATS.into()).map(move |seat| (turn, seat)));
        for (turn, seat) in seats {
            // Nothing of its earlier content may be left.
            let fault = Some(Fault::Late);
            let mut answer =
                Answer { integers: vec![9], fault, cpu: Some(Duration::MAX), ..Answer::empty(seat) };
            answer.dropped.add(FaultKind::Late, 9);
            match read(&mut reader, turn, seat, &mut answer) {
                Ok(()) => found.push((answer, format!("{:?}", reader.bookmark()))),
                Err(error) => return (found, error.to_string()),
            }
        }
        unreachable!("a text has an end");
    }

    /// Reads a text in place if possible, then split into columns, and compares. Returns the number of its answers.
    fn assert_read_alike(text: &[u8]) -> usize {
        let plainly = answers(text, |reader, turn, seat, answer| reader.answer(turn, seat, answer));
        let in_columns = answers(text, |reader, turn, seat, answer| {
            // A row that was peeked at is in columns.
            reader.peek()?;
            reader.answer(turn, seat, answer)
        });
        assert_eq!(plainly, in_columns, "{}", text.escape_ascii());
        plainly.0.len()
    }

    /// The rows of a turn, as the writer writes them or nearly so; `T` stands for the turn, `S` for the seat, `#` for a
    /// byte that is no text.
    fn turn() -> impl Strategy<Value = String> {
        let number = prop_oneof![Just(String::new()), "-?[0-9]{1,3}", "[+-]?[0-9]{7,21}"];
        let numbers = prop_oneof![vec("-?[0-9]{1,4}", 0..6), vec(number.clone(), 0..6)];
        let verdict =
            prop_oneof![9 => Just("ok,"), 1 => Just("late,"), 1 => Just("malformed,"), 1 => Just("\"ok\",")];
        let detail = prop_oneof![9 => Just(""), 1 => Just("\"a, b\""), 1 => Just("é"), 1 => Just("x")];
        let event = prop_oneof![
            6 => Just(""),
            1 => Just("draw,T,,ball,,,,1 2,at 3 drawn 2\n"),
            1 => Just("effect,T,1,goal,,,,7,\n"),
            1 => Just("effect,T,1,goal,,,,7,\"x\"\n"),
            1 => Just("effect,T,1,goal,,,,7\n"),
            1 => Just("effect,T,1,goal,,,,7,\"x\n"),
            1 => Just("effect,T,1,goal,,,,7,#\n"),
        ];
        let dropped = prop_oneof![9 => Just(""), 1 => Just("dropped,T,S,late,,,,2,\n")];
        let end = prop_oneof![9 => Just("\n"), 1 => Just("\r\n")];
        let answer = (verdict, "[0-9]{1,10}", number.clone(), number, numbers, detail, end, dropped)
            .prop_map(move |(verdict, charged, wall, cpu, values, detail, end, dropped)| {
                let values = values.join(" ");
                format!("answer,T,S,{verdict}{charged},{wall},{cpu},{values},{detail}{end}{dropped}")
            });
        (vec(answer, usize::from(SEATS)), vec(event, 0..3)).prop_map(move |(answers, events)| {
            let seated = answers.iter().zip(0..).map(|(rows, seat)| rows.replace('S', &format!("{seat}")));
            seated.chain(events.into_iter().map(str::to_owned)).collect()
        })
    }

    /// The rows of a log.
    fn log() -> impl Strategy<Value = Vec<u8>> {
        vec(turn(), 1..5).prop_map(move |turns| {
            let numbered = turns.iter().zip(0..).map(|(rows, turn)| rows.replace('T', &format!("{turn}")));
            let bytes = numbered.collect::<String>().into_bytes();
            bytes.into_iter().map(|byte| if byte == b'#' { 0xff } else { byte }).collect()
        })
    }

    fn byte() -> impl Strategy<Value = u8> {
        prop_oneof![prop::sample::select(b",\n\r\"0 +-ad".to_vec()), any::<u8>()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn a_row_means_the_same_where_it_lies_and_in_columns(log in log()) {
            assert_read_alike(&log);
        }

        #[test]
        fn likewise_if_another_byte_stands_in_it(
            mut log in log(),
            changes in vec((any::<prop::sample::Index>(), byte(), any::<bool>()), 1..4),
        ) {
            for (index, byte, takes_the_place) in changes {
                let index = index.index(log.len());
                log.splice(index..index + usize::from(takes_the_place), [byte]);
            }
            assert_read_alike(&log);
        }

        #[test]
        fn likewise_whatever_the_bytes_are(
            log in log(),
            cut: prop::sample::Index,
            bytes: Vec<u8>,
        ) {
            assert_read_alike(&[&log[..cut.index(log.len())], &bytes[..]].concat());
        }
    }

    #[test]
    fn a_row_means_the_same_wherever_it_is_cut_off_in_memory() {
        // Rows of many lengths: each block that is read at once ends at another place of a row.
        let mut log = Vec::new();
        let mut count = 0;
        for turn in 0..20_000 {
            for seat in 0..SEATS {
                let number = turn * turn + u32::from(seat);
                let cpu = if turn % 2 == 0 { "7" } else { "" };
                log.extend(format!("answer,{turn},{seat},ok,{number},,{cpu},{number} -{turn},\n").bytes());
                count += 1;
            }
            if turn % 3 == 0 {
                log.extend(format!("draw,{turn},,ball,,,,1 2,at {turn} drawn 2\n").bytes());
            }
            if turn % 7 == 0 {
                log.extend(format!("effect,{turn},1,goal,,,,{turn},\n").bytes());
            }
        }
        assert_eq!(assert_read_alike(&log), count);
    }
}
