//! The file of a log as bytes, plain or compressed with gzip.
//!
//! The first bytes tell whether a file is compressed, whatever its name.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};

use flate2::bufread::MultiGzDecoder;

use crate::beneath::Spot;
use crate::work;
use referee_record::contents::Input;
use referee_record::error::refused;

/// The contents of a log or of results, as they are read.
#[derive(Debug)]
pub struct Source {
    reader: Reader,
    /// Bytes that were read are counted as work.
    is_watched: bool,
}

#[derive(Debug)]
enum Reader {
    Plain(BufReader<File>),
    Gzip(Box<BufReader<Unpacked>>),
}

/// The contents of a compressed file.
#[derive(Debug)]
struct Unpacked {
    decoder: MultiGzDecoder<BufReader<Counted>>,
    /// The number of bytes that were read.
    position: u64,
    /// The file ends where it should not.
    is_cut_off: bool,
}

/// A file, and the number of bytes that were read of it.
#[derive(Debug)]
struct Counted {
    file: File,
    read: u64,
    is_watched: bool,
}

/// Number of bytes that a compressed file may always unpack to: an answer can be 64 KiB of the same digit.
pub const UNPACKED_FREE: u64 = 1 << 30;

/// Beyond that, the maximum unpacked size as a multiple of the file's size. Honest logs have a multiple of 3 to 30.
pub const UNPACKED_RATIO: u64 = 100;

/// Number of bytes that are read at once.
pub(crate) const AT_ONCE: usize = 64 * 1024;

impl Source {
    /// Opens a file.
    pub fn open(spot: impl Into<Spot>) -> io::Result<Source> {
        Source::of(spot.into().open()?)
    }

    /// Reads a file that is open.
    pub fn of(file: File) -> io::Result<Source> {
        Source::begun(file, false)
    }

    /// Reads a long file that is open, whose bytes are counted as [work].
    pub fn counted(file: File) -> io::Result<Source> {
        work::bytes_open(file.metadata()?.len());
        Source::begun(file, true)
    }

    fn begun(file: File, is_watched: bool) -> io::Result<Source> {
        const MAGIC: [u8; 2] = [0x1f, 0x8b];
        let mut file = BufReader::with_capacity(AT_ONCE, file);
        let reader = if file.fill_buf()?.starts_with(&MAGIC) {
            let mut file = file.into_inner();
            file.rewind()?;
            let file = BufReader::with_capacity(AT_ONCE, Counted { file, read: 0, is_watched });
            let unpacked = Unpacked { decoder: MultiGzDecoder::new(file), position: 0, is_cut_off: false };
            Reader::Gzip(Box::new(BufReader::with_capacity(AT_ONCE, unpacked)))
        } else {
            Reader::Plain(file)
        };
        Ok(Source { reader, is_watched })
    }

    /// Tells whether the file is compressed.
    pub fn is_compressed(&self) -> bool {
        matches!(self.reader, Reader::Gzip(_))
    }
}

impl Input for Source {
    /// Returns the present length of the file in bytes; `None` if it is compressed.
    fn length(&self) -> io::Result<Option<u64>> {
        match &self.reader {
            Reader::Plain(file) => file.get_ref().metadata().map(|there| Some(there.len())),
            Reader::Gzip(_) => Ok(None),
        }
    }

    /// Tells whether a compressed file has turned out to end too early.
    fn is_cut_off(&self) -> bool {
        matches!(&self.reader, Reader::Gzip(unpacked) if unpacked.get_ref().is_cut_off)
    }
}

impl Read for Unpacked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_cut_off {
            return Ok(0);
        }
        match self.decoder.read(buffer) {
            Ok(count) => {
                self.position += count as u64;
                let packed = self.decoder.get_ref().get_ref().read;
                if self.position > UNPACKED_FREE + packed * UNPACKED_RATIO {
                    return Err(refused(format!(
                        "unpacks to more than 1 GiB and {UNPACKED_RATIO} times its own size, which no log \
                         does: check its contents with gunzip"
                    )));
                }
                Ok(count)
            }
            // As with a plain file that was cut off, the part that is there counts.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                self.is_cut_off = true;
                Ok(0)
            }
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::InvalidData) => {
                Err(refused(format!("the compressed file is damaged ({error}): copy it again")))
            }
            Err(error) => Err(error),
        }
    }
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.read += count as u64;
        if self.is_watched {
            work::bytes_read(count as u64);
        }
        Ok(count)
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.reader {
            Reader::Plain(file) => file.read(buffer),
            Reader::Gzip(unpacked) => unpacked.read(buffer),
        }
    }
}

impl BufRead for Source {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match &mut self.reader {
            Reader::Plain(file) => file.fill_buf(),
            Reader::Gzip(unpacked) => unpacked.fill_buf(),
        }
    }

    fn consume(&mut self, count: usize) {
        match &mut self.reader {
            Reader::Plain(file) => {
                file.consume(count);
                if self.is_watched {
                    work::bytes_read(count as u64);
                }
            }
            Reader::Gzip(unpacked) => unpacked.consume(count),
        }
    }
}

impl Seek for Source {
    /// Goes to a place of the contents, counted from their beginning. To go back in a compressed file, it is read anew.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (unpacked, target) = match (&mut self.reader, to) {
            (Reader::Plain(file), to) => return file.seek(to),
            (Reader::Gzip(unpacked), SeekFrom::Start(target)) => (unpacked, target),
            _ => return Err(ErrorKind::Unsupported.into()),
        };
        let here = unpacked.get_ref().position - unpacked.buffer().len() as u64;
        let mut left_out = target;
        if let Some(ahead) = target.checked_sub(here) {
            left_out = ahead;
        } else {
            let mut file = unpacked.get_ref().decoder.get_ref().get_ref().file.try_clone()?;
            file.rewind()?;
            *self = Source::begun(file, self.is_watched)?;
        }
        let passed = io::copy(&mut self.by_ref().take(left_out), &mut io::sink())?;
        if passed == left_out { Ok(target) } else { Err(ErrorKind::UnexpectedEof.into()) }
    }
}
