//! A witness: keeps the last checkpoint that it saw, and finds a host who shows another history later, or to others.

use std::path::Path;

use referee_proof::note::Verifier;

use super::receipts::check_kept;
use super::{FILE_MAX, key, verify};
use crate::error::{Error, ErrorKind};
use crate::record::beneath::Spot;
use crate::tournament::publish;

/// What a witness has seen of a hill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The key that is believed.
    pub key: Verifier,
    /// How many games the checkpoint had that was kept; `None` when there was none.
    pub before: Option<u64>,
    /// How many games the last checkpoint has.
    pub now: u64,
}

/// Looks at a hill: all its checkpoints agree with its results, and so does the one that was kept. Then keeps the last.
/// The first time, the key that is given is believed, or else that of the hill.
///
/// `state` is the file that the witness keeps: the key, an empty line, and the note.
///
/// # Errors
///
/// Says what the host has changed; what was kept stays.
pub fn observe(root: &Path, state: &Path, given: Option<&Verifier>) -> Result<Seen, Error> {
    let kept = read(state)?;
    let known = kept.as_ref().map(|(key, _)| key).or(given);
    let shown = key(root)?;
    if let Some(known) = known.filter(|known| **known != shown) {
        let what =
            format!("the hill shows another key than {known}: it has another owner, or another history");
        return Err(Error::file(&root.join("proof/key"), what).or(ErrorKind::Tampered));
    }
    let verified = verify(root, &shown)?;
    let Some(last) = verified.last else {
        return Err(Error::file(root, "there is no checkpoint yet: nothing to keep"));
    };
    let before = match &kept {
        None => None,
        Some((_, note)) => {
            let kept = check_kept(root, &shown, state, note)?;
            if kept.size > last.checkpoint.size {
                let what = format!(
                    "the hill shows a checkpoint of {} games; one of {} games is known: it was taken back",
                    last.checkpoint.size, kept.size
                );
                return Err(Error::file(&last.path, what).or(ErrorKind::Tampered));
            }
            Some(kept.size)
        }
    };
    publish::replace(state, format!("{shown}\n\n{}", last.note).as_bytes())?;
    Ok(Seen { key: shown, before, now: last.checkpoint.size })
}

fn read(state: &Path) -> Result<Option<(Verifier, String)>, Error> {
    if !state.exists() {
        return Ok(None);
    }
    let text = Spot::from(state).read_text(FILE_MAX).map_err(Error::system(state, "read what was kept"))?;
    let kept =
        text.split_once("\n\n").and_then(|(key, note)| Some((Verifier::parse(key).ok()?, note.to_owned())));
    kept.map(Some)
        .ok_or_else(|| Error::file(state, "not what a witness keeps: a key, an empty line and a note"))
}
