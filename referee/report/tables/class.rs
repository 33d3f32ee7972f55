//! The roll of a class as a table: what each student has handed in.

use referee_contest::class::practice::Practice;
use referee_contest::class::roll::{Entry, Roll};
use referee_contest::class::students::StudentRow;
use referee_record::text::{SENTENCE, harmless};
use referee_statistics::exam::Tally;
use serde_json::Value;

use crate::tables::sheet::{Audience, Sheet};

/// Returns a row for each student. `practice` has the games with the panel, if it was read.
pub fn roll(roll: &Roll, practice: Option<&Practice>) -> Sheet {
    let columns = [
        "id",
        "name",
        "team",
        "account",
        "bot",
        "version",
        "received",
        "late_days",
        "submissions",
        "deadline",
        "practice",
        "refused",
        "why",
    ];
    let columns = columns.into_iter().filter(|column| practice.is_some() || *column != "practice");
    let mut sheet = Sheet::new(columns).audience(Audience::Wide, &["account", "deadline", "refused", "why"]);
    for entry in &roll.entries {
        let met = practice.map(|practice| {
            let tallies = practice.get(entry.account()).map_or(&[][..], Vec::as_slice);
            tallies.iter().map(Tally::games).sum::<u32>()
        });
        for student in &entry.students {
            sheet.row(row(entry, student, met));
        }
    }
    sheet
}

/// Returns the row of a student, who has played this number of games of practice with the panel.
fn row(entry: &Entry, student: &StudentRow, met: Option<u32>) -> Vec<Value> {
    let text = |text: &str| Value::from(text);
    let counts = entry.counts.as_ref();
    let refusal = entry.refusal.as_ref();
    let mut row = vec![
        text(&student.id),
        text(&student.name),
        text(&student.team),
        text(&student.account),
        counts.map_or(Value::Null, |counted| text(&counted.bot.name)),
        counts.map_or(Value::Null, |counted| counted.bot.version.into()),
        counts.map_or(Value::Null, |counted| text(&counted.received)),
        counts.map_or(Value::Null, |counted| counted.late_days.into()),
        entry.submissions.into(),
        text(&entry.deadline),
    ];
    row.extend(met.map(Value::from));
    row.push(refusal.map_or(Value::Null, |refusal| text(&refusal.date)));
    row.push(refusal.map_or(Value::Null, |refusal| text(&refusal.why)));
    row
}

/// Says why nothing of an entry counts.
pub fn why_nothing_counts(entry: &Entry) -> String {
    match &entry.refusal {
        _ if entry.waiting > 0 => "what was handed in is still checked".to_owned(),
        Some(refusal) => format!("last refused {}: {}", refusal.date, harmless(&refusal.why, SENTENCE)),
        None if entry.submissions == 0 => match &entry.too_late {
            Some(date) => format!("tried to hand in at {date}, after {}", entry.closes),
            None => "has handed in nothing".to_owned(),
        },
        None => format!("what was handed in came too late, after {}", entry.closes),
    }
}
