//! A witness: keeps the last checkpoint that it saw, and detects a host that later shows another history.

use std::path::{Path, PathBuf};

use crate::proof::checkpoint::Checkpoint;
use crate::proof::note::Verifier;
use crate::proof::tile::Reader;
use crate::proof::tree;

use crate::keys::Keys;
use crate::receipts::check_kept;
use crate::{FILE_MAX, verify};
use referee_contest::publish;
use referee_files::beneath::Spot;
use referee_record::error::{Error, ErrorKind};

/// What a witness has seen of a hill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The trusted key.
    pub key: Verifier,
    /// The number of games in the stored checkpoint; `None` the first time.
    pub before: Option<u64>,
    /// The number of games in the last checkpoint.
    pub now: u64,
}

/// Checks that all checkpoints of a hill, and the stored one, agree with its results. Then stores the last
/// one. The first time, `given` is the trusted key; without it, the hill's own.
///
/// `state` is the file of the witness: the key, an empty line, and the note.
///
/// # Errors
///
/// What the host has changed. The file of the witness is not changed then.
pub fn observe(root: &Path, state: &Path, given: Option<&Verifier>) -> Result<Seen, Error> {
    let kept = Kept::read(state)?;
    let known = kept.as_ref().map(|kept| &kept.key).or(given);
    let place = root.join("proof/key");
    let keys = Keys::read(root)?.expect(known).map_err(|error| error.at(&place))?;
    let Some(last) = verify(root, &keys)?.last else {
        return Err(Error::file(root, "there is no checkpoint yet: nothing to keep"));
    };
    if let Some(kept) = &kept {
        check_kept(root, &keys, state, &kept.note).map_err(|error| kept.fork(&last.note, error))?;
        kept.check_age(&keys, &last.checkpoint).map_err(|error| error.at(&last.path))?;
    }
    keep(state, &keys, kept, &last.checkpoint, &last.note)
}

/// The same for a hill on a server, with a proof from a few tiles instead of the results. `fetch` returns the
/// file of a path below its address.
///
/// # Errors
///
/// As for [`observe`], and those of `fetch`.
pub fn observe_served(
    mut fetch: impl FnMut(&str) -> Result<Vec<u8>, Error>,
    state: &Path,
    given: Option<&Verifier>,
) -> Result<Seen, Error> {
    let kept = Kept::read(state)?;
    let known = kept.as_ref().map(|kept| &kept.key).or(given);
    let mut text = |path: &str| {
        String::from_utf8(fetch(path)?).map_err(|_| Error::input(format!("{path}: this is not text")))
    };
    let keys = Keys::of_texts(&text("key")?, &text("rotations")?)?.expect(known)?;
    let note = text("checkpoint")?;
    let last = keys.checkpoint(&note)?;
    if let Some(kept) = &kept {
        let before = kept.check_age(&keys, &last)?;
        prove(&before, &last, fetch)?.then_some(()).ok_or_else(|| {
            let what = format!(
                "the server does not prove that its checkpoint of size {} continues this one of size {}: history was \
                 rewritten, or a second one is shown",
                last.size, before.size
            );
            kept.fork(&note, Error::file(state, what).or(ErrorKind::Tampered))
        })?;
    }
    keep(state, &keys, kept, &last, &note)
}

/// Tells whether tiles prove that the list of one checkpoint begins with that of an earlier one.
fn prove(
    before: &Checkpoint,
    last: &Checkpoint,
    fetch: impl FnMut(&str) -> Result<Vec<u8>, Error>,
) -> Result<bool, Error> {
    let (old, new) = (before.size as usize, last.size as usize);
    let wrong = |path: &str| Error::input(format!("{path}: the tile does not have the length in its path"));
    let proof = Reader::new(new, fetch).consistency(old, wrong).unwrap_or(Ok(Vec::new()))?;
    Ok(tree::is_consistent((old, &before.root), (new, &last.root), &proof))
}

/// Replaces the file of the witness.
fn keep(state: &Path, keys: &Keys, kept: Option<Kept>, last: &Checkpoint, note: &str) -> Result<Seen, Error> {
    let key = keys.current().clone();
    publish::replace(state, format!("{key}\n\n{note}").as_bytes())?;
    Ok(Seen { key, before: kept.map(|kept| kept.size), now: last.size })
}

/// The content of the file of a witness.
struct Kept {
    state: PathBuf,
    key: Verifier,
    note: String,
    /// The number of games in the note.
    size: u64,
}

impl Kept {
    fn read(state: &Path) -> Result<Option<Kept>, Error> {
        if !state.exists() {
            return Ok(None);
        }
        let text = Spot::from(state)
            .read_text(FILE_MAX)
            .map_err(Error::system(state, "read the file of the witness"))?;
        let kept = text.split_once("\n\n").and_then(|(key, note)| {
            let (key, note) = (Verifier::parse(key).ok()?, note.to_owned());
            let size =
                Checkpoint::parse(note.split_once("\n\n").map(|(text, _)| format!("{text}\n"))?.as_str())?
                    .size;
            Some(Kept { state: state.to_owned(), key, note, size })
        });
        kept.map(Some).ok_or_else(|| {
            let what = "not the file of a witness (a key, an empty line and a whole note): restore it, or name another \
                        file to start again";
            Error::file(state, what)
        })
    }

    /// Returns the stored checkpoint. It must not be longer than the current one.
    fn check_age(&self, keys: &Keys, last: &Checkpoint) -> Result<Checkpoint, Error> {
        let kept = keys.checkpoint(&self.note).map_err(|error| error.at(&self.state))?;
        if kept.size > last.size {
            let what = format!(
                "a checkpoint of size {} is shown, but one of size {} is known: the host went back, or this is an old \
                 copy; ask the host for the current one",
                last.size, kept.size
            );
            return Err(Error::new(ErrorKind::Tampered, what));
        }
        Ok(kept)
    }

    /// Stores the note that contradicts the stored one next to it, and reports it.
    fn fork(&self, shown: &str, error: Error) -> Error {
        let mut path = self.state.clone().into_os_string();
        path.push(".fork");
        let path = PathBuf::from(path);
        let noted = match publish::replace(&path, shown.as_bytes()) {
            Ok(()) => format!("{} contains the note that is shown now", path.display()),
            Err(refused) => format!("the note that is shown now could not be stored ({refused})"),
        };
        let what = format!(
            "{}; both notes are signed: {} contains the earlier one, {noted}. Publish both",
            error.what(),
            self.state.display()
        );
        Error::new(error.kind(), what).at(&self.state)
    }
}
