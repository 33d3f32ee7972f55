//! Faults, the mistakes of bots: one fixed list for the record, the rules and the standings.
//!
//! A fault is a value, never an error of the referee.

use std::fmt;

/// A bot's mistake in a turn: the reason why an answer does not count, or not in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No complete line arrived within the limit.
    Late,
    /// The program ended by itself, with this exit status.
    Exited(i32),
    /// A signal ended the program.
    Crashed(i32),
    /// The program runs, but has closed its standard output.
    Closed,
    /// The program does not read: its question could not be sent.
    Deaf,
    /// A line arrived before its question.
    Early,
    /// A superfluous line arrived: it answers no question.
    Extra,
    /// The line is longer than 64 KiB.
    TooLong,
    /// The line does not have the shape of an answer.
    Malformed(Malformed),
    /// The answer has the right shape, but all or part of it is not allowed in this position.
    Illegal(Illegal),
    /// A resource limit ended the program.
    Resource(Resource),
    /// The program could not be started, with the reason.
    StartFailed(String),
}

impl Fault {
    /// Returns the fault's place in the list.
    #[inline]
    pub fn kind(&self) -> FaultKind {
        match self {
            Fault::Late => FaultKind::Late,
            Fault::Exited(_) => FaultKind::Exited,
            Fault::Crashed(_) => FaultKind::Crashed,
            Fault::Closed => FaultKind::Closed,
            Fault::Deaf => FaultKind::Deaf,
            Fault::Early => FaultKind::Early,
            Fault::Extra => FaultKind::Extra,
            Fault::TooLong => FaultKind::TooLong,
            Fault::Malformed(_) => FaultKind::Malformed,
            Fault::Illegal(_) => FaultKind::Illegal,
            Fault::Resource(_) => FaultKind::Resource,
            Fault::StartFailed(_) => FaultKind::StartFailed,
        }
    }

    /// Writes the details in addition to the kind, if there are any: a status, a signal, a reason.
    pub fn write_detail(&self, out: &mut impl fmt::Write) -> fmt::Result {
        match self {
            Fault::Exited(status) => write!(out, "status {status}"),
            Fault::Crashed(signal) => write!(out, "signal {signal}"),
            Fault::Malformed(malformed) => write!(out, "{malformed}"),
            Fault::Illegal(illegal) => write!(out, "{illegal}"),
            Fault::Resource(resource) => out.write_str(resource.name()),
            Fault::StartFailed(why) => out.write_str(why),
            _ => Ok(()),
        }
    }

    /// Returns the fault with this kind and detail, or `None` if no such fault writes that detail.
    pub fn from_parts(kind: FaultKind, detail: &str) -> Option<Fault> {
        let fault = match kind {
            FaultKind::Late => Fault::Late,
            FaultKind::Exited => Fault::Exited(detail.strip_prefix("status ")?.parse().ok()?),
            FaultKind::Crashed => Fault::Crashed(detail.strip_prefix("signal ")?.parse().ok()?),
            FaultKind::Closed => Fault::Closed,
            FaultKind::Deaf => Fault::Deaf,
            FaultKind::Early => Fault::Early,
            FaultKind::Extra => Fault::Extra,
            FaultKind::TooLong => Fault::TooLong,
            FaultKind::Malformed => Fault::Malformed(Malformed::new(detail)),
            FaultKind::Resource => Fault::Resource(Resource::from_name(detail)?),
            FaultKind::StartFailed => Fault::StartFailed(detail.to_owned()),
            FaultKind::Illegal => return None, // only the rules say so
        };
        Some(fault)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind().name())?;
        match self {
            Fault::Exited(_)
            | Fault::Crashed(_)
            | Fault::Malformed(_)
            | Fault::Illegal(_)
            | Fault::Resource(_)
            | Fault::StartFailed(_) => {
                f.write_str(": ")?;
                self.write_detail(f)
            }
            _ => Ok(()),
        }
    }
}

/// A resource whose limit ended a program, according to the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Processor time.
    Cpu,
    /// The length of a file.
    File,
    /// Memory.
    Memory,
}

impl Resource {
    /// All resources.
    pub const ALL: [Resource; 3] = [Resource::Cpu, Resource::File, Resource::Memory];

    /// Returns its word in the record.
    #[inline]
    pub const fn name(self) -> &'static str {
        match self {
            Resource::Cpu => "cpu",
            Resource::File => "file",
            Resource::Memory => "memory",
        }
    }

    /// Returns the resource with this name.
    pub fn from_name(name: &str) -> Option<Resource> {
        Resource::ALL.into_iter().find(|resource| resource.name() == name)
    }
}

/// A fault without its details: the word in the record, the column in the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is the Fault of the same name")]
pub enum FaultKind {
    Late,
    Exited,
    Crashed,
    Closed,
    Deaf,
    Early,
    Extra,
    TooLong,
    Malformed,
    Illegal,
    Resource,
    StartFailed,
}

impl FaultKind {
    /// The list, in the order of the columns of the results.
    pub const ALL: [FaultKind; 12] = [
        FaultKind::Late,
        FaultKind::Exited,
        FaultKind::Crashed,
        FaultKind::Closed,
        FaultKind::Deaf,
        FaultKind::Early,
        FaultKind::Extra,
        FaultKind::TooLong,
        FaultKind::Malformed,
        FaultKind::Illegal,
        FaultKind::Resource,
        FaultKind::StartFailed,
    ];

    /// Returns its word in every file and table.
    #[inline]
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::Late => "late",
            FaultKind::Exited => "exited",
            FaultKind::Crashed => "crashed",
            FaultKind::Closed => "closed",
            FaultKind::Deaf => "deaf",
            FaultKind::Early => "early",
            FaultKind::Extra => "extra",
            FaultKind::TooLong => "too_long",
            FaultKind::Malformed => "malformed",
            FaultKind::Illegal => "illegal",
            FaultKind::Resource => "resource",
            FaultKind::StartFailed => "start_failed",
        }
    }

    /// Returns whether no answer arrived (silence), for any reason.
    pub const fn is_silence(self) -> bool {
        matches!(self, FaultKind::Late | FaultKind::Deaf) || self.is_end()
    }

    /// Returns whether an answer arrived with wrong content. A superfluous line (`early`, `extra`) is neither
    /// this nor silence.
    pub const fn is_bad_content(self) -> bool {
        matches!(self, FaultKind::TooLong | FaultKind::Malformed | FaultKind::Illegal)
    }

    /// Returns whether no answer can arrive for the rest of the game: the program has ended, or has closed
    /// its output.
    pub const fn is_end(self) -> bool {
        use FaultKind::{Closed, Crashed, Exited, Resource, StartFailed};
        matches!(self, Exited | Crashed | Closed | Resource | StartFailed)
    }

    /// Returns the kind with this name.
    pub fn from_name(name: &str) -> Option<FaultKind> {
        FaultKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The reason why a line does not have the shape of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(String);

impl Malformed {
    /// Returns the reason with this text.
    pub fn new(why: impl Into<String>) -> Malformed {
        Malformed(why.into())
    }

    /// Returns the reason that the number of integers is wrong.
    pub fn count(expected: usize, found: usize) -> Malformed {
        Malformed(format!("{found} integers instead of {expected}"))
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

/// The illegal parts of an answer in a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegal {
    /// Number of illegal parts, such as orders to players.
    pub count: u32,
    /// Number of parts of the answer.
    pub of: u32,
    /// The first illegal part, and its mistake.
    pub first: String,
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}: {}", self.count, self.of, self.first)
    }
}

impl std::error::Error for Illegal {}
