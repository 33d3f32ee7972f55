//! Checkpoints of a hill, as anyone can verify them.

use std::path::{Path, PathBuf};

use crate::proof::checkpoint::Checkpoint;
use crate::proof::tile::{self, File};
use crate::proof::tree::{self, Hash};

use crate::keys::Keys;
use crate::list::List;
use crate::served::public;
use crate::{FILE_MAX, entries, folder, opened, seed_of};
use referee_files::beneath::Spot;
use referee_files::walk;
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};
use referee_record::text::count;

/// A checkpoint with its signed note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The content of the note.
    pub checkpoint: Checkpoint,
    /// The whole note.
    pub note: String,
    /// Its file.
    pub path: PathBuf,
}

/// The checkpoints of a hill that agree with its records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The number of checkpoints.
    pub checkpoints: usize,
    /// The number of entries in the last checkpoint: games, or lines of a tournament's list.
    pub signed: u64,
    /// The number of entries now.
    pub entries: u64,
    /// Whether the seed was published, and matches the commitment.
    pub is_seed_open: bool,
    /// The last of them.
    pub last: Option<Signed>,
}

/// Lists the checkpoints of a hill, the shortest first, each signed by the key of its time.
fn signed(root: &Path, keys: &Keys) -> Result<Vec<Signed>, Error> {
    let folder = folder(root).join("checkpoints");
    let mut paths = Vec::new();
    walk::each_file(&Spot::within(root, &folder), |entry| {
        paths.push(entry.path);
        Ok(())
    })?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "note"));
    let read = |path: PathBuf| {
        let note =
            Spot::within(root, &path).read_text(FILE_MAX).map_err(Error::system(&path, "read the note"))?;
        let checkpoint = keys.checkpoint(&note).map_err(|error| error.at(&path))?;
        Ok(Signed { checkpoint, note, path })
    };
    let mut all: Vec<Signed> = paths.into_iter().map(read).collect::<Result<_, Error>>()?;
    all.sort_by_key(|signed| signed.checkpoint.size);
    Ok(all)
}

/// Checks that each checkpoint of a hill is signed by the key of its time, and that it describes the
/// beginning of the results.
///
/// # Errors
///
/// The first checkpoint that does not agree, and what is wrong.
pub fn verify(root: &Path, keys: &Keys) -> Result<Verified, Error> {
    let (verified, _) = verified(root, keys)?;
    if entries::is_tournament(root) {
        entries::check(root, |_| true)?;
    }
    Ok(verified)
}

/// The same check, but without the files that a tournament's list names. Also returns the list, from the same
/// reading.
pub(super) fn verified(root: &Path, keys: &Keys) -> Result<(Verified, List), Error> {
    let all = signed(root, keys)?;
    let roots = roots_at(root, all.iter().map(|signed| signed.checkpoint.size))?;
    for Signed { checkpoint, path, .. } in &all {
        agrees(checkpoint, &roots).map_err(|what| Error::file(path, what).or(ErrorKind::Tampered))?;
    }
    let is_seed_open = check_seed(root, &all)?;
    let last = all.last().cloned();
    let signed = last.as_ref().map_or(0, |last| last.checkpoint.size);
    let verified =
        Verified { checkpoints: all.len(), signed, entries: roots.list.size(), is_seed_open, last };
    Ok((verified, roots.list))
}

/// The roots of the list at some sizes.
pub(super) struct Roots {
    at: Vec<(u64, Hash)>,
    /// The whole list.
    list: List,
}

/// Computes the roots of a hill's list at these sizes.
pub(super) fn roots_at(root: &Path, sizes: impl Iterator<Item = u64>) -> Result<Roots, Error> {
    let mut sizes: Vec<u64> = sizes.collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut list = List::of(root);
    let mut at = vec![(0, list.root())];
    list.read_on(|_, _, tree| {
        if sizes.binary_search(&tree.size()).is_ok() {
            at.push((tree.size(), tree.root()));
        }
    })?;
    Ok(Roots { at, list })
}

/// Makes sure that a checkpoint agrees with these roots. The error says what is wrong.
pub(super) fn agrees(checkpoint: &Checkpoint, roots: &Roots) -> Result<(), String> {
    let size = checkpoint.size;
    let (entry, list) = roots.list.words();
    match roots.at.iter().find(|(at, _)| *at == size) {
        None => Err(format!(
            "this checkpoint has {}, but {list} has only {}: some were removed; restore them from a copy",
            count(size, entry),
            roots.list.size()
        )),
        Some((_, root)) if *root != checkpoint.root => Err(format!(
            "the first {} of {list} differ from the signed ones: they were changed",
            count(size, entry)
        )),
        Some(_) => Ok(()),
    }
}

/// Tells whether the seed was published. A published seed must be that of the hill, and match the commitment
/// of all checkpoints.
fn check_seed(root: &Path, all: &[Signed]) -> Result<bool, Error> {
    let spot = opened(root);
    if !spot.exists() {
        return Ok(false);
    }
    let wrong = |what: &str| Error::file(spot.path(), what).or(ErrorKind::Tampered);
    let text = spot.read_text(FILE_MAX).map_err(Error::system(spot.path(), "read the seed"))?;
    let due = format!("seed {}", Digest::of(text.as_bytes()));
    if all.iter().any(|signed| !signed.checkpoint.more.contains(&due)) {
        return Err(wrong("this seed does not match the commitment in the checkpoints"));
    }
    let seed = text.lines().nth(2).unwrap_or_default();
    if seed != seed_of(root)?.to_string() {
        return Err(wrong("this seed is not the one in hill.toml or in the plan"));
    }
    Ok(true)
}

/// Splits the list that the last checkpoint has signed into static files: the checkpoint, tiles and entries.
///
/// # Errors
///
/// As for [`verify`]; or if there is no checkpoint.
pub fn tiles(root: &Path, keys: &Keys) -> Result<Vec<File>, Error> {
    let verified = verify(root, keys)?;
    let Some(last) = verified.last else {
        return Err(Error::file(
            root,
            "there is no checkpoint yet: make one with `referee proof checkpoint`",
        ));
    };
    let mut entries: Vec<Vec<u8>> = Vec::new();
    List::of(root).read_on(|_, text, _| {
        if (entries.len() as u64) < last.checkpoint.size {
            entries.push(text.to_vec());
        }
    })?;
    let leaves: Vec<Hash> = entries.iter().map(|entry| tree::leaf(entry)).collect();
    let bundles = tile::bundles(&entries);
    let bundles =
        bundles.ok_or_else(|| Error::file(root, "the rows of a game are too long for a tile: 64 KiB"))?;
    let mut files = vec![File { path: "checkpoint".to_owned(), content: last.note.into_bytes() }];
    for name in ["key", "rotations"] {
        let content = public(root, name)?.unwrap_or_default().into_bytes();
        files.push(File { path: name.to_owned(), content });
    }
    files.extend(tile::tiles(&leaves));
    files.extend(bundles);
    Ok(files)
}
