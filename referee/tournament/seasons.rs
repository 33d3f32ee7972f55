//! `seasons.csv` of a hill: which field of bots played when. A field is fixed for a season; a changed one begins the next.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use super::fixture::Entrant;
use crate::clock;
use crate::record::{BotName, RecordError};

/// A fixed field of bots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Season {
    /// From 1.
    pub number: u32,
    /// When it began.
    pub date: String,
    /// Who plays, in the order that the schedule counts by.
    pub bots: Vec<BotName>,
    size: usize,
    /// Where its rows end in the file, in bytes.
    end: u64,
}

const SEASONS_HEADER: &str = "season,date,size,name,version,digest\n";

/// Reads the seasons so far. One whose rows are not all there never began.
///
/// # Errors
///
/// If the system refuses, or a row is not one.
pub fn read(root: &Path) -> Result<Vec<Season>, RecordError> {
    let path = root.join("seasons.csv");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(RecordError::system(&path, "read the seasons")(error)),
    };
    let Some(body) = text.strip_prefix(SEASONS_HEADER) else {
        let torn = SEASONS_HEADER.starts_with(&text);
        let wrong = RecordError::line(&path, 1, format!("should be: {}", SEASONS_HEADER.trim_end()));
        return if torn { Ok(Vec::new()) } else { Err(wrong) };
    };
    let mut seasons: Vec<Season> = Vec::new();
    let mut end = SEASONS_HEADER.len() as u64;
    for (index, line) in body.split_inclusive('\n').enumerate() {
        let Some(row) = line.strip_suffix('\n') else { break };
        end += line.len() as u64;
        let wrong = || RecordError::line(&path, index as u64 + 2, "not a row of a season");
        let columns: Vec<&str> = row.split(',').collect();
        let [number, date, size, name, version, digest] = columns[..] else { return Err(wrong()) };
        let (Ok(number), Ok(size), Ok(version)) = (number.parse(), size.parse(), version.parse()) else {
            return Err(wrong());
        };
        let digest = crate::record::Digest::parse(digest).ok_or_else(wrong)?;
        let same_season = seasons.last().filter(|last| last.number == number);
        if same_season.is_some_and(|last| last.size != size || last.date != date) {
            return Err(wrong());
        }
        if same_season.is_none() {
            seasons.push(Season { number, date: date.to_owned(), size, bots: Vec::new(), end });
        }
        let season = seasons.last_mut().expect("just pushed");
        season.bots.push(BotName { name: name.to_owned(), version, digest });
        season.end = end;
    }
    seasons.retain(|season| season.bots.len() == season.size);
    Ok(seasons)
}

/// Returns the number of this field's season: the last one if its field was the same, else a new one, which is written
/// down.
///
/// # Errors
///
/// If the system refuses, or the seasons are damaged.
pub fn of_field(root: &Path, bots: &[Entrant]) -> Result<u32, RecordError> {
    let seasons = read(root)?;
    let field: Vec<&BotName> = bots.iter().map(|bot| &bot.name).collect();
    let last = seasons.last();
    if let Some(last) = last.filter(|last| last.bots.iter().collect::<Vec<_>>() == field) {
        return Ok(last.number);
    }
    let number = last.map_or(0, |last| last.number) + 1;
    let path = root.join("seasons.csv");
    let date = clock::date();
    let mut text = if seasons.is_empty() { SEASONS_HEADER.to_owned() } else { String::new() };
    for bot in field {
        text += &format!("{number},{date},{},{},{},{}\n", bots.len(), bot.name, bot.version, bot.digest);
    }
    let opened = OpenOptions::new().append(true).create(true).open(&path);
    let written = opened.and_then(|mut file| {
        // What an interrupted run has left of a season that never began.
        file.set_len(seasons.last().map_or(0, |last| last.end))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.map_err(RecordError::system(&path, "write the seasons"))?;
    Ok(number)
}
