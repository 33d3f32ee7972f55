//! The original programs: recorded games that are not part of the project. Names of tests begin with
//! `original`.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use serde_json::Value;

/// Returns the folder that `REFEREE_DATA` names. Without it, prints one line: that the test does not run, and
/// why.
pub(crate) fn folder(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("REFEREE_DATA")
        .filter(|name| !name.is_empty())
        .map(|name| Path::new(referee_testutil::ROOT).join(name));
    if folder.is_none() {
        // Bypasses the harness, which hides the output of passed tests.
        let line = format!("{test}: skipped, no data: REFEREE_DATA names no folder with recorded games\n");
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
    folder
}

/// Reads a file of JSON lines, packed with gzip.
pub(crate) fn json_lines(path: impl AsRef<Path>) -> Vec<Value> {
    let path = path.as_ref();
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = BufReader::new(MultiGzDecoder::new(BufReader::new(file))).lines();
    let read = |line: std::io::Result<String>| {
        line.map_err(|error| error.to_string())
            .and_then(|line| serde_json::from_str(&line).map_err(|error| error.to_string()))
    };
    let numbered = lines.enumerate();
    numbered
        .map(|(number, line)| {
            read(line).unwrap_or_else(|error| panic!("{}, line {}: {error}", path.display(), number + 1))
        })
        .collect()
}
