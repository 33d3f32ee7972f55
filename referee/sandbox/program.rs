//! Checks whether a file can be a bot here: a compiled program for this machine, a script with `#!`, or a
//! module of WebAssembly, which this crate only recognises.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::foreign::foreign;
use crate::runtime_folder::runtime_around;

/// The kind of a program's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramKind {
    /// A compiled program for this kind of machine.
    Compiled,
    /// A text whose first line names its interpreter.
    Script {
        /// The interpreter's path.
        interpreter: PathBuf,
    },
    /// A module of WebAssembly, which is not a program of this machine.
    Module,
}

/// Inspects a file, but not a script's interpreter: [`Interpreters`](crate::Interpreters) checks that.
pub fn inspect(path: &Path) -> Result<ProgramKind, NotAProgram> {
    Ok(Opened::open(path)?.kind())
}

/// The file of a program, opened once: it is checked, copied and started by its descriptor, even if its path
/// changes meanwhile.
#[derive(Debug)]
pub struct Opened {
    file: File,
    look: Look,
    /// The text after `#!`, if it is a script.
    line: Option<FirstLine>,
    is_module: bool,
}

/// The identity and state of a file: each change of its content changes its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    device: u64,
    number: u64,
    length: u64,
    changed: (i64, i64),
}

impl Look {
    /// Inspects an open file.
    pub fn of(file: &File) -> io::Result<Look> {
        Ok(Look::at(&file.metadata()?))
    }

    /// Makes a state from a file's metadata.
    pub fn at(metadata: &Metadata) -> Look {
        let changed = (metadata.ctime(), metadata.ctime_nsec());
        Look { device: metadata.dev(), number: metadata.ino(), length: metadata.len(), changed }
    }

    /// Tells whether both are one file, under any names, and in any states.
    pub fn is_same_file(&self, other: &Look) -> bool {
        (self.device, self.number) == (other.device, other.number)
    }
}

/// The first line of a script, as the system reads it: a path, and the rest as one argument, if there is any.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FirstLine {
    pub(crate) interpreter: PathBuf,
    pub(crate) rest: OsString,
}

impl Opened {
    /// Opens a file and inspects it. A pipe or a device in its place is not waited for.
    pub fn open(path: &Path) -> Result<Opened, NotAProgram> {
        let metadata = fs::metadata(path).map_err(NotAProgram::refused)?;
        if metadata.is_dir() {
            return Err(NotAProgram::Directory);
        }
        if !metadata.is_file() {
            return Err(NotAProgram::NotAFile);
        }
        let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
        let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
        let file = opened.map_err(NotAProgram::refused)?;
        let metadata = file.metadata().map_err(NotAProgram::refused)?;
        if !metadata.is_file() {
            return Err(NotAProgram::NotAFile);
        }
        let start = read_start(&file, START).map_err(|error| NotAProgram::Unreadable(error.to_string()))?;
        if start.starts_with(b"\0asm") {
            return Ok(Opened { look: Look::at(&metadata), file, line: None, is_module: true });
        }
        if !start.starts_with(b"#!")
            && let Some(what) = foreign(&path.file_name().unwrap_or_default().to_string_lossy(), &start)
        {
            return Err(NotAProgram::Foreign(what));
        }
        let line = inspect_start(&start)?;
        if line.is_none() && is_cut_off(&start, metadata.len()) {
            return Err(NotAProgram::CutOff);
        }
        if metadata.permissions().mode() & 0o111 == 0 {
            return Err(NotAProgram::NotExecutable);
        }
        Ok(Opened { look: Look::at(&metadata), file, line, is_module: false })
    }

    /// Returns the open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns its identity and state.
    pub fn look(&self) -> Look {
        self.look
    }

    /// Returns its length when it was opened, in bytes.
    pub fn length(&self) -> u64 {
        self.look.length
    }

    /// Returns the kind of the file.
    pub fn kind(&self) -> ProgramKind {
        match &self.line {
            Some(line) => ProgramKind::Script { interpreter: line.interpreter.clone() },
            None if self.is_module => ProgramKind::Module,
            None => ProgramKind::Compiled,
        }
    }

    /// Tells whether it is a module of WebAssembly.
    pub fn is_module(&self) -> bool {
        self.is_module
    }

    pub(crate) fn first_line(&self) -> Option<&FirstLine> {
        self.line.as_ref()
    }
}

/// Returns which shared library a program lacks, if it ended with this status for that reason. Before a
/// program begins, the loader of libraries reports this in the first line of standard error, `errors`.
pub fn missing_library(status: i32, errors: &[u8]) -> Option<String> {
    let line = errors.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let after = |words: &str| line.split_once(words).map(|(_, rest)| rest);
    match status {
        // The messages of the GNU library, and of musl.
        127 => after(": error while loading shared libraries: ")
            .or_else(|| line.strip_prefix("Error loading shared library "))
            .map(|rest| format!("a shared library is missing: {rest}")),
        1 if line.contains(": version `") && line.contains("' not found (required by ") => {
            after(": ").map(|rest| format!("a shared library is too old: {rest}"))
        }
        _ => None,
    }
}

/// Reads the first bytes of a file, whatever the position of its descriptor.
fn read_start(file: &File, length: usize) -> io::Result<Vec<u8>> {
    let mut start = vec![0; length];
    let mut filled = 0;
    while filled < length {
        match file.read_at(&mut start[filled..], filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    start.truncate(filled);
    Ok(start)
}

/// Reads the first line of an open file; `None` if it is not a script. A line that the system would refuse is an error.
pub(crate) fn first_line_of(file: &File) -> Result<Option<FirstLine>, NotAProgram> {
    let start = read_start(file, START).map_err(|error| NotAProgram::Unreadable(error.to_string()))?;
    inspect_start(&start)
}

/// Length of the part of a file that is inspected: enough for the table of what a compiled program loads.
const START: usize = 4096;

/// Maximum length of a `#!` line that the kernel reads.
const SCRIPT_LINE: usize = 256;

/// Recognises a file by its first bytes. Returns the first line of a script, or `None` for a program for this machine.
fn inspect_start(start: &[u8]) -> Result<Option<FirstLine>, NotAProgram> {
    if start.is_empty() {
        return Err(NotAProgram::Empty);
    }
    if let Some(line) = start.strip_prefix(b"#!") {
        return first_line(line).map(Some);
    }
    if start.starts_with(b"\xef\xbb\xbf") {
        return Err(NotAProgram::ByteOrderMark);
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
        _ => Ok(None),
    }
}

/// Reads the text after `#!`.
fn first_line(rest: &[u8]) -> Result<FirstLine, NotAProgram> {
    let read = &rest[..rest.len().min(SCRIPT_LINE - 2)];
    let line = read.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if line.len() == read.len() && rest.len() > read.len() {
        return Err(NotAProgram::LongLine);
    }
    if line.ends_with(b"\r") {
        return Err(NotAProgram::CarriageReturn);
    }
    // For the system a zero byte ends the line, for other readers of the file it does not.
    if line.contains(&0) {
        return Err(NotAProgram::Unknown);
    }
    let line = line.trim_ascii();
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    let [interpreter, rest] = [&line[..end], line[end..].trim_ascii()].map(OsStr::from_bytes);
    Ok(FirstLine { interpreter: interpreter.into(), rest: rest.into() })
}

/// Tells whether something that a compiled program of this machine would load is past the end of its file,
/// such as after an interrupted upload.
fn is_cut_off(start: &[u8], length: u64) -> bool {
    let Some((table_end, segments)) = segments(start) else { return true };
    let is_past = |segment: &Segment| segment.place.saturating_add(segment.length) > length;
    table_end > length || segments.iter().any(|segment| segment.kind == LOADED && is_past(segment))
}

/// Returns the loader that an open compiled program names, if it names one.
pub(crate) fn loader_of(file: BorrowedFd<'_>) -> Option<PathBuf> {
    let mut start = vec![0; START];
    let filled = rustix::io::pread(file, &mut start[..], 0).ok()?;
    start.truncate(filled);
    if !start.starts_with(b"\x7fELF") {
        return None;
    }
    let (_, segments) = segments(&start)?;
    let segment = segments.into_iter().find(|segment| segment.kind == LOADER)?;
    let place = usize::try_from(segment.place).ok()?;
    let name = start.get(place..place.checked_add(usize::try_from(segment.length).ok()?)?)?;
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    Some(PathBuf::from(OsStr::from_bytes(name)))
}

/// An entry of the table of segments of a compiled program: its kind, and the place and length of its content in the
/// file.
struct Segment {
    kind: u32,
    place: u64,
    length: u64,
}

/// The kind of a segment that the system loads into memory.
const LOADED: u32 = 1;

/// The kind of a segment that names the loader of libraries.
const LOADER: u32 = 3;

/// Reads the table of segments. Returns the place of its end, and its entries in the inspected part of the file; `None`
/// if the file ends before the table's place. (Entries beyond that part are not checked: such a file is built on
/// purpose.)
fn segments(start: &[u8]) -> Option<(u64, Vec<Segment>)> {
    // Positions of the table's place, and of the size and the number of its entries; and in an entry, of
    // place and length.
    let is_64_bit = start.get(4) == Some(&2);
    let [table, size, count, place, length] =
        if is_64_bit { [32, 54, 56, 8, 32] } else { [28, 42, 44, 4, 16] };
    let short = |at: usize| -> Option<u64> {
        let bytes = start.get(at..at.checked_add(2)?)?;
        Some(u16::from_ne_bytes(bytes.try_into().ok()?).into())
    };
    let word = |at: usize| -> Option<u64> {
        let bytes = start.get(at..at.checked_add(if is_64_bit { 8 } else { 4 })?)?;
        match bytes.len() {
            8 => Some(u64::from_ne_bytes(bytes.try_into().ok()?)),
            _ => Some(u32::from_ne_bytes(bytes.try_into().ok()?).into()),
        }
    };
    let (table, size, count) = (word(table)?, short(size)?, short(count)?);
    let entry = |index: u64| {
        let at = usize::try_from(table.checked_add(index * size)?).ok()?;
        let kind = start.get(at..at.checked_add(4)?)?;
        let (place, length) = (word(at.checked_add(place)?)?, word(at.checked_add(length)?)?);
        Some(Segment { kind: u32::from_ne_bytes(kind.try_into().ok()?), place, length })
    };
    Some((table.saturating_add(size * count), (0..count).filter_map(entry).collect()))
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
    NotTheHosts { interpreter: PathBuf, why: String },
    LongLine,
    CarriageReturn,
    ByteOrderMark,
    OtherMachine { machine: u16 },
    CutOff,
    TooLarge { bytes: u64, most_mib: u64 },
    OthersLink { link: PathBuf, target: PathBuf, owner: u32 },
    Stored,
    Module,
    BadModule(String),
    Foreign(&'static str),
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
                write!(
                    f,
                    "its first line names an interpreter that is not here: {}; name one that is, such as \
                     #!/usr/bin/env python3, or have the host install it",
                    shown(path)
                )
            }
            NotAProgram::NotTheHosts { interpreter, why } => write_not_the_hosts(f, interpreter, why),
            NotAProgram::LongLine => {
                write!(
                    f,
                    "its first line is longer than the system reads: {SCRIPT_LINE} bytes; make it shorter"
                )
            }
            NotAProgram::CarriageReturn => {
                write!(
                    f,
                    "its first line ends with a carriage return (Windows line ends); take them out: sed -i 's/\\r$//', and \
                     the name of the file"
                )
            }
            NotAProgram::ByteOrderMark => {
                write!(
                    f,
                    "it begins with a byte order mark; take it out: sed -i '1s/^\\xef\\xbb\\xbf//', and the name of the file"
                )
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
            NotAProgram::TooLarge { bytes, most_mib } => {
                write!(
                    f,
                    "{bytes} bytes, and a program has at most {most_mib} MiB; strip it, or have the host set program_mib \
                     in hill.toml or the tournament's file (1 to 4096)"
                )
            }
            NotAProgram::OthersLink { link, target, owner } => {
                write!(
                    f,
                    "on the way to it, {} is a symbolic link to {}, made by user {owner}: links of others are not \
                     followed; name the file itself",
                    shown(link),
                    shown(target)
                )
            }
            NotAProgram::Stored => {
                write!(
                    f,
                    "a program that is stored there already, under its digest; submit a file of your own"
                )
            }
            NotAProgram::Module => {
                write!(
                    f,
                    "a WebAssembly module, and this referee was built without the part `wasm`, which plays them; build it with \
                     `cargo install --locked --path . --features full`"
                )
            }
            NotAProgram::BadModule(why) => write!(f, "a WebAssembly module that cannot be a bot: {why}"),
            NotAProgram::Foreign(what) => f.write_str(what),
            NotAProgram::Unknown => {
                write!(
                    f,
                    "neither a compiled program (ELF) nor a script whose first line begins with #!, such as \
                     #!/usr/bin/env python3; a source has an ending, such as .py"
                )
            }
        }
    }
}

/// Writes why an interpreter does not count, and the options and settings that list it.
fn write_not_the_hosts(f: &mut fmt::Formatter<'_>, interpreter: &Path, why: &str) -> fmt::Result {
    let path = shown(interpreter);
    let to_list: Vec<String> = runtime_around(interpreter).iter().map(|path| shown(path)).collect();
    let (options, list) = (to_list.join(" --interpreter "), to_list.join("\", \""));
    let more =
        if to_list == [path.as_str()] { " for the file alone, or the folder of its runtime" } else { "" };
    write!(
        f,
        "its first line names an interpreter that is not this host's: {path} ({why}); name one that is, such as \
         #!/usr/bin/env python3, or have the host list it: --interpreter {options}{more}; in hill.toml or a tournament's \
         file: interpreters = [\"{list}\"]"
    )
}

impl std::error::Error for NotAProgram {}

impl NotAProgram {
    /// Makes it from the error of a file that the system did not open.
    pub fn refused(error: io::Error) -> NotAProgram {
        match error.kind() {
            io::ErrorKind::NotFound => NotAProgram::Missing,
            _ => NotAProgram::Unreadable(error.to_string()),
        }
    }
}

/// Returns a path for people, with control characters escaped, so that its author cannot steer their terminal.
pub(crate) fn shown(path: &Path) -> String {
    let mut shown = String::new();
    for c in path.to_string_lossy().chars() {
        if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

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
        assert_eq!(inspect_start(b"\xef\xbb\xbf#!/bin/sh\n"), Err(NotAProgram::ByteOrderMark));
        assert_eq!(inspect_start(b"#!/bin/sh\0-e\n"), Err(NotAProgram::Unknown));
        let line = |interpreter: &str, rest: &str| {
            Ok(Some(FirstLine { interpreter: interpreter.into(), rest: rest.into() }))
        };
        assert_eq!(inspect_start(b"#! /bin/sh -e -u \necho"), line("/bin/sh", "-e -u"));
        assert_eq!(inspect_start(b"#!"), line("", ""));
        assert_eq!(inspect_start(b"#!/bin/sh"), line("/bin/sh", ""));
        let long = |length| [b"#!/", vec![b'x'; length].as_slice(), b"\n"].concat();
        assert!(inspect_start(&long(252)).is_ok());
        assert_eq!(inspect_start(&long(253)), Err(NotAProgram::LongLine));
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
        let file = File::open(&itself).unwrap();
        assert!(loader_of(file.as_fd()).is_some_and(|loader| loader.to_string_lossy().contains("/ld")));
        let start = read_start(&file, START).unwrap();
        for length in [40, 64, 100, START, 100_000] {
            assert!(is_cut_off(&start[..length.min(START)], length as u64), "after {length} bytes");
        }
        assert_eq!(inspect(itself.parent().unwrap()), Err(NotAProgram::Directory));
    }
}
