//! The students of a class: `students.csv`, and `extensions.csv`, later deadlines of single students.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use rand::TryRng;
use rand::rngs::SysRng;

use referee_files::beneath::Spot;
use referee_files::small;
use referee_record::error::{Error, ErrorKind};
use referee_record::forms::Moment;
use referee_record::names;
use referee_record::schema::{Column, Columns, Name, Text, column};
use referee_rules::{Dice, Seed};
use referee_table::clock;

use crate::accounts;

/// A row of `students.csv`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "its columns say it")]
pub struct StudentRow {
    pub id: String,
    pub name: String,
    pub mail: String,
    pub team: String,
    pub account: String,
}

impl Columns for StudentRow {
    const WHAT: &'static str = "a row of students";
    const FORMAT: u32 = 1;
    const COLUMNS: &'static [Column<StudentRow>] = &[
        column!("id", id, Text, "the student's key, as the school has it"),
        column!("name", name, Text, "the student's name"),
        column!("mail", mail, Text, "the student's address; empty if unknown"),
        column!("team", team, Text, "students of one team hand in one bot; empty: alone"),
        column!("account", account, Name, "the account that hands in: the author of the bot in records"),
    ];

    fn blank() -> StudentRow {
        let [id, name, mail, team, account] = [const { String::new() }; 5];
        StudentRow { id, name, mail, team, account }
    }
}

impl StudentRow {
    /// Returns what pages call the account, unless the class has nicknames: the team, or the student.
    pub(crate) fn shown_name(&self) -> &str {
        if self.team.is_empty() { &self.name } else { &self.team }
    }

    /// Returns what the students of an account have in common: their team, or the id of one alone.
    fn key(&self) -> (bool, &str) {
        if self.team.is_empty() { (false, &self.id) } else { (true, &self.team) }
    }
}

/// A row of `extensions.csv`: a later deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "its columns say it")]
pub struct ExtensionRow {
    pub date: String,
    pub account: String,
    pub deadline: String,
    pub by: String,
}

impl Columns for ExtensionRow {
    const WHAT: &'static str = "a row of extensions";
    const FORMAT: u32 = 1;
    const COLUMNS: &'static [Column<ExtensionRow>] = &[
        column!("date", date, Moment, "date and time (UTC) at which it was given"),
        column!("account", account, Name, "the account of the student or the team"),
        column!("deadline", deadline, Moment, "its deadline (UTC), until a later row names another one"),
        column!("by", by, Text, "who gave it: `host`, or the account of a host"),
    ];

    fn blank() -> ExtensionRow {
        let [date, account, deadline, by] = [const { String::new() }; 4];
        ExtensionRow { date, account, deadline, by }
    }
}

/// Animals for nicknames: any of them could be anybody.
const ANIMALS: &str = "\
    albatross alpaca badger beaver bison bittern buzzard caracal cheetah chough cormorant coyote crane curlew dingo \
    dolphin dormouse eagle egret falcon ferret finch gazelle gecko gibbon goshawk heron hoopoe ibex ibis jackal \
    jackdaw kestrel koala lapwing lemur leopard lynx magpie marten merlin narwhal newt ocelot osprey otter panther \
    pelican plover polecat puffin quail raven sparrow stork tapir tern walrus wombat yak";

/// Reads a list with the columns `id`, `name`, and perhaps `mail` and `team`; other columns are passed over.
///
/// # Errors
///
/// Names the line, and what is wrong.
pub fn read_list(path: &Path) -> Result<Vec<StudentRow>, Error> {
    let text = text_of(path)?;
    let text = text.trim_start_matches('\u{feff}');
    // Spreadsheets separate by comma, semicolon or tab, depending on the country: the one that the headings have most.
    let heading = text.lines().next().unwrap_or_default();
    let separator = [b',', b';', b'\t']
        .into_iter()
        .max_by_key(|separator| heading.bytes().filter(|byte| byte == separator).count());
    let mut rows = csv::ReaderBuilder::new()
        .delimiter(separator.unwrap_or(b','))
        .trim(csv::Trim::All)
        .flexible(true)
        .from_reader(text.as_bytes());
    let wrong = |line: u64, what: String| Error::line(path, line, what);
    let headings = rows.headers().map_err(|error| wrong(1, error.to_string()))?;
    let columns = ListColumns::of(headings).map_err(|what| wrong(1, what))?;
    let mut students: Vec<StudentRow> = Vec::new();
    for row in rows.records() {
        let row =
            row.map_err(|error| wrong(error.position().map_or(1, csv::Position::line), error.to_string()))?;
        let line = row.position().map_or(1, csv::Position::line);
        let student = columns.student(&row).map_err(|what| wrong(line, what))?;
        if students.iter().any(|other| other.id == student.id) {
            return Err(wrong(line, format!("the id {} is there twice", student.id)));
        }
        students.push(student);
    }
    if students.is_empty() {
        return Err(wrong(1, "there is no student in it".to_owned()));
    }
    Ok(students)
}

/// Reads the text of a list.
fn text_of(path: &Path) -> Result<String, Error> {
    let remedy = "save the list as \"CSV UTF-8\"";
    let bytes = Spot::from(path).read(small::FILE_MAX).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            Error::file(path, format!("there is no such file: {remedy}, and name it here"))
        }
        _ => Error::system(path, "read the students")(error),
    })?;
    String::from_utf8(bytes).map_err(|_| Error::file(path, format!("not text in UTF-8: {remedy}")))
}

/// The places of the columns of a list.
struct ListColumns {
    id: usize,
    name: usize,
    mail: Option<usize>,
    team: Option<usize>,
}

impl ListColumns {
    fn of(headings: &csv::StringRecord) -> Result<ListColumns, String> {
        let column = |names: &[&str]| {
            headings.iter().position(|heading| names.iter().any(|name| heading.eq_ignore_ascii_case(name)))
        };
        let id = column(&["id", "number", "student id"]);
        let name = column(&["name", "student", "full name"]);
        let (Some(id), Some(name)) = (id, name) else {
            let found: Vec<&str> = headings.iter().collect();
            return Err(format!(
                "the first line names the columns id and name, and perhaps mail and team, not: {}",
                found.join(", ")
            ));
        };
        Ok(ListColumns {
            id,
            name,
            mail: column(&["mail", "email", "e-mail"]),
            team: column(&["team", "group"]),
        })
    }

    fn student(&self, row: &csv::StringRecord) -> Result<StudentRow, String> {
        let cell =
            |column: Option<usize>| column.and_then(|column| row.get(column)).unwrap_or_default().to_owned();
        let student = StudentRow {
            id: cell(Some(self.id)),
            name: cell(Some(self.name)),
            mail: cell(self.mail),
            team: cell(self.team),
            ..StudentRow::blank()
        };
        if student.id.is_empty() || student.name.is_empty() {
            return Err("a student has an id and a name".to_owned());
        }
        for text in [&student.id, &student.name, &student.mail, &student.team] {
            names::check_text(text)?;
        }
        Ok(student)
    }
}

/// Gives each student who has no account one, and those of a team one. It is the id, or the team, if that can be the
/// name of a bot of the exam beside these of the panel; else `s1`, `s2` and so on. With nicknames it is an animal,
/// drawn by chance, so that it says nothing of a person.
///
/// # Errors
///
/// If a name cannot be shown, or the system has no random number.
pub fn give_accounts(students: &mut [StudentRow], panel: &[&str], nicknames: bool) -> Result<(), Error> {
    let mut animals: Vec<&str> = ANIMALS.split(' ').collect();
    if nicknames {
        let drawn = SysRng.try_next_u64();
        let drawn =
            drawn.map_err(|error| Error::new(ErrorKind::System, format!("no random number: {error}")))?;
        Dice::for_start(Seed(drawn)).shuffle(&mut animals);
    }
    let mut accounts: BTreeMap<(bool, String), String> = BTreeMap::new();
    for student in students.iter().filter(|student| !student.account.is_empty()) {
        let (is_team, key) = student.key();
        accounts.insert((is_team, key.to_owned()), student.account.clone());
    }
    for student in students.iter_mut().filter(|student| student.account.is_empty()) {
        accounts::check_shown(student.shown_name())?;
        let (is_team, key) = student.key();
        let key = (is_team, key.to_owned());
        if let Some(account) = accounts.get(&key) {
            student.account.clone_from(account);
            continue;
        }
        let is_free = |name: &String| {
            let mut taken = accounts.values().map(String::as_str).chain(panel.iter().copied());
            taken.all(|other| !other.eq_ignore_ascii_case(name) && names::alike(other, name).is_none())
        };
        let is_name = names::check_plain("an account", &key.1).is_ok() && names::check_new(&key.1).is_ok();
        let number = accounts.len() + 1;
        let found = if nicknames {
            let again = (2..).flat_map(|round| animals.iter().map(move |animal| format!("{animal}{round}")));
            animals.iter().map(|animal| (*animal).to_owned()).chain(again).find(is_free)
        } else if is_name && is_free(&key.1) {
            Some(key.1.clone())
        } else {
            (number..).map(|number| format!("s{number}")).find(is_free)
        };
        student.account = found.expect("numbers do not end");
        accounts.insert(key, student.account.clone());
    }
    Ok(())
}

/// Reads the students of a class.
///
/// # Errors
///
/// Names the wrong line.
pub fn read(root: &Path) -> Result<Vec<StudentRow>, Error> {
    small::read(Spot::below(root, "students.csv"))
}

/// Reads the deadlines of accounts that have their own.
///
/// # Errors
///
/// Names the wrong line.
pub fn extensions(root: &Path) -> Result<BTreeMap<String, String>, Error> {
    let rows: Vec<ExtensionRow> = small::read_whole(Spot::below(root, "extensions.csv"))?;
    Ok(rows.into_iter().map(|row| (row.account, row.deadline)).collect())
}

/// Gives an account a deadline of its own, in UTC.
///
/// # Errors
///
/// If the system refuses.
pub fn extend(root: &Path, account: &str, deadline: &str, by: &str) -> Result<(), Error> {
    let [account, deadline, by] = [account, deadline, by].map(str::to_owned);
    small::append(
        Spot::below(root, "extensions.csv"),
        &ExtensionRow { date: clock::date(), account, deadline, by },
    )
}
