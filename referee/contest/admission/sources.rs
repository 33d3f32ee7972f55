//! Sources that are handed in: they are built in the sandbox, and what comes out of it is the program that is admitted.
//!
//! The folder `builds` of a hill keeps the source of each program, and a record of each build. It is the host's alone:
//! authors' sources are in it.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::admission::candidate::Candidate;
use crate::admission::entrants::stored;
use crate::admission::shelf::Shelved;
use crate::publish;
use referee_builds::languages::{Language, Languages};
use referee_builds::{Source, Toolchain, Workplace, bundle};
use referee_files::beneath::Spot;
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};
use referee_table::clock;
use referee_table::process::Setup;

/// What a source was made of and by, in the history.
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

/// The folder of sources and records of builds.
pub const FOLDER: &str = "builds";

/// Maximum length of a record, in bytes.
const RECORD_MAX: u64 = 16 << 20;

/// Builds a source that was handed in at the first path, which errors name as the second, and lays out what comes out of
/// it as a candidate, under the lock that `lock` takes.
///
/// # Errors
///
/// If it cannot be built. Nothing is kept then.
pub(crate) fn build(
    root: &Path,
    [path, shown]: [&Path; 2],
    setup: &Setup,
    lock: &dyn Fn() -> Result<File, Error>,
) -> Result<(Candidate, Made), Error> {
    let languages = Languages::of(root)?;
    let place = place(setup);
    // One build at a time: each may use most of a machine.
    let _turn = turn(root)?;
    let source = Source::take(place, path, shown, &languages.limits)?;
    let wrong = |why: String| Error::file(shown, why);
    let chosen = languages.choose(&source.files).map_err(wrong)?;
    let toolchain = Toolchain::of(place, chosen.name, chosen.row, &languages.limits);
    // The author has no use for the reason, which names places of the host.
    let toolchain = toolchain.map_err(|error| match error.kind() {
        ErrorKind::Unfit => wrong(format!(
            "this host does not build {}: `referee languages` shows the host why",
            chosen.row.about
        )),
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
    if let Some((candidate, log)) = built_before(root, &spot)? {
        return Ok((candidate, Made { log, ..made }));
    }
    let artefact = referee_builds::build(place, &source, &chosen, &toolchain, &languages.limits)?;
    let candidate = {
        let _lock = lock()?;
        Candidate::lay_out(root, &artefact)?
    };
    keep_source(root, &source)?;
    let record = BuildRecord {
        schema: 1,
        date: clock::date(),
        language: made.language.clone(),
        row: chosen.row.clone(),
        version: made.version.clone(),
        source: made.source.as_str().to_owned(),
        toolchain: made.toolchain.as_str().to_owned(),
        artefact: candidate.digest.as_str().to_owned(),
        log: artefact.log.clone(),
    };
    let text = serde_json::to_vec_pretty(&record).expect("plain values");
    publish::replace(spot, &text)?;
    Ok((candidate, Made { log: artefact.log, ..made }))
}

/// Returns what an earlier build of the same source, by the same toolchain, has left, if it is still in the store.
fn built_before(root: &Path, spot: &Spot) -> Result<Option<(Candidate, Vec<String>)>, Error> {
    let Ok(text) = spot.read_text(RECORD_MAX) else { return Ok(None) };
    let Ok(record) = serde_json::from_str::<BuildRecord>(&text) else { return Ok(None) };
    let Some(digest) = Digest::parse(&record.artefact) else { return Ok(None) };
    let path = stored(root, digest.as_str());
    let Ok(shelved) = Shelved::at(root, &path) else { return Ok(None) };
    if shelved.digest(root).ok().as_ref() != Some(&digest) {
        return Ok(None);
    }
    Ok(Some((Candidate::kept_before(shelved, digest), record.log)))
}

fn record_of(root: &Path, made: &Made) -> Spot {
    Spot::below(root, format!("{FOLDER}/{}-{}.json", made.source.as_str(), made.toolchain.short()))
}

/// Stores the files of a source as one stream.
fn keep_source(root: &Path, source: &Source) -> Result<(), Error> {
    let spot = Spot::below(root, format!("{FOLDER}/{}.source", source.digest.as_str()));
    let mut bytes = Vec::new();
    bundle::write(&source.files, &mut bytes).expect("memory takes it");
    publish::replace(spot, &bytes)
}

fn turn(root: &Path) -> Result<File, Error> {
    let lock = Spot::below(root, format!("{FOLDER}/lock"));
    let locked = lock.make_folders().and_then(|()| lock.append()).and_then(|file| file.lock().map(|()| file));
    locked.map_err(Error::system(lock.path(), "wait for other builds"))
}

fn place(setup: &Setup) -> Workplace<'_> {
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
    Ok(referee_builds::is_source(path, &Languages::of(root)?))
}

/// What became of building a submission again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rebuilt {
    /// The same toolchain made the same program.
    Same,
    /// The same toolchain made another program.
    Differs,
    /// This machine has another toolchain, so nothing can be compared.
    OtherToolchain,
}

/// Builds a stored source again, and compares.
///
/// # Errors
///
/// If the source is missing or was changed, or it cannot be built.
pub(crate) fn rebuild(
    root: &Path,
    setup: &Setup,
    [source, toolchain, artefact]: [&Digest; 3],
) -> Result<Rebuilt, Error> {
    let languages = Languages::of(root)?;
    let place = place(setup);
    let _turn = turn(root)?;
    let spot = Spot::below(root, format!("{FOLDER}/{}.source", source.as_str()));
    let path: PathBuf = spot.path().to_owned();
    let bytes = spot.read(8192 << 20).map_err(Error::system(&path, "read a stored source"))?;
    let changed =
        |why: String| Error::file(&path, format!("the source was changed: {why}")).or(ErrorKind::Tampered);
    let files = bundle::read(&bytes, languages.limits.of_source()).map_err(changed)?;
    let digest = bundle::digest(&files);
    if digest != *source {
        return Err(changed(format!("its digest is {digest}")));
    }
    let source = Source { files, digest, notes: Vec::new() };
    let chosen = languages.choose(&source.files).map_err(|why| Error::file(&path, why))?;
    let here = Toolchain::of(place, chosen.name, chosen.row, &languages.limits)?;
    if here.digest != *toolchain {
        return Ok(Rebuilt::OtherToolchain);
    }
    let built = referee_builds::build(place, &source, &chosen, &here, &languages.limits)?;
    Ok(if built.digest() == *artefact { Rebuilt::Same } else { Rebuilt::Differs })
}
