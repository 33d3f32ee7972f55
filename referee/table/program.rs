//! Looks at a file and says whether it can be a bot here: a compiled program of this machine, or a script with `#!`.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// What a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramKind {
    /// A compiled program for this kind of machine.
    Compiled,
    /// A text whose first line names its interpreter.
    Script {
        /// The interpreter's path.
        interpreter: PathBuf,
    },
}

/// Looks at a file.
///
/// # Errors
///
/// Says why it cannot be started.
pub fn inspect(path: &Path) -> Result<ProgramKind, NotAProgram> {
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => NotAProgram::Missing,
        _ => NotAProgram::Unreadable(error.to_string()),
    })?;
    if metadata.is_dir() {
        return Err(NotAProgram::Directory);
    }
    if !metadata.is_file() {
        return Err(NotAProgram::NotAFile);
    }
    let start = read_start(path, START).map_err(|error| NotAProgram::Unreadable(error.to_string()))?;
    let kind = inspect_start(&start)?;
    if kind == ProgramKind::Compiled && is_cut_off(&start, metadata.len()) {
        return Err(NotAProgram::CutOff);
    }
    if metadata.permissions().mode() & 0o111 == 0 {
        return Err(NotAProgram::NotExecutable);
    }
    Ok(kind)
}

/// Says which shared library a program lacks that has ended with this status before it began, if that is why: the loader
/// of libraries, which runs in its place until then, says so in the first line of standard error.
pub(crate) fn missing_library(status: i32, errors: &[u8]) -> Option<String> {
    let line = errors.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let after = |words: &str| line.split_once(words).map(|(_, rest)| rest);
    match status {
        // As the GNU library says it, and as musl does.
        127 => after(": error while loading shared libraries: ")
            .or_else(|| line.strip_prefix("Error loading shared library "))
            .map(|rest| format!("a shared library is missing: {rest}")),
        1 if line.contains(": version `") && line.contains("' not found (required by ") => {
            after(": ").map(|rest| format!("a shared library is too old: {rest}"))
        }
        _ => None,
    }
}

/// Reads the first bytes of a file. A pipe or a device in its place is not waited for: it reads as empty.
///
/// # Errors
///
/// If it cannot be read.
pub(crate) fn read_start(path: &Path, length: usize) -> io::Result<Vec<u8>> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let mut start = Vec::with_capacity(length);
    if file.metadata()?.is_file() {
        file.take(length as u64).read_to_end(&mut start)?;
    }
    Ok(start)
}

/// How much of a file is looked at: enough for the table of what a compiled program loads.
const START: usize = 4096;

/// The kernel reads no more of a `#!` line.
const SCRIPT_LINE: usize = 256;

fn inspect_start(start: &[u8]) -> Result<ProgramKind, NotAProgram> {
    if start.is_empty() {
        return Err(NotAProgram::Empty);
    }
    if let Some(line) = start.strip_prefix(b"#!") {
        let line = &line[..line.len().min(SCRIPT_LINE)];
        let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        if line.ends_with('\r') {
            return Err(NotAProgram::CarriageReturn);
        }
        let interpreter = PathBuf::from(line.split_whitespace().next().unwrap_or_default());
        return match interpreter.metadata() {
            Ok(_) => Ok(ProgramKind::Script { interpreter }),
            Err(_) => Err(NotAProgram::NoInterpreter(interpreter)),
        };
    }
    if !start.starts_with(b"\x7fELF") {
        return Err(NotAProgram::Unknown);
    }
    let machine = match start {
        [_, _, _, _, _, 1, ..] if start.len() > 19 => u16::from_le_bytes([start[18], start[19]]),
        [_, _, _, _, _, 2, ..] if start.len() > 19 => u16::from_be_bytes([start[18], start[19]]),
        _ => return Err(NotAProgram::CutOff),
    };
    match (machine, here()) {
        (machine, Some(here)) if machine != here => Err(NotAProgram::OtherMachine { machine }),
        _ => Ok(ProgramKind::Compiled),
    }
}

/// Tells whether something that a compiled program of this machine would load lies past the end of its file: an upload
/// that broke off, say.
fn is_cut_off(start: &[u8], length: u64) -> bool {
    // Where the table's place, the size and the number of its entries stand; and in an entry, place and length.
    let wide = start.get(4) == Some(&2);
    let [table, size, count, place, filled] = if wide { [32, 54, 56, 8, 32] } else { [28, 42, 44, 4, 16] };
    let short = |at: usize| -> Option<u64> {
        let bytes = start.get(at..at.checked_add(2)?)?;
        Some(u16::from_ne_bytes(bytes.try_into().ok()?).into())
    };
    let word = |at: usize| -> Option<u64> {
        let bytes = start.get(at..at.checked_add(if wide { 8 } else { 4 })?)?;
        match bytes.len() {
            8 => Some(u64::from_ne_bytes(bytes.try_into().ok()?)),
            _ => Some(u32::from_ne_bytes(bytes.try_into().ok()?).into()),
        }
    };
    let (Some(table), Some(size), Some(count)) = (word(table), short(size), short(count)) else {
        return true;
    };
    if table.saturating_add(size * count) > length {
        return true;
    }
    // An entry that lies further behind is not looked at: whoever builds such a file knows why.
    let mut entries = (0..count).filter_map(|index| usize::try_from(table + index * size).ok());
    entries.any(|entry| {
        let is_loaded = start.get(entry..).is_some_and(|entry| entry.starts_with(&1u32.to_ne_bytes()));
        let end = word(entry + place).zip(word(entry + filled));
        is_loaded && end.is_some_and(|(place, filled)| place.saturating_add(filled) > length)
    })
}

/// Names of machines in ELF files.
const MACHINES: [(u16, &str); 6] =
    [(3, "x86"), (40, "arm"), (62, "x86_64"), (183, "aarch64"), (243, "riscv64"), (22, "s390x")];

fn here() -> Option<u16> {
    MACHINES.iter().find(|(_, name)| *name == std::env::consts::ARCH).map(|(machine, _)| *machine)
}

/// Why a file cannot be a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the texts below say what each is")]
pub enum NotAProgram {
    Missing,
    Unreadable(String),
    Directory,
    NotAFile,
    Empty,
    NotExecutable,
    NoInterpreter(PathBuf),
    CarriageReturn,
    OtherMachine { machine: u16 },
    CutOff,
    Unknown,
}

impl fmt::Display for NotAProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAProgram::Missing => write!(f, "no such file"),
            NotAProgram::Unreadable(why) => write!(f, "cannot be read: {why}"),
            NotAProgram::Directory => write!(f, "a directory; name the program in it"),
            NotAProgram::NotAFile => write!(f, "not a regular file"),
            NotAProgram::Empty => write!(f, "an empty file; build it again"),
            NotAProgram::NotExecutable => write!(f, "not executable; chmod +x it"),
            NotAProgram::NoInterpreter(path) => {
                write!(f, "its first line names an interpreter that is not here: {}", path.display())
            }
            NotAProgram::CarriageReturn => {
                write!(f, "its first line ends with a carriage return (Windows line ends); save it with \\n")
            }
            NotAProgram::OtherMachine { machine } => {
                let name = MACHINES.iter().find(|(number, _)| number == machine).map_or("other", |m| m.1);
                write!(
                    f,
                    "a program for another machine ({name}; this one is {}); build it here",
                    std::env::consts::ARCH
                )
            }
            NotAProgram::CutOff => {
                write!(f, "cut off: the file is shorter than the program in it; build it or copy it again")
            }
            NotAProgram::Unknown => {
                write!(f, "neither a compiled program (ELF) nor a script whose first line begins with #!")
            }
        }
    }
}

impl std::error::Error for NotAProgram {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_started_is_told_apart() {
        let mut other = b"\x7fELF\x02\x01\x01".to_vec();
        other.resize(18, 0);
        other.extend(if here() == Some(183) { [62, 0] } else { [183, 0] });
        assert!(matches!(inspect_start(&other), Err(NotAProgram::OtherMachine { .. })));
        assert_eq!(inspect_start(b""), Err(NotAProgram::Empty));
        assert_eq!(inspect_start(b"\x7fELF"), Err(NotAProgram::CutOff));
        assert_eq!(inspect_start(b"print('hello')\n"), Err(NotAProgram::Unknown));
        assert_eq!(inspect_start(&[0; 200]), Err(NotAProgram::Unknown));
        assert_eq!(inspect_start(b"#!/bin/sh\r\n"), Err(NotAProgram::CarriageReturn));
        assert!(matches!(inspect_start(b"#!/no/such/python\n"), Err(NotAProgram::NoInterpreter(_))));
        let script = ProgramKind::Script { interpreter: PathBuf::from("/bin/sh") };
        assert_eq!(inspect_start(b"#! /bin/sh -e\necho"), Ok(script));
    }

    #[test]
    fn what_the_loader_says_names_the_library_that_is_missing() {
        let gnu = b"/bot/fox: error while loading shared libraries: libgmp.so.10: cannot open shared object file\nmore\n";
        let said =
            Some("a shared library is missing: libgmp.so.10: cannot open shared object file".to_owned());
        assert_eq!(missing_library(127, gnu), said);
        assert_eq!(missing_library(1, gnu), None);
        let musl =
            b"Error loading shared library libgmp.so.10: No such file or directory (needed by /bot/fox)\n";
        assert!(missing_library(127, musl).is_some_and(|said| said.contains("libgmp.so.10")));
        let old = b"/bot/fox: /lib/libc.so.6: version `GLIBC_2.99' not found (required by /bot/fox)\n";
        assert!(
            missing_library(1, old).is_some_and(|said| said.contains("too old: /lib/libc.so.6: version"))
        );
        assert_eq!(missing_library(127, b"sh: 1: gcc: not found\n"), None);
        assert_eq!(missing_library(127, &[b"hello\n", &gnu[..]].concat()), None);
    }

    #[test]
    fn this_very_test_is_a_program_unless_it_is_cut_off() {
        let itself = std::env::current_exe().unwrap();
        assert_eq!(inspect(&itself), Ok(ProgramKind::Compiled));
        let start = read_start(&itself, START).unwrap();
        for length in [40, 64, 100, START, 100_000] {
            assert!(is_cut_off(&start[..length.min(START)], length as u64), "after {length} bytes");
        }
        assert_eq!(inspect(itself.parent().unwrap()), Err(NotAProgram::Directory));
    }
}
