//! What another program has done to records as it copied them, without a word. It is found before anybody is accused.

use std::ffi::OsStr;
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::beneath::Spot;
use crate::walk;
use referee_record::error::Error;

/// A file of records whose line ends are CR LF. No referee writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEnds {
    /// The file.
    pub file: PathBuf,
    /// The folder that was copied with it.
    root: PathBuf,
}

impl fmt::Display for LineEnds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LineEnds { file, root } = self;
        let (file, root) = (file.display(), root.display());
        write!(
            f,
            "{file}: its line ends are CR LF: a program has changed them, such as git with core.autocrlf, or a \
             spreadsheet. Copy {root} again as it is, or change them back: find {root} -name store -prune -o -type f \
             ! -name '*.gz' -exec sed -i 's/\\r$//' {{}} +"
        )
    }
}

/// Looks for changed line ends in a folder of games, a hill or a tournament, or in a single file.
pub fn line_ends(root: &Path) -> Option<LineEnds> {
    if root.is_file() {
        let folder = root.parent().unwrap_or(Path::new("."));
        return has_changed_ends(&Spot::from(root))
            .then(|| LineEnds { file: root.to_owned(), root: folder.into() });
    }
    let mut left = LOOKED_AT_MAX;
    let mut found = None;
    let mut look = |path: &Path| {
        left -= 1;
        if has_changed_ends(&Spot::within(root, path)) {
            found = Some(LineEnds { file: path.to_owned(), root: root.to_owned() });
        }
        // An error ends the walk.
        if found.is_some() || left == 0 { Err(Error::input("enough")) } else { Ok(()) }
    };
    let mut tables = walk::names(&Spot::from(root)).unwrap_or_default();
    tables.retain(|name| name.ends_with(".csv") || name == "plan.toml");
    let _ = tables.iter().try_for_each(|name| look(&root.join(name))).and_then(|()| {
        ["records", "proof", "logs", "rounds"].iter().try_for_each(|folder| {
            walk::each_file(&Spot::below(root, folder), |entry| {
                let is_text = !entry.is_link && entry.path.extension() != Some(OsStr::new("gz"));
                if is_text { look(&entry.path) } else { Ok(()) }
            })
        })
    });
    found
}

/// Maximum number of files that are looked at. A program that changes line ends changes those of all.
const LOOKED_AT_MAX: usize = 10_000;

/// Tells whether the first line of a file ends with CR LF. What cannot be read does not.
pub fn has_changed_ends(file: &Spot) -> bool {
    let mut start = Vec::new();
    let read = file.open().and_then(|file| file.take(64 * 1024).read_to_end(&mut start));
    let end = start.iter().position(|byte| *byte == b'\n');
    read.is_ok() && end.is_some_and(|end| start[..end].ends_with(b"\r"))
}
