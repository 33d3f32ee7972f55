//! The contests of a class, made of what students have handed in: the exam, and the final. Each is a tournament in the
//! folder of the class. Its seed follows from the hill's, to which the hill has committed before the first submission.

use std::path::PathBuf;

use crate::admission::entrants::stored;
use crate::class::roll::{Counted, Entry, Roll};
use crate::contest_settings::table_of;
use crate::file::{self, Tournament};
use crate::hill::Hill;
use referee_record::error::Error;
use referee_statistics::schedule::deal;
use toml::Value;

/// A contest of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Each student against the panel.
    Exam,
    /// All students and those of the panel that play on the hill, in one field.
    Final,
}

impl Kind {
    /// Returns its name, which is also that of its folder.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Exam => "exam",
            Kind::Final => "final",
        }
    }

    /// Returns its folder.
    pub fn folder(self, hill: &Hill) -> PathBuf {
        hill.root().join(self.name())
    }
}

/// A contest that can be planned.
#[derive(Debug)]
pub struct Made<'a> {
    /// The tournament. Its first entrants are the panel; those of students follow.
    pub tournament: Tournament,
    /// Number of entrants that are the panel.
    pub panel: usize,
    /// The accounts that take part, in the order of their entrants.
    pub students: Vec<(&'a Entry, &'a Counted)>,
}

/// Makes a contest of the versions that count.
///
/// # Errors
///
/// If nobody has handed in anything valid, or the game does not suit an exam.
pub fn make<'a>(hill: &Hill, roll: &'a Roll, kind: Kind) -> Result<Made<'a>, Error> {
    let students: Vec<(&Entry, &Counted)> =
        roll.entries.iter().filter_map(|entry| Some((entry, entry.counts.as_ref()?))).collect();
    if students.is_empty() {
        return Err(Error::file(hill.root(), "no student has handed in a bot that was admitted"));
    }
    let is_folder = |counted: &Counted| stored(hill.root(), counted.bot.digest.as_str()).is_dir();
    if let Some((entry, counted)) = students.iter().find(|(_, counted)| is_folder(counted)) {
        let what = format!(
            "{} of {} consists of several files, which a tournament does not seat: have it handed in again as one file \
             (`referee docs one-file`), with an extension",
            counted.bot.name,
            entry.students.iter().map(|student| &*student.name).collect::<Vec<&str>>().join(", ")
        );
        return Err(Error::file(hill.root(), what));
    }
    let settings = &roll.settings;
    let is_seated = |bot: &&String| kind == Kind::Exam || !settings.hidden.contains(bot);
    let panel: Vec<&String> = settings.panel.iter().filter(is_seated).collect();
    let mut entrants: Vec<Value> = panel.iter().map(|bot| panelist(bot)).collect();
    entrants.extend(students.iter().map(|(entry, counted)| student(hill, entry, counted)));
    let mut text = toml::Table::new();
    let mut set = |key: &str, value: Value| text.insert(key.to_owned(), value);
    set("name", kind.name().into());
    set("game", hill.settings().contest.game.clone().into());
    set("seed", deal::derive(hill.seed(), kind.name(), [0; 3]).to_string().into());
    set("parameters", table_of(hill.parameters()).into());
    set("entrant", entrants.into());
    let (number, word) = (|number: usize| Value::from(number as i64), |word: &str| Value::from(word));
    match kind {
        Kind::Exam => {
            let rounds = number(settings.exam.rounds as usize);
            let format = [("kind", word("exam")), ("panel", number(panel.len())), ("rounds", rounds)];
            let stop =
                [("alpha", settings.exam.alpha.into()), ("look_every", number(1)), ("min_rounds", number(1))];
            set("format", table(format));
            set("stop", table(stop));
        }
        Kind::Final => {
            let rounds = number(settings.last.rounds as usize);
            set("format", table([("kind", word("rounds")), ("rounds", rounds), ("block", word("one-game"))]));
        }
    }
    let text = toml::to_string(&text).expect("plain values");
    let mut tournament = file::parse(&hill.root().join(format!("{}.toml", kind.name())), &text)?;
    tournament.settings.contest.host = hill.host().clone();
    tournament.settings.contest.program_mib = hill.settings().contest.program_mib;
    Ok(Made { tournament, panel: panel.len(), students })
}

fn table<const N: usize>(keys: [(&str, Value); N]) -> Value {
    keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<toml::Table>().into()
}

/// Returns an entrant of the panel.
fn panelist(bot: &str) -> Value {
    table([("name", name_of(bot).into()), ("program", bot.into())])
}

/// Returns the name of a bot of the panel: its own, or that of its file.
pub fn name_of(bot: &str) -> &str {
    let file = bot.rsplit(['/', ':']).next().unwrap_or(bot);
    file.split_once('.').map_or(file, |(stem, _)| stem)
}

/// Returns the entrant of a student, under the name of the account.
fn student(hill: &Hill, entry: &Entry, counted: &Counted) -> Value {
    let program = stored(hill.root(), counted.bot.digest.as_str());
    let program = std::path::absolute(&program).unwrap_or(program);
    let arguments: Vec<Value> =
        counted.bot.arguments.iter().map(|argument| argument.clone().into()).collect();
    table([
        ("name", entry.account().into()),
        ("author", entry.account().into()),
        ("program", program.to_string_lossy().into_owned().into()),
        ("arguments", arguments.into()),
        ("allow_fork", counted.bot.allow_fork.into()),
    ])
}
