//! Checks of keys and notes: whether the key of a list is the known one, and whether it has signed a note.

use std::path::Path;

use crate::proof::checkpoint::Checkpoint;
use crate::proof::note::{self, Fault, Verifier};

use crate::words::time;
use referee_record::error::{Error, ErrorKind};

/// Makes sure that the key of a list is the one that somebody knows.
///
/// # Errors
///
/// If it is another one: somebody who knows a key has no reason to trust another one.
pub fn expect(key: Verifier, known: Option<&Verifier>) -> Result<Verifier, Error> {
    match known {
        Some(known) if key != *known => Err(Error::new(
            ErrorKind::Tampered,
            format!("this key is not {known}: it belongs to another owner, or to another history"),
        )),
        _ => Ok(key),
    }
}

/// Returns the text of a note that somebody keeps elsewhere and gives to compare. Its file is `path`.
///
/// # Errors
///
/// If it is no note, or of another list; [`Tampered`](ErrorKind::Tampered) if it is forged, or the key was exchanged.
pub(super) fn open_given<'a>(key: &Verifier, path: &Path, note: &'a str) -> Result<&'a str, Error> {
    key.open(note).map_err(|fault| match (fault, note::names(note)) {
        (Fault::Unsigned, Some(names)) if names.contains(&key.name()) => {
            let what =
                "another key of the same name has signed it: the key was exchanged, or the note is forged";
            Error::record(path, what)
        }
        (Fault::Unsigned, Some(names)) => {
            let what = format!(
                "it is signed by {}, and this list is {}: name the folder that it is for. If it is this one, its key \
                 was exchanged",
                names.join(", "),
                key.name()
            );
            Error::file(path, what)
        }
        (Fault::Forged, _) => Error::record(path, fault.to_string()),
        _ => Error::file(path, "this is not a whole signed note: name the file as it was printed or kept"),
    })
}

/// Returns the checkpoint of a note that the key of a list has signed.
///
/// # Errors
///
/// If another key has signed it, or none, or the note is not a checkpoint of this list.
pub(super) fn checkpoint(key: &Verifier, note: &str) -> Result<Checkpoint, Error> {
    let refused = |what: String| Error::new(ErrorKind::Tampered, what);
    let text = key.open(note).map_err(|fault| refused(fault.to_string()))?;
    let not_of_list = || refused("the note is not a checkpoint of this key's list".to_owned());
    let checkpoint = Checkpoint::parse(text).ok_or_else(not_of_list)?;
    let has_beginning = checkpoint.value("beginning").is_some();
    if checkpoint.value("seed").is_some() && !has_beginning {
        let what = "a note of a referee of before 2026-11-26, which this one does not read: to go on, move the folder \
                    proof away, run `referee proof begin`, and announce the new key";
        return Err(Error::input(what));
    }
    let is_of_list = checkpoint.origin == key.name()
        && checkpoint.size > 0
        && has_beginning
        && checkpoint.value("time").and_then(time).is_some();
    if is_of_list { Ok(checkpoint) } else { Err(not_of_list()) }
}
