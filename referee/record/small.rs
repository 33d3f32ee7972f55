//! Small CSV files: a header and rows of one kind, read and written whole.

use std::fs;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::RecordError;

/// Reads the rows of a file; none if there is no such file. `what` is what a row should be.
///
/// # Errors
///
/// If the system refuses; names the line that is no such row.
pub fn read<T: DeserializeOwned>(path: &Path, what: &str) -> Result<Vec<T>, RecordError> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(RecordError::system(path, "read the file")(error)),
    };
    let mut reader = csv::Reader::from_reader(&text[..]);
    let rows = reader.deserialize().zip(2..).map(|(row, number)| {
        row.map_err(|error: csv::Error| {
            let line = error.position().map_or(number, csv::Position::line);
            RecordError::line(path, line, format!("not {what}: {error}"))
        })
    });
    rows.collect()
}

/// Writes rows as a file holds them.
pub fn text<T: Serialize>(rows: &[T]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.iter().for_each(|row| writer.serialize(row).expect("a row of plain text"));
    writer.into_inner().expect("in memory")
}
