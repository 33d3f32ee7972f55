//! Results files: they are read game by game, and all rows of a game are appended at once, or none.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use memchr::memmem;
use serde::{Deserialize, Serialize};

use crate::beneath::Spot;
use crate::grown::ReadMark;
use crate::lock;
use crate::source::{BUFFER_BYTES, Source};
use referee_record::Digest;
use referee_record::contents::Contents;
use referee_record::error::Error;
use referee_record::results::{
    Games, Header, NumberedRow, RESULT_MAX, ResultRow, ResultsPlace, chained, not_results,
};

/// Opens a results file, to be read game by game up to its present end. Games that are appended meanwhile are not read.
///
/// # Errors
///
/// If it cannot be read, or does not begin as a results file does.
pub fn games(spot: impl Into<Spot>) -> Result<Games, Error> {
    let spot = spot.into();
    let path = spot.path();
    let file = spot.open().map_err(Error::system(path, "open the results"))?;
    // Waits for a writer, so that the end is not in the middle of a write.
    let length = lock::settled_length(&file, path)?;
    let source = Source::counted(file).map_err(Error::system(path, "read the results"))?;
    // Programs do not append to a compressed file.
    let length = if source.is_compressed() { u64::MAX } else { length };
    Games::of(Contents::new(path, source), length)
}

/// The end of a game in a results file that can have grown since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    file: ReadMark,
    reached: ResultsPlace,
}

impl Place {
    /// Returns the place that a reader has reached; `None` if the file could not be recognized later.
    pub fn of(spot: impl Into<Spot>, games: &Games) -> Result<Option<Place>, Error> {
        let (spot, reached) = (spot.into(), games.reached());
        let mark = || ReadMark::of(&spot.open()?, reached.bytes);
        let file = mark().map_err(Error::system(spot.path(), "look at the results"))?;
        Ok(file.map(|file| Place { file, reached }))
    }

    /// Returns the number of bytes up to it.
    pub fn bytes(&self) -> u64 {
        self.reached.bytes
    }
}

/// Opens a results file behind a game that was read before. `None` if the file is another one, was changed, or is
/// compressed: then it must be read from its beginning.
pub fn games_behind(spot: impl Into<Spot>, place: &Place) -> Result<Option<Games>, Error> {
    let spot = spot.into();
    let is_valid = spot.open().and_then(|file| place.file.still_valid_for(&file));
    if !is_valid.map_err(Error::system(spot.path(), "look at the results"))? {
        return Ok(None);
    }
    let mut games = games(&spot)?;
    Ok(games.go_to(&place.reached)?.then_some(games))
}

/// Returns the game of this name in a results file. Only its rows are checked, and not whether another game has its
/// name.
pub fn game_named(spot: impl Into<Spot>, name: &str) -> Result<Option<Vec<NumberedRow>>, Error> {
    let spot = spot.into();
    let games_before = games(&spot)?;
    if games_before.length()?.is_none() {
        return last_game(games_before, Some(name));
    }
    let start = find_start(&spot, games_before.header(), name);
    // The file is opened again, since the search can have found a game whose rows were still being written.
    let mut games = games(&spot)?;
    match start.map_err(Error::system(spot.path(), "read the results"))? {
        Start::Nowhere => Ok(None),
        Start::At(place) if place.lines == 1 || games.go_to(&place)? => games.next().transpose(),
        // Reading all rows says what is wrong before the game.
        Start::At(_) | Start::BehindDamage => last_game(games, Some(name)),
    }
}

/// Checks all rows up to the end, and returns the last game, or the last game of this name.
fn last_game(games: Games, name: Option<&str>) -> Result<Option<Vec<NumberedRow>>, Error> {
    let mut last = None;
    for game in games {
        let game = game?;
        if name.is_none_or(|name| game[0].1.game == name) {
            last = Some(game);
        }
    }
    Ok(last)
}

/// Where the rows of a game start in a results file.
enum Start {
    Nowhere,
    At(ResultsPlace),
    /// Behind a row without a chain.
    BehindDamage,
}

/// Looks for the rows of a game line by line, without parsing the others. If the name is there twice, the last one
/// counts.
fn find_start(spot: &Spot, header: &Header, name: &str) -> io::Result<Start> {
    let mut file = BufReader::with_capacity(BUFFER_BYTES, spot.open()?);
    let finder = memmem::Finder::new(name.as_bytes());
    let is_of_game = |line: &[u8]| {
        let text = || std::str::from_utf8(line).ok();
        finder.find(line).is_some() && text().is_some_and(|line| header.game_of(line) == Some(name))
    };
    let (mut start, mut bytes, mut lines, mut is_in_game) = (Start::Nowhere, 0, 0, false);
    let (mut line, mut line_before) = (Vec::new(), Vec::new());
    loop {
        let length = file.by_ref().take(RESULT_MAX + 1).read_until(b'\n', &mut line)? as u64;
        if length == 0 {
            return Ok(start);
        }
        let was_in_game = is_in_game;
        is_in_game = lines > 0 && is_of_game(&line);
        if is_in_game && !was_in_game {
            let text = String::from_utf8_lossy(&line_before);
            let chain = text.trim_end().rsplit(',').next().and_then(Digest::parse);
            start = match chain.or_else(|| (lines == 1).then(|| header.chain())) {
                Some(chain) => Start::At(ResultsPlace { bytes, lines, chain }),
                None => Start::BehindDamage,
            };
        }
        bytes += length;
        lines += 1;
        std::mem::swap(&mut line, &mut line_before);
        line.clear();
    }
}

/// Returns the chain of the last row of a game in a results file. If `game` is `None`, that is the chain with which the
/// first row continues. Returns `None` if the file has no such game. If the game is the last one, only the end of the
/// file is read.
pub fn chain_behind(spot: impl Into<Spot>, game: Option<&str>) -> Result<Option<Digest>, Error> {
    let spot = spot.into();
    let mut games = games(&spot)?;
    let Some(name) = game else { return Ok(Some(games.last_chain().clone())) };
    let line = last_line(&spot);
    let chain = line.rsplit_once(',').and_then(|(_, chain)| Digest::parse(chain));
    if chain.is_some() && games.header().game_of(&line) == Some(name) {
        return Ok(chain);
    }
    while let Some(game) = games.next() {
        if game?[0].1.game == name {
            return Ok(Some(games.last_chain().clone()));
        }
    }
    Ok(None)
}

/// Returns the name of the last game of a results file; `None` if it has no game. Only the end of the file is read,
/// unless it is compressed.
pub fn last_name(spot: impl Into<Spot>) -> Result<Option<String>, Error> {
    let spot = spot.into();
    let games = games(&spot)?;
    if games.length()?.is_none() {
        return Ok(last_game(games, None)?.map(|rows| rows[0].1.game.clone()));
    }
    let line = last_line(&spot);
    let header = games.header();
    let is_header = line.len() + 1 == header.line().len() && header.line().starts_with(&line);
    let name = header.game_of(&line).filter(|name| !is_header && !name.is_empty());
    Ok(name.map(str::to_owned))
}

/// Returns the last line of a file, without its end; an empty text if the file cannot be read or has no line end there.
fn last_line(spot: &Spot) -> String {
    let read = || -> io::Result<String> {
        let mut file = spot.open()?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(RESULT_MAX)))?;
        let mut end = Vec::new();
        file.take(RESULT_MAX).read_to_end(&mut end)?;
        let line = end.strip_suffix(b"\n").and_then(|end| end.rsplit(|byte| *byte == b'\n').next());
        Ok(String::from_utf8_lossy(line.unwrap_or_default()).into_owned())
    };
    read().unwrap_or_default()
}

/// Reads a results file, and checks that it is whole: the chain of digests, and all rows of each game together.
/// [`games`] does the same game by game.
///
/// # Errors
///
/// Names the first line that was changed.
pub fn read(spot: impl Into<Spot>) -> Result<Vec<NumberedRow>, Error> {
    let games: Result<Vec<Vec<NumberedRow>>, Error> = games(spot)?.collect();
    Ok(games?.into_iter().flatten().collect())
}

/// The length of the end of a file that is searched for the end of a game, in bytes: a run leaves no more than one game
/// unfinished.
const UNFINISHED_MAX: u64 = 1 << 20;

/// Maximum number of games that are not known to be on the disk, so that a power cut damages only a short end of the
/// file.
const UNSYNCED_MAX: u32 = 64;

/// A results file that games are appended to.
#[derive(Debug)]
pub struct ResultsFile {
    spot: Spot,
    path: PathBuf,
    file: File,
    /// The columns in the file's first line: rows are written in these.
    header: Header,
    /// The length of the file when it was last known to end with a whole game, in bytes.
    whole: u64,
    /// The end of the games that were appended last: the length of the file, and the chain of its last row.
    end: Option<(u64, Digest)>,
    /// The number of games that were appended since the last wait for the disk.
    unsynced: u32,
}

impl ResultsFile {
    /// Opens the file, or makes it. Unfinished rows that an interrupted write has left at its end are moved to a file
    /// beside it.
    ///
    /// # Errors
    ///
    /// If the system refuses, or the file does not begin as a results file does.
    pub fn open(spot: impl Into<Spot>) -> Result<(ResultsFile, Option<SetAside>), Error> {
        ResultsFile::open_after(spot, || Ok(()))
    }

    /// Opens the file as [`open`](ResultsFile::open) does. If it has unfinished rows or no row at all, `check` is
    /// called before it is changed, and its error ends this.
    pub fn open_after(
        spot: impl Into<Spot>,
        check: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(ResultsFile, Option<SetAside>), Error> {
        let spot = spot.into();
        let path = spot.path().to_owned();
        let file = spot.append().map_err(Error::system(&path, "open the results"))?;
        let header = Header::current();
        let mut results = ResultsFile { spot, path, file, header, whole: 0, end: None, unsynced: 0 };
        if results.locked(ResultsFile::is_torn)? {
            check()?;
        }
        let set_aside = results.repair()?;
        Ok((results, set_aside))
    }

    /// Tells whether the file ends with unfinished rows, or has no row.
    fn is_torn(&mut self) -> Result<bool, Error> {
        let start = self.bytes(0, RESULT_MAX)?;
        let line = start.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
        let Some(header) = std::str::from_utf8(line).ok().and_then(Header::of) else { return Ok(true) };
        let (whole, rest) = self.unfinished(header.line().len() as u64)?;
        Ok(!rest.is_empty() || whole == header.line().len() as u64)
    }

    /// Moves unfinished rows to a file beside it. Another program can have left some since the file was opened.
    pub fn repair(&mut self) -> Result<Option<SetAside>, Error> {
        self.locked(|results| {
            if results.whole > 0 && results.length()? == results.whole {
                return Ok(None);
            }
            let set_aside = results.make_whole()?;
            results.whole = results.length()?;
            Ok(set_aside)
        })
    }

    /// Appends all rows of a game, and waits until they are on the disk. If that fails, none of them is there.
    ///
    /// # Errors
    ///
    /// If the system refuses, or the end of the file was damaged.
    pub fn append(&mut self, rows: &[ResultRow]) -> Result<(), Error> {
        self.add(rows, true).map(drop)
    }

    /// Appends all rows of a game, and does not wait until they are on the disk: for results that are kept elsewhere,
    /// too.
    pub fn append_soon(&mut self, rows: &[ResultRow]) -> Result<Appended, Error> {
        self.unsynced += 1;
        let must_sync = self.unsynced >= UNSYNCED_MAX;
        self.add(rows, must_sync)
    }

    /// Waits until all games are on the disk.
    pub fn sync(&mut self) -> Result<(), Error> {
        self.unsynced = 0;
        self.file.sync_data().map_err(Error::system(&self.path, "write the results"))
    }

    fn add(&mut self, rows: &[ResultRow], must_sync: bool) -> Result<Appended, Error> {
        self.locked(|results| {
            let length = results.length()?;
            let mut chain = match results.end.take() {
                Some((end, chain)) if end == length => chain,
                // Nothing was appended yet, the last write failed, or another program has appended rows.
                _ => results.last_chain()?,
            };
            let mut text = String::new();
            for row in rows {
                let line = chained(&results.header.text(row), &mut chain);
                text.push_str(&line);
            }
            let mut written = results.file.write_all(text.as_bytes());
            if must_sync {
                results.unsynced = 0;
                written = written.and_then(|()| results.file.sync_data());
            }
            written.map_err(|error| {
                let _ = results.file.set_len(length);
                Error::system(&results.path, "write the results")(error)
            })?;
            let end = length + text.len() as u64;
            // Else another program has appended rows, which are not checked yet.
            if results.whole == length {
                results.whole = end;
            }
            results.end = Some((end, chain.clone()));
            Ok(Appended { start: length, end, chain })
        })
    }

    fn locked<T>(&mut self, act: impl FnOnce(&mut ResultsFile) -> Result<T, Error>) -> Result<T, Error> {
        lock::claim_waiting(&self.file, &self.path)?;
        let result = act(self);
        lock::release(&self.file);
        result
    }

    /// Writes the first line of a new file, or moves unfinished rows from the end of an old one.
    fn make_whole(&mut self) -> Result<Option<SetAside>, Error> {
        let start = self.bytes(0, RESULT_MAX)?;
        let new_line = self.header.line().as_bytes().to_vec();
        if new_line.starts_with(&start) && start.len() < new_line.len() {
            // The file is new, or its first line is unfinished.
            self.cut(0)?;
            let written = self.file.write_all(&new_line).and_then(|()| self.file.sync_all());
            // A new file is on the disk only when its name is, too.
            let written = written.and_then(|()| self.spot.sync_folder());
            written.map_err(Error::system(&self.path, "begin the results"))?;
            return Ok(None);
        }
        let line = start.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
        let header = std::str::from_utf8(line).ok().and_then(Header::of);
        self.header = header.ok_or_else(|| not_results(&self.path, line))?;
        let (whole, rest) = self.unfinished(self.header.line().len() as u64)?;
        if rest.is_empty() {
            return Ok(None);
        }
        let aside = set_aside_path(&self.path);
        let written = self.spot.at(&aside).append().and_then(|mut file| {
            file.write_all(&rest)?;
            file.write_all(b"\n")?;
            file.sync_all()
        });
        written.map_err(Error::system(&aside, "set an unfinished row aside"))?;
        self.cut(whole)?;
        Ok(Some(SetAside { bytes: rest.len(), path: aside }))
    }

    /// Returns the length of the file's whole games in bytes, and the bytes after them. Only the end of the file is
    /// read.
    fn unfinished(&mut self, header_length: u64) -> Result<(u64, Vec<u8>), Error> {
        let length = self.length()?;
        let mut end_length = 64 * 1024;
        loop {
            let start = header_length.max(length.saturating_sub(end_length));
            let mut end = self.bytes(start, length - start)?;
            // The first line of an end has lost its beginning.
            let first_line = if start == header_length {
                Some(0)
            } else {
                end.iter().position(|byte| *byte == b'\n').map(|newline| newline + 1)
            };
            let whole = first_line.and_then(|first| Some(first + self.whole_games(&end[first..])?));
            match whole {
                Some(whole) => return Ok((start + whole as u64, end.split_off(whole))),
                None if start == header_length => return Ok((header_length, end)),
                None if end_length > UNFINISHED_MAX => {
                    let what = "no game ends near its end, which is damaged: run `referee audit` on it";
                    return Err(Error::file(&self.path, what));
                }
                None => end_length *= 4,
            }
        }
    }

    /// Returns the length of the whole games among these rows in bytes; `None` if no game ends among them.
    fn whole_games(&self, rows: &[u8]) -> Option<usize> {
        let mut whole = None;
        let mut end = 0;
        for line in rows.split_inclusive(|byte| *byte == b'\n') {
            end += line.len();
            let row = line.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok());
            let Some(row) = row else { break };
            let parsed = row.rsplit_once(',').and_then(|(row, _)| self.header.parse(row).ok());
            // A line that is no row is not cut off: the reader will report it.
            if parsed.is_none_or(|row| row.seat.index() + 1 == row.seats) {
                whole = Some(end);
            }
        }
        whole
    }

    fn bytes(&mut self, start: u64, count: u64) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let sought = self.file.seek(SeekFrom::Start(start));
        let read = sought.and_then(|_| (&self.file).take(count).read_to_end(&mut bytes));
        read.map_err(Error::system(&self.path, "read the results"))?;
        Ok(bytes)
    }

    fn cut(&mut self, length: u64) -> Result<(), Error> {
        self.file.set_len(length).map_err(Error::system(&self.path, "cut off an unfinished row"))
    }

    fn length(&self) -> Result<u64, Error> {
        Ok(self.file.metadata().map_err(Error::system(&self.path, "look at the results"))?.len())
    }

    /// Reads the chain of the last row from the end of the file, since another program can have appended rows.
    fn last_chain(&mut self) -> Result<Digest, Error> {
        let length = self.length()?;
        let start = length.saturating_sub(RESULT_MAX);
        let end = self.bytes(start, length - start)?;
        let damaged = || Error::file(&self.path, "its end is damaged: run `referee audit` on it");
        let lines = end.strip_suffix(b"\n").ok_or_else(damaged)?;
        let line = lines.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        if length == self.header.line().len() as u64 {
            let checked = self.header.check_complete();
            checked.map_err(|why| why.at(&self.path, |what| Error::line(&self.path, 1, what)))?;
            return Ok(self.header.chain());
        }
        let line = std::str::from_utf8(line).map_err(|_| damaged())?;
        let (row, chain) = line.rsplit_once(',').ok_or_else(damaged)?;
        // A newer version may have appended rows in a format that this version does not know.
        let checked = self.header.check_format(row);
        checked.map_err(|why| why.at(&self.path, |what| Error::file(&self.path, what)))?;
        Digest::parse(chain).ok_or_else(damaged)
    }
}

/// The place of a game that was appended to a results file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The length of the file before it, in bytes.
    pub start: u64,
    /// The length of the file with it.
    pub end: u64,
    /// The chain of its last row.
    pub chain: Digest,
}

/// Unfinished rows that were found at the end of a results file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// Their number of bytes.
    pub bytes: usize,
    /// The file that they were moved to.
    pub path: PathBuf,
}

impl fmt::Display for SetAside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "an earlier run was interrupted while it wrote: {} unfinished bytes at the end of the results were moved to {}",
            self.bytes,
            self.path.display()
        )
    }
}

fn set_aside_path(path: &Path) -> PathBuf {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".set-aside");
    aside.into()
}
