//! Looks at a file and says whether it can be a bot here: a compiled program of this machine, or a script with `#!`.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
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
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(START as u64).read_to_end(&mut start));
    read.map_err(|error| NotAProgram::Unreadable(error.to_string()))?;
    let kind = inspect_start(&start)?;
    if metadata.permissions().mode() & 0o111 == 0 {
        return Err(NotAProgram::NotExecutable);
    }
    Ok(kind)
}

/// How much of a file is looked at: the kernel, too, reads no more of a `#!` line.
const START: usize = 256;

fn inspect_start(start: &[u8]) -> Result<ProgramKind, NotAProgram> {
    if start.is_empty() {
        return Err(NotAProgram::Empty);
    }
    if let Some(line) = start.strip_prefix(b"#!") {
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
        _ => return Err(NotAProgram::Unknown),
    };
    match (machine, here()) {
        (machine, Some(here)) if machine != here => Err(NotAProgram::OtherMachine { machine }),
        _ => Ok(ProgramKind::Compiled),
    }
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
        assert_eq!(inspect_start(b"\x7fELF"), Err(NotAProgram::Unknown));
        assert_eq!(inspect_start(b"print('hello')\n"), Err(NotAProgram::Unknown));
        assert_eq!(inspect_start(&[0; 200]), Err(NotAProgram::Unknown));
        assert_eq!(inspect_start(b"#!/bin/sh\r\n"), Err(NotAProgram::CarriageReturn));
        assert!(matches!(inspect_start(b"#!/no/such/python\n"), Err(NotAProgram::NoInterpreter(_))));
        let script = ProgramKind::Script { interpreter: PathBuf::from("/bin/sh") };
        assert_eq!(inspect_start(b"#! /bin/sh -e\necho"), Ok(script));
    }

    #[test]
    fn this_very_test_is_a_program() {
        let itself = std::env::current_exe().unwrap();
        assert_eq!(inspect(&itself), Ok(ProgramKind::Compiled));
        assert_eq!(inspect(itself.parent().unwrap()), Err(NotAProgram::Directory));
    }
}
