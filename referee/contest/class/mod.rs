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
use referee_record::names;

/// A student with the token of the account.
#[derive(Clone, Debug)]
pub struct Enrolled {
    /// The student.
    pub student: StudentRow,
    /// The account, its name on pages, and the token.
    pub invited: Invited,
}

/// Gives each student of a list an account on a hill and a token, and writes `students.csv`. Students of a team have one
/// account, and a token each. With nicknames, pages show these; `start` decides which.
///
/// # Errors
///
/// If the folder has students already, a name cannot be shown, or the system refuses.
pub fn enroll(root: &Path, listed: Vec<StudentRow>, nicknames: Option<u64>) -> Result<Vec<Enrolled>, Error> {
    let list = Spot::below(root, "students.csv");
    if list.exists() {
        return Err(Error::file(
            list.path(),
            "there already: a class is made once; `referee hill invite` adds an account",
        ));
    }
    let mut students = listed;
    for (number, student) in students.iter_mut().enumerate() {
        let key = if student.team.is_empty() { &student.id } else { &student.team };
        let is_plain = names::check_plain("an account", key).is_ok();
        student.account = if is_plain { key.clone() } else { format!("p{}", number + 1) };
    }
    share_accounts(&mut students)?;
    students::give_nicknames(&mut students, nicknames.unwrap_or(0));
    let mut enrolled = Vec::new();
    for student in &students {
        let name = match (nicknames, student.team.is_empty()) {
            (Some(_), _) => &student.nickname,
            (None, true) => &student.name,
            (None, false) => &student.team,
        };
        let invited = accounts::invite(root, name, Some(&student.account), Role::Author)?;
        enrolled.push(Enrolled { student: student.clone(), invited });
    }
    publish::replace_secret(list, &small::text(&students))?;
    Ok(enrolled)
}

/// Gives the students of a team the account of its first one, and makes sure that no two others have one.
fn share_accounts(students: &mut [StudentRow]) -> Result<(), Error> {
    for at in 0..students.len() {
        let (before, behind) = students.split_at_mut(at);
        let student = &mut behind[0];
        let of_team = before.iter().find(|other| !student.team.is_empty() && other.team == student.team);
        if let Some(other) = of_team {
            student.account.clone_from(&other.account);
        } else if let Some(other) = before.iter().find(|other| other.account == student.account) {
            let what = format!(
                "{} and {} would both have the account {}: change an id or a team",
                other.name, student.name, student.account
            );
            return Err(Error::input(what));
        }
    }
    Ok(())
}
