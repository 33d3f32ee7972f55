//! A running judge: requests are written, and the lines of its replies are read, within the judge's own time
//! limit. The last request and the last lines are kept for the case that it fails.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::transcript::Transcript;
use referee_record::text;
use referee_rules::{Fault, Info, Seat, TimeControl};
use referee_table::clock::Moment;
use referee_table::process::dialogue::{Dialogue, LINE_MAX, Output};
use referee_table::process::{Program, Setup};

/// Maximum number of lines of a reply; [`BYTES_MAX`] limits its bytes.
const LINES_MAX: usize = 100_000;
const BYTES_MAX: usize = 16 << 20;

/// How long a judge may take to end after it has closed its output.
const END_MAX: Duration = Duration::from_millis(200);

/// How long nothing must come after a reply.
const SILENCE: Duration = Duration::from_millis(50);

/// How to start a judge, and how to talk to it.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) program: Program,
    pub(crate) patience: Duration,
    pub(crate) setup: Setup,
    pub(crate) transcript: Option<Transcript>,
    /// A judge that was started before it is needed, by [`start_early`](Source::start_early). The first start takes it.
    pub(crate) early: Arc<Mutex<Option<Session>>>,
}

impl Source {
    /// Returns how to start a program without a transcript.
    pub(crate) fn new(program: Program, patience: Duration, setup: Setup) -> Source {
        Source { program, patience, setup, transcript: None, early: Arc::default() }
    }

    /// Starts a judge now, for the first game.
    pub(crate) fn start_early(&self) {
        // An error is ignored: the start tries again, and reports it.
        *self.early.lock().unwrap_or_else(PoisonError::into_inner) = Session::start(self).ok();
    }
}

/// A running judge.
#[derive(Debug)]
pub(crate) struct Session {
    dialogue: Dialogue,
    patience: Duration,
    deadline: Moment,
    lines: usize,
    bytes: usize,
    /// The last request.
    request: Vec<u8>,
    /// The last lines of the reply to it.
    reply: VecDeque<String>,
    transcript: Option<Transcript>,
    /// Time that it has taken for replies.
    reply_time: Duration,
    /// When the last request was put, or the last line read.
    waits_since: Moment,
    /// Whether requests are written in pieces.
    pub(crate) writes_in_pieces: bool,
}

/// Why a judge has failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// Its mistake, with the last line of its standard error.
    pub why: String,
    /// The request that it did not answer as it must: the end of it, if it is long.
    pub request: String,
    /// The last lines of its reply.
    pub reply: Vec<String>,
    /// Its standard error: both ends, if it is long.
    pub errors: Vec<u8>,
}

impl Failure {
    /// Returns a failure without any lines.
    pub(crate) fn new(why: impl Into<String>) -> Failure {
        Failure { why: why.into(), ..Failure::default() }
    }
}

/// Maximum number of characters that are kept of a request, and of a line of a reply.
const KEPT: usize = 400;

/// Maximum number of lines that are kept of a reply.
const LINES_KEPT: usize = 6;

impl Session {
    /// Starts a judge, which has its patience for each of its replies.
    pub(crate) fn start(source: &Source) -> Result<Session, String> {
        if let Some(transcript) = &source.transcript {
            transcript.add('#', b"a judge is started");
        }
        if let Some(early) = source.early.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let (patience, transcript) = (source.patience, source.transcript.clone());
            return Ok(Session { patience, transcript, ..early });
        }
        let patience = source.patience;
        let time = TimeControl { turn_limit: patience, first_limit: patience, bank: None, ponder: false };
        let info =
            Info { name: "judge", version: 0, seats: 1, ring: Vec::new(), block: 1, turns_max: 1, time };
        let dialogue = Dialogue::open(&info, Seat::new(0), &source.program, &source.setup)
            .map_err(|error| error.to_string())?;
        let now = dialogue.now();
        Ok(Session {
            dialogue,
            patience,
            deadline: now,
            lines: 0,
            bytes: 0,
            request: Vec::new(),
            reply: VecDeque::new(),
            transcript: source.transcript.clone(),
            reply_time: Duration::ZERO,
            waits_since: now,
            writes_in_pieces: false,
        })
    }

    /// Puts a request. Its reply begins with the next line.
    pub(crate) fn ask(&mut self, request: &[u8]) {
        self.waits_since = self.dialogue.now();
        self.deadline = self.waits_since + self.patience;
        (self.lines, self.bytes) = (0, 0);
        self.request.clear();
        self.request.extend_from_slice(request);
        self.reply.clear();
        self.write(request);
    }

    /// Writes a text, of a request or for a judge that needs it to finish its reply.
    pub(crate) fn write(&mut self, text: &[u8]) {
        if let Some(transcript) = &self.transcript {
            transcript.add('>', text);
        }
        let piece_length = if self.writes_in_pieces { 3 } else { text.len().max(1) };
        for piece in text.chunks(piece_length) {
            self.dialogue.write(piece);
        }
    }

    /// Waits for the next line of the reply, and returns it.
    pub(crate) fn read_line(&mut self) -> Result<String, String> {
        let line_or_error = self.next_line();
        let now = self.dialogue.now();
        self.reply_time += now - self.waits_since;
        self.waits_since = now;
        let line = line_or_error?;
        if let Some(transcript) = &self.transcript {
            transcript.add('<', line.as_bytes());
        }
        if self.reply.len() == LINES_KEPT {
            self.reply.pop_front();
        }
        self.reply.push_back(line.chars().take(KEPT).collect());
        Ok(line)
    }

    /// Makes sure that the judge says nothing more, by waiting for a moment. A line that comes later is not seen.
    pub(crate) fn expect_silence(&mut self) -> Result<(), String> {
        match self.dialogue.listen(SILENCE) {
            Output::Line(line) => {
                let line = text::harmless(&String::from_utf8_lossy(&line), 80);
                Err(format!("`{line}`: a line after the end of its reply"))
            }
            Output::Part(_) | Output::End(_) => Ok(()),
        }
    }

    fn next_line(&mut self) -> Result<String, String> {
        let left = self.deadline - self.dialogue.now();
        let line = match self.dialogue.listen(left) {
            Output::Line(line) => line,
            Output::Part(part) if part.len() >= LINE_MAX => {
                let start = text::harmless(&String::from_utf8_lossy(&part[..40]), 40);
                return Err(format!("a line of more than {} MiB, which begins `{start}`", LINE_MAX >> 20));
            }
            Output::Part(_) => return Err(format!("no reply within {} ms", self.patience.as_millis())),
            Output::End(_) => {
                return Err(match self.dialogue.end(END_MAX) {
                    Some(Fault::Exited(status)) => format!("it has ended, with status {status}"),
                    Some(fault) => format!("it has ended: {fault}"),
                    None => "it has closed its output".to_owned(),
                });
            }
        };
        if self.dialogue.has_lost() {
            return Err(format!("it wrote more than {} MiB without a request", LINE_MAX >> 20));
        }
        self.lines += 1;
        self.bytes += line.len();
        if self.lines > LINES_MAX || self.bytes > BYTES_MAX {
            return Err(format!("a reply of more than {LINES_MAX} lines or {} MiB", BYTES_MAX >> 20));
        }
        String::from_utf8(line).map_err(|_| "a line that is not text in UTF-8".to_owned())
    }

    /// Returns the time that the judge has taken for its replies so far.
    pub(crate) fn reply_time(&self) -> Duration {
        self.reply_time
    }

    /// Ends a judge that has failed for this reason. Returns the failure with the last lines that were exchanged.
    pub(crate) fn end_with_failure(self, mut why: String) -> Failure {
        let errors = self.dialogue.farewell().to_bytes();
        if let Some(line) = String::from_utf8_lossy(&errors).lines().rfind(|line| !line.trim().is_empty()) {
            why += &format!(" (last line on standard error: {})", text::harmless(line, 200));
        }
        if let Some(transcript) = &self.transcript {
            transcript.add('#', why.as_bytes());
            transcript.add('!', &errors);
        }
        let request = &self.request[self.request.len().saturating_sub(KEPT)..];
        let request = String::from_utf8_lossy(request.trim_ascii_end()).into_owned();
        let reply = self.reply.iter().map(|line| text::harmless(line, KEPT)).collect();
        Failure { why, request, reply, errors }
    }
}
