//! `referee class status`: what each student has handed in.

use std::path::PathBuf;

use clap::Args;
use referee_contest::class::practice;
use referee_contest::class::roll::{Entry, Roll};
use referee_record::text::count;
use referee_report::tables::class::{self, why_nothing_counts};

use crate::say;
use crate::sheet::{Format, Print, Printed};

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
            students_without_bot(&roll).iter().for_each(say);
        }
        let practice = practice::read(&hill, &roll)?;
        class::roll(&roll, Some(&practice)).print(self.printed)
    }
}

/// Says who has nothing that counts, and why.
fn students_without_bot(roll: &Roll) -> Vec<String> {
    let without: Vec<&Entry> = roll.entries.iter().filter(|entry| entry.counts.is_none()).collect();
    if without.is_empty() {
        return vec!["Every student has a bot that counts.".to_owned()];
    }
    let students: usize = without.iter().map(|entry| entry.students.len()).sum();
    let mut lines = vec![format!("{} without a bot that counts:", count(students as u64, "student"))];
    lines.extend(without.iter().map(|entry| format!("  {}: {}", entry.people(), why_nothing_counts(entry))));
    lines
}
