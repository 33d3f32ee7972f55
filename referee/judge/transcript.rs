//! The transcript of a game: all lines from and to its judge, for the judge's author.

use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// A file with all lines from and to the judge of one game.
#[derive(Clone, Debug)]
pub struct Transcript(Arc<Mutex<BufWriter<File>>>);

impl Transcript {
    /// Makes a transcript in an empty file.
    pub fn to(file: File) -> Transcript {
        Transcript(Arc::new(Mutex::new(BufWriter::new(file))))
    }

    /// Empties it for another game.
    pub(crate) fn restart(&self, title: &str) {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // It helps the author, and nothing depends on it.
        let _ = out.flush();
        let _ = out.rewind();
        let _ = out.get_ref().set_len(0);
        drop(out);
        self.add('#', title.as_bytes());
    }

    /// Adds lines, each after a mark: `>` for the referee, `<` for the judge, `#` for a note, `!` for standard error.
    pub(crate) fn add(&self, mark: char, lines: &[u8]) {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            let text = String::from_utf8_lossy(line);
            let _ = writeln!(out, "{mark} {}", text.trim_end_matches('\n'));
        }
    }
}
