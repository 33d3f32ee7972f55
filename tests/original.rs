//! The folder of games that the original programs played. It is no part of the project: `REFEREE_DATA` names it.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

/// Returns the folder; if none is named, says so for this test and returns `None`.
pub(crate) fn folder(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("REFEREE_DATA").map(PathBuf::from);
    if folder.is_none() {
        println!("{test} did not run: REFEREE_DATA names no folder with recorded games");
    }
    folder
}

/// Reads a file of JSON, a value a line, compressed or not.
///
/// # Panics
///
/// Panics if it cannot: with the folder named, a missing file is a failure.
pub(crate) fn json_lines(path: &Path) -> Vec<serde_json::Value> {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let compressed = path.extension().is_some_and(|extension| extension == "gz");
    let lines: Box<dyn BufRead> = if compressed {
        Box::new(BufReader::new(GzDecoder::new(file)))
    } else {
        Box::new(BufReader::new(file))
    };
    let value = |line: std::io::Result<String>| serde_json::from_str(&line.unwrap()).unwrap();
    lines.lines().map(value).collect()
}
