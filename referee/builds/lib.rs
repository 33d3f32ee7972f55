//! Programs built from the sources of strangers. A file, a folder or an archive becomes a program that can be a bot, in
//! these steps:
//!
//! 1. [`is_source`] tells a source from a program that is ready to run.
//! 2. [`Source::take`] unpacks it, in the sandbox, to a list of regular files.
//! 3. [`languages::Languages::choose`] finds its language, by the files.
//! 4. [`Toolchain::of`] finds the tools of the language, and asks them for their version.
//! 5. [`build`] builds it, in the sandbox, and returns the files of the [`Artefact`].
//!
//! Nothing that a stranger has written is parsed, compiled or executed outside the sandbox. What comes out of it is a
//! list of files (`bundle`), with names that lead nowhere.

#![forbid(unsafe_code)]

pub mod bundle;
mod classes;
mod confined;
mod inside;
pub mod languages;
mod received;
mod tools;
mod unpack;

use std::fmt;
use std::path::Path;
use std::time::Duration;

use bundle::SourceFile;
pub use confined::Workplace;
use confined::{Outcome, Terms, WorkResult};
use inside::{OUT, Request, SRC, TMP};
pub use inside::{WORD, work};
use languages::{BuildLimits, Chosen, Language};
pub use received::{HandedIn, is_compiled, is_source, packed};
use received::{Received, receive};
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};
use referee_record::text;
use referee_sandbox::{Limits, Purpose};
use tools::Tools;
pub use tools::offered;

/// A source: regular files, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The files.
    pub files: Vec<SourceFile>,
    /// The digest of their list.
    pub digest: Digest,
    /// Notes for its author on what was changed.
    pub notes: Vec<String>,
}

impl Source {
    /// Takes what was handed in. Errors name it as `shown`.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is too large, or has something else than regular files with plain names.
    pub fn take(
        place: Workplace<'_>,
        handed_in: &HandedIn,
        shown: &Path,
        limits: &BuildLimits,
    ) -> Result<Source, Error> {
        let caps = limits.of_source();
        let (request, bytes) = match receive(handed_in, shown, caps)? {
            Received::Bytes(bytes) => (Request::Unpack { name: handed_in.name().to_owned(), caps }, bytes),
            Received::Files(mut files) => {
                let mut notes = Vec::new();
                unpack::mend(&mut files, &mut notes).map_err(|why| Error::file(shown, why))?;
                let digest = bundle::digest(&files);
                return Ok(Source { files, digest, notes });
            }
        };
        let terms = Terms {
            purpose: Purpose::Play,
            limits: Limits {
                data_mib: (caps.bytes >> 20) * 4 + 256,
                cpu_seconds: UNPACK_SECONDS,
                ..Limits::default()
            },
            time: Duration::from_secs(UNPACK_SECONDS + 10),
            visible_folders: Vec::new(),
            variables: Vec::new(),
            log_bytes_max: 1024,
            result_caps: caps,
        };
        let unusable = |why: String| Error::file(shown, why);
        match confined::run(place, &request, &bytes, &terms)?.result {
            WorkResult::Files { files, notes } if !files.is_empty() => {
                let digest = bundle::digest(&files);
                let notes = notes.iter().map(|note| text::harmless(note, text::SENTENCE)).collect();
                Ok(Source { files, digest, notes })
            }
            WorkResult::Refused(why) => Err(unusable(text::harmless(&why, text::SENTENCE))),
            WorkResult::Over(how) => Err(unusable(format!("the process that unpacks it {how}"))),
            WorkResult::Files { .. } | WorkResult::Failed { .. } => {
                Err(unusable("it cannot be unpacked".to_owned()))
            }
        }
    }
}

/// Maximum processor time for unpacking.
const UNPACK_SECONDS: u64 = 20;

/// The tools of a language on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    tools: Tools,
    /// What the compiler calls itself; empty if it is not asked.
    pub version: String,
    /// The digest of the row, the version, and the tools.
    pub digest: Digest,
}

impl Toolchain {
    /// Finds the tools of a language, and asks for their version, in the sandbox.
    ///
    /// # Errors
    ///
    /// If a tool is not here, or does not run in the sandbox.
    pub fn of(
        place: Workplace<'_>,
        name: &str,
        row: &Language,
        limits: &BuildLimits,
    ) -> Result<Toolchain, Error> {
        let tools = Tools::find(name, row)?;
        let version =
            if row.version.is_empty() { String::new() } else { version_of(place, &tools, row, limits)? };
        let digest = tools.digest(row, &version)?;
        Ok(Toolchain { tools, version, digest })
    }
}

/// Runs the command of a language that prints its version, in the sandbox. Returns its first line.
fn version_of(
    place: Workplace<'_>,
    tools: &Tools,
    row: &Language,
    limits: &BuildLimits,
) -> Result<String, Error> {
    let terms = terms_of(tools, row, &BuildLimits { seconds: VERSION_SECONDS, ..limits.clone() });
    let commands = fill_commands(tools, std::slice::from_ref(&row.version), &NamedParts::default())?;
    let caps = limits.of_source();
    let (stem, takes) = (String::new(), String::new());
    let request = Request::Build { commands, stem, takes, source: caps, result: caps };
    let empty_file = SourceFile { path: "empty".to_owned(), executable: false, bytes: Vec::new() };
    let Outcome { result, log } = confined::run(place, &request, &bundled(&[empty_file]), &terms)?;
    let line = log.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let version = text::harmless(&String::from_utf8_lossy(line), 120);
    match result {
        WorkResult::Files { .. } => Ok(version),
        WorkResult::Failed { how, .. } | WorkResult::Over(how) | WorkResult::Refused(how) => {
            let command = row.version.join(" ");
            let what = format!("`{command}` does not run in the sandbox: {how} ({version})");
            Err(Error::new(ErrorKind::Unfit, what))
        }
    }
}

/// Maximum time for a tool to say its version.
const VERSION_SECONDS: u64 = 20;

/// The result of a build: a program, alone or with files beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artefact {
    /// The files. The program is the one that can be executed, at their top.
    pub files: Vec<SourceFile>,
    /// The output of the commands: lines for the author, in which each character is visible.
    pub log: Vec<String>,
}

impl Artefact {
    /// Returns the program.
    pub fn program(&self) -> &SourceFile {
        self.files.iter().find(|file| file.executable).expect("an artefact has a program")
    }

    /// Returns its digest: that of the program if it is alone, otherwise that of the list of its files.
    pub fn digest(&self) -> Digest {
        match &self.files[..] {
            [alone] => Digest::of(&alone.bytes),
            files => bundle::digest(files),
        }
    }
}

/// The reason why a source has become no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotBuilt {
    /// The language.
    pub language: String,
    /// What happened.
    pub how: String,
    /// The output of the commands.
    pub log: Vec<String>,
}

impl fmt::Display for NotBuilt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it was not built ({}): {}", self.language, self.how)?;
        self.log.iter().try_for_each(|line| write!(f, "\n{LOG_LINE}{line}"))
    }
}

impl std::error::Error for NotBuilt {}

/// The mark before each line of a log, so that nobody takes it for words of the referee.
pub const LOG_LINE: &str = "  | ";

/// The folder of a source whose files are kept beside a compiled program.
pub const DATA: &str = "data/";

/// Builds a source.
///
/// # Errors
///
/// If the sandbox does not work here, or, with [`NotBuilt`] as the cause, if the source is at fault.
pub fn build(
    place: Workplace<'_>,
    source: &Source,
    chosen: &Chosen<'_>,
    toolchain: &Toolchain,
    limits: &BuildLimits,
) -> Result<Artefact, Error> {
    let Chosen { name, row, main, sources } = chosen;
    let not_built = |how: String, log: Vec<String>| {
        let language = (*name).to_owned();
        Error::because(ErrorKind::Failed, NotBuilt { language, how, log })
    };
    let parts = NamedParts { main: main.as_deref(), sources };
    let commands = fill_commands(&toolchain.tools, &row.build, &parts)?;
    let takes = if row.keeps_source() {
        String::new()
    } else {
        fill_folders(if row.takes.is_empty() { "{out}" } else { &row.takes })
    };
    let caps = limits.of_source();
    let stem = main.as_deref().map(stem_of).unwrap_or_default().to_owned();
    let request = Request::Build { commands, stem, takes, source: caps, result: limits.of_artefact() };
    let terms = terms_of(&toolchain.tools, row, limits);
    let Outcome { result, log } = confined::run(place, &request, &bundled(&source.files), &terms)?;
    let log = visible_lines(&log);
    let made_files = match result {
        WorkResult::Files { files, .. } => files,
        WorkResult::Refused(why) => return Err(not_built(text::harmless(&why, text::SENTENCE), log)),
        WorkResult::Failed { command, how } => {
            let command = row.build.get(command).map_or_else(String::new, |words| words.join(" "));
            return Err(not_built(format!("`{command}`: {}", text::harmless(&how, text::SENTENCE)), log));
        }
        WorkResult::Over(how) => return Err(not_built(format!("it {how}"), log)),
    };
    let files = match (row.keeps_source(), main) {
        (true, Some(main)) => source_as_program(&source.files, main),
        (true, None) => return Err(not_built(NO_MAIN.to_owned(), log)),
        (false, _) => program_with_data(made_files, source),
    };
    let files = files.into_iter().map(|file| with_first_line(file, row)).collect();
    let files = bundle::settle(files, limits.of_artefact()).map_err(|why| not_built(why, log.clone()))?;
    if files.iter().filter(|file| file.executable).count() != 1 {
        return Err(not_built("the build has left no program".to_owned(), log));
    }
    Ok(Artefact { files, log })
}

const NO_MAIN: &str = "which file does it begin with? Name it `bot` or `main`, with its ending, at the top";

/// Returns all files of a source, of which one is the program: its interpreter finds the others beside it.
fn source_as_program(files: &[SourceFile], main: &str) -> Vec<SourceFile> {
    files.iter().map(|file| SourceFile { executable: file.path == main, ..file.clone() }).collect()
}

/// Returns the program that a build has made, with the data of its source beside it.
fn program_with_data(made_files: Vec<SourceFile>, source: &Source) -> Vec<SourceFile> {
    let program = made_files.into_iter().map(|file| SourceFile { executable: true, ..file });
    let data = source.files.iter().filter(|file| file.path.starts_with(DATA));
    program.chain(data.map(|file| SourceFile { executable: false, ..file.clone() })).collect()
}

/// Gives a program the first line that names its interpreter, if it has none.
fn with_first_line(mut file: SourceFile, row: &Language) -> SourceFile {
    if file.executable && !row.interpreter.is_empty() && !file.bytes.starts_with(b"#!") {
        let words = row.interpreter.join(" ");
        let option = if row.interpreter.len() > 1 { "-S " } else { "" };
        file.bytes.splice(0..0, format!("#!/usr/bin/env {option}{words}\n").into_bytes());
    }
    file
}

fn bundled(files: &[SourceFile]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bundle::write(files, &mut bytes).expect("memory takes it");
    bytes
}

fn terms_of(tools: &Tools, row: &Language, limits: &BuildLimits) -> Terms {
    Terms {
        purpose: Purpose::Build,
        limits: Limits {
            data_mib: limits.data_mib,
            stack_mib: 64,
            tasks: limits.tasks,
            file_mib: limits.folder_mib,
            descriptors: 1024,
            folder_mib: limits.folder_mib,
            // The limit of each process; the time of all of them together is limited by the clock.
            cpu_seconds: limits.seconds,
        },
        time: Duration::from_secs(limits.seconds),
        visible_folders: tools.visible_folders.clone(),
        variables: tools.variables(row, fill_folders),
        log_bytes_max: (limits.log_kib << 10) as usize,
        result_caps: limits.of_artefact(),
    }
}

/// The parts of a source that commands name.
#[derive(Clone, Copy, Debug, Default)]
struct NamedParts<'a> {
    main: Option<&'a str>,
    sources: &'a [String],
}

/// Fills in the parts of a source, the folders, and the paths of the tools.
fn fill_commands(
    tools: &Tools,
    commands: &[Vec<String>],
    parts: &NamedParts<'_>,
) -> Result<Vec<Vec<String>>, Error> {
    let mut filled_commands = Vec::new();
    for command in commands {
        let mut filled = Vec::new();
        for word in command {
            if word == "{sources}" {
                // A name can begin with a dash.
                filled.extend(parts.sources.iter().map(|path| format!("./{path}")));
                continue;
            }
            let mut word = fill_folders(word);
            if word.contains("{main}") || word.contains("{stem}") {
                let main = parts.main.ok_or_else(|| Error::input(NO_MAIN))?;
                word = word.replace("{main}", &format!("./{main}")).replace("{stem}", stem_of(main));
            }
            filled.push(word);
        }
        if let Some(first) = filled.first_mut()
            && let Some(path) = tools.paths.get(first)
        {
            *first = path.to_string_lossy().into_owned();
        }
        filled_commands.push(filled);
    }
    Ok(filled_commands)
}

/// Returns the name of a file without its folders and its ending.
fn stem_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Fills in the folders of a build.
fn fill_folders(word: &str) -> String {
    word.replace("{src}", SRC).replace("{out}", OUT).replace("{tmp}", TMP)
}

/// Returns the lines of a log, in which each character is visible.
fn visible_lines(log: &[u8]) -> Vec<String> {
    let log = String::from_utf8_lossy(log);
    log.lines().map(|line| text::harmless(&line.trim_end().replace('\t', "    "), usize::MAX)).collect()
}
