//! Checkpoints of a hill, as anyone can verify them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::proof::checkpoint::Checkpoint;
use crate::proof::note::Verifier;
use crate::proof::tree::Hash;

use crate::keys;
use crate::list::List;
use crate::words::{entries_in_words, is_dated_back};
use crate::{FILE_MAX, beginning, folder, opened, seed_in, seed_of};
use referee_contest::editions::{Editions, beginning_of};
use referee_files::beneath::Spot;
use referee_files::walk;
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};

/// A checkpoint with its signed note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The content of the note.
    pub checkpoint: Checkpoint,
    /// The whole note.
    pub note: String,
    /// Its file.
    pub path: PathBuf,
    /// The number of games in it; 0 until it was compared with the list.
    pub games: u64,
}

/// The checkpoints of a hill that agree with its records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The number of checkpoints.
    pub checkpoints: usize,
    /// The number of entries in the last checkpoint: the beginning, seasons or plans, and games.
    pub signed: u64,
    /// The number of entries now.
    pub entries: u64,
    /// The number of games now.
    pub games: u64,
    /// Whether the seed was published, and matches the commitment.
    pub is_seed_open: bool,
    /// The editions of rules that the beginning does not name, so that the records choose them.
    pub unnamed: Vec<&'static str>,
    /// The last checkpoint.
    pub last: Signed,
}

/// Lists the names of the files of a hill's checkpoints.
pub(super) fn notes(root: &Path) -> Result<BTreeSet<String>, Error> {
    let folder = folder(root).join("checkpoints");
    let mut names = BTreeSet::new();
    walk::each_file(&Spot::within(root, &folder), |entry| {
        let name = entry.path.strip_prefix(&folder).ok().and_then(Path::to_str);
        names.extend(name.filter(|name| name.ends_with(".note")).map(str::to_owned));
        Ok(())
    })?;
    Ok(names)
}

/// Reads checkpoints of a hill, the shortest first, each signed by the key.
pub(super) fn read_notes(
    root: &Path,
    key: &Verifier,
    names: &BTreeSet<String>,
) -> Result<Vec<Signed>, Error> {
    let read = |name: &String| {
        let path = folder(root).join("checkpoints").join(name);
        let note =
            Spot::within(root, &path).read_text(FILE_MAX).map_err(Error::system(&path, "read the note"))?;
        let checkpoint = keys::checkpoint(key, &note).map_err(|error| error.at(&path))?;
        Ok(Signed { checkpoint, note, path, games: 0 })
    };
    let mut all: Vec<Signed> = names.iter().map(read).collect::<Result<_, Error>>()?;
    all.sort_by_key(|signed| signed.checkpoint.size);
    Ok(all)
}

/// Checks that each checkpoint is signed by the key, and that it describes the beginning of the records.
///
/// # Errors
///
/// The first checkpoint that does not agree, and what is wrong; or if there is none.
pub fn verify(root: &Path, key: &Verifier) -> Result<Verified, Error> {
    let Checked { all, list, is_seed_open } = checked(root, key)?;
    let Some(last) = all.last().cloned() else {
        let what = "no checkpoint, but the first one was made with the key: restore them from a copy; the host can \
                    sign what is there now with `referee proof checkpoint`";
        return Err(Error::record(&folder(root).join("checkpoints"), what));
    };
    let (checkpoints, signed) = (all.len(), last.checkpoint.size);
    let unnamed = Editions::read(root)?.unnamed(root);
    let (entries, games) = (list.size(), list.games());
    Ok(Verified { checkpoints, signed, entries, games, is_seed_open, unnamed, last })
}

/// Checkpoints that agree with the list.
pub(super) struct Checked {
    /// The shortest first.
    pub(super) all: Vec<Signed>,
    /// The whole list, from the same reading.
    pub(super) list: List,
    pub(super) is_seed_open: bool,
}

/// As [`verify`], but returns the list, too, and accepts that there is no checkpoint yet.
pub(super) fn checked(root: &Path, key: &Verifier) -> Result<Checked, Error> {
    checked_behind(root, key, read_notes(root, key, &notes(root)?)?, List::new(root), "")
}

/// Compares checkpoints with a list that was read at most up to the size of the first. `before` is the time of the
/// checkpoint that precedes them.
pub(super) fn checked_behind(
    root: &Path,
    key: &Verifier,
    mut all: Vec<Signed>,
    list: List,
    before: &str,
) -> Result<Checked, Error> {
    let mut roots = roots_behind(list, all.iter().map(|signed| signed.checkpoint.size))?;
    // Only a difference can come from a damaged file of the proof. Other errors stay as they are.
    roots.list.check_settings(key.name()).map_err(|error| match error.kind() {
        ErrorKind::Tampered => damaged_proof(root, &all, &roots).unwrap_or(error),
        _ => error,
    })?;
    let mut latest = before;
    let mut games = Vec::new();
    for Signed { checkpoint, path, .. } in &all {
        let found = agrees(checkpoint, &roots);
        let damaged = |what| damaged_proof(root, &all, &roots).unwrap_or_else(|| Error::record(path, what));
        games.push(found.map_err(damaged)?);
        let time = checkpoint.value("time").unwrap_or_default();
        if is_dated_back(time, latest) {
            let what = format!(
                "this checkpoint says {time}, but one of fewer entries says {latest}: it was dated back"
            );
            return Err(Error::record(path, what));
        }
        latest = latest.max(time);
    }
    all.iter_mut().zip(games).for_each(|(signed, games)| signed.games = games);
    roots.list.check_season_files(all.last().map_or(0, |last| last.checkpoint.size))?;
    let is_seed_open = check_seed(root)?;
    Ok(Checked { all, list: roots.list, is_seed_open })
}

/// Tells which file is damaged if checkpoints differ from the list: `proof/beginning`, or one in `proof/seasons`.
/// `None` if the checkpoints fit both, or neither the files of seasons nor `seasons.csv`: then no file of the proof is
/// to blame.
fn damaged_proof(root: &Path, all: &[Signed], roots: &Roots) -> Option<Error> {
    let beginning = STANDARD.encode(roots.list.beginning());
    let is_of_another =
        |signed: &&Signed| signed.checkpoint.value("beginning").is_some_and(|named| named != beginning);
    if let Some(other) = all.iter().find(is_of_another) {
        let what = format!(
            "not the beginning that {} was signed with: it was damaged or exchanged; restore it from a copy",
            other.path.display()
        );
        return Some(Error::record(beginning_of(root).path(), what));
    }
    let fit = |roots: &Roots| all.iter().all(|signed| agrees(&signed.checkpoint, roots).is_ok());
    if all.is_empty() || fit(roots) {
        return None;
    }
    let sizes = all.iter().map(|signed| signed.checkpoint.size);
    let by_tables = roots_behind(List::without_season_files(root), sizes).ok().filter(fit)?;
    let what = "it was damaged: the checkpoints fit seasons.csv; restore it from a copy";
    Some(Error::record(&roots.list.other_season_file(&by_tables.list)?, what))
}

/// The roots of the list at some sizes.
pub(super) struct Roots {
    at: Vec<Root>,
    /// The whole list.
    list: List,
}

/// The root of the list at a size.
struct Root {
    size: u64,
    hash: Hash,
    games: u64,
    /// When the last game started.
    started: Option<String>,
}

/// Computes the roots of a list at these sizes.
pub(super) fn roots_at(root: &Path, sizes: impl Iterator<Item = u64>) -> Result<Roots, Error> {
    roots_behind(List::new(root), sizes)
}

fn roots_behind(mut list: List, sizes: impl Iterator<Item = u64>) -> Result<Roots, Error> {
    let mut sizes: Vec<u64> = sizes.collect();
    sizes.sort_unstable();
    let mut at = Vec::new();
    list.read_on(|_, _, now| {
        let size = now.tree.size();
        if sizes.binary_search(&size).is_ok() {
            at.push(Root { size, hash: now.tree.root(), games: now.games, started: now.started() });
        }
    })?;
    Ok(Roots { at, list })
}

/// Makes sure that a checkpoint agrees with these roots. Returns the number of games of a hill in it. The error says
/// what is wrong.
pub(super) fn agrees(checkpoint: &Checkpoint, roots: &Roots) -> Result<u64, String> {
    // The plans of later rounds of a tournament are entries, too.
    let is_of_hill = checkpoint.origin.starts_with("referee/hill/");
    let (size, file) = (checkpoint.size, if is_of_hill { "results.csv" } else { "results.csv and rounds/" });
    if checkpoint.value("beginning").is_some_and(|named| named != STANDARD.encode(roots.list.beginning())) {
        return Err("this note names another beginning than proof/beginning: seed or settings were exchanged after it \
                    was signed"
            .to_owned());
    }
    let Some(root) = roots.at.iter().find(|root| root.size == size) else {
        return Err(format!(
            "this checkpoint has {}, but {file} has only {}: some were removed; restore them from a copy",
            entries_in_words(size),
            roots.list.size()
        ));
    };
    if root.hash != checkpoint.root {
        let what = format!(
            "the first {} of {file} differ from the signed ones: they were changed",
            entries_in_words(size)
        );
        return Err(what);
    }
    match (checkpoint.value("time"), &root.started) {
        (Some(time), Some(started)) if is_dated_back(time, started) => Err(format!(
            "this checkpoint says {time}, but has a game that started at {started}: it was dated back"
        )),
        _ => Ok(root.games),
    }
}

/// Tells whether the seed was published. A published seed must be that of the hill, and match the commitment of the
/// beginning.
fn check_seed(root: &Path) -> Result<bool, Error> {
    let spot = opened(root);
    if !spot.exists() {
        return Ok(false);
    }
    let wrong = |what: &str| Error::record(spot.path(), what);
    let text = spot.read_text(FILE_MAX).map_err(Error::system(spot.path(), "read the seed"))?;
    if beginning::commitment(&beginning::read(root)?) != Some(Digest::of(text.as_bytes()).as_str()) {
        return Err(wrong("this seed does not match the commitment in proof/beginning"));
    }
    if seed_in(&text) != seed_of(root)?.to_string() {
        return Err(wrong("this seed is not the one in hill.toml or in the plan"));
    }
    Ok(true)
}
