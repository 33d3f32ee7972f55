//! Standard output: all results are written here. A full disk must not leave a table that looks complete, so the
//! first failure is kept and [`finish`] makes it the program's failure.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

use referee::text;

/// Why standard output could not be written to, the first time.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Standard output. A failure is kept for [`finish`]; what is written after it is dropped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Out;

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        checked(io::stdout().write_all(bytes));
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        checked(io::stdout().flush());
        Ok(())
    }
}

fn checked(written: io::Result<()>) {
    if let Err(error) = written {
        let _ = LOST.set(error);
    }
}

/// Says something on standard output: a line, or several.
pub(super) fn say(text: impl fmt::Display) {
    // As one piece: a line is never cut between its text and its end.
    let _ = Out.write_all(format!("{}\n", text::visible(&text.to_string())).as_bytes());
}

/// Says something on standard error, beside the result. Where that cannot be written to, there is nobody to tell.
pub(super) fn note(text: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{}", text::visible(&text.to_string()));
}

/// Tells whether what is written is lost: a long text need not be made to its end.
pub(super) fn is_lost() -> bool {
    LOST.get().is_some()
}

pub(super) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Writes what is not yet written. Returns why not all of the output could be.
pub(super) fn finish() -> Result<(), &'static io::Error> {
    let _ = Out.flush();
    LOST.get().map_or(Ok(()), Err)
}
