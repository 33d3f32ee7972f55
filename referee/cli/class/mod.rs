//! `referee class`: a hill with a list of students, deadlines, an exam, a final and grades.

mod contest;
mod grades;
mod new;
mod slips;
mod status;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use referee_contest::accounts::{self, Role};
use referee_contest::class::roll::{Deadlines, Roll};
use referee_contest::class::settings::moment;
use referee_contest::class::students;
use referee_contest::hill::Hill;
use referee_record::error::Error;

use crate::context::Context;
use crate::{note, say};

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
pub(crate) struct Extend {
    /// The class
    dir: PathBuf,
    /// The student: id, name or account
    student: String,
    /// The new deadline: "2026-12-18 23:59 Europe/Berlin"
    deadline: String,
}

impl Extend {
    fn run(self) -> anyhow::Result<()> {
        let (hill, roll) = open(&self.dir)?;
        let entry = roll.find(&self.student)?;
        let deadline = moment(&self.deadline).map_err(Error::input)?;
        if deadline <= entry.deadline {
            let what = format!(
                "the deadline of {} is {}: a new one is later, as nobody who counts on it should be too late",
                entry.students[0].name, entry.deadline
            );
            return Err(Error::input(what).into());
        }
        students::extend(hill.root(), entry.account(), &deadline, "host")?;
        let names: Vec<&str> = entry.students.iter().map(|student| &*student.name).collect();
        say(format!("{}: {deadline} (UTC)", names.join(", ")));
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
        let names: Vec<&str> = entry.students.iter().map(|student| &*student.name).collect();
        let earlier = if is_team { "those of the team stay" } else { "earlier ones have ended" };
        note(format!("The token of {}, shown only once; {earlier}:", names.join(", ")));
        say(invited.token);
        Ok(())
    }
}
