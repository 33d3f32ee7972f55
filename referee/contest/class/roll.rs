//! The roll of a class: what each account has handed in, which version counts, and the last refusal of one that has
//! none.

use std::collections::BTreeMap;
use std::path::Path;

use crate::accounts::{self, TOO_LATE};
use crate::admission::entrants::{Entrants, Event};
use crate::bot::Bot;
use crate::class::settings::{self, ClassSettings};
use crate::class::students::{self, StudentRow};
use referee_builds::LOG_LINE;
use referee_files::beneath::Spot;
use referee_files::walk;
use referee_record::error::Error;
use referee_table::clock;
use serde::Deserialize;
use serde::de::DeserializeOwned;

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
    /// All versions that were admitted, in their order.
    pub admitted: Vec<Counted>,
    /// Number of submissions that came in time and have no verdict yet.
    pub waiting: u32,
    /// Number of submissions.
    pub submissions: u32,
    /// The last verdict, if it is a refusal.
    pub refusal: Option<Refused>,
    /// When it tried to hand in after its end, in UTC, and was refused.
    pub too_late: Option<String>,
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

    /// Names its students, as the list has them.
    pub fn people(&self) -> String {
        let names: Vec<&str> = self.students.iter().map(|student| &*student.name).collect();
        names.join(", ")
    }

    /// Gives it a later deadline, which is returned in UTC. `by` is `host`, or the account of a host.
    ///
    /// # Errors
    ///
    /// If the text is no date with a time and a zone, or no later one than the deadline that holds.
    pub fn extend(&self, root: &Path, deadline: &str, by: &str) -> Result<String, Error> {
        let deadline = settings::moment(deadline).map_err(Error::input)?;
        if deadline <= self.deadline {
            return Err(Error::input(format!(
                "the deadline of {} is {} (UTC): a new one is later, as nobody who counts on it should be too late",
                self.people(),
                self.deadline
            )));
        }
        students::extend(root, self.account(), &deadline, by)?;
        Ok(deadline)
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
        let submissions = Submissions::read(root)?;
        let mut entries: Vec<Entry> = Vec::new();
        for student in students {
            match entries.iter_mut().find(|entry| entry.account() == student.account) {
                Some(entry) => entry.students.push(student),
                None => entries.push(entry(student, &deadlines, &submissions)),
            }
        }
        Ok(Roll { settings: deadlines.settings, entries })
    }

    /// Returns the number of late days that a version of this entry has if it comes at this moment.
    pub fn late_days(&self, entry: &Entry, received: &str) -> u32 {
        late_days(&self.settings, &entry.deadline, received)
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
        // The deadline of all can have moved behind that of one since.
        self.extensions.get(account).map_or(&self.of_all, |own| own.max(&self.of_all))
    }

    /// Returns the moment from which on nothing of an account counts, in UTC.
    pub fn close_of(&self, account: &str) -> String {
        let seconds = u64::from(self.settings.grace_minutes) * 60 + u64::from(self.settings.late_days) * DAY;
        clock::date_at(clock::seconds_of(self.of(account)) + seconds)
    }

    /// Returns the number of late days of what came at this moment, begun ones too.
    pub fn late_days(&self, account: &str, received: &str) -> u32 {
        late_days(&self.settings, self.of(account), received)
    }
}

/// Returns the number of days, begun ones too, between a deadline with its grace and this moment.
fn late_days(settings: &ClassSettings, deadline: &str, received: &str) -> u32 {
    let end = clock::seconds_of(deadline) + u64::from(settings.grace_minutes) * 60;
    clock::seconds_of(received).saturating_sub(end).div_ceil(DAY) as u32
}

/// Seconds of a day.
const DAY: u64 = 24 * 60 * 60;

/// The submissions of all accounts.
#[derive(Debug, Default)]
struct Submissions {
    /// By account: the versions that were admitted, each with the moment at which it came, in their order.
    admitted: BTreeMap<String, Vec<(String, Bot)>>,
    /// By account: what was sent by the web, in its order.
    sent: BTreeMap<String, Vec<Sent>>,
    /// By account: when something was sent that came too late.
    too_late: BTreeMap<String, String>,
}

/// A submission by the web, in the inbox of the hill.
#[derive(Debug)]
struct Sent {
    request: Request,
    verdict: Option<Verdict>,
}

/// `asked.json` in the folder of a submission.
#[derive(Debug, Deserialize)]
struct Request {
    account: String,
    name: String,
    date: String,
}

/// `verdict.json` in the folder of a submission.
#[derive(Debug, Deserialize)]
struct Verdict {
    state: String,
    told: String,
    date: String,
}

/// Maximum length of a file about a submission, in bytes: a verdict has what a build has written.
const FILE_MAX: u64 = 32 << 20;

impl Submissions {
    fn read(root: &Path) -> Result<Submissions, Error> {
        let mut found = Submissions::default();
        let mut places = walk::folders(&Spot::below(root, "inbox"))?;
        places.sort();
        for place in places {
            let spot = |name: &str| Spot::within(root, place.join(name));
            // A folder without a request is an upload that has not arrived.
            let Some(request) = parsed::<Request>(&spot("asked.json"))? else { continue };
            let verdict = parsed::<Verdict>(&spot("verdict.json"))?;
            found.sent.entry(request.account.clone()).or_default().push(Sent { request, verdict });
        }
        let events = accounts::events(root)?.into_iter().filter(|event| event.event == TOO_LATE);
        found.too_late.extend(events.map(|event| (event.account, event.date)));
        let entrants = Entrants::read(root)?;
        let field = entrants.field_now();
        let of_authors = entrants.submissions().filter(|event| !event.bot.author.is_empty());
        for Event { date, bot, .. } in of_authors.filter(|event| field.ban_of(&event.bot).is_none()) {
            let sent = found.sent.get(&bot.author).map_or(&[][..], Vec::as_slice);
            // A version is entered between the arrival of its program and the verdict. What the host has submitted came
            // at that moment.
            let came =
                sent.iter().find(|sent| sent.became(date, bot)).map_or(date, |sent| &sent.request.date);
            found.admitted.entry(bot.author.clone()).or_default().push((came.clone(), bot.clone()));
        }
        Ok(found)
    }
}

impl Sent {
    /// Tells whether this submission became a version that was entered at this moment.
    fn became(&self, date: &str, bot: &Bot) -> bool {
        let is_before_verdict = |verdict: &Verdict| date <= &*verdict.date && verdict.state != "refused";
        self.request.name == bot.name
            && *self.request.date <= *date
            && self.verdict.as_ref().is_none_or(is_before_verdict)
    }
}

/// Reads a file about a submission, if it is there.
fn parsed<T: DeserializeOwned>(spot: &Spot) -> Result<Option<T>, Error> {
    if !spot.exists() {
        return Ok(None);
    }
    let path = spot.path();
    let text = spot.read_text(FILE_MAX).map_err(Error::system(path, "read a submission"))?;
    serde_json::from_str(&text).map(Some).map_err(|error| Error::file(path, error.to_string()))
}

/// Returns the reason for a refusal in a line: its first, and the first error of a build.
fn reason_of(told: &str) -> String {
    let first = told.lines().next().unwrap_or_default();
    let mut log = told.lines().filter_map(|line| line.strip_prefix(LOG_LINE));
    match log.find(|line| line.to_lowercase().contains("error")) {
        Some(error) => format!("{first}: {}", error.trim()),
        None => first.to_owned(),
    }
}

fn entry(student: StudentRow, deadlines: &Deadlines, submissions: &Submissions) -> Entry {
    let account = &student.account;
    let closes = deadlines.close_of(account);
    let counted = |(received, bot): &(String, Bot)| Counted {
        bot: bot.clone(),
        received: received.clone(),
        late_days: deadlines.late_days(account, received),
    };
    let admitted: Vec<Counted> =
        submissions.admitted.get(account).map_or(&[][..], Vec::as_slice).iter().map(counted).collect();
    let sent = submissions.sent.get(account).map_or(&[][..], Vec::as_slice);
    let in_time = |sent: &&Sent| sent.request.date <= closes;
    let waiting = sent.iter().filter(in_time).filter(|sent| sent.verdict.is_none()).count() as u32;
    let last = sent.iter().filter_map(|sent| sent.verdict.as_ref()).next_back();
    let refusal = last
        .filter(|verdict| verdict.state == "refused")
        .map(|verdict| Refused { date: verdict.date.clone(), why: reason_of(&verdict.told) });
    Entry {
        deadline: deadlines.of(account).to_owned(),
        is_extended: deadlines.extensions.contains_key(account),
        submissions: (sent.len() as u32).max(admitted.len() as u32),
        counts: admitted.iter().rev().find(|version| version.received <= closes).cloned(),
        admitted,
        waiting,
        refusal,
        too_late: submissions.too_late.get(account).cloned(),
        students: vec![student],
        closes,
    }
}
