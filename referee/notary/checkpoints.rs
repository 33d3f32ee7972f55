//! Checkpoints of a hill: signed after runs, verified by anybody.

use std::path::{Path, PathBuf};

use referee_proof::checkpoint::Checkpoint;
use referee_proof::note::Verifier;
use referee_proof::tile::{self, File};
use referee_proof::tree::{self, Growing, Hash};

use super::{FILE_MAX, Notary, folder, forged, opened};
use crate::error::{Error, ErrorKind};
use crate::record::Digest;
use crate::record::beneath::Spot;
use crate::record::{results, walk};
use crate::tournament::folder::results_of;
use crate::tournament::hill::Hill;
use crate::tournament::publish::{self, Published};

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
    /// The number of games in the last checkpoint.
    pub signed: u64,
    /// The number of games in the results.
    pub games: u64,
    /// Whether the seed was published, and is the one that the checkpoints commit to.
    pub is_seed_open: bool,
    /// The last of them.
    pub last: Option<Signed>,
}

/// Goes through the entries of the list: the name of each game, and its rows as they are in the results.
pub(super) fn each_entry(root: &Path, mut take: impl FnMut(&str, &[u8])) -> Result<(), Error> {
    let spot = results_of(root);
    if !spot.exists() {
        return Ok(());
    }
    let mut games = results::games(&spot)?;
    while let Some(rows) = games.next().transpose().map_err(|error| error.or(ErrorKind::Tampered))? {
        take(&rows[0].1.game, games.text());
    }
    Ok(())
}

/// Signs the current records of a hill. `None` if no game was added since the last checkpoint.
///
/// # Errors
///
/// If the hill has no notary, or its results no longer begin with what was signed before.
pub fn checkpoint(hill: &Hill) -> Result<Option<Signed>, Error> {
    let (root, notary) = (hill.root(), Notary::open(hill.root())?);
    let verifier = notary.signer.verifier();
    let verified = verify(root, &verifier)?;
    if verified.last.is_some() && verified.signed == verified.games {
        return Ok(None);
    }
    let (mut list, mut chain) = (Growing::default(), None);
    each_entry(root, |_, text| {
        list.push(tree::leaf(text));
        let line = text.strip_suffix(b"\n").unwrap_or(text);
        let cell = line.rsplit(|byte| *byte == b',').next().unwrap_or_default();
        chain = Some(String::from_utf8_lossy(cell).into_owned());
    })?;
    let mut more = vec![format!("seed {}", notary.commitment)];
    more.extend(chain.map(|chain| format!("chain {chain}")));
    let (origin, size) = (verifier.name().to_owned(), list.size());
    let checkpoint = Checkpoint { origin, size, root: list.root(), more };
    let note = notary.signer.sign(&checkpoint.to_string());
    let spot = Spot::below(root, format!("proof/checkpoints/{size:09}.note"));
    let path = spot.path().to_owned();
    match publish::once(spot, note.as_bytes())? {
        Published::Mine => Ok(Some(Signed { checkpoint, note, path })),
        Published::Others => {
            Err(Error::file(&path, "another checkpoint of this size is there").or(ErrorKind::Tampered))
        }
    }
}

/// Lists the checkpoints of a hill, the shortest first, each signed by this key.
fn signed(root: &Path, key: &Verifier) -> Result<Vec<Signed>, Error> {
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
        let checkpoint = read_note(&note, key).map_err(|error| error.at(&path))?;
        Ok(Signed { checkpoint, note, path })
    };
    let mut all: Vec<Signed> = paths.into_iter().map(read).collect::<Result<_, Error>>()?;
    all.sort_by_key(|signed| signed.checkpoint.size);
    Ok(all)
}

/// Reads a checkpoint of the list of this key.
pub(super) fn read_note(note: &str, key: &Verifier) -> Result<Checkpoint, Error> {
    let text = key.open(note).map_err(|fault| forged(Path::new("the note"), fault))?;
    let checkpoint = Checkpoint::parse(text).filter(|checkpoint| checkpoint.origin == key.name());
    checkpoint.ok_or_else(|| Error::new(ErrorKind::Tampered, "the note is no checkpoint of this key's list"))
}

/// Checks that each checkpoint of a hill is signed by this key, and that the results begin as it says.
///
/// # Errors
///
/// Names the first checkpoint that does not agree, and what is wrong.
pub fn verify(root: &Path, key: &Verifier) -> Result<Verified, Error> {
    let all = signed(root, key)?;
    let roots = roots_at(root, all.iter().map(|signed| signed.checkpoint.size))?;
    for Signed { checkpoint, path, .. } in &all {
        agrees(checkpoint, &roots).map_err(|what| Error::file(path, what).or(ErrorKind::Tampered))?;
    }
    let is_seed_open = check_seed(root, &all)?;
    let last = all.last().cloned();
    let signed = last.as_ref().map_or(0, |last| last.checkpoint.size);
    Ok(Verified { checkpoints: all.len(), signed, games: roots.games, is_seed_open, last })
}

/// The roots of the list at some sizes.
pub(super) struct Roots {
    at: Vec<(u64, Hash)>,
    /// The number of games in the results.
    pub(super) games: u64,
}

/// Works out the roots of a hill's list at these sizes.
pub(super) fn roots_at(root: &Path, sizes: impl Iterator<Item = u64>) -> Result<Roots, Error> {
    let mut sizes: Vec<u64> = sizes.collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut list = Growing::default();
    let mut at: Vec<(u64, Hash)> = Vec::new();
    let mut look = |list: &Growing| {
        if sizes.binary_search(&list.size()).is_ok() {
            at.push((list.size(), list.root()));
        }
    };
    look(&list);
    each_entry(root, |_, text| {
        list.push(tree::leaf(text));
        look(&list);
    })?;
    Ok(Roots { at, games: list.size() })
}

/// Makes sure that a checkpoint agrees with these roots; else says what is wrong.
pub(super) fn agrees(checkpoint: &Checkpoint, roots: &Roots) -> Result<(), String> {
    let size = checkpoint.size;
    match roots.at.iter().find(|(at, _)| *at == size) {
        None => Err(format!(
            "it has {size} games, but the results have only {}: some were taken out",
            roots.games
        )),
        Some((_, root)) if *root != checkpoint.root => Err(format!(
            "the first {size} games of the results are not those that were signed: they were changed"
        )),
        Some(_) => Ok(()),
    }
}

/// Tells whether the seed was published; then it has to be that of the hill, and the one that all checkpoints commit
/// to.
fn check_seed(root: &Path, all: &[Signed]) -> Result<bool, Error> {
    let spot = opened(root);
    if !spot.exists() {
        return Ok(false);
    }
    let wrong = |what: &str| Error::file(spot.path(), what).or(ErrorKind::Tampered);
    let text = spot.read_text(FILE_MAX).map_err(Error::system(spot.path(), "read the seed"))?;
    let due = format!("seed {}", Digest::of(text.as_bytes()));
    if all.iter().any(|signed| !signed.checkpoint.more.contains(&due)) {
        return Err(wrong("this is not the seed that the checkpoints commit to"));
    }
    let seed = text.lines().nth(2).unwrap_or_default();
    let hill = Hill::open(root)?;
    if seed != hill.seed().to_string() {
        return Err(wrong("this is not the seed in hill.toml"));
    }
    Ok(true)
}

/// Cuts the list that the last checkpoint has signed into static files: the checkpoint, tiles and entries.
///
/// # Errors
///
/// As for [`verify`]; or if there is no checkpoint.
pub fn tiles(root: &Path, key: &Verifier) -> Result<Vec<File>, Error> {
    let verified = verify(root, key)?;
    let Some(last) = verified.last else {
        return Err(Error::file(
            root,
            "there is no checkpoint yet: make one with `referee hill proof checkpoint`",
        ));
    };
    let mut entries: Vec<Vec<u8>> = Vec::new();
    each_entry(root, |_, text| {
        if (entries.len() as u64) < last.checkpoint.size {
            entries.push(text.to_vec());
        }
    })?;
    let leaves: Vec<Hash> = entries.iter().map(|entry| tree::leaf(entry)).collect();
    let bundles = tile::bundles(&entries);
    let bundles =
        bundles.ok_or_else(|| Error::file(root, "the rows of a game are too long for a tile: 64 KiB"))?;
    let mut files = vec![File { path: "checkpoint".to_owned(), content: last.note.into_bytes() }];
    files.extend(tile::tiles(&leaves));
    files.extend(bundles);
    Ok(files)
}
