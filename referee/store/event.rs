//! The records of a runner's log: a line of CSV each, with a check sum in front.

use flate2::Crc;

use crate::{Disk, Trouble};

/// What a runner records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// An attempt at a game begins.
    Begun,
    /// A game was played to its end; the cells are its result.
    Over,
    /// The attempt does not count; the cells say why.
    Void,
    /// The game is not tried again; the cells say why.
    GivenUp,
    /// The runner has broken the attempt off: it neither counts nor is it lost.
    Left,
    /// The cells say something of the runner itself.
    Note,
    /// The runner pauses. A mark shows that the record before it is on the disk.
    Mark,
}

impl Kind {
    const ALL: [Kind; 7] =
        [Kind::Begun, Kind::Over, Kind::Void, Kind::GivenUp, Kind::Left, Kind::Note, Kind::Mark];

    fn name(self) -> &'static str {
        match self {
            Kind::Begun => "begun",
            Kind::Over => "over",
            Kind::Void => "void",
            Kind::GivenUp => "given_up",
            Kind::Left => "left",
            Kind::Note => "note",
            Kind::Mark => "mark",
        }
    }
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) kind: Kind,
    /// The unit of the game.
    pub(crate) unit: String,
    /// The number of this runner's try at the unit, from 0.
    pub(crate) attempt: u32,
    /// The game. All names are plain, so a comma ends them.
    pub(crate) game: String,
}

impl Event {
    /// Returns a record about the runner itself: it has no game.
    pub(crate) fn of_runner(kind: Kind) -> Event {
        Event { kind, unit: String::new(), attempt: 0, game: String::new() }
    }

    /// Returns the line of the record, with these cells behind its own. Fails if a cell has a line break.
    pub(crate) fn line(&self, cells: &[String]) -> Result<Vec<u8>, Trouble> {
        if let Some(cell) = cells.iter().find(|cell| cell.contains(['\n', '\r'])) {
            return Err(Trouble::Unfit(format!("{cell:?}: a line of text cannot have a line break")));
        }
        let attempt = self.attempt.to_string();
        let fixed = [self.kind.name(), &self.unit, &attempt, &self.game];
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(fixed.into_iter().chain(cells.iter().map(String::as_str))).expect("in memory");
        let text = writer.into_inner().expect("in memory");
        Ok([format!("{:08x},", checksum(&text)).as_bytes(), &text].concat())
    }

    /// Reads a line, but not its cells: there can be millions of lines. `None` if it is torn or damaged.
    pub(crate) fn parse(line: &[u8]) -> Option<Event> {
        let mut parts = whole(line)?.splitn(5, ',');
        let kind = parts.next()?;
        let kind = Kind::ALL.into_iter().find(|known| known.name() == kind)?;
        let (unit, attempt, game) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
        Some(Event { kind, unit: unit.to_owned(), attempt, game: game.to_owned() })
    }

    /// Reads the cells of a line; `None` if it is torn or damaged.
    pub(crate) fn cells_of(line: &[u8]) -> Option<Vec<String>> {
        let (mut cells, mut rest) = (Vec::new(), Some(whole(line)?));
        while let Some(text) = rest {
            let (cell, after) = first_cell(text)?;
            cells.push(cell);
            rest = after;
        }
        cells.drain(..cells.len().min(4));
        Some(cells)
    }
}

/// Returns the first cell of a line, and what follows its comma; `None` if nothing closes its quotation mark. Not by
/// the crate `csv`: its reader is made for whole files, and to begin one for each line would take longer than all the
/// rest.
fn first_cell(text: &str) -> Option<(String, Option<&str>)> {
    let (mut cell, mut rest) = (String::new(), text);
    if let Some(quoted) = text.strip_prefix('"') {
        rest = quoted;
        loop {
            let (part, after) = rest.split_once('"')?;
            cell.push_str(part);
            rest = after;
            match after.strip_prefix('"') {
                Some(after) => rest = after,
                None => break,
            }
            cell.push('"');
        }
    }
    let (part, after) = rest.split_once(',').map_or((rest, None), |(part, after)| (part, Some(after)));
    cell.push_str(part);
    Some((cell, after))
}

/// Number of bytes of a log that are read at once.
const CHUNK: u64 = 1 << 20;

/// Maximum length of a record, in bytes.
const RECORD_MAX: u64 = 64 << 20;

/// Calls `take` with the records of a log from a place on, each with its place and its line, until `take` returns
/// `false`. Returns the place behind the last record. Places are in bytes.
///
/// A write that was interrupted leaves a torn record at the end, which is passed over. Before a record, it is an error.
pub(crate) fn each_event(
    disk: &impl Disk,
    name: &str,
    mut start: u64,
    mut take: impl FnMut(Event, u64, &[u8]) -> Result<bool, Trouble>,
) -> Result<u64, Trouble> {
    let (mut bytes, mut torn, mut end) = (Vec::new(), None, start);
    loop {
        let more = disk.read(name, start + bytes.len() as u64, CHUNK);
        let more = more.map_err(Trouble::system("read", name))?;
        let is_end = more.is_empty();
        bytes.extend(more);
        let mut line_start = 0;
        while let Some(length) = bytes[line_start..].iter().position(|byte| *byte == b'\n') {
            let (from, line) = (start + line_start as u64, &bytes[line_start..=line_start + length]);
            match (Event::parse(line), torn) {
                (None, _) => torn = torn.or(Some(from)),
                (Some(_), Some(byte)) => {
                    return Err(Trouble::damaged(name, byte, "not a record, though one follows"));
                }
                (Some(event), None) => {
                    end = from + line.len() as u64;
                    if !take(event, from, line)? {
                        return Ok(end);
                    }
                }
            }
            line_start += length + 1;
        }
        bytes.drain(..line_start);
        start += line_start as u64;
        if is_end {
            return Ok(end);
        }
        if bytes.len() as u64 > RECORD_MAX {
            return Err(Trouble::damaged(name, start, "a record without an end"));
        }
    }
}

/// Returns a line without its check sum and its line break; `None` if it is not the line that was written.
fn whole(line: &[u8]) -> Option<&str> {
    let (sum, text) = line.split_at_checked(9)?;
    let sum = std::str::from_utf8(sum).ok()?.strip_suffix(',')?;
    // The sums are compared as texts, so that each record has one form: no capital digits.
    if format!("{:08x}", checksum(text)) != sum {
        return None;
    }
    std::str::from_utf8(text.strip_suffix(b"\n")?).ok()
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}
