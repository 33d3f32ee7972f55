//! The grades of a class: what the exam says of each student, with points by the formula of `class.toml`.

use crate::batch::list;
use crate::class::contests::{Kind, name_of};
use crate::class::roll::{Counted, Entry, Roll};
use crate::class::settings;
use crate::class::students::StudentRow;
use crate::exam::{ExamAccount, Examined};
use crate::hill::Hill;
use crate::plan::{self, NextStep};
use referee_record::Digest;
use referee_record::error::Error;
use referee_statistics::confidence::{Interval, MeanShare};
use referee_statistics::exam::{ExamState, Tally};

/// The grades of a class.
#[derive(Clone, Debug)]
pub struct Grades {
    /// The panel, weakest first.
    pub panel: Vec<String>,
    /// The evidence that a claim needs.
    pub goal: f64,
    /// Number of games of the exam, of all students.
    pub games: u64,
    /// The chain of the last game: it names all results that the grades follow from. `None` without an exam.
    pub receipt: Option<Digest>,
    /// Whether the exam was played to its end.
    pub is_over: bool,
    /// By student, in the order of the list.
    pub grades: Vec<Grade>,
}

/// The grade of a student.
#[derive(Clone, Debug)]
pub struct Grade {
    /// The student.
    pub student: StudentRow,
    /// The version that was examined, or counts; `None` if nothing valid was handed in.
    pub counted: Option<Counted>,
    /// What the exam says; `None` without one.
    pub examined: Option<Examined>,
    /// Whether another version counts by now than the one that was examined.
    pub is_outdated: bool,
    /// Points; 0 without an exam.
    pub points: f64,
}

impl Grade {
    /// Returns the number of bots of the panel that the student is surely above.
    pub fn passed(&self) -> usize {
        self.examined.as_ref().map_or(0, |examined| examined.exam.passed())
    }

    /// Returns the games with the bot of the panel that comes next, or with the last one of a student above all.
    pub fn next(&self) -> Option<(usize, Tally)> {
        let exam = &self.examined.as_ref()?.exam;
        let bot = exam.passed().min(exam.tallies().len().checked_sub(1)?);
        Some((bot, exam.decisive(bot)))
    }

    /// Returns what is known.
    pub fn state(&self) -> Option<ExamState> {
        self.examined.as_ref().map(|examined| examined.exam.state())
    }
}

impl Grades {
    /// Tells whether a grade can still change: the exam is not over for it, or was not played.
    pub fn can_change(&self, grade: &Grade) -> bool {
        match grade.state() {
            Some(state) => state == ExamState::Undecided && !self.is_over,
            None => grade.counted.is_some(),
        }
    }

    /// Reads the grades of a class: of the exam as far as it was played, with the versions and the panel of its plan.
    ///
    /// # Errors
    ///
    /// If a file of the class or of the exam is damaged, or `class.toml` names another panel than the exam has.
    pub fn read(hill: &Hill, roll: &Roll) -> Result<Grades, Error> {
        let folder = Kind::Exam.folder(hill, &roll.settings);
        let named: Vec<&str> = roll.settings.panel.iter().map(|bot| name_of(bot)).collect();
        let mut grades = Grades {
            panel: named.iter().map(|name| (*name).to_owned()).collect(),
            goal: 0.0,
            games: 0,
            receipt: None,
            is_over: false,
            grades: Vec::new(),
        };
        if !plan::is_there(&folder, &folder) {
            for entry in &roll.entries {
                grades.add(entry, entry.counts.clone(), None, 0.0);
            }
            return Ok(grades);
        }
        let plan = plan::open(&folder)?;
        let account = ExamAccount::read(&plan)?;
        let panel: Vec<&str> =
            plan.contents.entrant.iter().take(account.panel).map(|bot| &*bot.name).collect();
        if panel != named {
            let what = format!(
                "the panel is {}, and that of the exam is {}: put it back, or give the exam another number",
                named.join(", "),
                panel.join(", ")
            );
            return Err(Error::file(settings::file_of(hill.root()).path(), what));
        }
        grades.goal = account.goal;
        grades.games = account.students.iter().map(|student| u64::from(student.games)).sum();
        grades.receipt = list::named_after(&plan)?;
        grades.is_over = grades.receipt.is_some() && matches!(plan::step_after(&plan)?, NextStep::Over(..));
        let students = &plan.contents.entrant[account.panel..];
        for entry in &roll.entries {
            let at = students.iter().position(|bot| bot.author == entry.account());
            let Some((bot, examined)) = at.map(|at| (&students[at], &account.students[at])) else {
                grades.add(entry, entry.counts.clone(), None, 0.0);
                continue;
            };
            // The version that was examined, though another one can have come since.
            let is_it = |version: &&Counted| version.bot.digest == bot.digest;
            let version = entry.admitted.iter().rev().find(is_it).cloned();
            let late_days = version.as_ref().map_or(0, |version| version.late_days);
            let points = roll.settings.points_of(examined.exam.passed(), late_days);
            grades.add(entry, version, Some(examined.clone()), points);
        }
        Ok(grades)
    }

    /// Adds the grade of each student of an entry.
    fn add(&mut self, entry: &Entry, counted: Option<Counted>, examined: Option<Examined>, points: f64) {
        let is_now =
            |counted: &Counted| entry.counts.as_ref().is_some_and(|now| now.bot.digest == counted.bot.digest);
        let is_outdated = examined.is_some() && !counted.as_ref().is_some_and(is_now);
        self.grades.extend(entry.students.iter().map(|student| Grade {
            student: student.clone(),
            counted: counted.clone(),
            examined: examined.clone(),
            is_outdated,
            points,
        }));
    }
}

/// Returns the part of games in which a student finishes before a bot, with an interval that holds with a probability
/// of 95 %, however often one looks. Lost games could have ended in any way.
pub fn estimate(tally: Tally) -> Option<(f64, Interval)> {
    let mut mean = MeanShare::new(0.05);
    for (count, value) in [
        (tally.before, (1.0, 1.0)),
        (tally.level, (0.5, 0.5)),
        (tally.after, (0.0, 0.0)),
        (tally.lost, (0.0, 1.0)),
    ] {
        for _ in 0..count {
            mean.add_within(Interval { lower: value.0, upper: value.1 });
        }
    }
    Some((tally.part()?, mean.interval()))
}
