//! A class: a hill for practice, with a list of students, a deadline for each, an exam and a final. The folder is that
//! of the hill, with `class.toml`, `students.csv` and `extensions.csv` beside its files; `exam` and `final` in it are
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

/// Gives each student behind the first `before`, who have theirs, a token of the account, and writes `students.csv`.
pub fn enroll(
    root: &Path,
    students: &[StudentRow],
    before: usize,
    nicknames: bool,
) -> Result<Vec<Enrolled>, Error> {
    let mut enrolled = Vec::new();
    for student in &students[before..] {
        let name = if nicknames { &student.account } else { student.shown_name() };
        let invited = accounts::invite(root, name, Some(&student.account), Role::Author)?;
        enrolled.push(Enrolled { student: student.clone(), invited });
    }
    write_students(root, students)?;
    Ok(enrolled)
}

/// Takes a student out of the list. Returns the account if nobody is left of it: its tokens have ended, its bot plays
/// on.
///
/// # Errors
///
/// If no other student is left.
pub fn drop_student(root: &Path, student: &StudentRow) -> Result<Option<String>, Error> {
    let left: Vec<StudentRow> =
        students::read(root)?.into_iter().filter(|other| other.id != student.id).collect();
    if left.is_empty() {
        return Err(Error::input("a class has at least one student: remove its folder if it is over"));
    }
    let is_last = !left.iter().any(|other| other.account == student.account);
    if is_last {
        // Before the list, so that a kill leaves no token of somebody whom the list does not name.
        accounts::end_tokens(root, &student.account)?;
    }
    write_students(root, &left)?;
    Ok(is_last.then(|| student.account.clone()))
}

fn write_students(root: &Path, students: &[StudentRow]) -> Result<(), Error> {
    publish::replace_secret(Spot::below(root, "students.csv"), &small::text(students))
}
