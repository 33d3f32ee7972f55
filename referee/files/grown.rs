//! A file that programs only append to, recognized later: what was read of it then need not be read again.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// A file, as it was when it was read up to some byte.
///
/// A copy is another file, and so is one that was put in its place: the system says when a file was made, and no program
/// can set that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grown {
    device: u64,
    number: u64,
    /// When it was made, in nanoseconds since 1970.
    made: u128,
    /// When it was last changed: seconds and nanoseconds.
    changed: (i64, i64),
    /// The number of bytes that were read.
    bytes: u64,
}

impl Grown {
    /// Looks at a file that was read up to this byte. `None` where the system does not say when a file was made.
    pub fn of(file: &File, bytes: u64) -> io::Result<Option<Grown>> {
        let there = file.metadata()?;
        let made = there.created().ok().and_then(|made| made.duration_since(UNIX_EPOCH).ok());
        Ok(made.map(|made| Grown {
            device: there.dev(),
            number: there.ino(),
            made: made.as_nanos(),
            changed: (there.ctime(), there.ctime_nsec()),
            bytes,
        }))
    }

    /// Tells whether a file is this one, and has grown since or was not changed at all. Whether a file that has grown
    /// was changed before its end, this cannot tell.
    pub fn is(&self, file: &File) -> io::Result<bool> {
        let length = file.metadata()?.len();
        let now = Grown::of(file, self.bytes)?;
        let is_same = |now: Grown| {
            Grown { changed: self.changed, ..now.clone() } == *self
                && (length > self.bytes || now.changed == self.changed)
        };
        Ok(length >= self.bytes && now.is_some_and(is_same))
    }

    /// Returns the number of bytes that were read.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_file_is_known_again_while_it_only_grows() {
        let folder = tempfile::tempdir().expect("a folder");
        let [path, other] = ["results", "other"].map(|name| folder.path().join(name));
        let write = |text: &str| fs::write(&path, text).expect("written");
        let open = || File::options().read(true).write(true).open(&path).expect("the file");
        write("abc");
        let Some(known) = Grown::of(&open(), 3).expect("a look") else {
            return; // nothing can be kept on such a system
        };
        let is_it = || known.is(&open()).expect("a look");
        assert!(is_it());
        File::options().append(true).open(&path).and_then(|mut file| file.write_all(b"de")).expect("written");
        assert!(is_it(), "it has grown");
        write("ab");
        assert!(!is_it(), "it is shorter");
        write("abd");
        assert!(!is_it(), "it was changed");
        fs::copy(&path, &other).and_then(|_| fs::rename(&other, &path)).expect("replaced");
        fs::write(&path, "abcdef").expect("written");
        assert!(!is_it(), "it is another file");
    }
}
