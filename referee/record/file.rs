//! The file of a log: its name and its form.
//!
//! A file is written compressed if its name ends with `.gz`. Digests in the results are of the contents, so a log can
//! be compressed or unpacked at any time after its game.

use std::path::Path;

/// No row of a record is longer, in bytes: an answer has up to 64 KiB. A reader holds no more than this of a row,
/// however small the compressed file of a stranger is.
pub const ROW_MAX: u64 = 1 << 20;

/// The form in which a log is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// As it is: `.csv`.
    #[default]
    Plain,
    /// Compressed with gzip: `.csv.gz`.
    Gzip,
}

impl Form {
    /// Returns the form that a setting asks for.
    pub fn compressed_if(asked: bool) -> Form {
        if asked { Form::Gzip } else { Form::Plain }
    }

    /// Returns the ending of such a log's name.
    pub fn ending(self) -> &'static str {
        match self {
            Form::Plain => ".csv",
            Form::Gzip => ".csv.gz",
        }
    }

    /// Returns the form of the log of this name; `None` if it is not that of a finished log.
    pub fn of(path: &Path) -> Option<Form> {
        let name = path.file_name()?.as_encoded_bytes();
        [Form::Plain, Form::Gzip].into_iter().find(|form| name.ends_with(form.ending().as_bytes()))
    }
}

/// Returns the name of a log without its ending: the game's.
pub fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ending = Form::of(path).map_or("", Form::ending);
    name.strip_suffix(ending).unwrap_or(&name).to_owned()
}

/// Tells whether a path is that of a file in a folder of logs, from the folder of its results: `logs/...`, or of a
/// later round of a tournament `rounds/0002/logs/...`. It has one form: no part of it leads up or nowhere.
pub fn is_below_logs(path: &str) -> bool {
    let mut parts = path.split('/');
    let is_name = |part: &str| !part.is_empty() && !part.starts_with('.');
    let is_logs = match parts.next() {
        Some("rounds") => parts.next().is_some_and(is_name) && parts.next() == Some("logs"),
        first => first == Some("logs"),
    };
    is_logs && parts.clone().next().is_some() && parts.all(is_name)
}
