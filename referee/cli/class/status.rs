//! `referee class status`: what each student has handed in.

use std::path::PathBuf;

use clap::Args;
use referee_contest::class::practice;
use referee_contest::class::roll::{Counted, Entry, Refused, Roll};
use referee_contest::class::students::StudentRow;
use referee_record::text::count;
use referee_statistics::exam::Tally;
use serde_json::Value;

use crate::say;
use crate::sheet::{Audience, Format, Print, Printed, Sheet};

#[derive(Debug, Args)]
pub(crate) struct Status {
    /// The class
    dir: PathBuf,
    #[command(flatten)]
    printed: Printed,
}

impl Status {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let (hill, roll) = super::open(&self.dir)?;
        if self.printed.format == Format::Table {
            without(&roll).iter().for_each(say);
        }
        let practice = practice::read(&hill, &roll)?;
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
        let mut sheet =
            Sheet::new(columns).audience(Audience::Wide, &["account", "deadline", "refused", "why"]);
        for entry in &roll.entries {
            let tallies = practice.get(entry.account()).map_or(&[][..], Vec::as_slice);
            let met = tallies.iter().map(Tally::games).sum();
            entry.students.iter().for_each(|student| sheet.row(row(entry, student, met)));
        }
        sheet.print(self.printed)
    }
}

/// Returns the row of a student, who has played this number of games of practice with the panel.
fn row(entry: &Entry, student: &StudentRow, met: u32) -> Vec<Value> {
    let text = |text: &str| Value::from(text.to_owned());
    let (bot, version, received, late_days) = match &entry.counts {
        Some(Counted { bot, received, late_days }) => {
            (text(&bot.name), bot.version.into(), text(received), (*late_days).into())
        }
        None => Default::default(),
    };
    let (refused, why) = match &entry.refusal {
        Some(Refused { date, why }) => (text(date), text(why)),
        None => Default::default(),
    };
    vec![
        text(&student.id),
        text(&student.name),
        text(&student.team),
        text(&student.account),
        bot,
        version,
        received,
        late_days,
        entry.submissions.into(),
        text(&entry.deadline),
        met.into(),
        refused,
        why,
    ]
}

/// Says who has nothing valid, and why.
fn without(roll: &Roll) -> Vec<String> {
    let without: Vec<&Entry> = roll.entries.iter().filter(|entry| entry.counts.is_none()).collect();
    if without.is_empty() {
        return vec!["Every student has a bot that counts.".to_owned()];
    }
    let students: usize = without.iter().map(|entry| entry.students.len()).sum();
    let mut lines = vec![format!("{} without a bot that counts:", count(students as u64, "student"))];
    for entry in without {
        let names: Vec<&str> = entry.students.iter().map(|student| &*student.name).collect();
        let why = match &entry.refusal {
            Some(refusal) => format!("last refused {}: {}", refusal.date, refusal.why),
            None if entry.submissions == 0 => "has handed in nothing".to_owned(),
            None => "what was handed in came too late, or is still checked".to_owned(),
        };
        lines.push(format!("  {}: {why}", names.join(", ")));
    }
    lines
}
