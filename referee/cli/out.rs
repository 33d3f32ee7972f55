//! Standard output: all results are written here. A full disk must not leave a table that looks complete, so the
//! first failure is kept and `finish` makes it the program's failure.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Effects};
use referee_record::text;

use crate::progress;

/// Why standard output could not be written to, the first time.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Standard output. A failure is kept for `finish`, and later output is dropped.
#[derive(Clone, Copy, Debug)]
pub struct Out;

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        checked(progress::beside(true, || io::stdout().write_all(bytes)));
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
pub fn say(text: impl fmt::Display) {
    // As one piece: a line is never cut between its text and its end.
    let _ = Out.write_all(format!("{}\n", text::visible(&text.to_string())).as_bytes());
}

/// As [`say`], for text that is harmless already and can have colours.
pub fn say_as_it_is(text: impl fmt::Display) {
    let _ = Out.write_all(format!("{text}\n").as_bytes());
}

/// The amount of notes on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Talk {
    /// Only errors.
    Quiet,
    /// Also notes for users.
    Usual,
    /// Also details of how the program came to its results.
    More,
}

static TALK: AtomicU8 = AtomicU8::new(Talk::Usual as u8);

/// Sets the amount of notes on standard error.
pub fn talk(talk: Talk) {
    TALK.store(talk as u8, Ordering::Relaxed);
}

/// Says something on standard error, beside the result. If that cannot be written to, the text is lost.
pub fn note(text: impl fmt::Display) {
    note_at(Talk::Usual, text);
}

/// As [`note`], but only with `--verbose`.
pub fn detail(text: impl fmt::Display) {
    note_at(Talk::More, text);
}

fn note_at(talk: Talk, text: impl fmt::Display) {
    if is_said(talk) {
        let line = format!("{}\n", text::visible(&text.to_string()));
        let _ = progress::beside(false, || io::stderr().write_all(line.as_bytes()));
    }
}

/// Tells whether notes of this kind are printed.
pub(super) fn is_said(talk: Talk) -> bool {
    TALK.load(Ordering::Relaxed) >= talk as u8
}

/// Prints an error on standard error, in the form of clap's errors.
pub fn complain(text: impl fmt::Display) {
    let style = AnsiColor::Red.on_default().effects(Effects::BOLD);
    let error = match has_colours(&io::stderr()) {
        true => format!("{style}error:{style:#}"),
        false => "error:".to_owned(),
    };
    let line = format!("{error} {}\n", text::visible(&text.to_string()));
    let _ = progress::beside(false, || io::stderr().write_all(line.as_bytes()));
}

/// Tells whether standard output has colours: see `NO_COLOR`, `CLICOLOR` and `CLICOLOR_FORCE`.
pub fn is_coloured() -> bool {
    has_colours(&io::stdout())
}

fn has_colours(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// Returns the number of columns of standard output: 80 if it is no terminal, or one that does not report its size.
pub fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stdout());
    size.ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(80)
}

/// Tells whether output is lost, so that a long text need not be written to its end.
pub(super) fn is_lost() -> bool {
    LOST.get().is_some()
}

/// Tells whether standard output is a terminal.
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Writes the buffered output. Returns the first error of all output. It is no error if a reader, such as `head`,
/// has closed its pipe: it wanted no more.
pub(super) fn finish() -> Result<(), &'static io::Error> {
    let _ = Out.flush();
    LOST.get().filter(|error| !has_had_enough(error)).map_or(Ok(()), Err)
}

/// Tells whether output failed since its reader closed the pipe.
pub(super) fn has_had_enough(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}
