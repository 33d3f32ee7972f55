//! A running judge: requests are written, and the lines of its replies are read, within the judge's own time
//! limit.

use std::time::Duration;

use crate::setup;
use referee_record::text;
use referee_rules::{Fault, Info, Seat, TimeControl};
use referee_table::clock::Moment;
use referee_table::process::Program;
use referee_table::process::dialogue::{Dialogue, Heard, LINE_MAX};

/// Maximum number of lines of a reply; [`BYTES_MAX`] limits its bytes.
const LINES_MAX: usize = 100_000;
const BYTES_MAX: usize = 16 << 20;

/// How long a judge may take to end after it has closed its output.
const END: Duration = Duration::from_millis(200);

/// A running judge.
#[derive(Debug)]
pub(super) struct Session {
    dialogue: Dialogue,
    patience: Duration,
    deadline: Moment,
    lines: usize,
    bytes: usize,
    /// Whether requests are written in pieces.
    pub(super) in_pieces: bool,
}

impl Session {
    /// Starts a judge. `patience` is the time for each of its replies.
    pub(super) fn start(judge: &Program, patience: Duration) -> Result<Session, String> {
        let time = TimeControl { turn_limit: patience, first_limit: patience, bank: None, ponder: false };
        let info =
            Info { name: "judge", version: 0, seats: 1, ring: Vec::new(), block: 1, turns_max: 1, time };
        let dialogue =
            Dialogue::open(&info, Seat::new(0), judge, &setup()?).map_err(|error| error.to_string())?;
        let deadline = dialogue.now();
        Ok(Session { dialogue, patience, deadline, lines: 0, bytes: 0, in_pieces: false })
    }

    /// Puts a request. Its reply begins with the next line.
    pub(super) fn ask(&mut self, request: &[u8]) {
        self.deadline = self.dialogue.now() + self.patience;
        (self.lines, self.bytes) = (0, 0);
        self.go_on(request);
    }

    /// Writes text that the judge needs to finish its reply.
    pub(super) fn go_on(&mut self, text: &[u8]) {
        if !self.in_pieces {
            return self.dialogue.write(text);
        }
        text.chunks(3).for_each(|piece| self.dialogue.write(piece));
    }

    /// Waits for the next line of the reply.
    pub(super) fn line(&mut self) -> Result<String, String> {
        let left = self.deadline - self.dialogue.now();
        let line = match self.dialogue.listen(left) {
            Heard::Line(line) => line,
            Heard::Part(part) if part.len() >= LINE_MAX => {
                let start = text::harmless(&String::from_utf8_lossy(&part[..40]), 40);
                return Err(format!("a line of more than {} MiB, which begins `{start}`", LINE_MAX >> 20));
            }
            Heard::Part(_) => return Err(format!("no reply within {} ms", self.patience.as_millis())),
            Heard::End(_) => {
                return Err(match self.dialogue.end(END) {
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

    /// Ends the judge, and adds the last line of its standard error to the reason.
    pub(super) fn explained(self, why: String) -> String {
        let errors = self.dialogue.farewell().to_bytes();
        let last =
            String::from_utf8_lossy(&errors).lines().rfind(|line| !line.trim().is_empty()).map(str::to_owned);
        match last {
            None => why,
            Some(last) => format!("{why} (last line on standard error: {})", text::harmless(&last, 200)),
        }
    }
}
