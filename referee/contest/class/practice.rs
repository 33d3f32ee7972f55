//! Practice: how the present bot of each account has done against the panel in games of the hill, and in earlier exams.

use std::collections::BTreeMap;

use crate::bot::Bot;
use crate::class::contests::{exam_folder, name_of};
use crate::class::roll::Roll;
use crate::exam::ExamAccount;
use crate::folder::results_of;
use crate::hill::Hill;
use crate::plan;
use referee_files::results;
use referee_record::error::Error;
use referee_record::results::ResultRow;
use referee_statistics::exam::Tally;

/// The games of practice of each account with each bot of the panel that plays on the hill, by the number of that bot.
pub type Practice = BTreeMap<String, Vec<Tally>>;

/// Reads the games of the versions that count.
///
/// # Errors
///
/// If the results are damaged.
pub fn read(hill: &Hill, roll: &Roll) -> Result<Practice, Error> {
    let panel: Vec<&str> = roll.settings.panel.iter().map(|bot| name_of(bot)).collect();
    let mut practice: Practice = roll
        .entries
        .iter()
        .map(|entry| (entry.account().to_owned(), vec![Tally::default(); panel.len()]))
        .collect();
    let accounts: BTreeMap<(&str, u32), &str> = roll
        .entries
        .iter()
        .filter_map(|entry| {
            let bot = &entry.counts.as_ref()?.bot;
            Some(((&*bot.name, bot.version), entry.account()))
        })
        .collect();
    if !results_of(hill.root()).exists() {
        return Ok(practice);
    }
    for game in results::games(results_of(hill.root()))? {
        let game: Vec<ResultRow> = game?.into_iter().map(|(_, row)| row).collect();
        for own in game.iter().filter(|row| row.counts) {
            let Some(account) = accounts.get(&(&*own.bot.name, own.bot.version)) else { continue };
            let tallies = practice.get_mut(*account).expect("each account has its tallies");
            for other in game.iter().filter(|row| row.counts) {
                let Some(number) = panel.iter().position(|bot| *bot == other.bot.name) else { continue };
                tallies[number].add_places(own.place, other.place);
            }
        }
    }
    Ok(practice)
}

/// Reads the games of the versions that count, those of earlier exams among them.
///
/// # Errors
///
/// If the results are damaged.
pub fn read_with_exams(hill: &Hill, roll: &Roll) -> Result<Practice, Error> {
    let mut practice = read(hill, roll)?;
    let panel: Vec<&str> = roll.settings.panel.iter().map(|bot| name_of(bot)).collect();
    for number in 1..roll.settings.exam.number {
        let folder = exam_folder(hill, number);
        if !plan::is_there(&folder, &folder) {
            continue;
        }
        let plan = plan::open(&folder)?;
        let account = ExamAccount::read(&plan)?;
        let (bots, students) = plan.contents.entrant.split_at(account.panel);
        for entry in &roll.entries {
            let Some(counted) = &entry.counts else { continue };
            let is_it = |bot: &Bot| bot.author == entry.account() && bot.digest == counted.bot.digest;
            let Some(at) = students.iter().position(is_it) else { continue };
            let tallies = practice.get_mut(entry.account()).expect("each account has its tallies");
            for (bot, tally) in bots.iter().zip(account.students[at].exam.tallies()) {
                if let Some(number) = panel.iter().position(|name| *name == bot.name) {
                    tallies[number].add(*tally);
                }
            }
        }
    }
    Ok(practice)
}
