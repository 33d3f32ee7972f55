//! Records of formats that this version does not read. They are refused in the same words, whatever the file.

use std::fmt;
use std::path::Path;

use crate::error::Error;

/// The last commit of the referee that reads records of versions before 0.3.
pub const READ_BY: &str = "5bab9c5d";

/// Says who can read what only records of versions before 0.3 have or lack, without a format that tells.
pub fn of_earlier_version(what: &str) -> String {
    format!("{what}, of a version before 0.3: commit {READ_BY} of the referee reads such records")
}

/// A record of an older format than the oldest that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Older {
    /// What it is, with its article: `a plan`.
    pub what: &'static str,
    /// Its format.
    pub format: u32,
    /// The oldest format that is read.
    pub oldest: u32,
    /// The last commit of the referee that reads it.
    pub read_by: &'static str,
}

impl Older {
    /// Makes the error about a file with such a record.
    pub fn at(self, path: &Path) -> Error {
        Error::file(path, self.to_string())
    }
}

/// `a plan of format 1, which this version does not read (2 and later): commit 5bab9c5d of the referee reads it`
impl fmt::Display for Older {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Older { what, format, oldest, read_by } = self;
        write!(
            f,
            "{what} of format {format}, which this version does not read ({oldest} and later): commit {read_by} of \
             the referee reads it"
        )
    }
}
