//! The contents of a file, and its name for messages. The caller opens the file, so readers know no files.

use std::fmt;
use std::io::{self, BufRead, BufReader, Cursor, Seek};
use std::path::{Path, PathBuf};

/// Bytes that are read through a buffer, from any position.
pub trait Input: BufRead + Seek + fmt::Debug + Send + Sync {
    /// Returns the present number of bytes; `None` if it is unknown before all are read.
    fn length(&self) -> io::Result<Option<u64>>;

    /// Tells whether the bytes have turned out to end too early. The part before the end was read.
    fn is_cut_off(&self) -> bool {
        false
    }
}

/// Bytes in memory.
impl<T: AsRef<[u8]> + fmt::Debug + Send + Sync> Input for Cursor<T> {
    fn length(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.get_ref().as_ref().len() as u64))
    }
}

/// Bytes of which a part is in memory.
impl<R: Input> Input for BufReader<R> {
    fn length(&self) -> io::Result<Option<u64>> {
        self.get_ref().length()
    }

    fn is_cut_off(&self) -> bool {
        self.get_ref().is_cut_off()
    }
}

/// The contents of a file that is to be read from its beginning, and its name.
#[derive(Debug)]
pub struct Contents {
    pub(crate) name: PathBuf,
    pub(crate) input: Box<dyn Input>,
}

impl Contents {
    /// Takes an opened file, and its name for messages.
    pub fn new(name: impl Into<PathBuf>, input: impl Input + 'static) -> Contents {
        Contents { name: name.into(), input: Box::new(input) }
    }

    /// Takes bytes in memory, and a name for messages.
    pub fn of_bytes(name: impl Into<PathBuf>, bytes: Vec<u8>) -> Contents {
        Contents::new(name, Cursor::new(bytes))
    }

    /// Returns the name.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Returns the name and the input.
    pub fn into_parts(self) -> (PathBuf, Box<dyn Input>) {
        (self.name, self.input)
    }
}
