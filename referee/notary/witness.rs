//! A witness: keeps the last checkpoint that it saw, and finds a host who later shows another history.

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
    /// The number of games in the checkpoint that was kept; `None` the first time.
    pub before: Option<u64>,
    /// The number of games in the last checkpoint.
    pub now: u64,
}

/// Checks that all checkpoints of a hill, and the one that was kept, agree with its results. Then keeps the last one.
/// The first time, `given` is the trusted key; without it, the hill's own.
///
/// `state` is the file that the witness keeps: the key, an empty line, and the note.
///
/// # Errors
///
/// Says what the host has changed. The file of the witness stays as it was.
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
