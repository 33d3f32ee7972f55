//! The part of a build that runs in the sandbox: a copy of this program that unpacks or builds, and nothing else. It
//! reads a request and bytes from standard input, and writes a reply and files to standard output. The output of
//! commands goes to standard error, which is the log.
//!
//! Commands of a build have full control over this process, since they run as the same user in the same sandbox. So its
//! reply is trusted as little as the source itself.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::bundle::{self, Caps, SourceFile};
use crate::classes;
use crate::unpack::unpack;

/// The word after [`launcher::COMMAND`](referee_sandbox::launcher::COMMAND) that makes a copy of the program do this
/// work.
pub const WORD: &str = "build";

/// The folders of a build, which its commands see under these names.
pub(crate) const SRC: &str = "/tmp/src";
pub(crate) const OUT: &str = "/tmp/out";
pub(crate) const TMP: &str = "/tmp/tmp";

/// A request. It is a line of JSON; the bytes follow.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Request {
    /// Unpacks the bytes of a file with this name.
    Unpack { name: String, caps: Caps },
    /// Builds the bundle of files. `stem` is that of the file to begin with, if it is known. The program is taken from
    /// the folder `takes`; no file is returned if that is empty.
    Build { commands: Vec<Vec<String>>, stem: String, takes: String, source: Caps, result: Caps },
}

/// A reply. It is a line of JSON; a bundle follows after [`Files`](Reply::Files).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// Files, and notes about them.
    Files(Vec<String>),
    /// The request is refused, for this reason.
    Refused(String),
    /// A command has failed: its number, from 0, and how it has ended.
    Failed(usize, String),
}

/// Does the work. Returns the exit status.
pub fn work() -> i32 {
    i32::from(answer().is_err())
}

fn answer() -> io::Result<()> {
    let mut input = Vec::new();
    io::stdin().lock().read_to_end(&mut input)?;
    let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let request: Request = serde_json::from_slice(&input[..end])?;
    let bytes = input.get(end + 1..).unwrap_or_default();
    let (reply, files) = match request {
        Request::Unpack { name, caps } => match unpack(&name, bytes, caps) {
            Ok((files, notes)) => (Reply::Files(notes), files),
            Err(why) => (Reply::Refused(why), Vec::new()),
        },
        Request::Build { mut commands, stem, takes, source, result } => {
            let files = bundle::read(bytes, source).map_err(io::Error::other)?;
            drop(input);
            build(&files, &mut commands, &stem, &takes, result)?
        }
    };
    let mut output = io::BufWriter::new(io::stdout().lock());
    serde_json::to_writer(&mut output, &reply)?;
    output.write_all(b"\n")?;
    if matches!(reply, Reply::Files(_)) {
        bundle::write(&files, &mut output)?;
    }
    output.flush()
}

fn build(
    files: &[SourceFile],
    commands: &mut [Vec<String>],
    stem: &str,
    takes: &str,
    caps: Caps,
) -> io::Result<(Reply, Vec<SourceFile>)> {
    for folder in [SRC, OUT, TMP] {
        fs::create_dir(folder)?;
    }
    lay_out(files)?;
    for (number, words) in commands.iter_mut().enumerate() {
        if words.iter().any(|word| word.contains(classes::WORD)) {
            match classes::main_below(Path::new(TMP), stem) {
                Ok(class) => {
                    for word in words.iter_mut() {
                        *word = word.replace(classes::WORD, &class);
                    }
                }
                Err(why) => return Ok((Reply::Refused(why), Vec::new())),
            }
        }
        if let Some(why) = run(words)? {
            return Ok((Reply::Failed(number, why), Vec::new()));
        }
    }
    if takes.is_empty() {
        return Ok((Reply::Files(Vec::new()), Vec::new()));
    }
    Ok(match take_program(Path::new(takes), caps) {
        Ok(file) => (Reply::Files(Vec::new()), vec![file]),
        Err(why) => (Reply::Refused(why), Vec::new()),
    })
}

/// Writes the source. Tools may change this copy: cargo and go complete their own files in it.
fn lay_out(files: &[SourceFile]) -> io::Result<()> {
    for file in files {
        let path = Path::new(SRC).join(&file.path);
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o755).create(folder)?;
        }
        let mode = if file.executable { 0o755 } else { 0o644 };
        OpenOptions::new().write(true).create_new(true).mode(mode).open(&path)?.write_all(&file.bytes)?;
    }
    Ok(())
}

/// Messages about a command, or about all the work, that has reached a limit.
pub(crate) const TIME_IS_UP: &str = "used up its processor time";
pub(crate) const FILE_IS_FULL: &str = "wrote a file beyond its limit";

/// Signals at the limits of processor time and of a file's length.
const XCPU: i32 = rustix::process::Signal::XCPU.as_raw();
const XFSZ: i32 = rustix::process::Signal::XFSZ.as_raw();

/// Runs a command. Returns how it has failed; `None` if it has not.
fn run(words: &[String]) -> io::Result<Option<String>> {
    let Some((program, arguments)) = words.split_first() else { return Ok(None) };
    let to_log = || io::stderr().as_fd().try_clone_to_owned().map(Stdio::from);
    let mut command = Command::new(program);
    command.args(arguments).current_dir(SRC).stdin(Stdio::null()).stdout(to_log()?).stderr(to_log()?);
    let status = match command.status() {
        Ok(status) => status,
        Err(error) => return Ok(Some(format!("could not be started: {error}"))),
    };
    Ok(match (status.code(), status.signal()) {
        (Some(0), _) => None,
        (Some(code), _) => Some(format!("exit status {code}")),
        // The system itself ends a process that has reached one of these limits.
        (None, Some(XCPU)) => Some(TIME_IS_UP.to_owned()),
        (None, Some(XFSZ)) => Some(FILE_IS_FULL.to_owned()),
        (None, signal) => Some(format!("ended by signal {}", signal.unwrap_or(0))),
    })
}

/// Takes the program that a build has left at the top of a folder: the only file there, or the only executable one.
fn take_program(folder: &Path, caps: Caps) -> Result<SourceFile, String> {
    let name = name_of_program(folder)?;
    let opened = OpenOptions::new().read(true).custom_flags(NOFOLLOW).open(folder.join(&name));
    let mut bytes = Vec::new();
    let read = opened.and_then(|file| file.take(caps.bytes + 1).read_to_end(&mut bytes));
    read.map_err(|error| format!("the program cannot be read: {error}"))?;
    if bytes.len() as u64 > caps.bytes {
        return Err(format!("the program is larger than {} MiB", caps.bytes >> 20));
    }
    Ok(SourceFile { path: name, executable: true, bytes })
}

/// A link that a command puts at the path of the program meanwhile is not followed.
const NOFOLLOW: i32 = rustix::fs::OFlags::NOFOLLOW.bits() as i32;

fn name_of_program(folder: &Path) -> Result<String, String> {
    let read = fs::read_dir(folder).map_err(|_| "the build has left no program".to_owned())?;
    let mut found = Vec::new();
    for entry in read.take(10_000).flatten() {
        let Ok(metadata) = fs::symlink_metadata(entry.path()) else { continue };
        if metadata.is_file() {
            found.push((entry.file_name(), metadata.permissions().mode() & 0o111 != 0));
        } else if !metadata.is_dir() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let name = referee_record::text::harmless(&name, referee_record::text::NAME);
            return Err(format!("the build has left {name}, which is no regular file"));
        }
    }
    let programs = || found.iter().filter(|(_, executable)| *executable);
    let name = match (programs().count(), &found[..]) {
        (1, _) => programs().next().map(|(name, _)| name),
        (0, [(only, _)]) => Some(only),
        (0, []) => return Err("the build has left no program".to_owned()),
        _ => return Err("the build has left more than one program".to_owned()),
    };
    Ok(name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
}
