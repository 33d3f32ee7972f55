//! The bots of a hill: `entrants.csv`, the history of submissions and retirements, and `store`, their programs, each
//! read-only under its SHA-256.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::record::{BotName, Digest, RecordError};
use crate::table::process::Program;

/// One row of the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Date and time.
    pub date: String,
    /// `submitted` or `retired`.
    pub event: EventKind,
    /// The bot.
    pub name: String,
    /// Which program of this name, from 1.
    pub version: u32,
    /// SHA-256 of the program.
    pub digest: String,
    /// What it is called with, separated by blanks.
    pub arguments: String,
    /// The name of the file that was submitted.
    pub source: String,
    /// It may start other programs.
    pub allow_fork: bool,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "they say it")]
pub enum EventKind {
    Submitted,
    Retired,
}

/// The history of a hill's bots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrants {
    root: PathBuf,
    events: Vec<Event>,
}

const HEADER: &str = "date,event,name,version,digest,arguments,source,allow_fork\n";

impl Entrants {
    /// Reads the history of a hill. A hill without the file has no entrants.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or a row is not one.
    pub fn read(root: &Path) -> Result<Entrants, RecordError> {
        let path = history_of(root);
        let mut events = Vec::new();
        if path.exists() {
            let text = fs::read_to_string(&path).map_err(RecordError::system(&path, "read the entrants"))?;
            if !text.starts_with(HEADER) {
                return Err(RecordError::line(&path, 1, format!("should be: {}", HEADER.trim_end())));
            }
            // A row that an interrupted submission left unfinished never was one.
            let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
            let mut reader = csv::Reader::from_reader(whole.as_bytes());
            for (index, row) in reader.deserialize().enumerate() {
                events.push(
                    row.map_err(|error| RecordError::line(&path, index as u64 + 2, error.to_string()))?,
                );
            }
        }
        Ok(Entrants { root: root.to_owned(), events })
    }

    /// Lists the bots that play now, in the order in which their names first came.
    pub fn field(&self) -> Vec<&Event> {
        let mut field: Vec<&Event> = Vec::new();
        for event in &self.events {
            let seat = field.iter().position(|other| other.name == event.name);
            match (event.event, seat) {
                (EventKind::Submitted, Some(index)) => field[index] = event,
                (EventKind::Submitted, None) => field.push(event),
                (EventKind::Retired, Some(index)) => drop(field.remove(index)),
                (EventKind::Retired, None) => {}
            }
        }
        field
    }

    /// Returns the submission of a version of a bot, whether it still plays or not.
    pub fn submission(&self, name: &str, version: u32) -> Option<&Event> {
        let is_it = |event: &&Event| {
            event.event == EventKind::Submitted && event.name == name && event.version == version
        };
        self.events.iter().find(is_it)
    }

    /// Makes sure that a bot of some season was submitted, as just this program.
    ///
    /// # Errors
    ///
    /// If the history knows nothing of it.
    pub fn check_submitted(&self, bot: &BotName) -> Result<(), RecordError> {
        match self.submission(&bot.name, bot.version).and_then(Event::bot_name) {
            Some(submitted) if submitted == *bot => Ok(()),
            _ => {
                let BotName { name, version, digest } = bot;
                let what = format!(
                    "no such submission, but seasons.csv says that it has played: {name} version {version}, {digest}"
                );
                Err(RecordError::file(&history_of(&self.root), what))
            }
        }
    }

    /// Returns the number that the next program of this name gets.
    pub fn next_version(&self, name: &str) -> u32 {
        let submitted = self.events.iter().filter(|e| e.name == name && e.event == EventKind::Submitted);
        submitted.map(|event| event.version).max().unwrap_or(0) + 1
    }

    /// Adds to the history, and returns when it is on the disk.
    ///
    /// # Errors
    ///
    /// If the system refuses; then nothing is added.
    pub fn add(&mut self, event: Event) -> Result<(), RecordError> {
        let path = history_of(&self.root);
        let opened = OpenOptions::new().append(true).create(true).open(&path);
        let mut file = opened.map_err(RecordError::system(&path, "open the entrants"))?;
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        let mut text = if length == 0 { HEADER.as_bytes().to_vec() } else { Vec::new() };
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(&mut text);
        writer.serialize(&event).expect("a row of plain text");
        drop(writer);
        let written = file.write_all(&text).and_then(|()| file.sync_all());
        written.map_err(|error| {
            let _ = file.set_len(length);
            RecordError::system(&path, "write the entrants")(error)
        })?;
        self.events.push(event);
        Ok(())
    }

    /// Cuts off what an interrupted submission has left unfinished at the end of the file. To be called under the lock
    /// of whoever submits.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn repair(root: &Path) -> Result<(), RecordError> {
        let path = history_of(root);
        let Ok(text) = fs::read(&path) else { return Ok(()) };
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if whole == text.len() {
            return Ok(());
        }
        let cut = OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(whole as u64));
        cut.map_err(RecordError::system(&path, "cut off an unfinished row"))
    }

    /// Says how a bot is started, after making sure that its program is the one that was submitted.
    ///
    /// # Errors
    ///
    /// If it is not there, or has been changed.
    pub fn program(&self, event: &Event) -> Result<Program, RecordError> {
        let file = stored(&self.root, &event.digest);
        let digest = Digest::of_file(&file).map_err(RecordError::system(&file, "read a stored program"))?;
        if digest.as_str() != event.digest {
            let what =
                format!("is not the program that was submitted as {}: its SHA-256 is {digest}", event.name);
            return Err(RecordError::file(&file, what));
        }
        let arguments = event.arguments.split_whitespace().map(Into::into).collect();
        Ok(Program { may_fork: event.allow_fork, ..Program::new(file, arguments) })
    }
}

impl Event {
    /// Returns what the record calls this bot.
    pub fn bot_name(&self) -> Option<BotName> {
        let digest = Digest::parse(&self.digest)?;
        Some(BotName { name: self.name.clone(), version: self.version, digest })
    }
}

/// Puts a copy of a program into the store, read-only under its digest.
///
/// # Errors
///
/// If the system refuses.
pub fn store(root: &Path, source: &Path) -> Result<Digest, RecordError> {
    let bytes = fs::read(source).map_err(RecordError::system(source, "read the program"))?;
    let digest = Digest::of(&bytes);
    let path = stored(root, digest.as_str());
    if Digest::of_file(&path).is_ok_and(|there| there == digest) {
        return Ok(digest);
    }
    let folder = path.parent().unwrap_or(root);
    fs::create_dir_all(folder).map_err(RecordError::system(folder, "create the folder"))?;
    let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut file| {
        file.write_all(&bytes)?;
        file.as_file().set_permissions(Permissions::from_mode(0o555))?;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)?;
        File::open(folder)?.sync_all()
    });
    written.map_err(RecordError::system(&path, "store the program"))?;
    Ok(digest)
}

/// Returns where a program lies in the store.
pub fn stored(root: &Path, digest: &str) -> PathBuf {
    root.join("store").join(digest.get(..2).unwrap_or("xx")).join(digest)
}

/// Counts the programs by digest that a history names; for a look at what the store should hold.
pub fn digests(entrants: &Entrants) -> BTreeMap<&str, usize> {
    let mut digests = BTreeMap::new();
    for event in &entrants.events {
        *digests.entry(event.digest.as_str()).or_insert(0) += 1;
    }
    digests
}

fn history_of(root: &Path) -> PathBuf {
    root.join("entrants.csv")
}

/// Says what is wrong with a bot's name, if anything.
pub fn bad_name(name: &str) -> Option<String> {
    let fits = (1..=32).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    (!fits).then(|| format!("not a name for a bot: {name:?} (1 to 32 of letters, digits, _ and -)"))
}
