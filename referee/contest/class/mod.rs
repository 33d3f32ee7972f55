//! A class: a hill for practice, with a list of students, a deadline for each, an exam and a final. The folder is that of
//! the hill, with `class.toml`, `students.csv` and `extensions.csv` beside its files; `exam` and `final` in it are
//! tournaments.
//!
//! [`roll`] says which version of whom counts, [`contests`] makes exam and final of these, [`grades`] reads the exam.

pub mod contests;
pub mod grades;
pub mod practice;
pub mod roll;
pub mod settings;
pub mod students;

use std::path::Path;

use crate::accounts::{self, Invited, Role};
use crate::class::students::StudentRow;
use crate::publish;
use referee_files::beneath::Spot;
use referee_files::small;
use referee_record::error::Error;

/// A student with the token of the account.
#[derive(Clone, Debug)]
pub struct Enrolled {
    /// The student.
    pub student: StudentRow,
    /// The account, its name on pages, and the token.
    pub invited: Invited,
}

/// Gives each student a token of the account, and writes `students.csv`. The students have their accounts already.
///
/// # Errors
///
/// If the folder has students already, or the system refuses.
pub fn enroll(root: &Path, students: Vec<StudentRow>, nicknames: bool) -> Result<Vec<Enrolled>, Error> {
    let list = Spot::below(root, "students.csv");
    if list.exists() {
        return Err(Error::file(list.path(), "there already: a class is made once"));
    }
    let mut enrolled = Vec::new();
    for student in &students {
        let name = if nicknames { &student.account } else { student.shown_name() };
        let invited = accounts::invite(root, name, Some(&student.account), Role::Author)?;
        enrolled.push(Enrolled { student: student.clone(), invited });
    }
    publish::replace_secret(list, &small::text(&students))?;
    Ok(enrolled)
}
