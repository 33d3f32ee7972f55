//! Football by a judge in C, compared with the built-in rules: the same bots, the same bytes.

use std::cell::OnceCell;
use std::process::Command;

use referee_games::catalog::Entry;
use referee_judge::{self as judge, Host};
use referee_table::process::Setup;
use tempfile::TempDir;

use crate::{Outcome, turns};

/// A judge that is compiled and opened when it is needed. It runs on the cores of the thread that needs it first.
#[derive(Default)]
pub(crate) struct CJudge(OnceCell<(TempDir, Entry)>);

impl CJudge {
    /// Microseconds a turn.
    pub(crate) fn play(&self, players: u32, turns: u32) -> Outcome<f64> {
        if self.0.get().is_none() {
            let _ = self.0.set(open()?);
        }
        let (_, entry) = self.0.get().expect("it was just opened");
        turns::play_by(entry, players, turns)
    }
}

fn open() -> Outcome<(TempDir, Entry)> {
    let folder = tempfile::tempdir()?;
    let program = folder.path().join("football");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/judge/football.c");
    // A Rust toolchain needs `cc`, so it is installed.
    let status = Command::new("cc").args(["-O2", "-o"]).arg(&program).arg(source).status()?;
    if !status.success() {
        return Err("cc refuses the judge".into());
    }
    let host = Host::new(Setup::with(env!("CARGO_BIN_EXE_referee")), Vec::new);
    let entry = judge::open(&host, &program).map_err(|error| error.to_string())?;
    Ok((folder, entry))
}
