//! `referee class`: a hill with a list of students, deadlines, an exam, a final and grades.

mod contest;
mod grades;
mod new;
mod slips;
mod status;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use referee_contest::accounts::{self, Role};
use referee_contest::class;
use referee_contest::class::contests::name_of;
use referee_contest::class::roll::{Deadlines, Roll};
use referee_contest::class::settings::moment;
use referee_contest::class::students::{self, StudentRow};
use referee_contest::hill::Hill;
use referee_record::error::Error;
use referee_record::text::count;

use crate::context::Context;
use crate::{note, say, shell};

/// A class: a hill with students, a deadline, an exam and grades
///
/// The folder of a class is that of a hill, on which students practise: `hill run`, `serve` and all other commands for
/// hills take it. class.toml has what the teacher decides; see `referee docs class`.
#[derive(Debug, Subcommand)]
#[command(help_template = super::CLOSE)]
pub(crate) enum ClassCommand {
    /// Create a class: a hill, an account and a token for each student, and a page with their slips
    New(new::New),
    /// Show what each student has handed in, and why some have nothing valid
    Status(status::Status),
    /// Add the students of a list who are new
    Add(Add),
    /// Take a student out of the class: the token ends, the grades do not name the student
    Drop(DropStudent),
    /// Give a student, or the team, a later deadline
    Extend(Extend),
    /// Give a student another token, for one who has lost it
    Token(GiveToken),
    /// Examine all students against the panel; say how long it takes, then play
    ///
    /// An exam that was interrupted goes on with the same command.
    Exam(contest::Play),
    /// Play the final: all students in one field, from zero
    Final(contest::Play),
    /// Show the grades, or explain that of a student
    Grades(grades::ShowGrades),
}

impl ClassCommand {
    pub(super) fn run(self, context: &Context) -> anyhow::Result<()> {
        use referee_contest::class::contests::Kind;
        match self {
            ClassCommand::New(new) => new.run(context),
            ClassCommand::Status(status) => status.run(),
            ClassCommand::Add(add) => add.run(),
            ClassCommand::Drop(drop) => drop.run(),
            ClassCommand::Extend(extend) => extend.run(),
            ClassCommand::Token(token) => token.run(),
            ClassCommand::Exam(play) => play.run(context, Kind::Exam),
            ClassCommand::Final(play) => play.run(context, Kind::Final),
            ClassCommand::Grades(grades) => grades.run(),
        }
    }
}

/// Opens the hill of a class, and reads its roll.
fn open(dir: &Path) -> anyhow::Result<(Hill, Roll)> {
    let hill = Hill::open(dir).map_err(super::usage)?;
    if !Deadlines::is_at(dir) {
        let what = "a hill without a class: there is no class.toml; make a class with `referee class new`";
        return Err(Error::file(dir, what).into());
    }
    let roll = Roll::read(dir).map_err(super::usage)?;
    Ok((hill, roll))
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// The class
    dir: PathBuf,
    /// The new students, or the whole list with them: an id that the class knows is passed over
    #[arg(long, value_name = "FILE")]
    students: PathBuf,
}

impl Add {
    fn run(self) -> anyhow::Result<()> {
        let (hill, roll) = open(&self.dir)?;
        let list = students::read_list(&self.students).map_err(super::usage)?;
        let mut students = students::read(hill.root())?;
        let before = students.len();
        let is_new = |student: &StudentRow| !students.iter().any(|known| known.id == student.id);
        let new: Vec<StudentRow> = list.iter().filter(|student| is_new(student)).cloned().collect();
        // A list that knows nobody has the new ones alone.
        let is_whole = new.len() < list.len();
        let gone = students.iter().filter(|known| !list.iter().any(|student| student.id == known.id));
        for student in gone.filter(|_| is_whole) {
            note(format!("not in the list, and still in the class: {} ({})", student.name, student.id));
        }
        if new.is_empty() {
            return Err(Error::input("the list has no student that the class does not know").into());
        }
        students.extend(new);
        let settings = &roll.settings;
        let panel: Vec<&str> = settings.panel.iter().map(|bot| name_of(bot)).collect();
        students::give_accounts(&mut students, &panel, settings.nicknames).map_err(super::usage)?;
        let enrolled = class::enroll(hill.root(), &students, before, settings.nicknames)?;
        let names: Vec<&str> = enrolled.iter().map(|one| &*one.student.name).collect();
        say(format!("Added {}: {}", count(enrolled.len() as u64, "student"), names.join(", ")));
        slips::write(&self.dir, settings, &enrolled)?;
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(crate) struct DropStudent {
    /// The class
    dir: PathBuf,
    /// The student: id, name or account
    student: String,
}

impl DropStudent {
    fn run(self) -> anyhow::Result<()> {
        let (hill, roll) = open(&self.dir)?;
        let entry = roll.find(&self.student)?;
        let is_it = |student: &&StudentRow| student.id == self.student || student.name == self.student;
        let student = match (entry.students.iter().find(is_it), &entry.students[..]) {
            (Some(student), _) | (None, [student]) => student,
            _ => return Err(Error::input(format!("name one of {} by its id", entry.people())).into()),
        };
        match class::drop_student(hill.root(), student)? {
            Some(account) => say(format!(
                "{}: no student of the class any more; the tokens of {account} have ended",
                student.name
            )),
            None => say(format!("{}: no student of the class any more; the team stays", student.name)),
        }
        if let Some(counted) = entry.counts.as_ref().filter(|_| entry.students.len() == 1) {
            let (dir, bot) = (shell(&self.dir), &counted.bot.name);
            note(format!("{bot} plays on; to take it from the hill: referee hill retire {dir} {bot}"));
        }
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(crate) struct Extend {
    /// The class
    dir: PathBuf,
    /// The student: id, name or account
    student: String,
    /// The new deadline: "2026-12-18 23:59 Europe/Berlin"
    deadline: String,
    /// Take an earlier one too, to correct a mistake; the deadline of all holds at least
    #[arg(long)]
    earlier: bool,
}

impl Extend {
    fn run(self) -> anyhow::Result<()> {
        let (hill, roll) = open(&self.dir)?;
        let entry = roll.find(&self.student)?;
        let deadline = if self.earlier {
            let own = moment(&self.deadline).map_err(Error::input)?;
            students::extend(hill.root(), entry.account(), &own, "host")?;
            Deadlines::read(hill.root())?.of(entry.account()).to_owned()
        } else {
            let remedy = |error: Error| error.and("; --earlier corrects a mistake");
            entry.extend(hill.root(), &self.deadline, "host").map_err(remedy)?
        };
        say(format!("{}: {deadline} (UTC)", entry.people()));
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(crate) struct GiveToken {
    /// The class
    dir: PathBuf,
    /// The student: id, name or account
    student: String,
}

impl GiveToken {
    fn run(self) -> anyhow::Result<()> {
        let (hill, roll) = open(&self.dir)?;
        let entry = roll.find(&self.student)?;
        let is_team = entry.students.len() > 1;
        if !is_team {
            accounts::end_tokens(hill.root(), entry.account())?;
        }
        let invited = accounts::invite(hill.root(), entry.account(), None, Role::Author)?;
        let earlier = if is_team { "those of the team stay" } else { "earlier ones have ended" };
        note(format!("The token of {}, shown only once; {earlier}:", entry.people()));
        say(invited.token);
        Ok(())
    }
}
