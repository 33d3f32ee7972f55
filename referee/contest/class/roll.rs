//! The roll of a class: what each account has handed in, which version counts, and the last refusal of one that has none.

use std::collections::BTreeMap;
use std::path::Path;

use crate::accounts::{self, EventRow};
use crate::admission::entrants::{Entrants, Event};
use crate::bot::Bot;
use crate::class::settings::{self, ClassSettings};
use crate::class::students::{self, StudentRow};
use referee_record::error::Error;
use referee_table::clock;

/// An account of a class: a student, or a team.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its students.
    pub students: Vec<StudentRow>,
    /// Its deadline, in UTC.
    pub deadline: String,
    /// The end, in UTC: what comes later does not count. It is the deadline with grace and late days.
    pub closes: String,
    /// Whether the deadline is its own.
    pub is_extended: bool,
    /// The version that counts: the last one that was admitted and came in time.
    pub counts: Option<Counted>,
    /// Number of submissions.
    pub submissions: u32,
    /// The last refusal, if nothing has been admitted since.
    pub refusal: Option<Refused>,
}

/// The version that counts.
#[derive(Clone, Debug)]
pub struct Counted {
    /// The bot.
    pub bot: Bot,
    /// When it came, in UTC.
    pub received: String,
    /// Number of days, begun ones too, after the deadline and its grace; 0: in time.
    pub late_days: u32,
}

/// A submission that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// When the author was told, in UTC.
    pub date: String,
    /// What the author was told, in a line.
    pub why: String,
}

impl Entry {
    /// Returns the account.
    pub fn account(&self) -> &str {
        self.students.first().map_or("", |student| &student.account)
    }
}

/// The roll of a class.
#[derive(Clone, Debug)]
pub struct Roll {
    /// The settings.
    pub settings: ClassSettings,
    /// Its accounts, in the order of the list of students.
    pub entries: Vec<Entry>,
}

impl Roll {
    /// Reads the roll.
    ///
    /// # Errors
    ///
    /// If a file of the class is damaged.
    pub fn read(root: &Path) -> Result<Roll, Error> {
        let (deadlines, students) = (Deadlines::read(root)?, students::read(root)?);
        let submissions = submissions(&Entrants::read(root)?, &accounts::events(root)?);
        let mut entries: Vec<Entry> = Vec::new();
        for student in students {
            match entries.iter_mut().find(|entry| entry.account() == student.account) {
                Some(entry) => entry.students.push(student),
                None => entries.push(entry(student, &deadlines, &submissions)),
            }
        }
        Ok(Roll { settings: deadlines.settings, entries })
    }

    /// Returns the entry of a student, by id, name or account.
    ///
    /// # Errors
    ///
    /// If there is none, or several students have this name.
    pub fn find(&self, name: &str) -> Result<&Entry, Error> {
        let has = |is_it: fn(&StudentRow, &str) -> bool| {
            self.entries.iter().filter(move |entry| entry.students.iter().any(|student| is_it(student, name)))
        };
        let by_key = has(|student, name| student.id == name || student.account == name);
        let by_name = has(|student, name| student.name == name);
        let by_key: Vec<&Entry> = by_key.collect();
        let found = if by_key.is_empty() { by_name.collect() } else { by_key };
        match &found[..] {
            [only] => Ok(only),
            [] => Err(Error::input(format!("no student has the id or the name {name}"))),
            several => {
                let ids: Vec<&str> = several.iter().map(|entry| &*entry.students[0].id).collect();
                Err(Error::input(format!("{name} is the name of several: give an id ({})", ids.join(", "))))
            }
        }
    }
}

/// The deadlines of a class.
#[derive(Clone, Debug)]
pub struct Deadlines {
    /// The settings of the class.
    pub settings: ClassSettings,
    of_all: String,
    extensions: BTreeMap<String, String>,
}

impl Deadlines {
    /// Reads them.
    ///
    /// # Errors
    ///
    /// Names the wrong line.
    pub fn read(root: &Path) -> Result<Deadlines, Error> {
        let settings = ClassSettings::read(root)?;
        let of_all = settings::moment(&settings.deadline).map_err(Error::input)?;
        Ok(Deadlines { settings, of_all, extensions: students::extensions(root)? })
    }

    /// Tells whether there is a class in a folder.
    pub fn is_at(root: &Path) -> bool {
        settings::file_of(root).exists()
    }

    /// Returns the deadline of an account that has none of its own, in UTC.
    pub fn of_all(&self) -> &str {
        &self.of_all
    }

    /// Returns the deadline of an account, in UTC.
    pub fn of(&self, account: &str) -> &str {
        self.extensions.get(account).unwrap_or(&self.of_all)
    }

    /// Returns the moment from which on nothing of an account counts, in UTC.
    pub fn close_of(&self, account: &str) -> String {
        let seconds = u64::from(self.settings.grace_minutes) * 60 + u64::from(self.settings.late_days) * DAY;
        clock::date_at(clock::seconds_of(self.of(account)) + seconds)
    }

    /// Returns the number of late days of what came at this moment, begun ones too.
    pub fn late_days(&self, account: &str, received: &str) -> u32 {
        let end = clock::seconds_of(self.of(account)) + u64::from(self.settings.grace_minutes) * 60;
        clock::seconds_of(received).saturating_sub(end).div_ceil(DAY) as u32
    }
}

/// Seconds of a day.
const DAY: u64 = 24 * 60 * 60;

/// The submissions of all accounts.
#[derive(Debug, Default)]
struct Submissions {
    /// By account: the versions that were admitted, each with the moment at which it came, in their order.
    admitted: BTreeMap<String, Vec<(String, Bot)>>,
    /// By account: the number of submissions by the web.
    sent: BTreeMap<String, u32>,
    /// By account: the last refusal, if nothing has been admitted since.
    refused: BTreeMap<String, Refused>,
}

/// A submission by the web: when it came, and when its author was told the verdict.
struct Sent<'a> {
    account: &'a str,
    bot: &'a str,
    came: &'a str,
    admitted: Option<&'a str>,
}

fn submissions(entrants: &Entrants, events: &[EventRow]) -> Submissions {
    let (mut sent, mut found) = (BTreeMap::<&str, Sent>::new(), Submissions::default());
    for EventRow { date, account, event, detail } in events {
        let (number, rest) = detail.split_once(' ').unwrap_or((detail, ""));
        match &**event {
            "uploaded" => {
                let bot = rest.split_once(',').map_or(rest, |(bot, _)| bot);
                sent.insert(number, Sent { account, bot, came: date, admitted: None });
                *found.sent.entry(account.clone()).or_default() += 1;
            }
            "admitted" => {
                if let Some(sent) = sent.get_mut(number) {
                    sent.admitted = Some(date);
                }
                found.refused.remove(account);
            }
            // The same program as the version that plays.
            "plays" => drop(found.refused.remove(account)),
            "refused" => {
                let refused = Refused { date: date.clone(), why: rest.to_owned() };
                found.refused.insert(account.clone(), refused);
            }
            _ => {}
        }
    }
    let of_authors = entrants.submissions().filter(|event| !event.bot.author.is_empty());
    for Event { date, bot, .. } in of_authors.filter(|event| entrants.ban_of(&event.bot).is_none()) {
        // A version is entered between the arrival of its program and the verdict. What the host has submitted came then.
        let is_it = |sent: &&Sent| {
            sent.account == bot.author
                && sent.bot == bot.name
                && sent.came <= &**date
                && sent.admitted.is_some_and(|told| date.as_str() <= told)
        };
        let came = sent.values().find(is_it).map_or(&**date, |sent| sent.came);
        found.admitted.entry(bot.author.clone()).or_default().push((came.to_owned(), bot.clone()));
    }
    found
}

fn entry(student: StudentRow, deadlines: &Deadlines, submissions: &Submissions) -> Entry {
    let account = student.account.clone();
    let closes = deadlines.close_of(&account);
    let admitted = submissions.admitted.get(&account).map_or(&[][..], Vec::as_slice);
    let in_time = admitted.iter().rev().find(|(received, _)| *received <= closes);
    let counts = in_time.map(|(received, bot)| Counted {
        bot: bot.clone(),
        received: received.clone(),
        late_days: deadlines.late_days(&account, received),
    });
    let sent = submissions.sent.get(&account).copied().unwrap_or(0);
    Entry {
        deadline: deadlines.of(&account).to_owned(),
        is_extended: deadlines.extensions.contains_key(&account),
        submissions: sent.max(admitted.len() as u32),
        refusal: submissions.refused.get(&account).cloned(),
        students: vec![student],
        closes,
        counts,
    }
}
