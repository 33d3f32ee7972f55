//! Runs commands of a document in a shell, and compares their output with the document.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{REFEREE, Ran};

use super::document::Block;

/// Runs commands in a folder, with `referee` being the real program.
pub(super) fn run(folder: &Path, commands: &str) -> Ran {
    let program = Path::new(&*REFEREE).parent().expect("a folder").to_owned();
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([program].into_iter().chain(std::env::split_paths(&inherited)));
    let mut shell = Command::new("sh");
    shell.args(["-ec", commands]).current_dir(folder).env("PATH", path.expect("folders"));
    // As a user who has just come: nothing is in the home folder. Rust's tools are found where they are.
    let home = tempfile::tempdir().expect("a folder");
    let own = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    for (name, folder) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
        shell.env(name, std::env::var_os(name).unwrap_or_else(|| own.join(folder).into()));
    }
    shell.env("HOME", home.path()).env_remove("REFEREE_TOKEN").env_remove("REFEREE_DATA");
    Ran::new(commands.to_owned(), &shell.output().expect("sh"))
}

/// Compares printed rows with the document: all rows, in order. `...` stands for anything within a row, and
/// alone for any number of rows.
pub(super) fn compare(block: &Block, printed: &str) {
    let mut rows = printed.lines();
    let mut skip = false;
    for (due, line) in block.text.lines().zip(block.line + 1..) {
        if due == "..." {
            skip = true;
            continue;
        }
        let found = if skip { rows.find(|row| matches(row, due)) } else { rows.next() };
        assert!(found.is_some_and(|row| matches(row, due)), "line {line}: found {found:?} in\n{printed}");
        skip = false;
    }
    assert!(skip || rows.next().is_none(), "line {}: there is more:\n{printed}", block.line);
}

fn matches(row: &str, due: &str) -> bool {
    let mut parts = due.split("...");
    let Some(mut rest) = row.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    for part in parts {
        let Some(at) = (if part.is_empty() { Some(rest.len()) } else { rest.find(part) }) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}
