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
use referee_record::{BotName, Digest, identity};

use crate::admission::by::{By, WhoDidIt};
use crate::admission::shelf::Shelved;
pub use crate::admission::shelf::stored;
use crate::bot::{Bot, Words};
use crate::publish;
use referee_sandbox::program::Opened;
use referee_table::process::Program;

/// One row of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "its columns say it")]
pub struct Event {
    pub date: String,
    pub event: EventKind,
    /// The bot that it is about: that of its last submission.
    pub bot: Bot,
    pub by: By,
}

/// The event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they say it")]
pub enum EventKind {
    Submitted,
    Retired,
    Banned,
    AuthorBanned,
    Admitted,
}

impl EventKind {
    /// Returns the word in the history.
    pub(super) fn name(self) -> &'static str {
        match self {
            EventKind::Submitted => "submitted",
            EventKind::Retired => "retired",
            EventKind::Banned => "banned",
            EventKind::AuthorBanned => "author-banned",
            EventKind::Admitted => "admitted",
        }
    }

    /// All of them.
    const ALL: [EventKind; 5] = [
        EventKind::Submitted,
        EventKind::Retired,
        EventKind::Banned,
        EventKind::AuthorBanned,
        EventKind::Admitted,
    ];
}

impl Columns for Event {
    const WHAT: &'static str = "a row of the history of entrants";
    const FORMAT: u32 = 3;
    const OLDEST: u32 = 3;
    const COLUMNS: &'static [Column<Event>] = &[
        column!("date", date, Moment, "date and time (UTC)"),
        column!("event", event, WhatHappened, "kind of event"),
        column!("name", bot.name, Name, "the bot's name"),
        column!("version", bot.version, Number, "number of the program under this name, from 1"),
        column!(
            "digest",
            bot.digest,
            Sha256,
            "SHA-256 of the program, and its name in `store`; of a folder: that of the list of its files"
        ),
        column!("identity", bot.identity, Sha256, "identity of the bot in results"),
        column!(
            "arguments",
            bot.arguments,
            Words,
            "arguments of the program, separated by blanks; with a blank in front: quoted as in a shell"
        ),
        column!("source", bot.source, Text, "name of the submitted file"),
        column!("allow_fork", bot.allow_fork, Flag, "whether the bot may start other programs"),
        column!("contact", bot.contact, Text, "contact of its author, if known"),
        column!("author", bot.author, MaybeName, "its author, as the host was told; empty: unknown"),
        column!(
            "source_digest",
            bot.source_digest,
            MaybeSha256,
            since 4 else "",
            "SHA-256 of the list of the files that the program was built from; empty: it came ready to run"
        ),
        column!(
            "toolchain",
            bot.toolchain,
            MaybeSha256,
            since 4 else "",
            "SHA-256 of the language's row, the compiler's version and the tools that built it; empty likewise"
        ),
        column!("by", by, WhoDidIt, since 4 else "", "who did it, as the host's program has recorded it"),
    ];

    fn blank() -> Event {
        Event { date: String::new(), event: EventKind::Submitted, bot: Bot::blank(), by: By::Unknown }
    }
}

#[derive(Clone, Copy, Debug)]
struct WhatHappened;

impl CellKind for WhatHappened {
    const KIND: &'static str = "`submitted`, `retired`, `banned`, `author-banned`, or `admitted` after a ban";
}

impl CellForm<EventKind> for WhatHappened {
    fn write(value: &EventKind, text: &mut String) {
        text.push_str(value.name());
    }

    fn read(cell: &str) -> Result<EventKind, String> {
        let found = EventKind::ALL.into_iter().find(|kind| kind.name() == cell);
        found.ok_or_else(|| format!("not submitted, retired, banned, author-banned or admitted: {cell:?}"))
    }
}

/// The field of a hill at some moment: the bots that are entered, and the bans in force.
#[derive(Clone, Debug, Default)]
pub(crate) struct Field<'a> {
    submitted: Vec<&'a Bot>,
    entered: Vec<&'a Bot>,
    bans: Vec<Ban<'a>>,
}

/// A ban, with the bots whose programs it bans: all that were submitted under the name or by the author.
#[derive(Clone, Debug)]
pub(crate) struct Ban<'a> {
    event: &'a Event,
    bots: Vec<&'a Bot>,
}

impl<'a> Field<'a> {
    /// Changes the field as an event does.
    pub(super) fn change(&mut self, event: &'a Event) {
        let bot = &event.bot;
        let index = self.entered.iter().position(|other| other.name == bot.name);
        match event.event {
            EventKind::Submitted => {
                self.submitted.push(bot);
                match index {
                    Some(index) => self.entered[index] = bot,
                    None => self.entered.push(bot),
                }
            }
            EventKind::Retired | EventKind::Banned | EventKind::AuthorBanned => {
                if let Some(index) = index {
                    self.entered.remove(index);
                }
            }
            EventKind::Admitted => self.bans.retain(|ban| ban.event.bot.name != bot.name),
        }
        if matches!(event.event, EventKind::Banned | EventKind::AuthorBanned) {
            self.bans.push(self.ban(event));
        }
    }

    /// Returns the ban that an event would be.
    pub(crate) fn ban<'b>(&self, event: &'b Event) -> Ban<'b>
    where
        'a: 'b,
    {
        let is_banned = |bot: &&&Bot| event.bot.name == bot.name || event.is_ban_of_author(&bot.author);
        Ban { event, bots: self.submitted.iter().filter(is_banned).copied().collect() }
    }

    /// Lists the bots that are entered, in the order in which their names were first submitted.
    pub(crate) fn entered(&self) -> &[&'a Bot] {
        &self.entered
    }

    /// Returns the ban of a bot, if there is one: that of its own name first.
    pub(crate) fn ban_of(&self, bot: &Bot) -> Option<&'a Event> {
        let own = self.bans.iter().find(|ban| ban.event.bot.name == bot.name);
        own.or_else(|| self.bans.iter().find(|ban| ban.is_of(bot))).map(|ban| ban.event)
    }

    /// Lists the bans of what was submitted under a name.
    pub(crate) fn bans_of_name(&self, name: &str) -> impl Iterator<Item = &'a Event> {
        self.submitted.iter().filter(move |bot| bot.name == name).filter_map(|bot| self.ban_of(bot))
    }

    /// Lists the bots that may be seated.
    pub(super) fn bots(&self) -> Vec<&'a Bot> {
        self.entered.iter().filter(|bot| self.ban_of(bot).is_none()).copied().collect()
    }
}

impl Ban<'_> {
    /// Tells whether a bot is banned: its name, its program, or its author.
    pub(crate) fn is_of(&self, bot: &Bot) -> bool {
        self.event.bot.name == bot.name
            || self.event.is_ban_of_author(&bot.author)
            || self.bots.iter().any(|banned| banned.has_program_of(bot))
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
    pub fn read(root: &Path) -> Result<Entrants, Error> {
        let exists = |name: &str| Spot::below(root, name).exists();
        if !history_of(root).exists() && exists("seasons.csv") && exists("store") {
            let what = "missing, but seasons.csv lists bots that have played: put it back";
            return Err(Error::file(history_of(root).path(), what));
        }
        // Without the unfinished row of an interrupted submission.
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

    /// Lists the bots of the current field, in the order in which their names were first submitted. A bot that is not
    /// listed has no seat.
    pub fn field(&self) -> Vec<&Bot> {
        self.field_now().bots()
    }

    /// Returns the field after the last event.
    pub(crate) fn field_now(&self) -> Field<'_> {
        let mut field = Field::default();
        for event in &self.events {
            field.change(event);
        }
        field
    }

    /// Returns the ban that keeps a bot from a seat, if there is one.
    pub fn ban_of(&self, bot: &Bot) -> Option<&Event> {
        self.field_now().ban_of(bot)
    }

    /// Returns the last submission of a name, whether it still plays or not.
    pub fn last_submission(&self, name: &str) -> Option<&Event> {
        self.events.iter().rfind(|event| event.event == EventKind::Submitted && event.bot.name == name)
    }

    /// Lists all submissions, the earliest first.
    pub fn submissions(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(|event| event.event == EventKind::Submitted)
    }

    /// Returns the submission of a version of a bot, whether it still plays or not.
    pub fn submission(&self, name: &str, version: u32) -> Option<&Event> {
        let is_submission = |event: &&Event| {
            event.event == EventKind::Submitted && event.bot.name == name && event.bot.version == version
        };
        self.events.iter().find(is_submission)
    }

    /// Returns the event that has ended the time of a submission on the hill: the first event of the bot's name after
    /// it. `None` as long as it plays.
    pub fn end_of(&self, submission: &Event) -> Option<&Event> {
        let mut later = self.events.iter().skip_while(|event| *event != submission).skip(1);
        later.find(|event| event.bot.name == submission.bot.name && event.event != EventKind::Admitted)
    }

    /// Makes sure that a bot of a season was submitted with this program and by this author.
    pub fn check_submitted(&self, bot: &BotName, author: &str) -> Result<(), Error> {
        match self.submission(&bot.name, bot.version) {
            Some(submitted) if submitted.bot.bot_name() == *bot && submitted.bot.author == author => Ok(()),
            Some(submitted) if submitted.bot.bot_name() == *bot => {
                let (BotName { name, version, .. }, submitted_author) = (bot, &submitted.bot.author);
                let what = format!(
                    "the author of {name} version {version} is {submitted_author:?}, but seasons.csv says {author:?}"
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
            let Bot { name, digest, arguments, identity: recorded, .. } = &event.bot;
            if identity::bot_digest(digest, arguments) == *recorded {
                continue;
            }
            let mut of_house =
                (1..=rules_version).filter_map(|version| identity::of_house(game, version, arguments));
            if !of_house.any(|identity| identity == *recorded) {
                let what =
                    format!("column identity is not that of {name}'s program and arguments: {recorded}");
                return Err(Error::line(history_of(&self.root).path(), line, what));
            }
        }
        Ok(())
    }

    /// Returns the number that the next program of this name gets.
    pub fn next_version(&self, name: &str) -> u32 {
        let submitted = self.submissions().filter(|event| event.bot.name == name);
        submitted.map(|event| event.bot.version).max().unwrap_or(0) + 1
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
    pub fn add_all(&mut self, more: impl IntoIterator<Item = Event>) -> Result<(), Error> {
        let more: Vec<Event> = more.into_iter().collect();
        // The file is short, so it is replaced in one step. A file of an earlier format then gets the current columns.
        let text = small::changed(history_of(&self.root), |events| events.extend(more.iter().cloned()))?;
        publish::replace(history_of(&self.root), &text)?;
        self.events.extend(more);
        Ok(())
    }

    /// Cuts off an unfinished row of an interrupted submission at the end of the file. To be called under the
    /// submitter's lock.
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
    pub fn program(&self, bot: &Bot) -> Result<Program, Error> {
        self.program_among(bot, &mut Checked::default())
    }

    /// As [`program`](Entrants::program), but a file that is in `checked`, and has not changed since, is not read
    /// again.
    pub(crate) fn program_among(&self, bot: &Bot, checked: &mut Checked) -> Result<Program, Error> {
        let path = stored(&self.root, bot.digest.as_str());
        let shelved = match checked.now.get(&bot.digest) {
            Some(shelved) => shelved.clone(),
            None => self.look_at_program(bot, &path, checked)?,
        };
        let arguments = bot.arguments.iter().map(Into::into).collect();
        Ok(Program {
            may_fork: bot.allow_fork,
            with_folder: shelved.with_folder(),
            state_when_checked: Some(shelved.look()),
            content: (!shelved.with_folder()).then(|| bot.digest.clone()),
            ..Program::new(shelved.file, arguments)
        })
    }

    /// Looks at the program of a bot, reads it unless it looks as before, and adds it to `checked`.
    fn look_at_program(&self, bot: &Bot, file: &Path, checked: &mut Checked) -> Result<Shelved, Error> {
        let look_before = checked.before.get(&bot.digest);
        let found = Shelved::at(&self.root, file).and_then(|shelved| {
            let is_unchanged = look_before == Some(&shelved);
            let digest = if is_unchanged { bot.digest.clone() } else { shelved.digest(&self.root)? };
            Ok((shelved, digest))
        });
        let (shelved, digest) = found.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                let what = format!(
                    "missing: the program that was submitted as {0}; put it back, or submit {0} again",
                    bot.name
                );
                Error::file(file, what)
            }
            _ => Error::system(file, "read a stored program")(error),
        })?;
        if digest != bot.digest {
            let what = format!(
                "is not the program that was submitted as {0}: its SHA-256 is {digest}; put the program back, or \
                     submit {0} again",
                bot.name
            );
            return Err(Error::file(file, what));
        }
        checked.before.insert(bot.digest.clone(), shelved.clone());
        checked.now.insert(bot.digest.clone(), shelved.clone());
        Ok(shelved)
    }
}

/// The programs of a hill that were found to be those that were submitted, by digest, as their files looked then.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checked {
    /// Those that were ever found: each is looked at again, and read if it looks otherwise.
    before: BTreeMap<Digest, Shelved>,
    /// Those that were looked at since [`again`](Checked::again).
    now: BTreeMap<Digest, Shelved>,
}

impl Checked {
    /// Begins a new check, in which each file is looked at again.
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
    /// Tells whether it bans all bots of this author.
    pub(crate) fn is_ban_of_author(&self, author: &str) -> bool {
        self.event == EventKind::AuthorBanned && !author.is_empty() && self.bot.author == author
    }
}

/// Puts a copy of a program into the store, read-only under its digest.
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

/// Counts the submissions and other events of each program, by digest: the store should have these programs.
pub fn digests(entrants: &Entrants) -> BTreeMap<&str, usize> {
    let mut digests = BTreeMap::new();
    for event in &entrants.events {
        *digests.entry(event.bot.digest.as_str()).or_insert(0) += 1;
    }
    digests
}

/// Returns the file of the history.
pub(crate) fn history_of(root: &Path) -> Spot {
    Spot::below(root, "entrants.csv")
}

/// Tells whether a stored program is a module of WebAssembly.
pub(crate) fn is_module(root: &Path, digest: &str) -> bool {
    Opened::open(&stored(root, digest)).is_ok_and(|opened| opened.is_module())
}
