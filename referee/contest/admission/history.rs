//! The audit of a history of entrants: each event follows from those before it, and each season was played by the field
//! of some moment.

use std::collections::BTreeMap;

use super::by::By;
use super::entrants::{Entrants, EventKind, Field, history_of};
use crate::bot::Bot;
use referee_record::BotName;
use referee_record::error::Error;

impl Entrants {
    /// Makes sure that each event follows from those before it: versions are counted, a retirement is that of a bot
    /// that plays, and it repeats the submission.
    ///
    /// # Errors
    ///
    /// Names the first row that does not.
    pub fn check_history(&self) -> Result<(), Error> {
        let mut submitted: BTreeMap<&str, &Bot> = BTreeMap::new();
        let mut field = Field::default();
        for (event, line) in self.events().iter().zip(2..) {
            let wrong = |what: String| Err(Error::line(history_of(self.root()).path(), line, what));
            let Bot { name, version, source_digest, toolchain, author, .. } = &event.bot;
            if source_digest.is_some() != toolchain.is_some() {
                return wrong("source_digest and toolchain are both there or both empty".to_owned());
            }
            if event.event != EventKind::Retired && event.by == By::Capacity {
                return wrong("column by is capacity, which only retires bots".to_owned());
            }
            let before = submitted.get(&**name).copied();
            let next_version = before.map_or(0, |before| before.version) + 1;
            match (event.event, before) {
                (EventKind::Submitted, _) if *version != next_version => {
                    return wrong(format!(
                        "column version is {version}; this program of {name} has number {next_version}"
                    ));
                }
                (EventKind::Submitted, _) => {
                    submitted.insert(name, &event.bot);
                }
                (_, None) => return wrong(format!("{name} was never submitted before")),
                (_, Some(before)) if *before != event.bot => {
                    let version = before.version;
                    return wrong(format!("it does not repeat the submission of {name} version {version}"));
                }
                (EventKind::Retired, _) if field.entered().iter().all(|bot| bot.name != *name) => {
                    return wrong(format!("{name} does not play at this time"));
                }
                (EventKind::Admitted, _) if field.ban_of(&event.bot).is_none() => {
                    return wrong(format!("{name} is not banned at this time"));
                }
                (EventKind::AuthorBanned, _) if author.is_empty() => {
                    return wrong(format!("{name} has no author who could be banned"));
                }
                _ => {}
            }
            field.change(event);
        }
        Ok(())
    }

    /// Makes sure that the bots of each season, in this order, were the field at some time, one season after the other.
    ///
    /// # Errors
    ///
    /// Names the first season whose bots were not.
    pub fn check_fields<'a>(
        &self,
        seasons: impl IntoIterator<Item = (u32, &'a [BotName])>,
    ) -> Result<(), Error> {
        let mut events = self.events().iter();
        let mut field = Field::default();
        for (number, bots) in seasons {
            let is_field = |entered: &[&Bot]| {
                entered.len() == bots.len()
                    && bots.iter().zip(entered).all(|(bot, other)| *bot == other.bot_name())
            };
            // Bots that are entered and banned have no seat. In seasons of earlier versions, though, some of them had
            // one, so the field may be either.
            let is_without_banned = |field: &Field<'_>| {
                // Where the lengths are equal nobody is banned.
                field.entered().len() > bots.len() && is_field(&field.bots())
            };
            while !is_field(field.entered()) && !is_without_banned(&field) {
                let Some(event) = events.next() else {
                    let what = format!(
                        "its events never made the field of season {number}, as seasons.csv lists it"
                    );
                    return Err(Error::file(history_of(self.root()).path(), what));
                };
                field.change(event);
            }
        }
        Ok(())
    }
}
