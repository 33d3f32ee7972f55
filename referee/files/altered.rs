//! Line ends that another program has changed as it copied records. An audit looks for them first, so that it accuses
//! nobody of such a change.

use std::ffi::OsStr;
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::beneath::Spot;
use crate::walk;
use referee_record::error::Error;
use referee_record::text::shell;

/// A file of records whose line ends are CR LF. No referee writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEnds {
    /// The file.
    pub file: PathBuf,
    /// The files and folders of the record to which it belongs.
    record: Vec<PathBuf>,
}

impl fmt::Display for LineEnds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LineEnds { file, record } = self;
        let file = file.display();
        write!(
            f,
            "{file}: its line ends are CR LF: a program has changed them, such as git with core.autocrlf, or a \
             spreadsheet. Copy everything again as it is, or change them back: "
        )?;
        if let [file] = &record[..] {
            return write!(f, "sed -i 's/\\r$//' {}", shell(file));
        }
        f.write_str("find")?;
        for path in record {
            write!(f, " {}", shell(path))?;
        }
        f.write_str(" -type f ! -path '*/private/*' ! -name '*.gz' -exec sed -i 's/\\r$//' {} +")
    }
}

/// The tables and folders that the referee writes, as text, beside the bots.
const TABLES: [&str; 7] =
    ["plan.toml", "results.csv", "voids.csv", "entrants.csv", "seasons.csv", "verdicts.csv", "rulings.csv"];
const FOLDERS: [&str; 4] = ["records", "proof", "logs", "rounds"];

/// Looks for changed line ends in a folder of games, a hill or a tournament, or in a single log or table of results.
pub fn line_ends(root: &Path) -> Option<LineEnds> {
    if !root.is_dir() {
        let is_changed = is_text(root) && has_changed_ends(&Spot::from(root));
        return is_changed.then(|| LineEnds { file: root.to_owned(), record: vec![root.to_owned()] });
    }
    let mut file_count = 0;
    let mut changed_file = None;
    let mut look = |path: &Path| {
        file_count += 1;
        if has_changed_ends(&Spot::within(root, path)) {
            changed_file = Some(path.to_owned());
        }
        // An error ends the walk.
        let is_enough = changed_file.is_some() || file_count == FILES_MAX;
        if is_enough { Err(Error::input("enough")) } else { Ok(()) }
    };
    let _ = TABLES.iter().try_for_each(|name| look(&root.join(name))).and_then(|()| {
        FOLDERS.iter().try_for_each(|folder| {
            walk::each_file(&Spot::below(root, folder), |entry| {
                if !entry.is_link && is_text(&entry.path) { look(&entry.path) } else { Ok(()) }
            })
        })
    });
    let record = TABLES.iter().chain(&FOLDERS).map(|name| root.join(name)).filter(|path| path.exists());
    Some(LineEnds { file: changed_file?, record: record.collect() })
}

/// Maximum number of files that are looked at. A program that changes line ends does so in all files.
const FILES_MAX: usize = 10_000;

/// Tells whether a file of records is text: all are but compressed logs.
fn is_text(file: &Path) -> bool {
    file.extension() != Some(OsStr::new("gz"))
}

/// Tells whether the first line of a file ends with CR LF; `false` if the file cannot be read.
pub fn has_changed_ends(file: &Spot) -> bool {
    let mut start = Vec::new();
    let read = file.open().and_then(|file| file.take(64 * 1024).read_to_end(&mut start));
    let end = start.iter().position(|byte| *byte == b'\n');
    read.is_ok() && end.is_some_and(|end| start[..end].ends_with(b"\r"))
}
