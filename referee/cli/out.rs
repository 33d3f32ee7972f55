//! Standard output: all results are written here. A full disk must not leave a table that looks complete, so the
//! first failure is kept and `finish` makes it the program's failure.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Effects};
use referee_record::text;

pub use crate::call::Talk;
use crate::call::{self, Stream};
use crate::progress;

/// The first error of a write to standard output of the process.
static FIRST_ERROR: OnceLock<io::Error> = OnceLock::new();

/// Standard output. A failure is kept for `finish`, and later output is dropped.
#[derive(Clone, Copy, Debug)]
pub struct Out;

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !call::capture(Stream::Out, bytes) {
            keep_error(progress::beside(true, || io::stdout().write_all(bytes)));
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        keep_error(io::stdout().flush());
        Ok(())
    }
}

fn keep_error(result: io::Result<()>) {
    if let Err(error) = result {
        let _ = FIRST_ERROR.set(error);
    }
}

/// Says something on standard output: a line, or several.
pub fn say(text: impl fmt::Display) {
    let columns = columns(io::stdout());
    // Written at once, so that no other output comes between the text and its line end.
    let _ = Out.write_all(format!("{}\n", fitted(&text::visible(&text.to_string()), columns)).as_bytes());
}

/// Breaks long lines between words, for a terminal with this number of columns. `None`: there is no terminal, and lines
/// stay as they are. So do lines that begin with a blank. A command stays in one piece, so that it can be copied: from
/// the word `referee` to the end of its line, and whatever is between backticks.
pub fn fitted(text: &str, columns: Option<usize>) -> Cow<'_, str> {
    let is_long = |line: &str, columns: usize| !line.starts_with(' ') && text::width(line) > columns;
    let Some(columns) = columns.filter(|columns| text.lines().any(|line| is_long(line, *columns))) else {
        return Cow::Borrowed(text);
    };
    let mut lines = Vec::new();
    for line in text.split('\n') {
        if !is_long(line, columns) {
            lines.push(line.to_owned());
            continue;
        }
        let mut row = String::new();
        for piece in pieces(line) {
            if !row.is_empty() && text::width(&row) + 1 + text::width(piece.trim_start()) > columns {
                lines.push(std::mem::take(&mut row));
            }
            row += if row.is_empty() { piece.trim_start() } else { piece };
        }
        lines.push(row);
    }
    Cow::Owned(lines.join("\n"))
}

/// Takes a line apart where it can be broken: each piece is a word or a command with the blanks before it.
fn pieces(line: &str) -> Vec<&str> {
    let (mut pieces, mut start, mut in_word, mut is_quoted) = (Vec::new(), 0, false, false);
    for (at, letter) in line.char_indices() {
        if letter == ' ' && !is_quoted && in_word {
            pieces.push(&line[start..at]);
            (start, in_word) = (at, false);
        } else if letter != ' ' && !in_word {
            in_word = true;
            if line[at..].starts_with("referee ") {
                break;
            }
        }
        is_quoted ^= letter == '`';
    }
    pieces.push(&line[start..]);
    pieces
}

/// Returns the number of columns of a stream; `None` if it is no terminal.
fn columns(stream: impl IsTerminal + AsFd) -> Option<usize> {
    (!call::is_kept() && stream.is_terminal()).then(|| progress::columns(stream))
}

/// As [`say`], for text that is harmless already and can have colours.
pub fn say_as_it_is(text: impl fmt::Display) {
    let _ = Out.write_all(format!("{text}\n").as_bytes());
}

/// The amount of notes of the process: there is one standard error, to which notes come from everywhere.
static TALK: AtomicU8 = AtomicU8::new(Talk::Usual as u8);

/// Sets the amount of notes on standard error.
pub fn talk(talk: Talk) {
    if !call::set_talk(talk) {
        TALK.store(talk as u8, Ordering::Relaxed);
    }
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
        let line = format!("{}\n", fitted(&text::visible(&text.to_string()), columns(io::stderr())));
        to_stderr(&line);
    }
}

/// Tells whether notes of this kind are printed.
pub(super) fn is_said(talk: Talk) -> bool {
    call::talk().map_or_else(|| TALK.load(Ordering::Relaxed), |talk| talk as u8) >= talk as u8
}

/// Prints an error on standard error, in the form of clap's errors.
pub fn complain(text: impl fmt::Display) {
    let style = AnsiColor::Red.on_default().effects(Effects::BOLD);
    let error =
        if has_colours(&io::stderr()) { format!("{style}error:{style:#}") } else { "error:".to_owned() };
    // The colours have no columns.
    let text = format!("error: {text}");
    let text = fitted(&text::visible(&text), columns(io::stderr())).into_owned();
    let line = format!("{error}{}\n", text.strip_prefix("error:").unwrap_or(&text));
    to_stderr(&line);
}

/// Prints on standard error. If that cannot be written to, the text is lost.
fn to_stderr(text: &str) {
    if !call::capture(Stream::Err, text.as_bytes()) {
        let _ = progress::beside(false, || io::stderr().write_all(text.as_bytes()));
    }
}

/// Prints the help, the version, or the mistake in the command line.
pub(super) fn print(usage: &clap::Error) -> io::Result<()> {
    if !call::is_kept() {
        return usage.print();
    }
    let stream = if usage.use_stderr() { Stream::Err } else { Stream::Out };
    call::capture(stream, usage.render().to_string().as_bytes());
    Ok(())
}

/// Tells whether standard output has colours: see `NO_COLOR`, `CLICOLOR` and `CLICOLOR_FORCE`.
pub fn is_coloured() -> bool {
    has_colours(&io::stdout())
}

fn has_colours(stream: &impl RawStream) -> bool {
    !call::is_kept() && AutoStream::choice(stream) != ColorChoice::Never
}

/// Returns the number of columns of standard output: 80 if it is no terminal, or one that does not report its size.
pub fn width() -> usize {
    columns(io::stdout()).unwrap_or(80)
}

/// Tells whether output is lost, so that a long text need not be written to its end.
pub(super) fn is_lost() -> bool {
    FIRST_ERROR.get().is_some()
}

/// Tells whether standard output is a terminal.
pub fn is_terminal() -> bool {
    !call::is_kept() && io::stdout().is_terminal()
}

/// Writes the buffered output. Returns the first error of all output. It is no error if a reader, such as `head`,
/// has closed its pipe: it wanted no more.
pub(super) fn finish() -> Result<(), &'static io::Error> {
    let _ = Out.flush();
    match FIRST_ERROR.get() {
        Some(error) if !is_closed_pipe(error) => Err(error),
        _ => Ok(()),
    }
}

/// Tells whether output failed since its reader closed the pipe.
pub(super) fn is_closed_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}
