//! Games that do not count, by no bot's doing: `voids.csv`, one row each, only ever appended.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::RecordError;

/// A game that was given up and is to be played again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VoidRow {
    /// The game's name.
    pub game: String,
    /// Date and time (UTC) at which it began.
    pub started: String,
    /// Which attempt it was, from 1.
    pub attempt: u32,
    /// The turn in which it ended.
    pub turn: u32,
    /// `sandbox_error` or `host_overload`.
    pub reason: String,
    /// The seat whose bot it befell.
    pub seat: u8,
    /// That bot.
    pub bot: String,
    /// Which program of this name.
    pub bot_version: u32,
    /// All bots of the game, by seat.
    pub bots: String,
    /// How the bots were confined.
    pub sandbox: String,
    /// What the system said.
    pub detail: String,
    /// What there was of the game's log, from the folder of this file.
    pub log: String,
    /// Its digest.
    pub log_digest: String,
}

/// Appends a void game.
///
/// # Errors
///
/// If the system refuses.
pub fn append(path: &Path, row: &VoidRow) -> Result<(), RecordError> {
    let open = || -> std::io::Result<File> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        file.lock()?;
        file.seek(SeekFrom::End(0))?;
        Ok(file)
    };
    let file = open().map_err(RecordError::system(path, "open the list of void games"))?;
    let is_new = file.metadata().is_ok_and(|metadata| metadata.len() == 0);
    // One write: a kill in between leaves no half of a row but in the rarest case, and then a reader says so.
    let mut writer = csv::WriterBuilder::new().has_headers(is_new).from_writer(Vec::new());
    let written = writer.serialize(row).map_err(std::io::Error::other);
    let text = written.and_then(|()| writer.into_inner().map_err(|error| error.into_error()));
    let kept = text.and_then(|text| {
        std::io::Write::write_all(&mut &file, &text)?;
        file.sync_data()
    });
    kept.map_err(RecordError::system(path, "write the list of void games"))
}

/// Reads the void games of a folder; none if there is no such file.
///
/// # Errors
///
/// Names the line that is no such row.
pub fn read(path: &Path) -> Result<Vec<VoidRow>, RecordError> {
    super::small::read(path, "a void game")
}
