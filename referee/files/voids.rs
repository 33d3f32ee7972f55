//! The file of void games.

use crate::beneath::Spot;
use crate::small;
use referee_record::error::Error;
use referee_record::voids::VoidRow;

/// Appends a void game.
pub fn append(spot: impl Into<Spot>, row: &VoidRow) -> Result<(), Error> {
    small::append(spot, row)
}

/// Reads the void games of a folder. A file that is not there has none.
///
/// # Errors
///
/// Names the line that is no such row.
pub fn read(spot: impl Into<Spot>) -> Result<Vec<VoidRow>, Error> {
    let mut rows = Vec::new();
    each(spot, |row| {
        rows.push(row);
        Ok(())
    })?;
    Ok(rows)
}

/// Reads the void games of a folder one at a time: there can be a million.
pub fn each(spot: impl Into<Spot>, take: impl FnMut(VoidRow) -> Result<(), Error>) -> Result<(), Error> {
    small::each(spot, take)
}
