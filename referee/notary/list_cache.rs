//! The cache of a signed list: what was read of it is kept for the next run of a large hill, which then reads only new
//! games and checkpoints.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::checkpoints::{Checked, checked_behind, notes, read_notes};
use crate::list::{self, List};
use crate::proof::note::Verifier;
use crate::{FILE_MAX, folder};
use referee_contest::cache::Cache;
use referee_contest::folder::results_of;
use referee_files::beneath::Spot;
use referee_record::error::Error;

/// The size of results from which on there is a cache, in bytes: smaller ones are read in no time.
const RESULTS_MIN: u64 = 4 << 20;

/// The number of bytes of new results after which the cache is written anew.
const NEW_MIN: u64 = 1 << 20;

/// A list, all of which is signed.
#[derive(Debug, Serialize, Deserialize)]
struct View {
    list: list::ListState,
    /// The names of the checkpoints.
    notes: BTreeSet<String>,
    /// The content of the last one.
    last: String,
}

/// Goes on from the cache. Returns what [`checked`](crate::checkpoints::checked) would return, and the number of bytes
/// of the results that the cache has; `None` if there is no cache, or any of it is in doubt.
pub(super) fn resume(root: &Path, key: &Verifier) -> Result<Option<(Checked, u64)>, Error> {
    let results = results_of(root);
    let found = results.look().map_err(Error::system(results.path(), "look at the results"))?;
    if found.is_none_or(|found| found.length() < RESULTS_MIN) {
        return Ok(None);
    }
    let Some(View { list, notes: known, last }) = cache(root, key)?.read() else { return Ok(None) };
    let bytes = list.bytes();
    let now = notes(root)?;
    let Some(name) = known.last() else { return Ok(None) };
    let path = folder(root).join("checkpoints").join(name);
    let is_last_there = Spot::within(root, &path).read_text(FILE_MAX).is_ok_and(|note| note == last);
    if !is_last_there || !now.is_superset(&known) {
        return Ok(None);
    }
    let Some(list) = List::resume(root, list)? else { return Ok(None) };
    let mut all = read_notes(root, key, &[name.clone()].into())?;
    let size = all[0].checkpoint.size;
    let new = read_notes(root, key, &now.difference(&known).cloned().collect())?;
    if size != list.size() || new.iter().any(|note| note.checkpoint.size <= size) {
        return Ok(None);
    }
    let time = all[0].checkpoint.value("time").unwrap_or_default().to_owned();
    let mut checked = checked_behind(root, key, new, list, &time)?;
    all.append(&mut checked.all);
    Ok(Some((Checked { all, ..checked }, bytes)))
}

/// Writes a list, all of which is signed, to the cache, unless hardly anything is new. `before` is the number of bytes
/// of the results that the cache has, if there is one. Returns that number as it is now.
pub(super) fn keep(
    root: &Path,
    key: &Verifier,
    list: &List,
    before: Option<u64>,
) -> Result<Option<u64>, Error> {
    let bytes = list.bytes();
    if bytes < before.map_or(RESULTS_MIN, |before| before + NEW_MIN) {
        return Ok(before);
    }
    let notes = notes(root)?;
    let (Some(list), Some(name)) = (list.state()?, notes.last()) else { return Ok(before) };
    let path = folder(root).join("checkpoints").join(name);
    let last = Spot::within(root, &path).read_text(FILE_MAX);
    let last = last.map_err(Error::system(&path, "read the note"))?;
    // Nothing depends on the cache.
    let _ = cache(root, key)?.write(&View { list, notes, last });
    Ok(Some(bytes))
}

fn cache(root: &Path, key: &Verifier) -> Result<Cache, Error> {
    let files = ["hill.toml", "plan.toml", "proof/beginning"].map(|name| Spot::below(root, name));
    Cache::new(root, "signed", &[&key.to_string()], &files)
}
