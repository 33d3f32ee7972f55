//! The public files of a notary, for a server: the key and the last checkpoint, and proofs that a list goes on. Nothing
//! private is read.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::proof::tree::{self, Hash};

use crate::FILE_MAX;
use crate::list::List;
use referee_files::beneath::Spot;
use referee_files::walk;
use referee_record::error::Error;

/// The tree over the list of a hill, as far as it has been requested.
#[derive(Debug)]
pub struct ServedTree {
    root: PathBuf,
    list: List,
    leaves: Vec<Hash>,
}

impl ServedTree {
    /// Creates a tree before any reading.
    pub fn new(root: &Path) -> ServedTree {
        ServedTree { root: root.to_owned(), list: List::new(root), leaves: Vec::new() }
    }

    /// Returns the proof that the first `size` entries begin with the first `before` ones: each hash in base64 on a
    /// line. `None` if nothing is signed here, there are fewer entries, or `before` is 0 or more than `size`.
    pub fn continued(&mut self, before: usize, size: usize) -> Result<Option<String>, Error> {
        let ServedTree { root, list, leaves } = self;
        if !crate::is_there(root) {
            return Ok(None);
        }
        if size > leaves.len() {
            list.read_on(|_, text, _| leaves.push(tree::leaf(text)))?;
        }
        let proof = leaves.get(..size).and_then(|leaves| tree::consistency(leaves, before));
        Ok(proof.map(|proof| proof.iter().map(|hash| STANDARD.encode(hash) + "\n").collect()))
    }
}

/// Returns the key of a hill or its last checkpoint; `None` if there is none.
pub fn public(root: &Path, name: &str) -> Result<Option<String>, Error> {
    let read =
        |spot: &Spot| spot.read_text(FILE_MAX).map_err(Error::system(spot.path(), "read the signed file"));
    let key = Spot::below(root, "proof/key");
    // A key that this server may not read is an error: it is not the same as no key.
    let is_signed = key.look().map_err(Error::system(key.path(), "read the signed file"))?.is_some();
    match name {
        "key" if is_signed => read(&key).map(Some),
        "checkpoint" if is_signed => last_note(root)?.as_ref().map(read).transpose(),
        _ => Ok(None),
    }
}

/// Returns the file of the last checkpoint: that of the largest size, which is its name.
fn last_note(root: &Path) -> Result<Option<Spot>, Error> {
    let mut last: Option<(u64, Spot)> = None;
    walk::each_file(&Spot::below(root, "proof/checkpoints"), |entry| {
        let is_note = entry.path.extension().is_some_and(|ending| ending == "note");
        let size = entry.path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
        if let Some(size) = size
            && is_note
            && last.as_ref().is_none_or(|(longest, _)| *longest < size)
        {
            last = Some((size, Spot::within(root, entry.path)));
        }
        Ok(())
    })?;
    Ok(last.map(|(_, spot)| spot))
}
