//! The contents of a file, and the name that messages give it. Who opens files hands both in, so that readers know no
//! file.

use std::fmt;
use std::io::{self, BufRead, BufReader, Cursor, Seek};
use std::path::{Path, PathBuf};

/// What is read: bytes, through a buffer, from any place on.
pub trait Input: BufRead + Seek + fmt::Debug + Send + Sync {
    /// Returns how many bytes there are now; `None` if that is not known before all are read.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    fn length(&self) -> io::Result<Option<u64>>;

    /// Tells whether the bytes have turned out to end too early. What stands before was read.
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
    /// Takes what was opened, and the name for messages.
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

    /// Returns the name, and what is read.
    pub fn into_parts(self) -> (PathBuf, Box<dyn Input>) {
        (self.name, self.input)
    }
}
