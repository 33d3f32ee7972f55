//! `referee class grades`: the grades of a class, as a table or in words.

use std::path::{Path, PathBuf};

use clap::Args;
use referee_contest::class::contests::Kind;
use referee_contest::class::grades::{Grade, Grades, estimate};
use referee_contest::folder::results_of;
use referee_files::results;
use referee_record::error::Error;
use referee_record::results::ResultRow;
use referee_record::text::count;
use referee_rules::{FaultKind, Seat};
use referee_statistics::exam::{Exam, ExamState, Tally};
use serde_json::Value;

use crate::sheet::{Audience, Cells, Print, Printed, Sheet, rounded};
use crate::{say, shell};

#[derive(Debug, Args)]
pub(crate) struct ShowGrades {
    /// The class
    dir: PathBuf,
    /// Explain the grade of this student, by id, name or account
    #[arg(long, value_name = "STUDENT")]
    student: Option<String>,
    #[command(flatten)]
    printed: Printed,
}

impl ShowGrades {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let (hill, roll) = super::open(&self.dir)?;
        let grades = Grades::read(&hill, &roll)?;
        if let Some(student) = &self.student {
            let account = roll.find(student)?.account();
            let of = |grade: &&Grade| grade.student.account == account;
            for grade in grades.grades.iter().filter(of) {
                explain(&grades, grade).iter().for_each(say);
            }
            let next = grades.grades.iter().find(of).and_then(Grade::next);
            let Some((bot, _)) = next else { return Ok(()) };
            let folder = Kind::Exam.folder(&hill, &roll.settings);
            let exam = shell(&folder);
            if let Some(after) = game_after(&folder, account, &grades.panel[bot..])? {
                let GameAfter { game, seat, bot } = after;
                say(format!(
                    "A game that it ended after {bot}, in seat {seat}: referee replay {exam} {game}"
                ));
            }
            say(format!("All its games by the rules: referee audit {exam}"));
            return Ok(());
        }
        table(&grades).print(self.printed)
    }
}

/// A game that a student ended after a bot of the panel.
struct GameAfter {
    game: String,
    seat: Seat,
    bot: String,
}

/// Returns the first game of an exam that this account ended after one of these bots.
fn game_after(exam: &Path, account: &str, bots: &[String]) -> Result<Option<GameAfter>, Error> {
    for game in results::games(results_of(exam))? {
        let rows: Vec<ResultRow> = game?.into_iter().map(|(_, row)| row).collect();
        let Some(own) = rows.iter().find(|row| row.bot.name == account) else { continue };
        let is_before = |bot: &&String| rows.iter().any(|row| row.bot.name == **bot && row.place < own.place);
        if let Some(bot) = bots.iter().find(is_before) {
            return Ok(Some(GameAfter { game: own.game.clone(), seat: own.seat, bot: bot.clone() }));
        }
    }
    Ok(None)
}

/// Returns the grades as a table: a row for each student.
pub(super) fn table(grades: &Grades) -> Sheet {
    let columns = [
        "id",
        "mail",
        "name",
        "team",
        "above",
        "next",
        "state",
        "before_next",
        "low",
        "high",
        "games",
        "evidence",
        "games_left",
        "late_days",
        "faults",
        "lost",
        "points",
        "program",
        "receipt",
    ];
    let mut sheet = Sheet::new(columns)
        .about("evidence_needed", rounded(grades.goal, 0))
        .audience(
            Audience::Wide,
            &[
                "mail",
                "team",
                "low",
                "high",
                "evidence",
                "games_left",
                "late_days",
                "lost",
                "program",
                "receipt",
            ],
        )
        .cells(Cells::Digest, &["program", "receipt"]);
    for grade in &grades.grades {
        sheet.row(row(grades, grade));
    }
    sheet
}

/// The word for what is known.
fn word(grades: &Grades, grade: &Grade) -> &'static str {
    match (grade.state(), &grade.counted) {
        (Some(_), _) if grades.can_change(grade) => "playing",
        _ if grade.is_outdated => "another version",
        (Some(ExamState::Passed), _) => "passed",
        (Some(ExamState::Below), _) => "decided",
        (Some(ExamState::Undecided), _) => "undecided",
        (None, None) => "nothing valid",
        (None, Some(_)) => "not examined",
    }
}

fn row(grades: &Grades, grade: &Grade) -> Vec<Value> {
    let text = |text: &str| Value::from(text.to_owned());
    let (passed, next) = (grade.passed(), grade.next());
    let tally = next.map_or_else(Tally::default, |(_, tally)| tally);
    let above = passed.checked_sub(1).map_or(Value::Null, |last| text(&grades.panel[last]));
    let compared = next.map_or(Value::Null, |(bot, _)| text(&grades.panel[bot]));
    let (mean, low, high) = match estimate(tally) {
        Some((mean, interval)) => (rounded(mean, 3), rounded(interval.lower, 3), rounded(interval.upper, 3)),
        None => (Value::Null, Value::Null, Value::Null),
    };
    let examined = grade.examined.as_ref();
    let faults: u64 = examined.map_or(0, |examined| examined.faults.iter().sum());
    let points = if grades.can_change(grade) { Value::Null } else { rounded(grade.points, 2) };
    let is_undecided = grade.state() == Some(ExamState::Undecided);
    let games_left = if is_undecided { tally.games_left(grades.goal) } else { None };
    let evidence = tally.evidence_above().max(tally.evidence_below());
    vec![
        text(&grade.student.id),
        text(&grade.student.mail),
        text(&grade.student.name),
        text(&grade.student.team),
        above,
        compared,
        text(word(grades, grade)),
        mean,
        low,
        high,
        Value::from(examined.map_or(0, |examined| examined.games)),
        examined.map_or(Value::Null, |_| rounded(evidence, 1)),
        games_left.map_or(Value::Null, Value::from),
        Value::from(grade.counted.as_ref().map_or(0, |counted| counted.late_days)),
        Value::from(faults),
        Value::from(examined.map_or(0, |examined| examined.lost)),
        points,
        grade.counted.as_ref().map_or(Value::Null, |counted| text(counted.bot.digest.as_str())),
        grades.receipt.as_ref().map_or(Value::Null, |receipt| text(receipt.as_str())),
    ]
}

/// Explains a grade in words.
fn explain(grades: &Grades, grade: &Grade) -> Vec<String> {
    let student = format!("{} ({})", grade.student.name, grade.student.id);
    let mut lines = vec![match &grade.examined {
        Some(_) if grades.can_change(grade) => {
            format!("{student}: the exam is not over, and this is how far it is")
        }
        None if grades.can_change(grade) => format!("{student}: not examined yet"),
        _ => format!("{student}: {} points", grade.points),
    }];
    let Some(counted) = &grade.counted else {
        lines.push("No version that was admitted came in time, so there is nothing to examine.".to_owned());
        return lines;
    };
    let late = match counted.late_days {
        0 => "in time".to_owned(),
        days => format!("{} late", count(days.into(), "day")),
    };
    lines.push(format!(
        "{} version {} counts. It came at {} (UTC), {late}.",
        counted.bot.name, counted.bot.version, counted.received
    ));
    let Some(examined) = &grade.examined else {
        lines.push(if grades.games > 0 {
            "It was not examined: the exam began before it was there.".to_owned()
        } else {
            "The exam has not been played.".to_owned()
        });
        return lines;
    };
    lines.push(format!(
        "It played {} against the panel. A claim needs evidence of {:.0}.",
        count(examined.games.into(), "game"),
        grades.goal
    ));
    if grade.is_outdated {
        lines.push("Another version counts by now: it was not examined.".to_owned());
    }
    let exam = &examined.exam;
    for (number, bot) in grades.panel.iter().enumerate() {
        let tally = exam.decisive(number);
        lines.push(format!("  {bot}: {}", with(tally, number, exam, grades)));
    }
    let faults: Vec<String> = FaultKind::ALL
        .iter()
        .zip(examined.faults)
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{} {}", kind.name(), count))
        .collect();
    if !faults.is_empty() {
        lines.push(format!("Its faults in these games: {}.", faults.join(", ")));
    }
    lines
}

/// Says how a student did against a bot of the panel, and what follows.
fn with(tally: Tally, number: usize, exam: &Exam, grades: &Grades) -> String {
    let (passed, goal) = (exam.passed(), grades.goal);
    let Some((mean, interval)) = estimate(tally) else { return "no game".to_owned() };
    let games = format!(
        "before it in {}, after it in {}, level in {} of {} games ({:.0} %, {:.0} to {:.0})",
        tally.before,
        tally.after,
        tally.level + tally.lost,
        tally.games(),
        mean * 100.0,
        interval.lower * 100.0,
        interval.upper * 100.0
    );
    let verdict = if number < passed {
        format!("surely above (evidence {:.0})", tally.evidence_above())
    } else if number > passed {
        "not asked: it comes after the next one".to_owned()
    } else if exam.state() == ExamState::Below {
        format!("surely below (evidence {:.0})", tally.evidence_below())
    } else {
        match tally.games_left(goal) {
            Some(left) => {
                format!("undecided (evidence {:.1}); about {left} more games", tally.evidence_above())
            }
            None => format!(
                "undecided, and it is not ahead (evidence {:.1} of {:.0} that it is below)",
                tally.evidence_below(),
                goal * exam.tallies().len() as f64
            ),
        }
    };
    format!("{games}: {verdict}")
}
