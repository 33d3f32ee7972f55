//! The file of a log: opened to be read, or written until its game is in the results.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::beneath::Spot;
use crate::source::Source;
use referee_record::Heading;
use referee_record::contents::Contents;
use referee_record::error::Error;
use referee_record::file::{Form, stem};
use referee_record::log::Sink;
use referee_record::read::LogReader;

/// Opens a log.
pub fn open(log: impl Into<Spot>) -> Result<Contents, Error> {
    let log = log.into();
    let file = Source::open(&log).map_err(Error::system(log.path(), "open the log"))?;
    Ok(Contents::new(log.path(), file))
}

/// Opens a log whose bytes are counted as [work](crate::work) when they are read.
pub(crate) fn open_counted(log: &Spot) -> Result<Contents, Error> {
    let file = log.open().and_then(Source::counted).map_err(Error::system(log.path(), "open the log"))?;
    Ok(Contents::new(log.path(), file))
}

/// Opens a log and reads its heading, that is all rows before the first turn.
///
/// # Errors
///
/// If it cannot be read or does not begin as a log of this format does.
pub fn reader(log: impl Into<Spot>) -> Result<(LogReader, Heading), Error> {
    LogReader::open(open(log)?)
}

/// Returns the path of a log that the results name: that path, or the one in the other form beside it if the log has
/// been compressed or unpacked since. Returns `log` itself if neither exists.
pub fn resolve_form(log: Spot) -> Spot {
    if log.exists() {
        return log;
    }
    in_other_form(&log).filter(Spot::exists).unwrap_or(log)
}

/// Returns the place of a log in the other form: compressed, or not. `None` if the name is not that of a log.
pub fn in_other_form(log: &Spot) -> Option<Spot> {
    let other = match Form::of(log.path())? {
        Form::Plain => Form::Gzip,
        Form::Gzip => Form::Plain,
    };
    Some(log.at(log.path().with_file_name(stem(log.path()) + other.ending())))
}

/// The file of a log that is written. Its name ends with `.part` until it is published. If it is dropped before, the
/// file is removed.
#[derive(Debug)]
pub struct LogFile {
    file: Target,
    part: Spot,
    log: Spot,
    /// Whether the drop of this value leaves the `.part` file alone.
    keeps_part: bool,
}

impl LogFile {
    /// Creates the file and its folder. The file is compressed if its name ends with `.gz`.
    #[inline]
    pub fn create(log: impl Into<Spot>) -> Result<LogFile, Error> {
        let log = log.into();
        let part = Spot { path: part_of(log.path()), ..log.clone() };
        log.make_folders().map_err(Error::system(log.path(), "create the folder of the log"))?;
        // Removed first, so that a process that still writes an old `.part` does not write into this file.
        let _ = part.remove();
        let file = Target::create(&part, log.path())?;
        Ok(LogFile { file, part, log, keeps_part: false })
    }

    /// Ends the file and makes sure that all bytes are on the disk. The game may now be entered into the results.
    #[inline]
    pub fn sync(&mut self) -> Result<(), Error> {
        let synced = self.file.finish().and_then(|file| file.sync_all());
        synced.map_err(Error::system(self.part.path(), "sync the log"))
    }

    /// Keeps an unfinished log of a void game, under a name of its own, which is returned.
    #[inline]
    pub fn keep_as_void(mut self, attempt: u32) -> Result<PathBuf, Error> {
        let log = self.log.path();
        let compressed = if Form::of(log) == Some(Form::Gzip) { ".gz" } else { "" };
        let path = log.with_file_name(format!("{}.void{attempt}{compressed}", stem(log)));
        self.file.finish().map_err(Error::system(self.part.path(), "write the log"))?;
        self.keeps_part = true;
        let void = Spot { path: path.clone(), ..self.log.clone() };
        self.part.rename(&void).map_err(Error::system(&path, "rename the log"))?;
        Ok(path)
    }

    /// Leaves the log under its `.part` name: another step gives it the final one.
    #[inline]
    pub fn leave(mut self) {
        self.keeps_part = true;
    }

    /// Gives the log its final name, once the game is in the results. If the system refuses, the `.part` file stays.
    #[inline]
    pub fn publish(mut self) -> Result<(), Error> {
        self.keeps_part = true;
        self.part.rename(&self.log).map_err(Error::system(self.log.path(), "rename the log"))
    }
}

impl Sink for LogFile {
    #[inline]
    fn take(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write(bytes).map_err(Error::system(self.part.path(), "write the log"))
    }
}

impl Drop for LogFile {
    #[inline]
    fn drop(&mut self) {
        if !self.keeps_part {
            let _ = self.part.remove();
        }
    }
}

/// Returns the name that a log has until its game is in the results.
#[inline]
pub fn part_of(path: &Path) -> PathBuf {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    part.into()
}

/// A file that a log is written to, in one of its forms.
#[derive(Debug)]
enum Target {
    Plain(File),
    Gzip(Box<GzEncoder<File>>),
}

/// The level of compression. At level 6 a turn of football with p = 10 takes 8 us more than at 2, and the log is a
/// tenth smaller. zlib-rs is up to 1.5 times as fast, but has unsafe code, and auditors unpack strangers' files.
const LEVEL: Compression = Compression::new(2);

impl Target {
    /// Creates a file, in the form that its final `name` asks for.
    fn create(file: &Spot, name: &Path) -> Result<Target, Error> {
        let created = file.create().map_err(Error::system(file.path(), "create the log"))?;
        Ok(match Form::of(name) {
            Some(Form::Gzip) => Target::Gzip(Box::new(GzEncoder::new(created, LEVEL))),
            _ => Target::Plain(created),
        })
    }

    /// Hands all bytes to the system: they are there even if this process is killed next.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Target::Plain(file) => file.write_all(bytes),
            Target::Gzip(encoder) => {
                encoder.write_all(bytes)?;
                encoder.flush()
            }
        }
    }

    /// Completes the file. Nothing more can be written then.
    fn finish(&mut self) -> io::Result<&File> {
        match self {
            Target::Plain(file) => Ok(file),
            Target::Gzip(encoder) => {
                encoder.try_finish()?;
                Ok(encoder.get_ref())
            }
        }
    }
}
