//! Practice: how the present bot of each account has done against the panel in games of the hill.

use std::collections::BTreeMap;

use crate::class::contests::name_of;
use crate::class::roll::Roll;
use crate::folder::results_of;
use crate::hill::Hill;
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
