//! Records of games: the log of a game and its rows in the results. Writes them and reads them. [`play`] plays a game
//! and records it, and plays a recorded game again.
//!
//! [`row_kind`] and [`schema`] define each column once, for writer, reader and documents. [`read`] reads a log, [`log`]
//! writes one, [`results`] reads and writes the rows of many games. This crate knows games by the trait [`Game`] alone,
//! and neither tables, clocks nor files: it reads [`contents`] and writes to a [`Sink`](log::Sink).
//!
//! Start reading with [`Heading`] and [`Page`], the recorded parts of a game.
//!
//! A log that lies in memory, and a text that is none:
//!
//! ```
//! use referee_record::contents::Contents;
//! use referee_record::read::LogReader;
//! use referee_record::row_kind::{LogColumn, RowKind};
//!
//! let rows = "format,,,referee-log,,,,5,whole_us\ngame,,,push,,,,2,final\nseed,,,,,,,,7\n";
//! let text = format!("{}\n{rows}answer,0,0,ok,12,,,4 1,\n", LogColumn::header());
//! let (mut reader, heading) = LogReader::open(Contents::of_bytes("final.csv", text.into()))?;
//! assert_eq!((&*heading.game, &*heading.rules, heading.version), ("final", "push", 2));
//! assert_eq!(reader.peek()?.and_then(|row| row.kind()), Some(RowKind::Answer));
//!
//! let error = LogReader::open(Contents::of_bytes("notes.csv", b"a,b\n".to_vec())).expect_err("no log");
//! assert!(error.to_string().starts_with("notes.csv, line 1: not a log of a game"), "{error}");
//! # Ok::<(), referee_record::error::Error>(())
//! ```

#![forbid(unsafe_code)]

mod answer;
mod cells;
mod columns;
pub mod contents;
pub mod error;
pub mod file;
pub mod forms;
pub mod identity;
mod letters;
pub mod log;
pub mod names;
pub mod note;
pub mod older;
mod order;
mod plain;
pub mod play;
pub mod read;
pub mod results;
pub mod row_kind;
mod rows;
pub mod schema;
mod share;
pub mod standard_error;
mod tally;
pub mod text;
pub mod voids;

use std::fmt;
use std::io;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::Error;
use referee_rules::game::Game;
use referee_rules::{BySeat, Events, Fact, Fault, Outcome, Parameters, Seat, Seed};

pub use answer::{Answer, Dropped};
pub use results::game as game_result;
pub use share::Share;
pub use tally::{Tally, Thinking};

/// A recorder of a game in progress. The turn loop knows no more of records.
pub trait Recorder {
    /// Records a turn in memory: this is called while bots think.
    fn turn(&mut self, page: &Page<'_>);

    /// Records and writes out a turn before the next one is asked, if it is wanted so early; tells whether it was. If
    /// not, [`turn`](Recorder::turn) is called with it.
    fn turn_at_once(&mut self, _page: &Page<'_>) -> Result<bool, Error> {
        Ok(false)
    }

    /// Writes out the recorded turns if there are many. This is called once in each turn, while no bot is asked.
    ///
    /// # Errors
    ///
    /// If they cannot be written, or (in an audit) differ from the record.
    fn flush_if_full(&mut self) -> Result<(), Error>;

    /// Records the end of the game.
    fn end(&mut self, turns: u32, outcome: &Outcome) -> Result<(), Error>;
}

/// One turn of a game, as it is recorded.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The number of the turn.
    pub turn: u32,
    /// The answers of the asked seats, in the order of the seats.
    pub answers: &'a [Answer],
    /// The verdict of each answer: `None` if it is good.
    pub verdicts: &'a [Option<Fault>],
    /// The events of the turn.
    pub events: &'a Events,
}

/// The heading of a log: everything needed to replay the game, and the bots.
#[derive(Clone, Debug, PartialEq)]
pub struct Heading {
    /// The game's name among the games of its hill or folder.
    pub game: String,
    /// The rules' name.
    pub rules: String,
    /// The rules' version.
    pub version: u32,
    /// The parameters in the game's order, as text.
    pub parameters: Vec<(String, String)>,
    /// The random seed.
    pub seed: Seed,
    /// The bot of each seat.
    pub bots: BySeat<BotName>,
    /// The arguments of each bot, as [`identity::shown`] writes them.
    pub arguments: BySeat<String>,
    /// Random positions before the first turn that no draw records.
    pub start: Vec<Laid>,
}

/// A thing with a random position before the first turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Laid {
    /// Its kind: `player`, for example.
    pub thing: String,
    /// The seat that owns it, if there is one.
    pub seat: Option<Seat>,
    /// Its place.
    pub value: i64,
}

impl Laid {
    /// Returns all random positions of a game that has just begun.
    pub fn all(game: &dyn Game) -> Vec<Laid> {
        let mut all = Vec::new();
        game.describe_start(&mut |Fact { thing, seat, value, .. }| {
            all.push(Laid { thing: thing.to_string(), seat, value });
        });
        all
    }
}

impl Heading {
    /// Describes a game that is about to begin.
    pub fn new(id: &str, game: &dyn Game, parameters: &Parameters, bots: BySeat<BotName>) -> Heading {
        Heading {
            game: id.to_owned(),
            rules: game.info().name.to_owned(),
            version: game.info().version,
            parameters: parameters.iter().map(|(name, value)| (name.to_owned(), value.to_string())).collect(),
            seed: game.seed(),
            arguments: bots.iter().map(|_| String::new()).collect(),
            start: Laid::all(game),
            bots,
        }
    }

    /// Adds the arguments of each bot.
    #[must_use]
    pub fn with_arguments(self, arguments: BySeat<String>) -> Heading {
        Heading { arguments, ..self }
    }
}

/// A bot in a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotName {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// Number of the program among those submitted under this name.
    pub version: u32,
    /// Its identity, as [`identity::bot_digest`] computes it: without arguments the SHA-256 of its program.
    pub digest: Digest,
}

/// A SHA-256, written as 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(String);

impl TryFrom<String> for Digest {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Digest, Self::Error> {
        Digest::parse(&text).ok_or("no SHA-256")
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.0
    }
}

impl Digest {
    /// Returns the digest of some bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest::finish(Sha256::new_with_prefix(bytes))
    }

    /// Returns the digest of some texts, one after the other.
    pub(crate) fn of_parts<'a>(parts: impl IntoIterator<Item = &'a str>) -> Digest {
        let mut hasher = Sha256::new();
        parts.into_iter().for_each(|part| hasher.update(part));
        Digest::finish(hasher)
    }

    /// Returns its first 12 digits: enough for people to tell it from others.
    pub fn short(&self) -> &str {
        let text = self.as_str();
        text.get(..12).unwrap_or(text)
    }

    /// Returns the digest of everything in a reader.
    pub fn of_reader(mut bytes: impl io::Read) -> io::Result<Digest> {
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match bytes.read(&mut buffer)? {
                0 => return Ok(Digest::finish(hasher)),
                count => hasher.update(&buffer[..count]),
            }
        }
    }

    /// Reads a digest from 64 hexadecimal digits in lower case; `None` if the text is something else.
    pub fn parse(text: &str) -> Option<Digest> {
        let digits =
            text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        digits.then(|| Digest(text.to_owned()))
    }

    /// Returns the digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns an empty text instead of a digest, for a row that has yet to be filled in.
    pub fn blank() -> Digest {
        Digest(String::new())
    }

    /// Returns its 32 bytes: half as long as the digits, and in one piece.
    ///
    /// ```
    /// use referee_record::Digest;
    ///
    /// let digest = Digest::of(b"");
    /// assert_eq!(digest.bytes()[..4], [0xe3, 0xb0, 0xc4, 0x42]);
    /// assert!(digest.as_str().starts_with("e3b0c442"));
    /// ```
    pub fn bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        let value = |digit: u8| if digit < b'a' { digit - b'0' } else { digit - b'a' + 10 };
        for (byte, digits) in bytes.iter_mut().zip(self.0.as_bytes().as_chunks::<2>().0) {
            *byte = value(digits[0]) << 4 | value(digits[1]);
        }
        bytes
    }

    fn finish(hasher: Sha256) -> Digest {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut digits = Vec::with_capacity(64);
        for byte in hasher.finalize() {
            digits.extend_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 0xf)]]);
        }
        Digest(String::from_utf8(digits).expect("digits"))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
