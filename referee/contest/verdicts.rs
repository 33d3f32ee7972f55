//! `verdicts.csv` of a hill: how each season under the stop rule ended. Each row follows from the results and the
//! named rule, and an audit recomputes it.

use std::path::{Path, PathBuf};

use crate::publish;
use referee_files::beneath::Spot;
use referee_files::small;
use referee_record::error::Error;
use referee_statistics::verdict::VerdictRow;

/// Adds a verdict to those of a hill, unless it is there already, and returns when it is on the disk. Only one process
/// may do that at a time.
pub(super) fn add(root: &Path, row: &VerdictRow) -> Result<(), Error> {
    let path = file_of(root);
    if read(root)?.contains(row) {
        return Ok(());
    }
    let spot = Spot::within(root, path);
    let text = small::changed(&spot, |rows| rows.push(row.clone()))?;
    publish::replace(spot, &text)
}

/// Returns the content of a file with these verdicts.
pub fn text(rows: &[VerdictRow]) -> Vec<u8> {
    small::text(rows)
}

/// Reads the verdicts of a hill; none if there is no file.
pub fn read(root: &Path) -> Result<Vec<VerdictRow>, Error> {
    small::read(Spot::within(root, file_of(root)))
}

/// Returns the file of verdicts.
pub fn file_of(root: &Path) -> PathBuf {
    root.join("verdicts.csv")
}
