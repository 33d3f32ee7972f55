//! The grades of a class: what the exam says of each student, with points by the formula of `class.toml`.

use crate::class::contests::{Kind, name_of};
use crate::class::roll::{Counted, Entry, Roll};
use crate::class::students::StudentRow;
use crate::exam::{ExamAccount, Examined};
use crate::hill::Hill;
use crate::plan;
use referee_record::Digest;
use referee_record::error::Error;
use referee_statistics::confidence::{Interval, MeanShare};
use referee_statistics::exam::{State, Tally};

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
    /// By student, in the order of the list.
    pub grades: Vec<Grade>,
}

/// The grade of a student.
#[derive(Clone, Debug)]
pub struct Grade {
    /// The student.
    pub student: StudentRow,
    /// The version that was examined; `None` if nothing valid was handed in.
    pub counted: Option<Counted>,
    /// What the exam says; `None` without one.
    pub examined: Option<Examined>,
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
        Some((bot, exam.tallies()[bot]))
    }

    /// Returns what is known.
    pub fn state(&self) -> Option<State> {
        self.examined.as_ref().map(|examined| examined.exam.state())
    }
}

impl Grades {
    /// Reads the grades of a class: of the exam as far as it was played.
    ///
    /// # Errors
    ///
    /// If a file of the class or of the exam is damaged.
    pub fn of(hill: &Hill, roll: &Roll) -> Result<Grades, Error> {
        let folder = Kind::Exam.folder(hill);
        let settings = &roll.settings;
        let plan = if plan::is_there(&folder, &folder) { Some(plan::open(&folder)?) } else { None };
        let account = plan.as_ref().map(ExamAccount::of).transpose()?;
        let entrant = |entry: &Entry| {
            let plan = plan.as_ref()?;
            let at = plan.entrants.iter().position(|entrant| entrant.author == entry.account())?;
            account.as_ref()?.students.get(at.checked_sub(account.as_ref()?.panel)?).cloned()
        };
        let mut grades = Vec::new();
        for entry in &roll.entries {
            let examined = entrant(entry);
            let passed = examined.as_ref().map_or(0, |examined| examined.exam.passed());
            let late_days = entry.counts.as_ref().map_or(0, |counted| counted.late_days);
            let points = if examined.is_some() { settings.points_of(passed, late_days) } else { 0.0 };
            grades.extend(entry.students.iter().map(|student| Grade {
                student: student.clone(),
                counted: entry.counts.clone(),
                examined: examined.clone(),
                points,
            }));
        }
        let panel = settings.panel.iter().map(|bot| name_of(bot).to_owned()).collect();
        let receipt = plan.as_ref().map(crate::batch::list::named_after).transpose()?.flatten();
        let games = account
            .iter()
            .flat_map(|account| &account.students)
            .map(|student| u64::from(student.games))
            .sum();
        Ok(Grades { panel, goal: account.map_or(0.0, |account| account.goal), games, receipt, grades })
    }
}

/// Returns the part of games in which a student finishes before a bot, with an interval that holds with a probability of
/// 95 %, however often one looks. Lost games could have ended in any way.
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
