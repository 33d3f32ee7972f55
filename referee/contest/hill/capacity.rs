//! The capacity of a hill, its maximum number of bots: if there are more, the lowest-ranked ones leave after a run that
//! has shown that they are not among the best. Their history stays.

use crate::admission::by::By;
use crate::admission::entrants::{Entrants, Event, EventKind};
use crate::bot::Bot;
use crate::hill::Hill;
use referee_record::error::Error;
use referee_statistics::season::SeasonAccount;
use referee_statistics::standings::Standing;
use referee_table::clock;

/// A bot that left because of the capacity.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped {
    /// The bot.
    pub bot: Bot,
    /// Its mean share of the season.
    pub mean_share: f64,
    /// Number of bots in the standings; it was the last of them.
    pub of: usize,
}

impl Hill {
    /// Removes the last bots of a season's standings from the field, down to the capacity. A bot whose rank may still
    /// be within the capacity stays: luck drops nobody. Where there are no ranks, the order decides, and of bots with
    /// equal means, the one that came last leaves. A bot that was submitted since, and has not played, stays.
    ///
    /// # Errors
    ///
    /// If the system refuses, or a file is damaged.
    pub fn drop_last(&self, season: &SeasonAccount) -> Result<Vec<Dropped>, Error> {
        let bots = season.field.bots();
        let Some(capacity) = self.settings.capacity.filter(|room| bots.len() > *room as usize) else {
            return Ok(Vec::new());
        };
        let mut standings = season.sums.standings();
        // The field is in the order in which names first came. The second sort is stable, so level bots keep that
        // order.
        standings.sort_by_key(|line| bots.iter().position(|bot| *bot == line.bot));
        standings.sort_by_key(|line| line.place);

        let _lock = self.lock_field()?;
        Entrants::repair(&self.root)?;
        let mut entrants = self.entrants()?;
        // Bots that were retired or replaced meanwhile have made room.
        let field = entrants.field();
        let plays = |line: &Standing| {
            let is_it = |bot: &&&Bot| bot.name == line.bot.name && bot.version == line.bot.version;
            field.iter().find(is_it).map(|bot| (*bot).clone())
        };
        let present: Vec<(Bot, &Standing)> =
            standings.iter().filter_map(|line| Some((plays(line)?, line))).collect();
        let mut dropped = Vec::new();
        for (index, (bot, line)) in present.into_iter().enumerate().skip(capacity as usize).rev() {
            if season.ranks(&line.bot).is_some_and(|(best, _)| best <= capacity as usize) {
                continue;
            }
            let (date, by) = (clock::date(), By::Capacity);
            entrants.add(Event { date, event: EventKind::Retired, bot: bot.clone(), by })?;
            dropped.push(Dropped { bot, mean_share: line.mean_share, of: index + 1 });
        }
        Ok(dropped)
    }
}
