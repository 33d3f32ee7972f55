//! The audit of a log: plays the game again from the log alone, through the same writer, and compares byte for byte.
//! It imports neither processes nor the clock.

mod times;

use std::cell::{Cell, RefCell};
use std::io::{self, BufRead, Read};
use std::path::PathBuf;

use crate::Answer;
use crate::contents::{Contents, Input};
use crate::error::{Error, ErrorKind};
use crate::file::ROW_MAX;
use crate::log::{GameLog, Sink};
use crate::play::play;
use crate::play::table::{Question, Table, TableError};
use crate::read::LogReader;
use crate::{Digest, Heading, Laid, Page, Recorder, Tally};
use referee_rules::{Outcome, Seat};

use self::times::Times;
use crate::play::replay::{game_of, read_answers};

/// The content of a log that agrees with the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditedLog {
    /// The heading of the log.
    pub heading: Heading,
    /// How the game ended.
    pub outcome: Outcome,
    /// Number of turns.
    pub turns: u32,
    /// Faults and times by seat.
    pub tally: Tally,
    /// The digest of the whole log.
    pub digest: Digest,
}

/// Plays a logged game again, and compares. The log is handed in twice, since it is read twice at the same time.
///
/// # Errors
///
/// Names the first line that does not follow from the rules, the seed and the answers, and the line that does.
pub fn audit_log([log, copy]: [Contents; 2]) -> Result<AuditedLog, Error> {
    let path = log.name().to_owned();
    let (reader, heading) = LogReader::open(log)?;
    let mut game = game_of(&path, &heading)?;
    let expected = Heading { start: Laid::all(&*game), ..heading.clone() };
    let findings = Findings::default();
    let writer = GameLog::begin(&expected, FileComparison::with(copy));
    let mut recorder = AuditRecorder { writer, findings: &findings };
    let times = Times::new(game.info());
    let mut table =
        LogTable { reader, asked: Vec::new(), turn: 0, trouble: None, times, findings: &findings };
    let outcome = match play(&mut *game, &mut table, &mut recorder) {
        Ok(outcome) => outcome,
        Err(stopped) if stopped.kind() == ErrorKind::Stopped => {
            if let Some(difference) = findings.difference.take() {
                return Err(difference);
            }
            // The heading comes before the row that does not fit. One of its rows may be the first wrong one.
            recorder.writer.flush()?;
            return Err(table.trouble.expect("a replayed table stops for no other reason"));
        }
        Err(error) => return Err(error),
    };
    let (comparison, digest, tally) = recorder.writer.finish();
    comparison.end()?;
    Ok(AuditedLog { heading, outcome, turns: game.turn(), tally, digest })
}

/// What the recorder of an audit tells its table.
#[derive(Default)]
struct Findings {
    /// The first difference, if there is one.
    difference: RefCell<Option<Error>>,
    /// Number of events of the last turn.
    events: Cell<usize>,
}

/// Compares each turn before the next one is read: what follows the first wrong row is never read, however long it is.
struct AuditRecorder<'a> {
    writer: GameLog<FileComparison>,
    findings: &'a Findings,
}

impl Recorder for AuditRecorder<'_> {
    fn turn(&mut self, page: &Page<'_>) {
        self.writer.turn(page);
        self.findings.events.set(page.events.len());
        if let Err(difference) = self.writer.flush() {
            *self.findings.difference.borrow_mut() = Some(difference);
        }
    }

    fn flush_if_full(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn end(&mut self, turns: u32, outcome: &Outcome) -> Result<(), Error> {
        match self.findings.difference.take() {
            Some(difference) => Err(difference),
            None => self.writer.end(turns, outcome),
        }
    }
}

/// A table whose answers come from a log. It checks that their times are possible.
struct LogTable<'a> {
    reader: LogReader,
    asked: Vec<Seat>,
    turn: u32,
    /// Why it has stopped, unless the recorder has found a difference.
    trouble: Option<Error>,
    times: Times,
    findings: &'a Findings,
}

impl Table for LogTable<'_> {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        self.asked.clear();
        self.asked.extend(questions.iter().map(|question| question.seat));
        Ok(())
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        let LogTable { reader, asked, turn, times, findings, .. } = self;
        if findings.difference.borrow().is_some() {
            return Err(TableError::Stopped);
        }
        reader.allow_events(findings.events.get());
        let read = read_answers(reader, *turn, asked, answers, |answer| times.check(answer));
        self.turn += 1;
        read.map_err(|error| {
            self.trouble = Some(error);
            TableError::Stopped
        })
    }

    fn reads_lines(&self) -> bool {
        false
    }
}

/// Compares the output of the writer with the file. Its bytes are expected in the file.
struct FileComparison {
    path: PathBuf,
    file: Box<dyn Input>,
    /// The line that comes next, from 1.
    line: u64,
}

impl FileComparison {
    fn with(log: Contents) -> FileComparison {
        let (path, file) = log.into_parts();
        FileComparison { path, file, line: 1 }
    }

    /// Returns the error about the first wrong line. `equal` bytes of `expected` were found in the file, and read.
    fn first_difference(&mut self, expected: &[u8], equal: usize) -> Result<Error, Error> {
        let start =
            expected[..equal].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let line = self.line + newlines(&expected[..start]);
        let mut found = expected[start..equal].to_vec();
        let read = self.file.by_ref().take(ROW_MAX).read_until(b'\n', &mut found);
        read.map_err(Error::system(&self.path, "read the log"))?;
        // The last line of a compressed log that is cut off may be the beginning of the one that is due.
        let is_beginning = !found.is_empty() && expected[start..].starts_with(&found);
        if is_beginning && !found.ends_with(b"\n") && self.file.is_cut_off() {
            return Ok(Error::line(&self.path, line, "the file ends early, within this row; copy it again"));
        }
        let expected = expected[start..].split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
        Ok(Error::line(&self.path, line, difference(&found, expected)))
    }

    /// Makes sure that the file ends here.
    fn end(mut self) -> Result<(), Error> {
        let rest = self.file.fill_buf().map_err(Error::system(&self.path, "read the log"))?;
        if !rest.is_empty() {
            let what = "there should be nothing after the digest";
            return Err(Error::line(&self.path, self.line, what));
        }
        if self.file.is_cut_off() {
            return Err(Error::file(&self.path, "the log is complete, but the compressed file is cut off"));
        }
        Ok(())
    }
}

impl Sink for FileComparison {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut equal = 0;
        while equal < bytes.len() {
            let expected = &bytes[equal..];
            let found = match self.file.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.map_err(|error| Error::system(&self.path, "read the log")(error))?,
            };
            let count = found.len().min(expected.len());
            if count == 0 || found[..count] != expected[..count] {
                let equal_here = found.iter().zip(expected).take_while(|(one, other)| one == other).count();
                self.file.consume(equal_here);
                return Err(self.first_difference(bytes, equal + equal_here)?);
            }
            self.file.consume(count);
            equal += count;
        }
        self.line += newlines(bytes);
        Ok(())
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    // In pieces that are short enough to be counted in a byte, which takes a fraction of the time.
    let count_in_piece = |piece: &[u8]| piece.iter().map(|byte| u8::from(*byte == b'\n')).sum::<u8>();
    bytes.chunks(u8::MAX.into()).map(|piece| u64::from(count_in_piece(piece))).sum()
}

/// Describes the difference of a line of a log from the line that is due.
fn difference(found: &[u8], expected: &[u8]) -> String {
    if found.is_empty() {
        return format!("the log ends too early; expected here: {}", shown(expected, 0));
    }
    if expected.starts_with(b"digest,") && found.starts_with(b"digest,") {
        return format!(
            "the digest does not match: this row, or something that the rules do not determine (a time, a \
             name, a fault), was changed after the game; the contents give {}",
            shown(expected, 0)
        );
    }
    let first = found.iter().zip(expected).take_while(|(one, other)| one == other).count();
    format!("found {}; the rules say {}", shown(found, first), shown(expected, first))
}

/// Returns a line for people. Of a long one: the part around the first difference.
fn shown(line: &[u8], difference: usize) -> String {
    const BYTES_AROUND: usize = 100;
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let start = difference.saturating_sub(BYTES_AROUND).min(line.len());
    let end = (difference + BYTES_AROUND).min(line.len());
    let before = if start > 0 { "..." } else { "" };
    let after = if end < line.len() { "..." } else { "" };
    format!("`{before}{}{after}`", line[start..end].escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares a file with what is written in parts; returns the message about the first difference.
    fn findings(found: &str, expected: &[&str]) -> Result<(), String> {
        let mut comparison = FileComparison::with(Contents::of_bytes("log", found.into()));
        expected
            .iter()
            .try_for_each(|part| comparison.take(part.as_bytes()))
            .and_then(|()| comparison.end())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_first_line_that_differs_is_named_with_what_is_due() {
        let expected = ["one\ntwo\n", "three\nfour\n"];
        for (found, result) in [
            ("one\ntwo\nthree\nfour\n", Ok(())),
            ("One\ntwo\nthree\nfour\n", Err("log, line 1: found `One`; the rules say `one`")),
            ("one\ntwx\nthree\nfour\n", Err("log, line 2: found `twx`; the rules say `two`")),
            ("one\ntwo\nthree\nfive\n", Err("log, line 4: found `five`; the rules say `four`")),
            ("one\ntwo\nthr", Err("log, line 3: found `thr`; the rules say `three`")),
            ("one\ntwo\n", Err("log, line 3: the log ends too early; expected here: `three`")),
            ("one\ntwo\nthree\nfour\nfive\n", Err("log, line 5: there should be nothing after the digest")),
        ] {
            assert_eq!(findings(found, &expected), result.map_err(str::to_owned), "{found:?}");
        }
        let digest = findings("digest,1\n", &["digest,2\n"]).expect_err("another digest");
        assert!(digest.starts_with("log, line 1: the digest does not match"), "{digest}");
        assert!(digest.ends_with("the contents give `digest,2`"), "{digest}");
    }

    #[test]
    fn of_a_long_line_the_part_around_the_difference_is_shown() {
        let line = |count: usize| [vec![b'a'; count], b"\n".to_vec()].concat();
        let a = |count| "a".repeat(count);
        assert_eq!(shown(&line(3), 0), "`aaa`");
        assert_eq!(shown(&line(200), 100), format!("`{}`", a(200)), "all of it");
        assert_eq!(shown(&line(201), 100), format!("`{}...`", a(200)));
        assert_eq!(shown(&line(201), 101), format!("`...{}`", a(200)));
        assert_eq!(shown(&line(500), 250), format!("`...{}...`", a(200)));
        assert_eq!(shown(b"\x1b\n", 0), r"`\x1b`", "nothing that a terminal would obey");
    }

    #[test]
    fn newlines_are_counted_past_what_a_byte_holds() {
        assert_eq!(newlines(b""), 0);
        assert_eq!(newlines(b"a\nb\n"), 2);
        assert_eq!(newlines(&[b'\n'; 1000]), 1000);
    }
}
