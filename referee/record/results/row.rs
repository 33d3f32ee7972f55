//! One row of the results, and the header.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::cells::{Cells, plain_nth};
use crate::error::Error;
use crate::forms::{Clock, Confinement, Moment, units_of};
use crate::older::{Older, READ_BY};
use crate::schema::{
    self, Bit, CellForm, CellKind, Certain, Column, Columns, Id, Layout, MaybeNumber, MaybeSha256,
    Millionths, Name, NoRow, Number, Sha256, Text, column,
};
use crate::{BotName, Digest, Share, Thinking, names};
use referee_rules::{FaultKind, Seat, Seed};

/// One seat of one game.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "its columns say it")]
pub struct ResultRow {
    pub game: String,
    pub started: String,
    pub rules: String,
    pub rules_version: u32,
    pub parameters: String,
    pub seed: Seed,
    pub place_in_schedule: Option<Scheduled>,
    /// Whether the seat's score counts for its bot; a filler's does not.
    pub counts: bool,
    pub sandbox: String,
    pub clock: String,
    pub seats: usize,
    pub seat: Seat,
    pub bot: BotName,
    pub arguments: String,
    pub score: i64,
    pub share: Share,
    pub place: usize,
    pub end: String,
    pub turns: u32,
    pub faults: Faults,
    pub thinking: Thinking,
    pub log: String,
    pub log_digest: Digest,
    /// `None` if the rules are the referee's own.
    pub rules_digest: Option<Digest>,
}

/// The place of a game in a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Scheduled {
    /// The season, from 1: a fixed field of bots.
    pub season: u32,
    /// The round of the season, from 1: every entrant plays one block.
    pub round: u32,
    /// The table of the round, from 1: bots that play one block together.
    pub table: u32,
    /// The game of the block, from 1: the same seed with the seats rotated.
    pub rotation: u32,
}

/// Number of a seat's faults of each kind, in the order of [`FaultKind::ALL`].
pub type Faults = [u64; FaultKind::ALL.len()];

/// Defines the columns of the place in a schedule.
macro_rules! scheduled {
    ($name:literal, $field:ident, $meaning:literal) => {
        Column {
            name: $name,
            meaning: $meaning,
            kind: <MaybeNumber as CellKind>::KIND,
            certain: <MaybeNumber as CellKind>::CERTAIN,
            since: 1,
            before: "",
            get: |row, text| MaybeNumber::write(&row.place_in_schedule.map(|place| place.$field), text),
            set: |row, cell| {
                if let Some(number) = MaybeNumber::read(cell)? {
                    row.place_in_schedule.get_or_insert_default().$field = number;
                }
                Ok(())
            },
        }
    };
}

impl Columns for ResultRow {
    const WHAT: &'static str = "a row of results";
    const FORMAT: u32 = 3;
    const OLDEST: u32 = 3;
    const COLUMNS: &'static [Column<ResultRow>] = &[
        column!("game", game, Id, "the game's name, also of its log and its bots' standard error"),
        column!("started", started, Moment, "date and time (UTC)"),
        column!("rules", rules, Text, "name of the rules"),
        column!(
            "rules_version",
            rules_version,
            Number,
            "version of the rules; another version replays differently"
        ),
        column!("parameters", parameters, Text, "parameters of the game"),
        column!("seed", seed, SeedNumber, "random seed of the game"),
        scheduled!(
            "season",
            season,
            "number of the season (a fixed field of bots); empty outside a schedule"
        ),
        scheduled!("round", round, "number of the round; every entrant plays one block in each"),
        scheduled!("table", table, "number of the table (the bots that play a block together)"),
        scheduled!("rotation", rotation, "number of the game in its block: same seed, rotated seats"),
        column!("counts", counts, Bit, "0 for a bot that only filled a seat"),
        column!(
            "sandbox",
            sandbox,
            Confinement,
            "how the bots were confined; `wasm`: a module of WebAssembly"
        ),
        column!(
            "clock",
            clock,
            Clock,
            "meaning of thinking times: `charged` and `serial` (without waits for a core), or `wall`; `units-2`: counted \
             instructions, of a module of WebAssembly"
        ),
        column!("seats", seats, Number, "number of rows of the game"),
        column!("seat", seat, SeatNumber, "the seat, from 0"),
        column!("bot", bot.name, Name, "the bot's name"),
        column!("bot_version", bot.version, Number, "number of the program under this name"),
        column!(
            "bot_digest",
            bot.digest,
            Sha256,
            "identity of the bot: SHA-256 of program and arguments, see below"
        ),
        column!("arguments", arguments, Text, "arguments of the bot, for readers"),
        column!("score", score, Number, "score by the game's own count"),
        column!(
            "share",
            share,
            Millionths,
            "score as a part of the highest possible one; standings are made of shares"
        ),
        column!("place", place, Number, "1 is best; equal shares have the same place"),
        column!("end", end, Text, "reason for the end of the game"),
        column!("turns", turns, Number, "number of turns"),
        column!("faults", faults, FaultCounts, "number of faults of each kind: `late=2 illegal=1`"),
        column!("thinking_us", thinking.total_us, Number, "thinking time of all turns, in microseconds"),
        column!("thinking_p99_us", thinking.p99_us, Number, "99 % quantile of the thinking time of a turn"),
        column!("thinking_max_us", thinking.max_us, Number, "thinking time of the longest turn"),
        column!("wall_us", thinking.wall_us, Number, "elapsed time of all turns"),
        column!("wall_max_us", thinking.wall_max_us, Number, "elapsed time of the longest turn"),
        column!("log", log, Text, "path of the game's log, from the folder of this file"),
        column!("log_digest", log_digest, Sha256, "SHA-256 of the log, unpacked"),
        column!(
            "rules_digest",
            rules_digest,
            MaybeSha256,
            "SHA-256 of the program with the rules: a judge, or a referee with games of the host's own; empty for \
            a game that comes with the referee"
        ),
    ];

    fn blank() -> ResultRow {
        ResultRow {
            game: String::new(),
            started: String::new(),
            rules: String::new(),
            rules_version: 0,
            parameters: String::new(),
            seed: Seed(0),
            place_in_schedule: None,
            counts: true,
            sandbox: String::new(),
            clock: String::new(),
            seats: 0,
            seat: Seat::new(0),
            bot: BotName { name: String::new(), version: 0, digest: Digest::blank() },
            arguments: String::new(),
            score: 0,
            share: Share::default(),
            place: 0,
            end: String::new(),
            turns: 0,
            faults: Faults::default(),
            thinking: Thinking::default(),
            log: String::new(),
            log_digest: Digest::blank(),
            rules_digest: None,
        }
    }
}

/// The seed, in hexadecimal digits. It can be read as a decimal number, too.
#[derive(Clone, Copy, Debug)]
struct SeedNumber;

/// The seat's number.
#[derive(Clone, Copy, Debug)]
struct SeatNumber;

/// Counts of faults: `late=2 illegal=1`.
#[derive(Clone, Copy, Debug)]
struct FaultCounts;

static CURRENT: LazyLock<Layout<ResultRow>> = LazyLock::new(Layout::current);

/// The columns of a results file. Its last, `chain`, closes each row.
#[derive(Debug)]
pub struct Header {
    layout: Layout<ResultRow>,
    /// The first line, with its newline.
    line: String,
    /// The number of that line in its file, from 1.
    number: u64,
}

impl Header {
    /// Returns the header of new files.
    pub fn current() -> Header {
        Header { layout: Layout::current(), line: header(), number: 1 }
    }

    /// Reads the first line of a file, with its newline; `None` if it is not that of a results file.
    pub fn of(line: &str) -> Option<Header> {
        let names = line.strip_suffix('\n')?.strip_suffix(CHAIN)?;
        // An unknown column is skipped, but this is a known one with a mark in front.
        if names.starts_with('\u{feff}') {
            return None;
        }
        Some(Header { layout: Layout::of(names.split(',')).ok()?, line: line.to_owned(), number: 1 })
    }

    /// Returns the same header on another line of its file.
    #[must_use]
    pub fn on_line(self, number: u64) -> Header {
        Header { number, ..self }
    }

    /// Returns the name of the game that a row is of.
    pub fn game_of<'a>(&self, row: &'a str) -> Option<&'a str> {
        plain_nth(row, self.layout.names().position(|name| name == "game")?)
    }

    /// Reads the columns that a runner names. Those of the first format name none.
    ///
    /// # Errors
    ///
    /// If there are none, or one is there twice.
    pub fn of_records(names: Option<&str>) -> Result<Header, NoRow> {
        let older = Older { what: ResultRow::WHAT, format: 1, oldest: ResultRow::OLDEST, read_by: READ_BY };
        let names = names.ok_or(NoRow::Older(older))?;
        let line = format!("{names}{CHAIN}\n");
        Ok(Header { layout: Layout::of(names.split(','))?, line, number: 1 })
    }

    /// Returns the names of the columns but the chain.
    pub fn names(&self) -> String {
        self.layout.names().collect::<Vec<&str>>().join(",")
    }

    /// Returns the first line, with its newline.
    pub fn line(&self) -> &str {
        &self.line
    }

    /// Returns the digest that the chain of the first row follows.
    pub fn chain(&self) -> Digest {
        Digest::of(self.line.as_bytes())
    }

    /// Writes a row, without its chain.
    pub fn text(&self, row: &ResultRow) -> String {
        let text = self.layout.text(row);
        debug_assert!(!text.contains('\n'), "a row is a line");
        text
    }

    /// Makes sure that a row can be added after this one: that both are of a format that is read.
    pub fn check_format(&self, text: &str) -> Result<(), NoRow> {
        self.layout.format(&Cells::of(text)?.list()).map(drop)
    }

    /// Makes sure that rows can be added in these columns.
    pub fn check_complete(&self) -> Result<(), NoRow> {
        self.layout.check_complete()
    }

    /// Makes the error about a row, or about the first line if a column is missing there, or about the file if its
    /// format is not read.
    pub fn wrong(&self, path: &Path, line: u64, why: NoRow) -> Error {
        why.at(path, |what| {
            Error::line(path, if self.layout.is_complete() { line } else { self.number }, what)
        })
    }

    /// Reads a row, without its chain.
    ///
    /// # Errors
    ///
    /// Names the column with a wrong value, or the format if it is not read.
    pub fn parse(&self, text: &str) -> Result<ResultRow, NoRow> {
        names::check_text(text)?;
        self.layout.read_line(text).map(|(row, _)| row)
    }

    /// Reads of a row, without its chain, what tells it from others.
    pub(super) fn key(&self, text: &str) -> Result<Key, NoRow> {
        names::check_text(text)?;
        let split = Cells::of(text)?;
        let cells = split.list();
        self.layout.format(&cells)?;
        if let Some(key) = self.key_of_cells(&cells) {
            return Ok(key);
        }
        // The whole row says what is wrong.
        self.parse(text).map(|row| Key { game: row.game, seat: row.seat.index(), seats: row.seats })
    }

    fn key_of_cells(&self, cells: &[&str]) -> Option<Key> {
        if cells.len() != self.layout.names().count() {
            return None;
        }
        let cell = |name| Some(cells[self.layout.names().position(|other| other == name)?]);
        let game = names::check_id(cell("game")?).ok()?.to_owned();
        let seat: u8 = cell("seat")?.parse().ok()?;
        Some(Key { game, seat: seat.into(), seats: cell("seats")?.parse().ok()? })
    }
}

/// What tells a row from others.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) game: String,
    pub(super) seat: usize,
    pub(super) seats: usize,
}

/// How the first line ends.
const CHAIN: &str = ",chain";

/// Returns the first line of a file that is begun today, with its newline.
pub fn header() -> String {
    CURRENT.names().collect::<Vec<&str>>().join(",") + CHAIN + "\n"
}

/// Returns the error for a file that is not a results file, by its first line.
pub fn not_results(path: &Path, line: &[u8]) -> Error {
    let plain = "not a results file: its first line should be the names of the columns, each once, and at last `chain`";
    if line.is_empty() {
        let what = "it is empty: a run could not write the names of its columns; the next run writes them";
        return Error::line(path, 1, what);
    }
    let what = saved_otherwise(line).map_or(plain.to_owned(), |(how, remedy)| {
        format!("saved by another program, such as a spreadsheet: {how}; {remedy}")
    });
    Error::line(path, 1, what)
}

/// Returns how a program that is not ours has saved a file of records, and what helps, by the first line.
pub fn saved_otherwise(line: &[u8]) -> Option<(&'static str, &'static str)> {
    const COPY: &str = "put back a copy from before";
    let unmarked = line.strip_prefix(b"\xef\xbb\xbf");
    let has_mark = unmarked.is_some();
    let line = unmarked.unwrap_or(line);
    let has = |byte: u8| line.contains(&byte);
    if has(b';') && !has(b',') {
        Some(("its cells are separated by `;`", COPY))
    } else if has(b'"') {
        Some(("its cells are quoted", COPY))
    } else if line.ends_with(b"\r\n") || line.ends_with(b"\r") {
        Some((
            "its line ends were changed to CR LF",
            "put back a copy from before, or remove them if nothing else was changed: tr -d '\\r'",
        ))
    } else if has_mark {
        Some(("it begins with a byte order mark", "put back a copy from before, or remove it: tail -c +4"))
    } else {
        None
    }
}

/// Closes a row with its chain: the digest of the chain before, followed by this row with its last comma. Puts it into
/// `chain`, for the next row.
pub fn chained(row: &str, chain: &mut Digest) -> String {
    *chain = chain_after(chain, row);
    format!("{row},{chain}\n")
}

/// Returns the chain of a row by that of the row before.
pub(super) fn chain_after(chain: &Digest, row: &str) -> Digest {
    Digest::of_parts([chain.as_str(), row, ","])
}

impl ResultRow {
    /// Tells whether another row has the same text, without the chain.
    pub fn is_written_as(&self, other: &ResultRow) -> bool {
        schema::difference(self, other).is_none()
    }

    /// Writes all columns but the chain.
    pub fn text(&self) -> String {
        CURRENT.text(self)
    }

    /// Names the first column in which this row differs from the row that the log gives, with both values; `None` if
    /// they are equal.
    pub fn difference(&self, expected: &ResultRow) -> Option<String> {
        let (name, found, expected) = schema::difference(self, expected)?;
        Some(format!("column {name} is {found}; the log says {expected}"))
    }

    /// Says which of its columns does not fit the others, if there is one.
    pub fn fault(&self) -> Option<String> {
        let ResultRow { sandbox, clock, .. } = self;
        let fits = units_of(clock).is_some() == self.is_guest();
        (!fits).then(|| format!("column clock is {clock}, which no bot has whose sandbox is {sandbox}"))
    }

    /// Returns the count of one kind of fault.
    pub fn faults(&self, kind: FaultKind) -> u64 {
        self.faults[kind as usize]
    }
}

impl CellKind for SeedNumber {
    const KIND: &'static str = <Number as CellKind>::KIND;
    const CERTAIN: Certain = Certain::Hex;
}

impl CellForm<Seed> for SeedNumber {
    fn write(value: &Seed, text: &mut String) {
        Number::write(value, text);
    }

    fn read(cell: &str) -> Result<Seed, String> {
        Number::read(cell)
    }
}

impl CellKind for SeatNumber {
    const KIND: &'static str = <Number as CellKind>::KIND;
    const CERTAIN: Certain = <Number as CellKind>::CERTAIN;
}

impl CellForm<Seat> for SeatNumber {
    fn write(value: &Seat, text: &mut String) {
        Number::write(&value.index(), text);
    }

    fn read(cell: &str) -> Result<Seat, String> {
        <Number as CellForm<u8>>::read(cell).map(|seat| Seat::new(seat.into()))
    }
}

impl CellKind for FaultCounts {
    const KIND: &'static str = "names and numbers";
    const CERTAIN: Certain = Certain::Empty;
}

impl CellForm<Faults> for FaultCounts {
    fn write(value: &Faults, text: &mut String) {
        let counts = FaultKind::ALL.into_iter().zip(value).filter(|(_, count)| **count > 0);
        for (index, (kind, count)) in counts.enumerate() {
            let _ = write!(text, "{}{}={count}", if index > 0 { " " } else { "" }, kind.name());
        }
    }

    fn read(cell: &str) -> Result<Faults, String> {
        let mut faults = Faults::default();
        for word in cell.split_ascii_whitespace() {
            let known = word
                .split_once('=')
                .and_then(|(name, count)| Some((FaultKind::from_name(name)?, count.parse::<u64>().ok()?)));
            let (kind, count) = known.ok_or_else(|| format!("no count of a fault: {word:?}"))?;
            faults[kind as usize] = count;
        }
        Ok(faults)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Millionths;

    /// A certain cell is not written again, so it must be the one that is written.
    #[test]
    fn cells_that_are_certain_are_those_that_are_written() {
        fn assert_certain<T, F: CellForm<T>>(cell: &str) {
            let mut expected = String::new();
            F::write(&F::read(cell).expect(cell), &mut expected);
            assert_eq!(expected, cell);
        }
        for share in (0..1_000_000).step_by(7).chain([999_999]) {
            assert_certain::<Share, Millionths>(&format!("0.{share:06}"));
        }
        for shift in 0..64 {
            assert_certain::<Seed, SeedNumber>(&format!("{:#018x}", u64::MAX >> shift));
        }
        assert_certain::<Faults, FaultCounts>("");
        for cell in ["0", "1"] {
            assert_certain::<bool, Bit>(cell);
        }
        for cell in ["true", "false"] {
            assert_certain::<bool, schema::Flag>(cell);
        }
    }
}
