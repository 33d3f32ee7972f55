//! A cache: a value that was computed of the files of a contest, kept for the next start. It can be deleted at any
//! time. If it is in doubt, it is not used, and the files are read again.

use std::io::Read as _;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::publish;
use referee_files::beneath::Spot;
use referee_files::digest;
use referee_record::Digest;
use referee_record::error::Error;

/// The folder of caches, below that of the contest.
pub const FOLDER: &str = "kept";

/// The length of the text before a value: the digests of its key and of itself.
const HEAD: usize = 2 * 64;

/// A value that is kept: its place, and what it must have been computed of.
#[derive(Debug)]
pub struct Cache {
    spot: Spot,
    key: Digest,
}

impl Cache {
    /// Makes the cache of a value of a contest. What is kept counts as long as these texts and files are the same, and
    /// for this very program alone. A file may be missing, as long as it stays so.
    pub fn new(root: &Path, name: &str, texts: &[&str], files: &[Spot]) -> Result<Cache, Error> {
        let mut key = vec![digest::of_this_program()?.to_string()];
        key.extend(texts.iter().map(|text| format!("{} {text}", text.len())));
        for file in files {
            key.push(if file.exists() {
                digest::of_file(file).map_err(Error::system(file.path(), "read the file"))?.to_string()
            } else {
                "missing".to_owned()
            });
        }
        let spot = Spot::below(root, Path::new(FOLDER).join(name));
        Ok(Cache { spot, key: Digest::of(key.join("\n").as_bytes()) })
    }

    /// Reads the value; `None` if there is none, or anything about it is in doubt.
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        let mut bytes = Vec::new();
        self.spot.open().ok()?.read_to_end(&mut bytes).ok()?;
        let (head, body) = bytes.split_at_checked(HEAD)?;
        if head != self.head(body).as_bytes() {
            return None;
        }
        postcard::from_bytes(body).ok()
    }

    /// Keeps a value.
    pub fn write<T: Serialize>(&self, value: &T) -> Result<(), Error> {
        // The head is filled in later, so that the value need not be copied: it can have many megabytes.
        let mut bytes = postcard::to_extend(value, vec![0; HEAD]).expect("plain values");
        let head = self.head(&bytes[HEAD..]);
        bytes[..HEAD].copy_from_slice(head.as_bytes());
        publish::replace(&self.spot, &bytes)
    }

    fn head(&self, body: &[u8]) -> String {
        format!("{}{}", self.key, Digest::of(body))
    }
}
