//! The contests of a class, made of what students have handed in: the exam, and the final. Each is a tournament in the
//! folder of the class. Its seed follows from the hill's, to which the hill has committed before the first submission.

use std::path::PathBuf;

use crate::admission::entrants::stored;
use crate::bot::{Bot, Built, NewBot};
use crate::class::roll::{Counted, Entry, Roll};
use crate::class::settings::ClassSettings;
use crate::contest_settings::{ContestSettings, table_of};
use crate::file::{EntrantLine, ProgramLine, Tournament, TournamentSettings};
use crate::hill::Hill;
use crate::settings::Scalar;
use crate::stages::Stop;
use referee_record::error::Error;
use referee_record::names;
use referee_statistics::schedule::deal;
use referee_statistics::schedule::format::Format;

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

    /// Returns its folder: `final`, or that of the exam with the number of `class.toml`.
    pub fn folder(self, hill: &Hill, settings: &ClassSettings) -> PathBuf {
        match self {
            Kind::Exam => exam_folder(hill, settings.exam.number),
            Kind::Final => hill.root().join(self.name()),
        }
    }
}

/// Returns the folder of an exam: `exam`, and from the second one on `exam2`, `exam3`, ...
pub fn exam_folder(hill: &Hill, number: u32) -> PathBuf {
    let name = Kind::Exam.name();
    hill.root().join(if number > 1 { format!("{name}{number}") } else { name.to_owned() })
}

/// A contest that can be planned.
#[derive(Debug)]
pub struct Made<'a> {
    /// The tournament. Its first entrants are the panel; those of students follow.
    pub tournament: Tournament,
    /// Number of entrants that are the panel.
    pub panel: usize,
    /// The accounts that take part, in the order of their entrants: the entrant's name, whose it is, and what counts.
    pub students: Vec<(String, &'a Entry, &'a Counted)>,
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
    let settings = &roll.settings;
    let is_seated = |bot: &&String| kind == Kind::Exam || !settings.hidden.contains(bot);
    let panel: Vec<&String> = settings.panel.iter().filter(is_seated).collect();
    let mut entrants: Vec<EntrantLine> = panel.iter().map(|bot| panelist(hill, bot)).collect();
    // The exam's games are the teacher's alone; everybody watches the final.
    let shows_people = kind == Kind::Final && !settings.nicknames;
    let students: Vec<(String, &Entry, &Counted)> = {
        let mut names: Vec<String> = entrants.iter().map(|entrant| entrant.name.clone()).collect();
        let named = students.into_iter().map(|(entry, counted)| {
            let name = if shows_people { entrant_name(entry, &names) } else { entry.account().to_owned() };
            names.push(name.clone());
            (name, entry, counted)
        });
        named.collect()
    };
    entrants.extend(students.iter().map(|(name, entry, counted)| student(hill, name, entry, counted)));
    // The first exam keeps the seed that it had before exams had numbers.
    let number = if kind == Kind::Exam { settings.exam.number - 1 } else { 0 };
    let contest = ContestSettings {
        seed: Some(Scalar::Text(deal::derive(hill.seed(), kind.name(), [number, 0, 0]).to_string())),
        parameters: table_of(hill.parameters()),
        author_bots: 0,
        ..hill.settings().contest.clone()
    };
    let (format, stop) = match kind {
        Kind::Exam => {
            let rounds = settings.exam.rounds;
            let format =
                format("exam", &[("panel", panel.len().to_string()), ("rounds", rounds.to_string())]);
            let stop = Stop { alpha: settings.exam.alpha, look_every: 1, min_rounds: 1, ..Stop::default() };
            (format, Some(stop))
        }
        Kind::Final => {
            let rounds = settings.last.rounds.to_string();
            (format("rounds", &[("rounds", rounds), ("block", "one-game".to_owned())]), None)
        }
    };
    let format = format.map_err(|what| Error::file(&hill.root().join("class.toml"), what))?;
    let settings = TournamentSettings::new(kind.name(), contest, format, stop);
    let tournament = Tournament::new(settings, entrants);
    let tournament = tournament.map_err(|(_, what)| {
        Error::file(hill.root(), format!("the {} cannot be played: {what}", kind.name()))
    })?;
    Ok(Made { tournament, panel: panel.len(), students })
}

/// Returns a format with these settings.
fn format(kind: &str, settings: &[(&str, String)]) -> Result<Format, String> {
    let mut format = Format::new(kind).map_err(|error| error.to_string())?;
    for (name, value) in settings {
        format.set(name, value).map_err(|error| error.to_string())?;
    }
    Ok(format)
}

impl Made<'_> {
    /// Returns the entrants that are the panel.
    pub fn panel(&self) -> &[EntrantLine] {
        &self.tournament.entrants[..self.panel]
    }

    /// Returns the bots of the students, with their programs in the store of the class, and what these were built from.
    pub fn bots_of_students(&self, hill: &Hill) -> Vec<NewBot> {
        let bot = |(name, entry, counted): &(String, &Entry, &Counted)| {
            let Bot { digest, arguments, allow_fork, source, source_digest, toolchain, .. } = &counted.bot;
            let built = source_digest.clone().zip(toolchain.clone());
            NewBot {
                name: name.clone(),
                file: stored(hill.root(), digest.as_str()),
                arguments: arguments.clone(),
                allow_fork: *allow_fork,
                source: source.clone(),
                author: entry.account().to_owned(),
                built: built.map(|(source, toolchain)| Built { source, toolchain }),
            }
        };
        self.students.iter().map(bot).collect()
    }
}

/// Returns an entrant of the panel.
fn panelist(hill: &Hill, bot: &str) -> EntrantLine {
    EntrantLine {
        name: name_of(bot).to_owned(),
        program: ProgramLine::new(bot, hill.root()),
        arguments: Vec::new(),
        author: String::new(),
        allow_fork: false,
        line: 0,
    }
}

/// Returns the name of a bot of the panel: its own, or that of its file.
pub fn name_of(bot: &str) -> &str {
    let file = bot.rsplit(['/', ':']).next().unwrap_or(bot);
    file.split_once('.').map_or(file, |(stem, _)| stem)
}

/// Returns the name of an entrant that people know: the team, or the student. It is the account if no bot can have that
/// name, or it is like one of the others.
fn entrant_name(entry: &Entry, others: &[String]) -> String {
    let name = names::tidy(entry.students.first().map_or("", |student| student.shown_name()));
    let is_like = |other: &String| other.eq_ignore_ascii_case(&name) || names::alike(other, &name).is_some();
    if names::check_new(&name).is_ok() && !others.iter().any(is_like) {
        name
    } else {
        entry.account().to_owned()
    }
}

/// Returns the entrant of a student, under this name.
fn student(hill: &Hill, name: &str, entry: &Entry, counted: &Counted) -> EntrantLine {
    EntrantLine {
        name: name.to_owned(),
        program: ProgramLine::File(stored(hill.root(), counted.bot.digest.as_str())),
        arguments: counted.bot.arguments.clone(),
        author: entry.account().to_owned(),
        allow_fork: counted.bot.allow_fork,
        line: 0,
    }
}
