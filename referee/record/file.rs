//! The file of a log as bytes, plain or compressed with gzip. Only this module opens or creates one.
//!
//! The first bytes tell whether a file is compressed, whatever its name. A file is written compressed if its name
//! ends with `.gz`. Digests in the results are of the contents, so a log can be compressed or unpacked at any time
//! after its game.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;

use super::beneath::{Spot, refused};
use super::contents::Input;
use crate::error::Error;

/// No row of a record is longer, in bytes: an answer has up to 64 KiB. A reader holds no more than this of a row,
/// however small the compressed file of a stranger is.
pub const ROW_MAX: u64 = 1 << 20;

/// The form in which a log is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// As it is: `.csv`.
    #[default]
    Plain,
    /// Compressed with gzip: `.csv.gz`.
    Gzip,
}

impl Form {
    /// Returns the form that a setting asks for.
    pub fn compressed_if(asked: bool) -> Form {
        if asked { Form::Gzip } else { Form::Plain }
    }

    /// Returns the ending of such a log's name.
    pub fn ending(self) -> &'static str {
        match self {
            Form::Plain => ".csv",
            Form::Gzip => ".csv.gz",
        }
    }

    /// Returns the form of the log of this name; `None` if it is not that of a finished log.
    pub fn of(path: &Path) -> Option<Form> {
        let name = path.file_name()?.as_encoded_bytes();
        [Form::Plain, Form::Gzip].into_iter().find(|form| name.ends_with(form.ending().as_bytes()))
    }
}

/// Returns the name of a log without its ending: the game's.
pub fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ending = Form::of(path).map_or("", Form::ending);
    name.strip_suffix(ending).unwrap_or(&name).to_owned()
}

/// Returns where a log that the results name lies: at that place, or beside it in the other form, if it has been
/// compressed or unpacked since.
pub fn found(log: Spot) -> Spot {
    if log.exists() {
        return log;
    }
    let other = match Form::of(log.path()) {
        Some(Form::Plain) => Form::Gzip,
        Some(Form::Gzip) => Form::Plain,
        None => return log,
    };
    let other = log.at(log.path().with_file_name(stem(log.path()) + other.ending()));
    if other.exists() { other } else { log }
}

/// The contents of a log or of results, as they are read.
#[derive(Debug)]
pub struct Source {
    reader: Reader,
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
    /// How far the contents were read.
    position: u64,
    /// The file ends where it should not.
    is_cut_off: bool,
}

/// A file, and how much of it was read.
#[derive(Debug)]
struct Counted {
    file: File,
    read: u64,
}

/// How many bytes a compressed file may unpack to in any case: an answer can be 64 KiB of the same digit.
pub const UNPACKED_FREE: u64 = 1 << 30;

/// How many times its own size a compressed file may unpack to beyond that. Honest logs have 3 to 30.
pub const UNPACKED_RATIO: u64 = 100;

/// How many bytes are read at once.
const AT_ONCE: usize = 64 * 1024;

impl Source {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn open(spot: impl Into<Spot>) -> io::Result<Source> {
        Source::of(spot.into().open()?)
    }

    /// Reads a file that is open.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn of(file: File) -> io::Result<Source> {
        const MAGIC: [u8; 2] = [0x1f, 0x8b];
        let mut file = BufReader::with_capacity(AT_ONCE, file);
        let reader = if file.fill_buf()?.starts_with(&MAGIC) {
            let mut file = file.into_inner();
            file.rewind()?;
            let file = BufReader::with_capacity(AT_ONCE, Counted { file, read: 0 });
            let unpacked = Unpacked { decoder: MultiGzDecoder::new(file), position: 0, is_cut_off: false };
            Reader::Gzip(Box::new(BufReader::with_capacity(AT_ONCE, unpacked)))
        } else {
            Reader::Plain(file)
        };
        Ok(Source { reader })
    }

    /// Tells whether the file is compressed.
    pub fn is_compressed(&self) -> bool {
        matches!(self.reader, Reader::Gzip(_))
    }
}

impl Input for Source {
    /// Returns how long the file is now, in bytes; `None` if it is compressed.
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
            // As a plain file that was cut off it has what it has.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                self.is_cut_off = true;
                Ok(0)
            }
            Err(error) => Err(error),
        }
    }
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.read += count as u64;
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
            Reader::Plain(file) => file.consume(count),
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
            *self = Source::of(file)?;
        }
        let passed = io::copy(&mut self.by_ref().take(left_out), &mut io::sink())?;
        if passed == left_out { Ok(target) } else { Err(ErrorKind::UnexpectedEof.into()) }
    }
}

/// A file that a log is written to.
#[derive(Debug)]
pub(super) struct Target(Written);

#[derive(Debug)]
enum Written {
    Plain(File),
    Gzip(Box<GzEncoder<File>>),
}

/// The level of compression. At level 6 a turn of football with p = 10 takes 8 us more than at 2, and the log is a
/// tenth smaller.
const LEVEL: Compression = Compression::new(2);

impl Target {
    /// Creates a file, in the form that its final `name` asks for.
    pub(super) fn create(file: &Spot, name: &Path) -> Result<Target, Error> {
        let created = file.create().map_err(Error::system(file.path(), "create the log"))?;
        Ok(Target(match Form::of(name) {
            Some(Form::Gzip) => Written::Gzip(Box::new(GzEncoder::new(created, LEVEL))),
            _ => Written::Plain(created),
        }))
    }

    /// Hands all bytes to the system: they are there even if this process is killed next.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.0 {
            Written::Plain(file) => file.write_all(bytes),
            Written::Gzip(encoder) => {
                encoder.write_all(bytes)?;
                encoder.flush()
            }
        }
    }

    /// Completes the file. Nothing more can be written then.
    pub(super) fn finish(&mut self) -> io::Result<&File> {
        match &mut self.0 {
            Written::Plain(file) => Ok(file),
            Written::Gzip(encoder) => {
                encoder.try_finish()?;
                Ok(encoder.get_ref())
            }
        }
    }
}
