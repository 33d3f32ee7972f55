//! Sources that are handed in: each is built in the sandbox, and the program that comes out is admitted.
//!
//! The folder `builds` of a hill keeps the source of each program, and a record of each build. It is the host's alone:
//! authors' sources are in it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::admission::by::By;
use crate::admission::candidate::Candidate;
use crate::admission::entrants::{Entrants, stored};
use crate::admission::handed_in;
use crate::admission::room::{self, Newcomer, Room};
use crate::admission::shelf::{SOURCES, Shelved};
use crate::admission::turns;
use crate::bot::Bot;
use crate::publish;
use referee_builds::languages::{BuildLimits, Language, Languages};
use referee_builds::{HandedIn, NotBuilt, Source, Toolchain, Workplace, bundle};
use referee_files::beneath::Spot;
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};
use referee_sandbox::program::NotAProgram;
use referee_table::clock;
use referee_table::process::{Program, Setup};

/// What a program was built from and by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The name of the language in the table.
    pub language: String,
    /// What the compiler calls itself.
    pub version: String,
    /// The digest of the list of the source's files.
    pub source: Digest,
    /// The digest of the toolchain.
    pub toolchain: Digest,
    /// What was changed in the source, for its author.
    pub notes: Vec<String>,
    /// What the commands have written, for its author.
    pub log: Vec<String>,
}

/// The record of a build, in the folder `builds`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct BuildRecord {
    schema: u32,
    date: String,
    language: String,
    row: Language,
    version: String,
    source: String,
    toolchain: String,
    artefact: String,
    log: Vec<String>,
}

impl BuildRecord {
    fn new(made: &Made, row: &Language, artefact: &Digest) -> BuildRecord {
        BuildRecord {
            schema: SCHEMA,
            date: clock::date(),
            language: made.language.clone(),
            row: row.clone(),
            version: made.version.clone(),
            source: made.source.as_str().to_owned(),
            toolchain: made.toolchain.as_str().to_owned(),
            artefact: artefact.as_str().to_owned(),
            log: made.log.clone(),
        }
    }
}

/// The form of records.
const SCHEMA: u32 = 1;

/// Maximum length of a record, in bytes.
const RECORD_MAX: u64 = 16 << 20;

/// What is kept of a source as soon as its program is admitted: the source itself, and the record of its build.
#[derive(Debug)]
pub(crate) struct ToKeep {
    source: Source,
    /// The file of the record, and its text; `None` if the record is there already.
    record: Option<(Spot, Vec<u8>)>,
    room: Room,
}

impl ToKeep {
    /// Makes room in the folder of sources for that of a submission.
    ///
    /// # Errors
    ///
    /// If those of bots that play leave no room, or the system refuses.
    pub(crate) fn make_room(&self, root: &Path, entrants: &Entrants, bot: &Bot) -> Result<(), Error> {
        make_folder(root)?;
        let bytes: usize = self.source.files.iter().map(|file| file.bytes.len()).sum();
        let record = self.record.as_ref().map_or(0, |(_, text)| text.len());
        let new = Newcomer {
            source: &self.source.digest,
            length: (bytes + record) as u64,
            name: &bot.name,
            author: &bot.author,
        };
        room::make(root, entrants, &new, self.room)
    }

    /// Writes the source and the record, unless they are there already.
    pub(crate) fn keep(&self, root: &Path) -> Result<(), Error> {
        make_folder(root)?;
        let spot = source_of(root, &self.source.digest);
        let mut bytes = Vec::new();
        bundle::write(&self.source.files, &mut bytes).expect("memory takes it");
        if spot.read(bytes.len() as u64).ok().as_ref() != Some(&bytes) {
            publish::replace(spot, &bytes)?;
        }
        if let Some((spot, text)) = &self.record {
            publish::replace(spot.clone(), text)?;
        }
        Ok(())
    }
}

/// Builds a source that was handed in, and makes a candidate of the program, which may have `program_mib` MiB. Errors
/// name the source as `shown`. `lock` takes the lock of the field, under which the candidate is written.
pub(crate) fn build(
    root: &Path,
    (found, shown, by): (&HandedIn, &Path, By),
    program_mib: u64,
    setup: &Setup,
    lock: &dyn Fn() -> Result<File, Error>,
) -> Result<(Candidate, Made, ToKeep), Error> {
    let mut languages = Languages::of(root)?;
    languages.limits.artefact_mib = languages.limits.artefact_mib.min(program_mib);
    let room = Room::from_limits(&languages.limits);
    let place = workplace(setup);
    // A single file that is interpreted is not compiled, so it waits for no build.
    let is_compiled = referee_builds::is_compiled(found, &languages);
    let _turn = if is_compiled { Some(turn(root, &languages.limits, &setup.stop)?) } else { None };
    let not_a_source = |why| Error::input(format!("{}: {why}", shown.display()));
    handed_in::check_source(root, found).map_err(not_a_source)?;
    let source = Source::take(place, found, shown, &languages.limits)?;
    let wrong = |why: String| Error::file(shown, why);
    let chosen = languages.choose(&source.files).map_err(wrong)?;
    let toolchain = Toolchain::of(place, chosen.name, chosen.row, &languages.limits);
    let toolchain = toolchain.map_err(|error| match error.kind() {
        // The author has no use for the reason, which names places of the host.
        ErrorKind::Unfit => wrong(not_built_here(chosen.row, by)),
        _ => error,
    })?;
    let made = Made {
        language: chosen.name.to_owned(),
        version: toolchain.version.clone(),
        source: source.digest.clone(),
        toolchain: toolchain.digest.clone(),
        notes: source.notes.clone(),
        log: Vec::new(),
    };
    let spot = record_of(root, &made);
    if let Some((candidate, log)) = built_before(root, &made, &languages.limits) {
        return Ok((candidate, Made { log, ..made }, ToKeep { source, record: None, room }));
    }
    let artefact = referee_builds::build(place, &source, &chosen, &toolchain, &languages.limits)?;
    let candidate = {
        let _lock = lock()?;
        Candidate::lay_out(root, &artefact)?
    };
    let made = Made { log: artefact.log, ..made };
    let record = BuildRecord::new(&made, chosen.row, &candidate.digest);
    let text = serde_json::to_vec_pretty(&record).expect("plain values");
    Ok((candidate, made, ToKeep { source, record: Some((spot, text)), room }))
}

/// Says that a host lacks a compiler, and who can do what about it.
fn not_built_here(language: &Language, by: By) -> String {
    let remedy = by.remedy("the host can install its compiler", "`referee languages` shows what is missing");
    format!("this host does not build {}; {remedy}", language.about)
}

/// A program that was built for no hill. Its folder is removed with it.
#[derive(Debug)]
pub struct BuiltAlone {
    /// The program, without arguments.
    pub program: Program,
    /// Its digest.
    pub digest: Digest,
    /// What it was built from and by.
    pub made: Made,
    _candidate: Candidate,
    _folder: TempDir,
}

/// Builds a source for no hill, by the table of languages that is built in.
pub fn build_alone(path: &Path, setup: &Setup) -> Result<BuiltAlone, Error> {
    let open = fs::Permissions::from_mode(0o755);
    let folder = tempfile::Builder::new().prefix("referee-build-").permissions(open).tempdir();
    let folder = folder.map_err(Error::system(path, "make a folder to build it in"))?;
    let not_a_source = |why| Error::input(format!("{}: {why}", path.display()));
    let found = handed_in::follow(path).map_err(not_a_source)?;
    let lock = || {
        Spot::below(folder.path(), "lock").append().map_err(Error::system(folder.path(), "lock the folder"))
    };
    let (candidate, made, _) =
        build(folder.path(), (&found, path, By::Host), handed_in::PROGRAM_MIB_MAX_DEFAULT, setup, &lock)?;
    let program = Program {
        with_folder: candidate.with_folder,
        state_when_checked: Some(candidate.look),
        ..Program::new(&candidate.file, Vec::new())
    };
    let digest = candidate.digest.clone();
    Ok(BuiltAlone { program, digest, made, _candidate: candidate, _folder: folder })
}

/// Tells whether a path leads to a source in a language of the table that is built in.
pub fn is_source_alone(path: &Path) -> bool {
    HandedIn::open(path).is_ok_and(|found| referee_builds::is_source(&found, &Languages::built_in()))
}

/// Packs a folder as an archive for a server: the files that a submission of it to a hill here would have.
///
/// # Errors
///
/// If something in it is no part of a source, or the system refuses.
pub fn packed(folder: &Path) -> Result<Vec<u8>, Error> {
    let found = HandedIn::open(folder).map_err(Error::system(folder, "open the folder"))?;
    referee_builds::packed(&found, folder, &Languages::built_in().limits)
}

/// Returns the program of an earlier build of the same source by the same toolchain, and the log of that build, if the
/// program is still in the store.
fn built_before(root: &Path, made: &Made, limits: &BuildLimits) -> Option<(Candidate, Vec<String>)> {
    let text = record_of(root, made).read_text(RECORD_MAX).ok()?;
    let record: BuildRecord = serde_json::from_str(&text).ok()?;
    let digest = Digest::parse(&record.artefact)?;
    let shelved = Shelved::at(root, &stored(root, digest.as_str())).ok()?;
    // The name of the record does not have the whole digest of the toolchain.
    let is_same_build = record.schema == SCHEMA
        && record.source == made.source.as_str()
        && record.toolchain == made.toolchain.as_str()
        && shelved.length <= limits.of_artefact().bytes
        && shelved.digest(root).is_ok_and(|found| found == digest);
    if is_same_build { Some((Candidate::in_store(shelved, digest), record.log)) } else { None }
}

/// Returns the file of the record of a build.
fn record_of(root: &Path, made: &Made) -> Spot {
    Spot::below(root, format!("{SOURCES}/{}-{}.json", made.source.as_str(), made.toolchain.short()))
}

/// Returns the file with all files of a source.
fn source_of(root: &Path, source: &Digest) -> Spot {
    Spot::below(root, format!("{SOURCES}/{}.source", source.as_str()))
}

/// Makes the folder of sources. Nobody but the host may look into it.
fn make_folder(root: &Path) -> Result<(), Error> {
    let folder = root.join(SOURCES);
    let make = || {
        match fs::DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        // `check_folder` follows no link, and neither does what is made in the folder.
        Spot::below(root, SOURCES).check_folder()?;
        if fs::symlink_metadata(&folder)?.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))?;
        }
        Ok(())
    };
    make().map_err(Error::system(&folder, "make a folder for the host alone"))
}

/// Waits until a build may begin.
fn turn(root: &Path, limits: &BuildLimits, stop: &AtomicBool) -> Result<File, Error> {
    turns::take(root, limits.builds_at_once, wait_max(limits), stop)
}

/// Returns how long a build waits for others at most: as long as ten of them take by the same limits.
fn wait_max(limits: &BuildLimits) -> Duration {
    limits.longest().saturating_mul(10)
}

/// Returns how long a source of this hill waits for other builds, and is built, at most.
///
/// # Errors
///
/// If the host's table of languages has a mistake.
pub fn longest(root: &Path) -> Result<Duration, Error> {
    let limits = Languages::of(root)?.limits;
    Ok(wait_max(&limits).saturating_add(limits.longest()))
}

/// Returns how long a source of this hill is built, at most; by the built-in table if the host's table is wrong.
pub fn build_max(root: &Path) -> Duration {
    Languages::of(root).unwrap_or_else(|_| Languages::built_in()).limits.longest()
}

/// Returns the maximum length of what a build has written, in bytes.
///
/// # Errors
///
/// If the host's table of languages has a mistake.
pub fn log_max(root: &Path) -> Result<usize, Error> {
    Ok(usize::try_from(Languages::of(root)?.limits.log_kib << 10).unwrap_or(usize::MAX))
}

/// Returns where sources are built.
fn workplace(setup: &Setup) -> Workplace<'_> {
    Workplace {
        fork_server: &setup.fork_server,
        stop: &setup.stop,
        landlock_version_max: setup.landlock_version_max,
    }
}

/// Tells whether a path leads to a source, for a hill.
///
/// # Errors
///
/// If the host's table of languages has a mistake.
pub fn is_source(root: &Path, path: &Path) -> Result<bool, Error> {
    let languages = Languages::of(root)?;
    match handed_in::follow(path) {
        Ok(found) => Ok(referee_builds::is_source(&found, &languages)),
        // It is handled as a source, so that its submission fails with the name of the owner of the link.
        Err(NotAProgram::OthersLink { .. }) => Ok(true),
        Err(_) => Ok(false),
    }
}

/// Lists the languages in which sources are taken on this hill, as people call them; none if the host's table is wrong.
/// Returns also the maximum number of files of a source.
pub fn offered(root: &Path) -> (Vec<String>, u64) {
    let summary = |languages: Languages| (referee_builds::offered(&languages), languages.limits.source_files);
    Languages::of(root).map(summary).unwrap_or_default()
}

/// Tells whether a path leads to a source for which a compiler can be needed, on this hill.
pub fn is_compiled(root: &Path, path: &Path) -> bool {
    let languages = Languages::of(root);
    languages.is_ok_and(|languages| {
        handed_in::follow(path).is_ok_and(|found| referee_builds::is_compiled(&found, &languages))
    })
}

/// The outcome of building a submission again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rebuilt {
    /// The same toolchain made the same program.
    Same,
    /// The same toolchain made another program.
    Differs,
    /// This machine has another toolchain or none, or the host offers the language no more: nothing can be compared.
    OtherToolchain,
    /// The same toolchain does not build it any more.
    NotBuilt(String),
    /// Its source is not there.
    Missing,
    /// Its stored source is not the one that was submitted: the reason.
    Changed(String),
}

/// Builds a stored source again, and compares.
pub(crate) fn rebuild(
    root: &Path,
    setup: &Setup,
    [source, toolchain, artefact]: [&Digest; 3],
) -> Result<Rebuilt, Error> {
    let languages = Languages::of(root)?;
    let place = workplace(setup);
    let _turn = turn(root, &languages.limits, &setup.stop)?;
    let spot = source_of(root, source);
    let path: PathBuf = spot.path().to_owned();
    let bytes = match spot.read(8192 << 20) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Rebuilt::Missing),
        read => read.map_err(Error::system(&path, "read a stored source"))?,
    };
    // The host's limits can have been higher when the source was taken.
    let shelved = Shelved::at(root, &stored(root, artefact.as_str()));
    let limits = languages.limits.of_stored(shelved.map_or(0, |shelved| shelved.length));
    let files = match bundle::read(&bytes, limits.of_source()) {
        Ok(files) => files,
        Err(why) => return Ok(Rebuilt::Changed(why)),
    };
    let digest = bundle::digest(&files);
    if digest != *source {
        return Ok(Rebuilt::Changed(format!("its digest is {}", digest.short())));
    }
    let source = Source { files, digest, notes: Vec::new() };
    let Ok(chosen) = languages.choose(&source.files) else { return Ok(Rebuilt::OtherToolchain) };
    let here = match Toolchain::of(place, chosen.name, chosen.row, &limits) {
        Err(error) if error.kind() == ErrorKind::Unfit => return Ok(Rebuilt::OtherToolchain),
        here => here?,
    };
    if here.digest != *toolchain {
        return Ok(Rebuilt::OtherToolchain);
    }
    let built = match referee_builds::build(place, &source, &chosen, &here, &limits) {
        Ok(built) => built,
        Err(error) => match error.cause::<NotBuilt>() {
            Some(why) => return Ok(Rebuilt::NotBuilt(why.how.clone())),
            None => return Err(error),
        },
    };
    Ok(if built.digest() == *artefact { Rebuilt::Same } else { Rebuilt::Differs })
}
