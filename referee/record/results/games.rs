//! Reads a results file game by game and checks that it is complete. It holds one game at a time.

use std::io::{BufRead, Read, SeekFrom, Take};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::row::{Header, Key, ResultRow, chain_after, not_results};
use crate::Digest;
use crate::contents::{Contents, Input};
use crate::error::Error;
use crate::schema::NoRow;
use crate::text::size;

/// The longest row of a results file, in bytes. Honest ones have a thousand.
pub const RESULT_MAX: u64 = 16 << 10;

/// Maximum length of the rows of one game, in bytes: 164 seats take a hundred thousand.
const GAME_MAX: u64 = 512 << 10;

/// A row and its line, from 1.
pub type NumberedRow = (u64, ResultRow);

/// The games of a results file, in the order in which they were entered: all rows of each, in the order of the seats.
///
/// An error, which names the first line that was changed, ends the iteration.
#[derive(Debug)]
pub struct Games {
    path: PathBuf,
    input: Take<Box<dyn Input>>,
    line: Vec<u8>,
    /// The lines of the last game, as they are in the file.
    text: Vec<u8>,
    /// The number of the line, from 1.
    line_number: u64,
    header: Header,
    /// The chain of the last row.
    chain: Digest,
    bytes_read: u64,
    has_failed: bool,
}

/// The end of a game in a results file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultsPlace {
    /// The bytes and lines up to it.
    pub bytes: u64,
    /// The number of lines, with the first one.
    pub lines: u64,
    /// The chain of its last row.
    pub chain: Digest,
}

impl Iterator for Games {
    type Item = Result<Vec<NumberedRow>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed {
            return None;
        }
        let game = self.game().transpose();
        self.has_failed = matches!(game, Some(Err(_)));
        game
    }
}

impl Games {
    /// Reads the first line of results, of which there are `length` bytes now.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is not that of a results file.
    pub fn of(results: Contents, length: u64) -> Result<Games, Error> {
        let (path, input) = results.into_parts();
        let header = Header::current();
        let mut games = Games {
            path,
            input: input.take(length),
            line: Vec::new(),
            text: Vec::new(),
            line_number: 0,
            chain: header.chain(),
            header,
            bytes_read: 0,
            has_failed: false,
        };
        games.next_line()?;
        let header = std::str::from_utf8(&games.line).ok().and_then(Header::of);
        games.header = header.ok_or_else(|| not_results(&games.path, &games.line))?;
        games.chain = games.header.chain();
        Ok(games)
    }

    /// Returns where the last game that was read ends.
    pub fn reached(&self) -> ResultsPlace {
        ResultsPlace { bytes: self.bytes_read, lines: self.line_number, chain: self.chain.clone() }
    }

    /// Goes to the end of a game that was read before. The caller knows that the file was only appended to since.
    /// Returns whether a row with this chain ends there.
    pub fn go_to(&mut self, place: &ResultsPlace) -> Result<bool, Error> {
        let failed = Error::system(&self.path, "read the results");
        let end = format!(",{}\n", place.chain);
        let Some(length) = self.length()? else { return Ok(false) };
        let Some(start) = place.bytes.checked_sub(end.len() as u64) else { return Ok(false) };
        if start < self.bytes_read || length < place.bytes {
            return Ok(false);
        }
        let mut found = Vec::new();
        let input = self.input.get_mut();
        let result = input
            .seek(SeekFrom::Start(start))
            .and_then(|_| input.take(end.len() as u64).read_to_end(&mut found));
        result.map_err(failed)?;
        if found != end.as_bytes() {
            return Ok(false);
        }
        self.pass_over(place)?;
        Ok(true)
    }

    /// Goes to the end of games that the caller has appended itself.
    pub fn pass_over(&mut self, place: &ResultsPlace) -> Result<(), Error> {
        let limit = self.bytes_read + self.input.limit();
        let sought = self.input.get_mut().seek(SeekFrom::Start(place.bytes));
        sought.map_err(Error::system(&self.path, "read the results"))?;
        (self.bytes_read, self.line_number, self.chain) = (place.bytes, place.lines, place.chain.clone());
        self.input.set_limit(limit.saturating_sub(place.bytes));
        Ok(())
    }

    /// Returns the header of the file.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Continues to the present end of the file. Call it while no program appends.
    pub fn go_on(&mut self) -> Result<(), Error> {
        if let Some(length) = self.length()? {
            self.go_on_to(length)?;
        }
        Ok(())
    }

    /// Continues to this length of the file, which it had while no program appended. A compressed file does not grow.
    pub fn go_on_to(&mut self, length: u64) -> Result<(), Error> {
        if self.length()?.is_some() {
            self.input.set_limit(length.saturating_sub(self.bytes_read));
        }
        Ok(())
    }

    /// Returns the present length of the file in bytes; `None` if it is compressed.
    pub fn length(&self) -> Result<Option<u64>, Error> {
        self.input.get_ref().length().map_err(Error::system(&self.path, "look at the results"))
    }

    /// Returns the lines of the last game that was read, as they are in the file.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns the chain of the last row that was read.
    pub fn last_chain(&self) -> &Digest {
        &self.chain
    }

    /// Reads the next game, but of its rows only what tells them apart, and returns its name. Its text is that of
    /// [`text`](Games::text).
    pub fn skim(&mut self) -> Result<Option<String>, Error> {
        if self.has_failed {
            return Ok(None);
        }
        let game = self.game_by(Header::key);
        self.has_failed = game.is_err();
        Ok(game?.and_then(|mut rows| Some(rows.pop()?.1.game)))
    }

    fn game(&mut self) -> Result<Option<Vec<NumberedRow>>, Error> {
        self.game_by(Header::parse)
    }

    fn game_by<R: Keyed>(
        &mut self,
        read: fn(&Header, &str) -> Result<R, NoRow>,
    ) -> Result<Option<Vec<(u64, R)>>, Error> {
        let mut rows: Vec<(u64, R)> = Vec::new();
        self.text.clear();
        while let Some(row) = self.row(read)? {
            self.text.extend_from_slice(&self.line);
            let wrong = |what| Error::line(&self.path, self.line_number, what);
            if self.text.len() as u64 > GAME_MAX {
                let game = row.game();
                return Err(wrong(format!("the rows of game {game} take more than {}", size(GAME_MAX))));
            }
            check_group(rows.last().map(|(_, last)| last), &row).map_err(wrong)?;
            let is_last = row.seat() + 1 == row.seats();
            rows.push((self.line_number, row));
            if is_last {
                return Ok(Some(rows));
            }
        }
        let Some((number, last)) = rows.last() else { return Ok(None) };
        let missing = last.seats().saturating_sub(last.seat() + 1);
        let what = format!("{missing} rows of game {} are missing", last.game());
        Err(Error::line(&self.path, number + 1, what))
    }

    fn row<R>(&mut self, read: fn(&Header, &str) -> Result<R, NoRow>) -> Result<Option<R>, Error> {
        if !self.next_line()? {
            return Ok(None);
        }
        let wrong = |what: String| Error::line(&self.path, self.line_number, what);
        let line = std::str::from_utf8(&self.line).map_err(|_| wrong("not text".to_owned()))?;
        let unfinished = "the last row is unfinished: a run was interrupted while it wrote, or the file is \
                          cut off; of a hill or a tournament, the next run makes it whole, or `referee hill repair`, \
                          `referee tournament repair`";
        if line.len() as u64 > RESULT_MAX {
            return Err(wrong(format!("a row of more than {}", size(RESULT_MAX))));
        }
        let line = line.strip_suffix('\n').ok_or_else(|| wrong(unfinished.to_owned()))?;
        let (row, chain) = line.rsplit_once(',').ok_or_else(|| wrong("not a row".to_owned()))?;
        self.chain = chain_after(&self.chain, row);
        if self.chain.as_str() != chain {
            let start: String = line.chars().take(60).collect();
            return Err(wrong(format!(
                "this row, or the one before it, was changed (its chain is {chain}, its contents give {}): {start}...",
                self.chain
            )));
        }
        read(&self.header, row)
            .map_err(|what| self.header.wrong(&self.path, self.line_number, what))
            .map(Some)
    }

    /// Reads a line with its end. Returns whether there was one.
    fn next_line(&mut self) -> Result<bool, Error> {
        self.line.clear();
        let result = self.input.by_ref().take(RESULT_MAX + 1).read_until(b'\n', &mut self.line);
        let count = result.map_err(Error::system(&self.path, "read the results"))?;
        if count == 0 {
            return Ok(false);
        }
        self.line_number += 1;
        self.bytes_read += count as u64;
        Ok(true)
    }
}

/// Makes sure that all rows of a game are together, in the order of the seats. `last` is the row before of the same
/// game.
fn check_group<R: Keyed>(last: Option<&R>, row: &R) -> Result<(), String> {
    match last {
        Some(last) if last.game() != row.game() || last.seat() + 1 != row.seat() => {
            Err(format!("the row of seat {} of game {} is expected here", last.seat() + 1, last.game()))
        }
        None if row.seat() != 0 => Err(format!("game {} does not begin with seat 0", row.game())),
        _ => Ok(()),
    }
}

/// A row of a game, or only its key.
trait Keyed {
    fn game(&self) -> &str;
    fn seat(&self) -> usize;
    /// Returns the number of seats of the game.
    fn seats(&self) -> usize;
}

impl Keyed for ResultRow {
    fn game(&self) -> &str {
        &self.game
    }

    fn seat(&self) -> usize {
        self.seat.index()
    }

    fn seats(&self) -> usize {
        self.seats
    }
}

impl Keyed for Key {
    fn game(&self) -> &str {
        &self.game
    }

    fn seat(&self) -> usize {
        self.seat
    }

    fn seats(&self) -> usize {
        self.seats
    }
}
