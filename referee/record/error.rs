//! Errors: why something could not be done, as one type with a kind, a place and a cause. A bot's mistake is not an
//! error but a [`Fault`](referee_rules::Fault).

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::text;

/// The kind of an error: its cause. It determines the program's exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Wrong input: a word, a setting, a missing file or one in another format.
    Input,
    /// A record is not as it was written, or contradicts the rules.
    Tampered,
    /// A check failed: a bot, or an incomplete record.
    Failed,
    /// Another process is at work on the same folder.
    Busy,
    /// A plan was made with another program or other bots: a retry does not help.
    Mismatch,
    /// Something is not complete yet.
    Incomplete,
    /// The system refused something.
    System,
    /// A game is void, by no bot's mistake.
    Void,
    /// This machine cannot play.
    Unfit,
    /// A failure that can pass: try again later, or on another machine.
    TryAgain,
    /// The referee was asked to stop.
    Stopped,
    /// A defect of the referee.
    Defect,
}

/// An error: why something could not be done.
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    /// The file or folder, and the line in it, from 1.
    place: Option<(PathBuf, Option<u64>)>,
    what: String,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Creates an error of a kind.
    pub fn new(kind: ErrorKind, what: impl Into<String>) -> Error {
        Error(Box::new(Inner { kind, place: None, what: what.into(), cause: None }))
    }

    /// Creates an error of kind [`Input`](ErrorKind::Input) about a word or a setting.
    pub fn input(what: impl Into<String>) -> Error {
        Error::new(ErrorKind::Input, what)
    }

    /// Creates an error from its cause, which is kept: see [`cause`](Error::cause).
    pub fn because(kind: ErrorKind, cause: impl std::error::Error + Send + Sync + 'static) -> Error {
        let what = cause.to_string();
        Error(Box::new(Inner { kind, place: None, what, cause: Some(Box::new(cause)) }))
    }

    /// Returns a function for `map_err` that makes the message `cannot ...` about a file, with the attempted action.
    pub fn system(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Error {
        let place = Some((path.to_owned(), None));
        move |error| {
            if let Some(Refused(what)) = error.get_ref().and_then(|error| error.downcast_ref::<Refused>()) {
                let what = what.clone();
                return Error(Box::new(Inner { kind: ErrorKind::Input, place, what, cause: None }));
            }
            let remedy = match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "; free some space and continue",
                io::ErrorKind::FileTooLarge => {
                    "; the limit of file sizes is too low: raise it (ulimit -f) and continue"
                }
                io::ErrorKind::ReadOnlyFilesystem => "; copy the folder to a disk that can be written to",
                io::ErrorKind::PermissionDenied => {
                    "; this user is not allowed to: change owner or permissions"
                }
                _ => "",
            };
            // Errors of temporary files name a path of their own, which says nothing to the user.
            let reason = match error.get_ref() {
                Some(_) if !remedy.is_empty() => error.kind().to_string(),
                _ => error.to_string(),
            };
            let what = format!("cannot {action}: {reason}{remedy}");
            Error(Box::new(Inner { kind: ErrorKind::System, place, what, cause: Some(Box::new(error)) }))
        }
    }

    /// Creates an error of kind [`Tampered`](ErrorKind::Tampered) about a line of a record, counted from 1.
    pub fn line(path: &Path, line: u64, what: impl Into<String>) -> Error {
        let place = Some((path.to_owned(), Some(line)));
        Error(Box::new(Inner { kind: ErrorKind::Tampered, place, what: what.into(), cause: None }))
    }

    /// Creates an error of kind [`Tampered`](ErrorKind::Tampered) about a whole file of a record.
    pub fn record(path: &Path, what: impl Into<String>) -> Error {
        Error::new(ErrorKind::Tampered, what).at(path)
    }

    /// Creates an error of kind [`Input`](ErrorKind::Input) about a whole file.
    pub fn file(path: &Path, what: impl Into<String>) -> Error {
        Error::new(ErrorKind::Input, what).at(path)
    }

    /// Returns the error with this file as its place.
    #[must_use]
    pub fn at(mut self, path: &Path) -> Error {
        self.0.place = Some((path.to_owned(), None));
        self
    }

    /// Returns the error with another kind if it is about input or a record. Trouble of the machine keeps its kind.
    #[must_use]
    pub fn or(mut self, kind: ErrorKind) -> Error {
        use ErrorKind::{Failed, Incomplete, Input, Mismatch, Tampered};
        if matches!(self.kind(), Failed | Incomplete | Input | Mismatch | Tampered) {
            self.0.kind = kind;
        }
        self
    }

    /// Returns the error with the attempted action in front.
    #[must_use]
    pub fn context(self, what: impl fmt::Display) -> Error {
        let what = format!("{what}: {self}");
        Error(Box::new(Inner { what, place: None, ..*self.0 }))
    }

    /// Returns the error with something more at the end of its message.
    #[must_use]
    pub fn and(mut self, more: impl fmt::Display) -> Error {
        self.0.what = format!("{}{more}", self.0.what);
        self
    }

    /// Returns the kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the file, and the line in it, from 1.
    pub fn place(&self) -> Option<(&Path, Option<u64>)> {
        self.0.place.as_ref().map(|(path, line)| (&**path, *line))
    }

    /// Returns the message without the place.
    pub fn what(&self) -> &str {
        &self.0.what
    }

    /// Returns the cause if it has this type.
    pub fn cause<T: std::error::Error + 'static>(&self) -> Option<&T> {
        self.0.cause.as_ref()?.downcast_ref()
    }

    /// Returns whether the reason is a missing file or folder.
    pub fn is_not_found(&self) -> bool {
        self.cause::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
    }

    /// Returns the exit status of a program that ends with this.
    pub fn exit_code(&self) -> u8 {
        match self.kind() {
            ErrorKind::System if self.is_not_found() => 2,
            ErrorKind::Incomplete | ErrorKind::System | ErrorKind::Void | ErrorKind::Unfit => 1,
            ErrorKind::Input | ErrorKind::Busy => 2,
            ErrorKind::Tampered | ErrorKind::Failed => 3,
            ErrorKind::Defect => 70,
            ErrorKind::TryAgain => 75,
            ErrorKind::Mismatch => 78,
            ErrorKind::Stopped => 130,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.place {
            Some((path, Some(line))) => write!(f, "{}, line {line}: {}", shown(path), shortened(self.what())),
            Some((path, None)) => write!(f, "{}: {}", shown(path), shortened(self.what())),
            None => f.write_str(self.what()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.kind())
    }
}

impl std::error::Error for Error {}

/// The reason why a file of a record is refused. Its text names the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// Wraps a refusal in an [`io::Error`]. [`Error::system`] turns that into an error of kind [`Input`](ErrorKind::Input).
pub fn refused(what: impl Into<String>) -> io::Error {
    io::Error::other(Refused(what.into()))
}

/// Returns a message as one line, harmless to a terminal and of bounded length: much of it is quoted from files of
/// strangers.
fn shortened(what: &str) -> String {
    const CHARACTERS: usize = 600;
    match what.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}...", text::visible_line(&what[..end])),
        None => text::visible_line(what).into_owned(),
    }
}

/// Returns a path as one line, harmless to a terminal.
fn shown(path: &Path) -> String {
    text::visible_line(&path.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_of_strangers_is_short_and_harmless() {
        let path = Path::new("results.csv");
        let long = "\u{1b}[2J".to_owned() + &"x".repeat(100_000);
        for error in [Error::file(path, &*long), Error::line(path, 3, &*long)] {
            let message = error.to_string();
            assert!(
                message.matches('x').count() <= 600 && message.len() < 700,
                "{} characters",
                message.len()
            );
            assert!(!message.contains(char::is_control), "{message:?}");
        }
    }

    #[test]
    fn the_exit_status_follows_from_the_kind_and_a_missing_file_is_wrong_input() {
        let path = Path::new("results.csv");
        let error_of = |kind| Error::system(path, "read it")(io::Error::from(kind));
        let all = [
            (Error::input("no such option"), 2),
            (Error::file(path, "empty"), 2),
            (error_of(io::ErrorKind::NotFound), 2),
            (error_of(io::ErrorKind::PermissionDenied), 1),
            (Error::line(path, 3, "not a number"), 3),
            (Error::new(ErrorKind::Failed, "late"), 3),
            (Error::new(ErrorKind::Busy, "in use"), 2),
            (Error::new(ErrorKind::Mismatch, "another build"), 78),
            (Error::new(ErrorKind::Stopped, "stopped"), 130),
            (Error::new(ErrorKind::Defect, "a defect"), 70),
        ];
        for (error, status) in all {
            assert_eq!(error.exit_code(), status, "{error:?}");
            assert_eq!(error.context("hill run").exit_code(), status, "words in front change nothing");
        }
        assert_eq!(Error::line(path, 3, "x").or(ErrorKind::Input).exit_code(), 2);
        assert_eq!(
            error_of(io::ErrorKind::PermissionDenied).or(ErrorKind::Input).exit_code(),
            1,
            "the system's"
        );
    }

    #[test]
    fn a_place_is_named_and_a_quotation_is_harmless() {
        let error =
            Error::line(Path::new("a\u{1b}/log.csv"), 7, format!("not a name: \u{9b}{}", "x".repeat(9000)));
        let text = error.to_string();
        assert!(text.starts_with(r"a\u{1b}/log.csv, line 7: not a name: \u{9b}xx"), "{text}");
        assert!(text.len() < 700 && text.ends_with("..."), "{}", text.len());
        let temporary = io::Error::new(io::ErrorKind::StorageFull, "full, at path \"/h/.tmp123\"");
        let temporary = Error::system(Path::new("seasons.csv"), "write the file")(temporary).to_string();
        let expected = "seasons.csv: cannot write the file: no storage space; free some space and continue";
        assert_eq!(temporary, expected);
        let limited = Error::system(Path::new("log.csv"), "write the log")(io::Error::from_raw_os_error(27));
        assert!(limited.to_string().ends_with("raise it (ulimit -f) and continue"), "{limited}");
        let full = Error::system(Path::new("log.csv"), "write the log")(io::ErrorKind::StorageFull.into());
        assert!(full.to_string().ends_with("; free some space and continue"), "{full}");
        let read_only =
            Error::system(Path::new("log.csv"), "write the log")(io::ErrorKind::ReadOnlyFilesystem.into());
        assert!(
            read_only.to_string().ends_with("; copy the folder to a disk that can be written to"),
            "{read_only}"
        );
    }
}
