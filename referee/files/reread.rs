//! A cache of a value that was read from files. The value is read again once one of them has changed.

use std::sync::{Mutex, PoisonError};

use crate::beneath::{Look, Spot};
use referee_record::error::Error;

/// A cache of a value that was read from some files. The cached value is given as long as the files look the same,
/// without opening them.
///
/// A look at a file can be a little late where machines share a folder: call [`forget`](Reread::forget) before a
/// decision, under the lock that keeps others from changing the files.
#[derive(Debug)]
pub struct Reread<T>(Mutex<Option<Cached<T>>>);

#[derive(Debug)]
struct Cached<T> {
    /// How each file looked before the value was read; `None`: it was missing.
    looks: Vec<Option<Look>>,
    value: T,
}

impl<T> Default for Reread<T> {
    fn default() -> Reread<T> {
        Reread(Mutex::new(None))
    }
}

impl<T: Clone> Reread<T> {
    /// Returns the cached value, or reads it. Nothing is cached if a file cannot be looked at. A missing file counts as
    /// unchanged as long as it is missing.
    pub fn get(&self, files: &[&Spot], read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The files are looked at before they are read: one that changes meanwhile is read again at the next call.
        let looks: Option<Vec<Option<Look>>> = files.iter().map(|file| file.look().ok()).collect();
        if let (Some(cached), Some(looks)) = (&*cached, &looks)
            && cached.looks == *looks
        {
            return Ok(cached.value.clone());
        }
        *cached = None;
        let value = read()?;
        *cached = looks.map(|looks| Cached { looks, value: value.clone() });
        Ok(value)
    }

    /// Throws the cached value away: the files are read at the next call.
    pub fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_read_again_when_it_has_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, other] = ["one", "other"].map(|name| Spot::below(folder.path(), name));
        let (cached, reads) = (Reread::default(), Cell::new(0));
        let look = || {
            let read = || {
                reads.set(reads.get() + 1);
                Ok([&one, &other].map(|spot| spot.read_text(100).unwrap_or_default()))
            };
            (cached.get(&[&one, &other], read).expect("a value"), reads.get())
        };
        let text = |one: &str, other: &str| [one.to_owned(), other.to_owned()];
        assert_eq!((look(), look()), ((text("", ""), 1), (text("", ""), 1)));
        fs::write(one.path(), "a").expect("written");
        assert_eq!((look(), look()), ((text("a", ""), 2), (text("a", ""), 2)));
        fs::write(other.path(), "b").expect("written");
        assert_eq!((look(), look()), ((text("a", "b"), 3), (text("a", "b"), 3)));
        // Another file of the same length in its place.
        fs::write(folder.path().join("new"), "c").expect("written");
        fs::rename(folder.path().join("new"), one.path()).expect("renamed");
        assert_eq!((look(), look()), ((text("c", "b"), 4), (text("c", "b"), 4)));
        cached.forget();
        assert_eq!(look(), (text("c", "b"), 5));
        fs::remove_file(one.path()).expect("removed");
        std::os::unix::fs::symlink(other.path(), one.path()).expect("a link");
        assert_eq!((look(), look()), ((text("", "b"), 6), (text("", "b"), 7)), "a link is not kept");
    }
}
