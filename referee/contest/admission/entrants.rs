//! The bots of a hill: `entrants.csv`, the history of submissions and retirements, and `store`, their programs, each
//! read-only under its SHA-256.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::io::{Read, Seek, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use referee_files::beneath::Spot;
use referee_files::{digest, small};
use referee_record::error::Error;
use referee_record::forms::Moment;
use referee_record::schema::{
    CellForm, CellKind, Column, Columns, Flag, MaybeName, MaybeSha256, Name, Number, Sha256, Text, column,
};
use referee_record::{BotName, Digest, identity, names};

use crate::admission::by::{By, WhoDidIt};
use crate::admission::shelf::Shelved;
use crate::publish;
use referee_sandbox::program::Opened;
use referee_table::process::Program;

/// One row of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "its columns say it")]
pub struct Event {
    pub date: String,
    pub event: EventKind,
    pub name: String,
    pub version: u32,
    pub digest: Digest,
    pub identity: Digest,
    pub arguments: String,
    pub source: String,
    pub allow_fork: bool,
    pub contact: String,
    /// Empty if it is unknown.
    pub author: String,
    /// `None` if the program was handed in ready to run.
    pub source_digest: Option<Digest>,
    pub toolchain: Option<Digest>,
    pub by: By,
}

/// The event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they say it")]
pub enum EventKind {
    Submitted,
    Retired,
    Banned,
    Admitted,
}

impl EventKind {
    /// Returns the word in the history.
    pub(super) fn name(self) -> &'static str {
        match self {
            EventKind::Submitted => "submitted",
            EventKind::Retired => "retired",
            EventKind::Banned => "banned",
            EventKind::Admitted => "admitted",
        }
    }
}

impl Columns for Event {
    const WHAT: &'static str = "a row of the history of entrants";
    const FORMAT: u32 = 3;
    const OLDEST: u32 = 3;
    const COLUMNS: &'static [Column<Event>] = &[
        column!("date", date, Moment, "date and time (UTC)"),
        column!("event", event, WhatHappened, "kind of event"),
        column!("name", name, Name, "the bot's name"),
        column!("version", version, Number, "number of the program under this name, from 1"),
        column!(
            "digest",
            digest,
            Sha256,
            "SHA-256 of the program, and its name in `store`; of a folder: that of the list of its files"
        ),
        column!("identity", identity, Sha256, "identity of the bot in results"),
        column!(
            "arguments",
            arguments,
            Words,
            "arguments of the program, separated by blanks; with a blank in front: quoted as in a shell"
        ),
        column!("source", source, Text, "name of the submitted file"),
        column!("allow_fork", allow_fork, Flag, "whether the bot may start other programs"),
        column!("contact", contact, Text, "contact of its author, if known"),
        column!("author", author, MaybeName, "its author, as the host was told; empty: unknown"),
        column!(
            "source_digest",
            source_digest,
            MaybeSha256,
            since 4 else "",
            "SHA-256 of the list of the files that the program was built from; empty: it came ready to run"
        ),
        column!(
            "toolchain",
            toolchain,
            MaybeSha256,
            since 4 else "",
            "SHA-256 of the language's row, the compiler's version and the tools that built it; empty likewise"
        ),
        column!("by", by, WhoDidIt, since 4 else "", "who did it, as the host's program has recorded it"),
    ];

    fn blank() -> Event {
        Event {
            date: String::new(),
            event: EventKind::Submitted,
            name: String::new(),
            version: 0,
            digest: Digest::blank(),
            identity: Digest::blank(),
            arguments: String::new(),
            source: String::new(),
            allow_fork: false,
            contact: String::new(),
            author: String::new(),
            source_digest: None,
            toolchain: None,
            by: By::Unknown,
        }
    }
}

/// Arguments, as [`Event::arguments_of`] writes them.
#[derive(Clone, Copy, Debug)]
struct Words;

impl CellKind for Words {
    const KIND: &'static str = "text";
}

impl CellForm<String> for Words {
    fn write(value: &String, text: &mut String) {
        text.push_str(value);
    }

    fn read(cell: &str) -> Result<String, String> {
        let due = Event::arguments_of(&words_of(cell))?;
        if due == cell {
            Ok(due)
        } else {
            Err(format!("{cell:?}; the only form of these arguments is {due:?}"))
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct WhatHappened;

impl CellKind for WhatHappened {
    const KIND: &'static str = "`submitted`, `retired`, `banned`, or `admitted` after a ban";
}

impl CellForm<EventKind> for WhatHappened {
    fn write(value: &EventKind, text: &mut String) {
        text.push_str(value.name());
    }

    fn read(cell: &str) -> Result<EventKind, String> {
        match cell {
            "submitted" => Ok(EventKind::Submitted),
            "retired" => Ok(EventKind::Retired),
            "banned" => Ok(EventKind::Banned),
            "admitted" => Ok(EventKind::Admitted),
            _ => Err(format!("not submitted, retired, banned or admitted: {cell:?}")),
        }
    }
}

/// The history of a hill's bots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrants {
    root: PathBuf,
    events: Vec<Event>,
}

impl Entrants {
    /// Reads the history of a hill. A hill without the file has no entrants.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or a row is not one.
    pub fn read(root: &Path) -> Result<Entrants, Error> {
        let is_left = |name: &str| Spot::below(root, name).exists();
        if !history_of(root).exists() && is_left("seasons.csv") && is_left("store") {
            let what = "missing, but seasons.csv lists bots that have played: put it back";
            return Err(Error::file(history_of(root).path(), what));
        }
        // An unfinished row of an interrupted submission does not count.
        Ok(Entrants { root: root.to_owned(), events: small::read_whole(history_of(root))? })
    }

    /// Returns the history.
    pub(super) fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the folder of the hill.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Lists the bots of the current field, in the order in which their names first came.
    pub fn field(&self) -> Vec<&Event> {
        let mut field = Vec::new();
        self.events.iter().for_each(|event| event.enter(&mut field));
        field
    }

    /// Returns the ban on a bot's name, or on this program with these arguments, if there is one.
    pub fn ban_of(&self, name: &str, digest: &Digest, arguments: &str) -> Option<&Event> {
        let mut bans: Vec<&Event> = Vec::new();
        for event in &self.events {
            match event.event {
                EventKind::Banned => bans.push(event),
                EventKind::Admitted => bans.retain(|ban| ban.name != event.name),
                EventKind::Submitted | EventKind::Retired => {}
            }
        }
        bans.iter().find(|ban| ban.is_ban_of(name, digest, arguments)).copied()
    }

    /// Returns the last submission of a name, whether it still plays or not.
    pub fn last_submission(&self, name: &str) -> Option<&Event> {
        self.events.iter().rfind(|event| event.event == EventKind::Submitted && event.name == name)
    }

    /// Lists all submissions, the earliest first.
    pub fn submissions(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(|event| event.event == EventKind::Submitted)
    }

    /// Returns the submission of a version of a bot, whether it still plays or not.
    pub fn submission(&self, name: &str, version: u32) -> Option<&Event> {
        let is_it = |event: &&Event| {
            event.event == EventKind::Submitted && event.name == name && event.version == version
        };
        self.events.iter().find(is_it)
    }

    /// Returns the first event of a bot's name after one of its submissions: what ended its time on the hill. `None` as
    /// long as it plays.
    pub fn end_of(&self, submission: &Event) -> Option<&Event> {
        let later = self.events.iter().skip_while(|event| *event != submission).skip(1);
        later.into_iter().find(|event| event.name == submission.name && event.event != EventKind::Admitted)
    }

    /// Makes sure that a bot of a season was submitted with this program and by this author.
    ///
    /// # Errors
    ///
    /// If the history has no such submission.
    pub fn check_submitted(&self, bot: &BotName, author: &str) -> Result<(), Error> {
        match self.submission(&bot.name, bot.version) {
            Some(submitted) if submitted.bot_name() == *bot && submitted.author == author => Ok(()),
            Some(submitted) if submitted.bot_name() == *bot => {
                let (BotName { name, version, .. }, of) = (bot, &submitted.author);
                let what = format!(
                    "the author of {name} version {version} is {of:?}, but seasons.csv says {author:?}"
                );
                Err(Error::file(history_of(&self.root).path(), what))
            }
            _ => {
                let BotName { name, version, digest } = bot;
                let what = format!(
                    "no such submission, but seasons.csv says that it has played: {name} version {version}, {digest}; \
                     put the file back from a backup"
                );
                Err(Error::file(history_of(&self.root).path(), what))
            }
        }
    }

    /// Makes sure that the identity of each bot follows from its program and arguments. The identity of a house bot can
    /// be that of any version of the rules up to this one.
    ///
    /// # Errors
    ///
    /// Names the first row with another identity.
    pub fn check_identities(&self, game: &str, rules_version: u32) -> Result<(), Error> {
        for (event, line) in self.events.iter().zip(2..) {
            let (given, words) = (&event.identity, event.words());
            let mut house =
                (1..=rules_version).filter_map(|version| identity::of_house(game, version, &words));
            if identity::of(&event.digest, &words) != *given && !house.any(|due| due == *given) {
                let what =
                    format!("column identity is not that of {}'s program and arguments: {given}", event.name);
                return Err(Error::line(history_of(&self.root).path(), line, what));
            }
        }
        Ok(())
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
    pub fn add(&mut self, event: Event) -> Result<(), Error> {
        self.add_all([event])
    }

    /// As [`add`](Entrants::add), for several events: all of them or none.
    ///
    /// # Errors
    ///
    /// As for [`add`](Entrants::add).
    pub fn add_all(&mut self, more: impl IntoIterator<Item = Event>) -> Result<(), Error> {
        let more: Vec<Event> = more.into_iter().collect();
        // The file is short, so it is replaced in one step, and one of an earlier format gets the current columns.
        let text = small::changed(history_of(&self.root), |events| events.extend(more.iter().cloned()))?;
        publish::replace(history_of(&self.root), &text)?;
        self.events.extend(more);
        Ok(())
    }

    /// Cuts off an unfinished row of an interrupted submission at the end of the file. To be called under the
    /// submitter's lock.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn repair(root: &Path) -> Result<(), Error> {
        let spot = history_of(root);
        let path = spot.path();
        let Ok(text) = spot.read(small::FILE_MAX) else { return Ok(()) };
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if whole == text.len() {
            return Ok(());
        }
        let cut = spot.append().and_then(|file| file.set_len(whole as u64));
        cut.map_err(Error::system(path, "cut off an unfinished row"))
    }

    /// Returns a bot's program, ready to be started, after making sure that it is the one that was submitted.
    ///
    /// # Errors
    ///
    /// If it is not there, or has been changed.
    pub fn program(&self, event: &Event) -> Result<Program, Error> {
        self.program_among(event, &mut Checked::default())
    }

    /// Likewise. A file that was found to be the program before, and has not changed, is not read again.
    pub(crate) fn program_among(&self, event: &Event, checked: &mut Checked) -> Result<Program, Error> {
        let path = stored(&self.root, event.digest.as_str());
        let shelved = match checked.now.get(&event.digest) {
            Some(shelved) => shelved.clone(),
            None => self.look_at_program(event, &path, checked)?,
        };
        let arguments = event.words().into_iter().map(Into::into).collect();
        Ok(Program {
            may_fork: event.allow_fork,
            with_folder: shelved.with_folder(),
            seen: Some(shelved.look()),
            ..Program::new(shelved.file, arguments)
        })
    }

    fn look_at_program(&self, event: &Event, file: &Path, checked: &mut Checked) -> Result<Shelved, Error> {
        let known = checked.before.get(&event.digest);
        let looked = Shelved::at(&self.root, file).and_then(|seen| {
            let digest = if known == Some(&seen) { event.digest.clone() } else { seen.digest(&self.root)? };
            Ok((seen, digest))
        });
        let (seen, digest) = looked.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                let what = format!(
                    "missing: the program that was submitted as {0}; put it back, or submit {0} again",
                    event.name
                );
                Error::file(file, what)
            }
            _ => Error::system(file, "read a stored program")(error),
        })?;
        if digest != event.digest {
            let what = format!(
                "is not the program that was submitted as {0}: its SHA-256 is {digest}; put the program back, or \
                     submit {0} again",
                event.name
            );
            return Err(Error::file(file, what));
        }
        checked.before.insert(event.digest.clone(), seen.clone());
        checked.now.insert(event.digest.clone(), seen.clone());
        Ok(seen)
    }
}

/// The programs of a hill that were found to be those that were submitted, by digest, as their files looked then.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checked {
    /// At any time: they are opened again, and read if they look otherwise.
    before: BTreeMap<Digest, Shelved>,
    /// Just now.
    now: BTreeMap<Digest, Shelved>,
}

impl Checked {
    /// Looks at each file again.
    pub(crate) fn again(&mut self) -> &mut Checked {
        self.now.clear();
        self
    }

    /// Tells whether a program was looked at since [`again`](Checked::again).
    pub(crate) fn has(&self, digest: &Digest) -> bool {
        self.now.contains_key(digest)
    }
}

impl Event {
    /// Changes the field as this event does.
    pub(super) fn enter<'a>(&'a self, field: &mut Vec<&'a Event>) {
        let seat = field.iter().position(|other| other.name == self.name);
        match (self.event, seat) {
            (EventKind::Submitted, Some(index)) => field[index] = self,
            (EventKind::Submitted, None) => field.push(self),
            (EventKind::Retired | EventKind::Banned, Some(index)) => drop(field.remove(index)),
            (EventKind::Retired | EventKind::Banned, None) | (EventKind::Admitted, _) => {}
        }
    }

    /// Tells whether this ban is one of a name, or of a program with these arguments.
    fn is_ban_of(&self, name: &str, digest: &Digest, arguments: &str) -> bool {
        self.name == name || self.digest == *digest && self.arguments == arguments
    }

    /// Tells whether this ban is one of the bot of another event.
    pub(super) fn bans(&self, other: &Event) -> bool {
        self.is_ban_of(&other.name, &other.digest, &other.arguments)
    }

    /// Tells whether this event repeats a submission, but for its kind and date, and who did it.
    pub(super) fn repeats(&self, submission: &Event) -> bool {
        *self == Event { date: self.date.clone(), event: self.event, by: self.by, ..submission.clone() }
    }

    /// Returns the bot's name, version and identity, as in records.
    pub fn bot_name(&self) -> BotName {
        BotName { name: self.name.clone(), version: self.version, digest: self.identity.clone() }
    }

    /// Makes sure that this is a valid name of an author.
    ///
    /// # Errors
    ///
    /// Names the rule.
    pub fn check_author(author: &str) -> Result<(), String> {
        names::check_plain("an author", author).map(drop)
    }

    /// Returns the cell for the arguments of a program: separated by blanks. If an argument is empty or has a blank,
    /// the cell begins with a blank, and all arguments are quoted as in a shell.
    ///
    /// # Errors
    ///
    /// Names an argument with an invisible character.
    pub fn arguments_of(words: &[String]) -> Result<String, String> {
        if let Some(bad) = words.iter().find(|word| names::check_text(word).is_err()) {
            return Err(format!("an argument with an invisible character: {bad:?}"));
        }
        let is_plain = |word: &String| !word.is_empty() && !word.contains(char::is_whitespace);
        if words.iter().all(is_plain) {
            return Ok(words.join(" "));
        }
        let quoted = shlex::try_join(words.iter().map(String::as_str)).map_err(|error| error.to_string())?;
        Ok(format!(" {quoted}"))
    }

    /// Returns its arguments.
    pub fn words(&self) -> Vec<String> {
        words_of(&self.arguments)
    }
}

/// Returns the arguments of a cell.
fn words_of(cell: &str) -> Vec<String> {
    let quoted = cell.strip_prefix(' ').and_then(shlex::split);
    quoted.unwrap_or_else(|| cell.split_whitespace().map(str::to_owned).collect())
}

/// Puts a copy of a program into the store, read-only under its digest.
///
/// # Errors
///
/// If the system refuses.
pub fn store(root: &Path, program: &Opened) -> Result<Digest, Error> {
    let store = root.join("store");
    let mut bytes = Vec::new();
    let read =
        program.file().rewind().and_then(|()| program.file().take(program.length()).read_to_end(&mut bytes));
    read.map_err(Error::system(&store, "read a program"))?;
    let digest = Digest::of(&bytes);
    let path = stored(root, digest.as_str());
    let spot = Spot::within(root, &path);
    if digest::of_file(&spot).is_ok_and(|there| there == digest) {
        return Ok(digest);
    }
    let folder = path.parent().unwrap_or(root);
    spot.make_folders().map_err(Error::system(folder, "create the folder"))?;
    let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut file| {
        file.write_all(&bytes)?;
        file.as_file().set_permissions(Permissions::from_mode(0o555))?;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)?;
        spot.sync_folder()
    });
    written.map_err(Error::system(&path, "store the program"))?;
    Ok(digest)
}

/// Returns the path of a program in the store.
pub fn stored(root: &Path, digest: &str) -> PathBuf {
    root.join("store").join(digest.get(..2).unwrap_or("xx")).join(digest)
}

/// Counts the submissions and other events of each program, by digest: the store should have these programs.
pub fn digests(entrants: &Entrants) -> BTreeMap<&str, usize> {
    let mut digests = BTreeMap::new();
    for event in &entrants.events {
        *digests.entry(event.digest.as_str()).or_insert(0) += 1;
    }
    digests
}

pub(crate) fn history_of(root: &Path) -> Spot {
    Spot::below(root, "entrants.csv")
}

/// Tells whether a stored program is a module of WebAssembly.
pub(crate) fn is_module(root: &Path, digest: &str) -> bool {
    Opened::open(&stored(root, digest)).is_ok_and(|opened| opened.is_module())
}
