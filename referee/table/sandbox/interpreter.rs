//! What runs a script: the real program behind its first line, and the folders that it needs.
//!
//! A version manager's `python3` is a small script in somebody's home that finds the real one. In a sandbox it would
//! find nothing, so it is asked beforehand, once.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use super::Limits;
use super::root::{SETTINGS, SYSTEM};
use crate::table::program;

/// What runs a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Interpreter {
    /// The program.
    pub(crate) file: PathBuf,
    /// What it is called with, in front of the script.
    pub(crate) arguments: Vec<OsString>,
    /// What it needs to read that is not part of every system.
    pub(crate) folders: Vec<PathBuf>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Python,
    Node,
    Java,
    Other,
}

/// What was found for a first line, for everybody or for this user.
type Known = BTreeMap<(Vec<u8>, bool), Option<Interpreter>>;

impl Interpreter {
    /// Finds what runs a script. `None` if it is none, or if its first line says something that is best left to the
    /// system. If `public`, only what everybody may use counts.
    pub(crate) fn of(script: &Path, public: bool) -> Option<Interpreter> {
        static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
        let line = first_line(script)?;
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry((line, public)).or_insert_with_key(|(line, public)| find(line, *public)).clone()
    }

    /// Tells whether it reserves far more memory than it uses.
    pub(crate) fn reserves(&self) -> bool {
        matches!(self.kind, Kind::Node | Kind::Java)
    }

    /// Returns what it is called with, in front of the script: first what makes it keep to its limits, then what the script
    /// says, which may overrule that.
    pub(crate) fn arguments(&self, limits: &Limits) -> Vec<OsString> {
        let own = match self.kind {
            // The first would be written below /tmp, with a warning on standard output if that fails.
            Kind::Java => vec![
                "-XX:-UsePerfData".into(),
                "-XX:+UseSerialGC".into(),
                format!("-Xmx{}m", (limits.data_mib / 2).max(2)).into(),
            ],
            _ => Vec::new(),
        };
        own.into_iter().chain(self.arguments.iter().cloned()).collect()
    }
}

/// Tells whether everybody may go where this is.
pub(crate) fn is_public(path: &Path) -> bool {
    let may_enter =
        |folder: &Path| fs::metadata(folder).is_ok_and(|metadata| metadata.permissions().mode() & 0o001 != 0);
    path.ancestors().skip(1).all(may_enter)
}

/// The line after `#!`, if there is one.
fn first_line(script: &Path) -> Option<Vec<u8>> {
    let start = program::read_start(script, 256).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    Some(line.trim_ascii().to_vec())
}

fn find(line: &[u8], public: bool) -> Option<Interpreter> {
    let blank = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    let (first, rest) = (OsStr::from_bytes(&line[..blank]), line[blank..].trim_ascii());
    let (candidates, arguments) = if Path::new(first).file_name() == Some("env".as_ref()) {
        let words: Vec<&[u8]> = rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
        let words = match &words[..] {
            [b"-S", words @ ..] => words,
            [_] => &words[..],
            _ => return None,
        };
        let (name, arguments) = words.split_first()?;
        if name.starts_with(b"-") || name.contains(&b'=') {
            return None;
        }
        (in_path(OsStr::from_bytes(name)), arguments.to_vec())
    } else {
        // The system hands over the rest as one argument, whatever is in it.
        (vec![PathBuf::from(first)], if rest.is_empty() { Vec::new() } else { vec![rest] })
    };
    let arguments = arguments.into_iter().map(|word| OsString::from_vec(word.to_vec())).collect();
    let resolved = candidates.into_iter().filter_map(|candidate| resolve(&candidate));
    resolved
        .map(|found| Interpreter { arguments: Vec::clone(&arguments), ..found })
        .find(|found| !public || [&found.file].into_iter().chain(&found.folders).all(|path| is_public(path)))
}

fn in_path(name: &OsStr) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_program = |file: &PathBuf| {
        fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(&path).map(|folder| folder.join(name)).filter(is_program).collect()
}

/// Finds the real program behind a name.
fn resolve(candidate: &Path) -> Option<Interpreter> {
    let name = candidate.file_name()?.as_bytes();
    let kind = match name {
        _ if name.starts_with(b"python") => Kind::Python,
        b"node" | b"nodejs" => Kind::Node,
        b"java" => Kind::Java,
        _ => Kind::Other,
    };
    let candidate = match first_line(candidate) {
        Some(_) => ask(candidate, kind)?,
        None => candidate.to_owned(),
    };
    let real = fs::canonicalize(&candidate).ok()?;
    // Python finds its modules by the name that it is called by, if that lies in an environment of its own.
    let environment = candidate.parent()?.parent().filter(|folder| folder.join("pyvenv.cfg").exists());
    let file = if environment.is_some() || is_shown(&candidate) { candidate.clone() } else { real.clone() };
    let home = match real.parent()? {
        folder if folder.file_name() == Some("bin".as_ref()) => folder.parent()?,
        folder => folder,
    };
    let folders = environment.into_iter().chain([home]).filter(|folder| !is_shown(folder));
    let folders = folders.map(Path::to_owned).collect();
    Some(Interpreter { file, arguments: Vec::new(), folders, kind })
}

/// Tells whether this is part of what every bot sees.
fn is_shown(path: &Path) -> bool {
    SYSTEM.iter().chain(&SETTINGS).any(|shown| path.starts_with(shown))
}

/// Has a script that stands for an interpreter say which one.
fn ask(shim: &Path, kind: Kind) -> Option<PathBuf> {
    let words: &[&str] = match kind {
        Kind::Python => &["-c", "import sys; print(sys.executable)"],
        Kind::Node => &["-p", "process.execPath"],
        Kind::Java => &["-XshowSettings:properties", "-version"],
        Kind::Other => return None,
    };
    let output = Command::new(shim).args(words).stdin(Stdio::null()).output().ok()?;
    let said = if kind == Kind::Java { output.stderr } else { output.stdout };
    let said = String::from_utf8_lossy(&said);
    let path = match kind {
        Kind::Java => {
            let home = said.lines().find_map(|line| line.trim().strip_prefix("java.home = "))?;
            Path::new(home).join("bin/java")
        }
        _ => PathBuf::from(said.trim()),
    };
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with an executable text in it.
    fn with_script(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        (folder, file)
    }

    #[test]
    fn a_script_that_stands_for_python_is_asked_for_the_real_one() {
        let (_folder, shim) = with_script("python3", "#!/bin/sh\necho /opt/python/bin/python3\n");
        assert_eq!(ask(&shim, Kind::Python), Some(PathBuf::from("/opt/python/bin/python3")));
        let (_folder, shim) = with_script("java", "#!/bin/sh\necho '    java.home = /opt/jdk' >&2\n");
        assert_eq!(ask(&shim, Kind::Java), Some(PathBuf::from("/opt/jdk/bin/java")));
        let (_folder, shim) = with_script("node", "#!/bin/sh\necho nothing of use\n");
        assert_eq!(ask(&shim, Kind::Node), None);
    }

    #[test]
    fn the_first_line_is_read_as_the_system_reads_it() {
        let shell = find(b"/bin/sh", false).unwrap();
        assert_eq!((shell.file, shell.arguments.len()), (PathBuf::from("/bin/sh"), 0));
        assert_eq!(find(b"/bin/sh -e -u", false).unwrap().arguments, ["-e -u"]);
        assert_eq!(find(b"/usr/bin/env -S sh -e -u", false).unwrap().arguments, ["-e", "-u"]);
        assert_eq!(find(b"/usr/bin/env sh -e", false), None, "that is no program's name");
        assert_eq!(find(b"/usr/bin/env A=b sh", false), None);
    }
}
