//! Repair: `results.csv` and `voids.csv` are made again from what runners recorded. The old files are kept beside them.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_record::results::Header;
use referee_table::clock;

/// What a repair has found and done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repaired {
    /// The files that have changed, each with the path at which the old one is kept, if there was one.
    pub changed: Vec<(PathBuf, Option<PathBuf>)>,
    /// The games in the old results that no runner has recorded: they are in the kept file alone.
    pub unrecorded: Vec<String>,
    /// Number of games in the results now.
    pub games: usize,
}

/// Renames a file: its new name, which is returned, has the date at the end.
pub(crate) fn set_aside(root: &Path, file: &Spot) -> Result<Spot, Error> {
    let date = clock::date().replace(['-', ':'], "");
    let path_with = |number: u32| {
        let more = if number == 1 { String::new() } else { format!("-{number}") };
        let mut name = file.path().as_os_str().to_owned();
        name.push(format!(".{date}{more}.aside"));
        Spot::within(root, PathBuf::from(name))
    };
    let aside = (1..).map(path_with).find(|aside| !aside.exists()).expect("numbers have no end");
    file.rename(&aside).map_err(Error::system(file.path(), "keep the file aside"))?;
    Ok(aside)
}

/// Lists the games in results, whole or damaged.
pub(crate) fn games_in(results: &Spot) -> BTreeSet<String> {
    let Ok(file) = results.open() else { return BTreeSet::new() };
    let mut lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
    let text = |line: Vec<u8>| String::from_utf8_lossy(&line).into_owned();
    let header = lines.next().and_then(|line| Header::of(&(text(line) + "\n")));
    let header = header.unwrap_or_else(Header::current);
    lines.filter_map(|line| header.game_of(&text(line)).map(str::to_owned)).collect()
}
