//! The keys of a list, one after the other. The first is `proof/key`. Each rotation names a key and the next
//! one, and both have signed it. A reader who trusts one of the keys can follow the rotations to the current
//! one, and trusts the earlier keys for their time: without the signature of the next key, anyone could
//! insert a key of his own before it.

use std::path::Path;

use crate::proof::checkpoint::Checkpoint;
use crate::proof::note::{self, Fault, Verifier};

use crate::told::time;
use crate::{FILE_MAX, key};
use referee_files::beneath::Spot;
use referee_record::error::{Error, ErrorKind};

/// The first line of a rotation.
const HEADING: &str = "referee rotation of a key";

/// Maximum number of rotations of a list.
const ROTATIONS_MAX: usize = 10_000;

/// The keys of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    first: Verifier,
    /// For each rotation: the size of the last checkpoint that the previous key has signed, and the next key.
    rotations: Vec<(u64, Verifier)>,
}

/// Returns the file of a rotation, by its number from 1.
pub(super) fn rotation_of(root: &Path, number: usize) -> Spot {
    Spot::below(root, format!("proof/rotations/{number:03}.note"))
}

/// Returns the text of a rotation, which both keys sign.
pub(super) fn rotation_text(before: &Verifier, next: &Verifier, size: u64) -> String {
    format!("{HEADING}\n{}\n{size}\n{before}\n{next}\n", next.name())
}

impl From<Verifier> for Keys {
    /// Makes the keys of a list whose key was never replaced.
    fn from(first: Verifier) -> Keys {
        Keys { first, rotations: Vec::new() }
    }
}

impl Keys {
    /// Reads the keys of a folder.
    ///
    /// # Errors
    ///
    /// If there are none, or a rotation is not signed by the previous key.
    pub fn read(root: &Path) -> Result<Keys, Error> {
        let mut keys = Keys { first: key(root)?, rotations: Vec::new() };
        for number in 1..=ROTATIONS_MAX {
            let spot = rotation_of(root, number);
            if !spot.exists() {
                return Ok(keys);
            }
            let note = spot.read_text(FILE_MAX).map_err(Error::system(spot.path(), "read the rotation"))?;
            keys.rotate(&note).map_err(|error| error.at(spot.path()))?;
        }
        Err(Error::file(root, format!("more than {ROTATIONS_MAX} rotations of the key")))
    }

    /// Reads the first key and the rotations, in their order, from untrusted texts.
    ///
    /// # Errors
    ///
    /// If a text is not a key, or a rotation is not signed by the previous key.
    pub fn of_texts(first: &str, rotations: &str) -> Result<Keys, Error> {
        let first = Verifier::parse(first).map_err(|fault| Error::input(fault.to_string()))?;
        let mut keys = Keys { first, rotations: Vec::new() };
        // Each note ends after its signatures, and the next one begins with the heading.
        let starts = rotations.match_indices(HEADING).map(|(at, _)| at);
        let ends = starts.clone().skip(1).chain([rotations.len()]);
        starts.zip(ends).try_for_each(|(start, end)| keys.rotate(&rotations[start..end]))?;
        Ok(keys)
    }

    /// Adds a rotation.
    fn rotate(&mut self, note: &str) -> Result<(), Error> {
        let refused = |what: &str| Error::new(ErrorKind::Tampered, what);
        let text = self.current().open(note).map_err(|fault| {
            refused(&format!(
                "this rotation is not signed by the previous key, so the next key is not trusted: {fault}"
            ))
        })?;
        let lines: Vec<&str> = text.lines().collect();
        let next = match *lines {
            [HEADING, origin, size, before, next]
                if origin == self.origin() && before == self.current().to_string() =>
            {
                size.parse().ok().zip(Verifier::parse(next).ok())
            }
            _ => None,
        };
        let (size, next) = next.ok_or_else(|| refused("this is not a rotation of this list's key"))?;
        next.open(note).map_err(|fault| {
            refused(&format!("the next key did not sign this rotation, so it is not trusted: {fault}"))
        })?;
        let is_later = self.rotations.last().is_none_or(|(before, _)| *before <= size);
        if next.name() != self.origin() || !is_later {
            return Err(refused("this rotation is for another list, or older than the previous one"));
        }
        self.rotations.push((size, next));
        Ok(())
    }

    /// Makes sure that a key is one of these.
    ///
    /// # Errors
    ///
    /// If it is not. Its owner has no reason to trust these keys then.
    pub fn expect(self, known: Option<&Verifier>) -> Result<Keys, Error> {
        match known {
            Some(known) if !self.all().any(|key| key == known) => Err(Error::new(
                ErrorKind::Tampered,
                format!("this key is not {known}: it belongs to another owner, or to another history"),
            )),
            _ => Ok(self),
        }
    }

    /// Lists the keys, the first one first.
    fn all(&self) -> impl Iterator<Item = &Verifier> {
        std::iter::once(&self.first).chain(self.rotations.iter().map(|(_, key)| key))
    }

    /// Returns the current key.
    pub fn current(&self) -> &Verifier {
        self.rotations.last().map_or(&self.first, |(_, key)| key)
    }

    /// Returns the number of rotations.
    pub(super) fn rotations(&self) -> usize {
        self.rotations.len()
    }

    /// Returns the name of the list, which is in all keys.
    pub fn origin(&self) -> &str {
        self.first.name()
    }

    /// Returns the text of a note that one of the keys has signed.
    ///
    /// # Errors
    ///
    /// As [`Verifier::open`].
    pub(super) fn open<'a>(&self, note: &'a str) -> Result<&'a str, Fault> {
        let mut opened = Err(Fault::Unsigned);
        for key in self.all() {
            match key.open(note) {
                Err(Fault::Unsigned) => {}
                told => opened = told,
            }
        }
        opened
    }

    /// Returns the text of a note that somebody keeps elsewhere and gives to compare. Its file is `path`.
    ///
    /// # Errors
    ///
    /// If it is no note, or of another list; [`Tampered`](ErrorKind::Tampered) if it is forged, or the key was
    /// exchanged.
    pub(super) fn open_given<'a>(&self, path: &Path, note: &'a str) -> Result<&'a str, Error> {
        self.open(note).map_err(|fault| match (fault, note::names(note)) {
            (Fault::Unsigned, Some(names)) if names.contains(&self.origin()) => {
                let what = "another key of the same name has signed it: the key was exchanged, or the note is forged";
                Error::file(path, what).or(ErrorKind::Tampered)
            }
            (Fault::Unsigned, Some(names)) => {
                let what = format!(
                    "it is signed by {}, and this list is {}: name the folder that it is for. If it is this one, its key \
                     was exchanged",
                    names.join(", "),
                    self.origin()
                );
                Error::file(path, what)
            }
            (Fault::Forged, _) => Error::file(path, fault.to_string()).or(ErrorKind::Tampered),
            _ => Error::file(path, "this is not a whole signed note: name the file as it was printed or kept"),
        })
    }

    /// Returns the checkpoint of a note that the key of its time has signed.
    ///
    /// # Errors
    ///
    /// If another key has signed it, or none, or the note is not a checkpoint of this list.
    pub fn checkpoint(&self, note: &str) -> Result<Checkpoint, Error> {
        let refused = |what: String| Error::new(ErrorKind::Tampered, what);
        let text = self.open(note).map_err(|fault| refused(fault.to_string()))?;
        let is_ours = |checkpoint: &Checkpoint| {
            checkpoint.origin == self.origin()
                && checkpoint.size > 0
                && checkpoint.value("beginning").is_some()
                && checkpoint.value("time").and_then(time).is_some()
        };
        let checkpoint = Checkpoint::parse(text);
        if checkpoint
            .as_ref()
            .is_some_and(|found| found.value("seed").is_some() && found.value("beginning").is_none())
        {
            let what = "a note of a referee of before 2026-11-26, which this one does not read: to go on, move the folder \
                        proof away, run `referee proof begin`, and announce the new key";
            return Err(Error::input(what));
        }
        let checkpoint = checkpoint.filter(is_ours);
        let checkpoint = checkpoint
            .ok_or_else(|| refused("the note is not a checkpoint of this key's list".to_owned()))?;
        let of_time = self.rotations.iter().take_while(|(from, _)| *from < checkpoint.size);
        let due = of_time.last().map_or(&self.first, |(_, key)| key);
        match due.open(note) {
            Ok(_) => Ok(checkpoint),
            Err(_) => Err(refused(format!(
                "a checkpoint of size {} must be signed by {due}, since the key was rotated; another key signed it",
                checkpoint.size
            ))),
        }
    }
}
