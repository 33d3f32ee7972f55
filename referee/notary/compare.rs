//! Compares two signed notes, without the records: two checkpoints that contradict each other prove by themselves that
//! the host has shown two histories.

use std::path::Path;

use referee_files::beneath::Spot;
use referee_record::error::{Error, ErrorKind};

use crate::FILE_MAX;
use crate::keys::Keys;
use crate::proof::checkpoint::Checkpoint;
use crate::proof::note::{self, Verifier};
use crate::witness::{contradiction, key_and_note};

/// Two notes of one list that do not contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The numbers of entries, the smaller one first.
    pub entries: [u64; 2],
}

impl Compared {
    /// Tells whether the notes have the same list. Of lists of different lengths, two notes alone cannot tell whether
    /// one begins with the other.
    pub fn is_same(&self) -> bool {
        self.entries[0] == self.entries[1]
    }
}

/// Compares two notes: checkpoints, or files of witnesses. `given` is the trusted key, for a checkpoint without one.
///
/// # Errors
///
/// [`Tampered`](ErrorKind::Tampered) if they cannot belong to one history. Otherwise if one of them is not a signed
/// checkpoint of this key, or they are of two lists.
pub fn compare(first: &Path, second: &Path, given: Option<&Verifier>) -> Result<Compared, Error> {
    let read = |path| Spot::from(path).read_text(FILE_MAX).map_err(Error::system(path, "read the note"));
    let texts = [read(first)?, read(second)?];
    let parts = [key_and_note(&texts[0]), key_and_note(&texts[1])];
    if let ([(Some(one), _), (Some(other), _)], None) = (&parts, given)
        && one != other
        && one.name() == other.name()
    {
        let what = format!(
            "it trusts {other}, and {} trusts {one}: name the announced key with --key",
            first.display()
        );
        return Err(Error::file(second, what));
    }
    let known = || parts.iter().find_map(|(key, _)| key.as_ref());
    let checkpoint = |path: &Path, (key, note): &(Option<Verifier>, &str)| -> Result<Checkpoint, Error> {
        let Some(key) = given.or(key.as_ref()).or(known()) else {
            let what = "a note alone has no key: name the announced one with --key";
            return Err(Error::file(path, what));
        };
        let keys = Keys::from(key.clone());
        keys.open_given(path, note).map_err(|error| match error.kind() {
            // Without the records nobody can tell which.
            ErrorKind::Tampered if note::names(note).is_some_and(|names| names.contains(&keys.origin())) => {
                let what = format!(
                    "{}: is it not signed by {key}? After a rotation, compare notes of one key; else the note is forged",
                    error.what()
                );
                Error::file(path, what)
            }
            _ => error,
        })?;
        keys.checkpoint(note).map_err(|error| error.at(path))
    };
    let (one, other) = (checkpoint(first, &parts[0])?, checkpoint(second, &parts[1])?);
    if one.origin != other.origin {
        let what = format!(
            "a note of {}, but the other one is of {}: compare two of one list",
            other.origin, one.origin
        );
        return Err(Error::file(second, what));
    }
    if let Some(what) = contradiction(&one, &other) {
        let what = format!("{what}; both are signed, here and in {}. Publish both", first.display());
        return Err(Error::file(second, what).or(ErrorKind::Tampered));
    }
    Ok(Compared { entries: [one.size.min(other.size), one.size.max(other.size)] })
}
