//! A witness: keeps the last checkpoint that it saw, and detects a host that later shows another history.

use std::path::{Path, PathBuf};

use crate::proof::checkpoint::Checkpoint;
use crate::proof::note::{self, Verifier};
use crate::proof::tree::{self, Hash};

use crate::checkpoints::{agrees, roots_at};
use crate::keys;
use crate::words::{entries_in_words, is_dated_back};
use crate::{FILE_MAX, key, verify};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use referee_contest::publish::{self, Published};
use referee_files::beneath::Spot;
use referee_record::error::{Error, ErrorKind};

/// What a witness has seen of a hill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The trusted key.
    pub key: Verifier,
    /// The number of entries in the stored checkpoint; `None` the first time.
    pub before: Option<u64>,
    /// The number of entries in the last checkpoint.
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
pub fn observe(root: &Path, state: &Path, given: Option<&Verifier>) -> Result<Observed, Error> {
    let file = WitnessFile::read(state)?;
    let known = file.as_ref().map(|file| &file.key).or(given);
    let place = root.join("proof/key");
    let key = keys::expect(key(root)?, known).map_err(|error| error.at(&place))?;
    let last = verify(root, &key)?.last;
    let before = file.as_ref().map(|file| file.checkpoint(&key)).transpose()?;
    if let (Some(file), Some(checkpoint)) = (&file, &before) {
        let roots = roots_at(root, std::iter::once(checkpoint.size))?;
        let agreed = agrees(checkpoint, &roots).map(drop);
        let agreed = agreed.map_err(|what| Error::record(state, what));
        agreed.map_err(|error| file.fork(&last.note, error))?;
        file.check_follows(checkpoint, &last.checkpoint, &last.note).map_err(|error| error.at(&last.path))?;
    }
    keep(state, key, before.as_ref(), (&last.checkpoint, &last.note))
}

/// The same for a hill on a server, with a proof that its list goes on instead of the results. `fetch` returns the file
/// of a path below its address.
///
/// # Errors
///
/// As for [`observe`], and those of `fetch`.
pub fn observe_served(
    mut fetch: impl FnMut(&str) -> Result<Vec<u8>, Error>,
    state: &Path,
    given: Option<&Verifier>,
) -> Result<Observed, Error> {
    let file = WitnessFile::read(state)?;
    let known = file.as_ref().map(|file| &file.key).or(given);
    let mut text = |path: &str| {
        String::from_utf8(fetch(path)?).map_err(|_| Error::input(format!("{path}: this is not text")))
    };
    let key = Verifier::parse(&text("key")?).map_err(|fault| Error::input(fault.to_string()))?;
    let key = keys::expect(key, known)?;
    let shown = text("checkpoint")?;
    let last = keys::checkpoint(&key, &shown)?;
    let before = file.as_ref().map(|file| file.checkpoint(&key)).transpose()?;
    if let (Some(file), Some(before)) = (&file, &before) {
        file.check_follows(before, &last, &shown)?;
        if !proves(before, &last, text)? {
            let what = format!(
                "the server does not prove that its checkpoint of size {} continues this one of size {}: history was \
                 rewritten, or a second one is shown",
                last.size, before.size
            );
            return Err(file.fork(&shown, Error::record(state, what)));
        }
    }
    keep(state, key, before.as_ref(), (&last, &shown))
}

/// Tells whether a server proves that the list of one checkpoint begins with that of an earlier one. `text` fetches a
/// file of the server.
fn proves(
    before: &Checkpoint,
    last: &Checkpoint,
    mut text: impl FnMut(&str) -> Result<String, Error>,
) -> Result<bool, Error> {
    let (old, new) = (before.size as usize, last.size as usize);
    let proof = if old == new { String::new() } else { text(&format!("{old}/{new}"))? };
    let hash = |line: &str| STANDARD.decode(line).ok()?.try_into().ok();
    let proof: Option<Vec<Hash>> = proof.lines().map(hash).collect();
    let is_proof = |proof: Vec<Hash>| tree::is_consistent((old, &before.root), (new, &last.root), &proof);
    Ok(proof.is_some_and(is_proof))
}

/// Replaces the file of the witness by a longer checkpoint, which was proved to continue the one in it.
fn keep(
    state: &Path,
    key: Verifier,
    before: Option<&Checkpoint>,
    (last, note): (&Checkpoint, &str),
) -> Result<Observed, Error> {
    let before = before.map(|before| before.size);
    // A note of the same entries stays as it was seen first.
    if before != Some(last.size) {
        publish::replace(state, format!("{key}\n\n{note}").as_bytes())?;
    }
    Ok(Observed { key, before, now: last.size })
}

/// Checks a note that somebody kept against the records of a hill or a tournament: a checkpoint, or the file of a
/// witness.
///
/// # Errors
///
/// If it is not a note of this list, or the records do not agree with it.
pub fn check_note(root: &Path, key: &Verifier, path: &Path, text: &str) -> Result<Checkpoint, Error> {
    let (trusted, note) = key_and_note(text);
    keys::expect(key.clone(), trusted.as_ref()).map_err(|error| error.at(path))?;
    keys::open_given(key, path, note)?;
    let checkpoint = keys::checkpoint(key, note).map_err(|error| error.at(path))?;
    let roots = roots_at(root, std::iter::once(checkpoint.size))?;
    agrees(&checkpoint, &roots).map_err(|what| Error::record(path, what))?;
    Ok(checkpoint)
}

/// Takes the file of a witness apart: the key that it trusts, and the note. A note alone has no key.
fn key_and_note(text: &str) -> (Option<Verifier>, &str) {
    let of_witness = text.split_once("\n\n").and_then(|(key, note)| Some((Verifier::parse(key).ok()?, note)));
    of_witness.map_or((None, text), |(key, note)| (Some(key), note))
}

/// The content of the file of a witness.
struct WitnessFile {
    state: PathBuf,
    key: Verifier,
    note: String,
}

impl WitnessFile {
    fn read(state: &Path) -> Result<Option<WitnessFile>, Error> {
        if !state.exists() {
            return Ok(None);
        }
        let text = Spot::from(state)
            .read_text(FILE_MAX)
            .map_err(Error::system(state, "read the file of the witness"))?;
        let (key, note) = key_and_note(&text);
        match key {
            Some(key) if note::names(note).is_some() => {
                Ok(Some(WitnessFile { state: state.to_owned(), key, note: note.to_owned() }))
            }
            _ => {
                let what = "not the file of a witness (a key, an empty line and a whole note): restore it, or name \
                            another file to start again";
                Err(Error::file(state, what))
            }
        }
    }

    /// Returns the stored checkpoint.
    fn checkpoint(&self, key: &Verifier) -> Result<Checkpoint, Error> {
        keys::checkpoint(key, &self.note).map_err(|error| error.at(&self.state))
    }

    /// Makes sure that a checkpoint can follow the stored one: the same beginning, no fewer entries, and no earlier
    /// time.
    fn check_follows(&self, known: &Checkpoint, last: &Checkpoint, note: &str) -> Result<(), Error> {
        if known.size > last.size {
            let what = format!(
                "a checkpoint of size {} is shown, but one of size {} is known: the host went back, or this is an old \
                 copy; ask the host for the current one",
                last.size, known.size
            );
            return Err(Error::new(ErrorKind::Tampered, what));
        }
        match contradiction(known, last) {
            Some(what) => Err(self.fork(note, Error::record(&self.state, what))),
            None => Ok(()),
        }
    }

    /// Stores the note that contradicts the stored one next to it, and reports it.
    fn fork(&self, shown: &str, error: Error) -> Error {
        // The file of an earlier fork stays.
        let paths = (1u32..).map(|number| {
            let mut path = self.state.clone().into_os_string();
            path.push(if number == 1 { ".fork".to_owned() } else { format!(".fork.{number}") });
            PathBuf::from(path)
        });
        let (mut path, mut stored) = (PathBuf::new(), Ok(Published::Others));
        for next in paths {
            path = next;
            stored = publish::once(Spot::from(&path), shown.as_bytes());
            if !matches!(stored, Ok(Published::Others)) {
                break;
            }
        }
        let evidence = match stored {
            Ok(_) => format!("{} contains the note that is shown now", path.display()),
            Err(refused) => format!("the note that is shown now could not be stored ({refused})"),
        };
        let what = format!(
            "{}; both notes are signed: {} contains the earlier one, {evidence}. Publish both",
            error.what(),
            self.state.display()
        );
        Error::new(error.kind(), what).at(&self.state)
    }
}

/// Says why two checkpoints of one list cannot belong to one history, if both alone show it.
fn contradiction(first: &Checkpoint, second: &Checkpoint) -> Option<String> {
    let (shorter, longer) = if first.size <= second.size { (first, second) } else { (second, first) };
    let value = |checkpoint: &Checkpoint, word| checkpoint.value(word).unwrap_or_default().to_owned();
    if value(shorter, "beginning") != value(longer, "beginning") {
        return Some(
            "the notes name two beginnings: seed or settings were exchanged after one was signed".to_owned(),
        );
    }
    if shorter.size == longer.size && shorter.root != longer.root {
        return Some(format!("the notes have different lists of {}", entries_in_words(shorter.size)));
    }
    let (before, after) = (value(shorter, "time"), value(longer, "time"));
    if shorter.size == longer.size || !is_dated_back(&after, &before) {
        return None;
    }
    Some(format!(
        "the note of {} says {after}, but that of {} says {before}: it was dated back",
        entries_in_words(longer.size),
        entries_in_words(shorter.size)
    ))
}
