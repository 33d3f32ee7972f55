//! Marks in files that programs only append to: what was read of a file up to its mark need not be read again.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// A mark in a file up to which it was read. The mark stays valid as long as the file is only appended to.
///
/// A copy of the file is another file, and so is one that was put in its place: the system says when a file was made,
/// and no program can set that. A change before the end of a file that also grew goes unnoticed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadMark {
    device: u64,
    #[serde(rename = "number")]
    inode: u64,
    /// When the file was made, in nanoseconds since 1970.
    #[serde(rename = "made")]
    born: u128,
    /// When the file was last changed: seconds and nanoseconds.
    changed: (i64, i64),
    /// The number of bytes that were read.
    bytes: u64,
}

impl ReadMark {
    /// Marks the byte up to which a file was read. `None` where the system does not say when a file was made.
    pub fn of(file: &File, bytes: u64) -> io::Result<Option<ReadMark>> {
        Ok(ReadMark::new(&file.metadata()?, bytes))
    }

    fn new(metadata: &Metadata, bytes: u64) -> Option<ReadMark> {
        let born = metadata.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(ReadMark {
            device: metadata.dev(),
            inode: metadata.ino(),
            born: born.as_nanos(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            bytes,
        })
    }

    /// Tells whether a file is the marked one, and has grown beyond the mark or was not changed since.
    pub fn still_valid_for(&self, file: &File) -> io::Result<bool> {
        // Read once, so that length and time of change are of one moment.
        let metadata = file.metadata()?;
        let Some(now) = ReadMark::new(&metadata, self.bytes) else { return Ok(false) };
        let is_same_file = (now.device, now.inode, now.born) == (self.device, self.inode, self.born);
        let has_grown = metadata.len() > self.bytes;
        let is_unchanged = metadata.len() == self.bytes && now.changed == self.changed;
        Ok(is_same_file && (has_grown || is_unchanged))
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
        let Some(mark) = ReadMark::of(&open(), 3).expect("a mark") else {
            return; // nothing can be kept on such a system
        };
        let is_valid = || mark.still_valid_for(&open()).expect("metadata");
        assert!(is_valid());
        File::options().append(true).open(&path).and_then(|mut file| file.write_all(b"de")).expect("written");
        assert!(is_valid(), "it has grown");
        write("ab");
        assert!(!is_valid(), "it is shorter");
        write("abd");
        assert!(!is_valid(), "it was changed");
        fs::copy(&path, &other).and_then(|_| fs::rename(&other, &path)).expect("replaced");
        fs::write(&path, "abcdef").expect("written");
        assert!(!is_valid(), "it is another file");
    }
}
