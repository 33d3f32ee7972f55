//! The contents of a log or of results, plain or compressed with gzip.
//!
//! The first bytes of a file tell whether it is compressed, whatever its name.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};

use flate2::bufread::MultiGzDecoder;

use crate::beneath::Spot;
use crate::work;
use referee_record::contents::Input;
use referee_record::error::refused;

/// A reader of the contents.
#[derive(Debug)]
pub struct Source {
    reader: Reader,
    /// Whether the bytes that are read count as [work].
    counts_work: bool,
}

#[derive(Debug)]
enum Reader {
    Plain(BufReader<File>),
    Gzip(Box<BufReader<Unpacked>>),
}

/// The contents of a compressed file.
#[derive(Debug)]
struct Unpacked {
    decoder: MultiGzDecoder<BufReader<Packed>>,
    /// The number of unpacked bytes that were read.
    position: u64,
    /// Whether the file has ended in the middle of its contents.
    is_cut_off: bool,
}

/// A compressed file.
#[derive(Debug)]
struct Packed {
    file: File,
    /// The number of its bytes that were read.
    bytes_read: u64,
    counts_work: bool,
}

/// Number of bytes that any compressed file may unpack to: a log can have many answers of 64 KiB of the same digit,
/// which shrink a thousandfold.
pub const UNPACKED_FREE: u64 = 1 << 30;

/// The maximum unpacked size beyond [`UNPACKED_FREE`], as a multiple of the compressed bytes that were read for it.
/// Honest logs have a multiple of 3 to 30.
pub const UNPACKED_RATIO: u64 = 100;

/// Number of bytes that are read at once.
pub(crate) const BUFFER_BYTES: usize = 64 * 1024;

impl Source {
    /// Opens a file. Its bytes do not count as [work].
    pub fn open(spot: impl Into<Spot>) -> io::Result<Source> {
        Source::new(spot.into().open()?, false)
    }

    /// Reads a long file that is open. Its bytes count as [work], which a line of progress shows.
    pub fn counted(file: File) -> io::Result<Source> {
        work::announce_bytes(file.metadata()?.len());
        Source::new(file, true)
    }

    fn new(file: File, counts_work: bool) -> io::Result<Source> {
        const MAGIC: [u8; 2] = [0x1f, 0x8b];
        let mut plain = BufReader::with_capacity(BUFFER_BYTES, file);
        if !plain.fill_buf()?.starts_with(&MAGIC) {
            return Ok(Source { reader: Reader::Plain(plain), counts_work });
        }
        let mut file = plain.into_inner();
        file.rewind()?;
        let packed = BufReader::with_capacity(BUFFER_BYTES, Packed { file, bytes_read: 0, counts_work });
        let unpacked = Unpacked { decoder: MultiGzDecoder::new(packed), position: 0, is_cut_off: false };
        let unpacked = BufReader::with_capacity(BUFFER_BYTES, unpacked);
        Ok(Source { reader: Reader::Gzip(Box::new(unpacked)), counts_work })
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
            Reader::Plain(file) => Ok(Some(file.get_ref().metadata()?.len())),
            Reader::Gzip(_) => Ok(None),
        }
    }

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
                let packed = self.decoder.get_ref().get_ref().bytes_read;
                if self.position > UNPACKED_FREE + packed * UNPACKED_RATIO {
                    return Err(refused(format!(
                        "unpacks to more than {} GiB and {UNPACKED_RATIO} times its own size, which no log \
                         does: check its contents with gunzip",
                        UNPACKED_FREE >> 30
                    )));
                }
                Ok(count)
            }
            // The part before the end counts, as it does in a plain file that was cut off.
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

impl Read for Packed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.bytes_read += count as u64;
        if self.counts_work {
            work::bytes_read(count as u64);
        }
        Ok(count)
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
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
                if self.counts_work {
                    work::bytes_read(count as u64);
                }
            }
            Reader::Gzip(unpacked) => unpacked.consume(count),
        }
    }
}

impl Seek for Source {
    /// Goes to a place of the contents. A compressed file only allows [`SeekFrom::Start`], up to the end of its
    /// contents. To go back, it is read again from its beginning, and these bytes count as work again.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (unpacked, target) = match (&mut self.reader, to) {
            (Reader::Plain(file), to) => return file.seek(to),
            (Reader::Gzip(unpacked), SeekFrom::Start(target)) => (unpacked, target),
            _ => return Err(ErrorKind::Unsupported.into()),
        };
        let mut position = unpacked.get_ref().position - unpacked.buffer().len() as u64;
        if target < position {
            let mut file = unpacked.get_ref().decoder.get_ref().get_ref().file.try_clone()?;
            file.rewind()?;
            *self = Source::new(file, self.counts_work)?;
            position = 0;
        }
        let distance = target - position;
        let skipped = io::copy(&mut self.by_ref().take(distance), &mut io::sink())?;
        if skipped == distance { Ok(target) } else { Err(ErrorKind::UnexpectedEof.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::Work;

    #[test]
    fn bytes_count_as_work_however_they_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log.csv");
        std::fs::write(&path, "abcde\n").expect("written");
        let before = Work::now();
        let mut source = Source::counted(File::open(&path).expect("the file")).expect("a source");
        source.read_exact(&mut [0; 4]).expect("four bytes");
        source.read_line(&mut String::new()).expect("the rest");
        assert_eq!(Work::now().since(before).bytes, 6);
    }
}
