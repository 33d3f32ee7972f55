//! The audit of a history of entrants: each event is one that the program could have written after those before it,
//! and each season was played by the field of some moment.

use std::collections::BTreeMap;

use super::by::By;
use super::entrants::{Entrants, Event, EventKind, history_of};
use referee_record::BotName;
use referee_record::error::Error;

/// A name, and whether it plays.
struct Known<'a> {
    submission: &'a Event,
    plays: bool,
}

impl Entrants {
    /// Makes sure that each event follows from those before it: versions are counted, a retirement is that of a bot
    /// that plays, and it repeats the submission.
    ///
    /// # Errors
    ///
    /// Names the first row that does not.
    pub fn check_history(&self) -> Result<(), Error> {
        let mut known: BTreeMap<&str, Known<'_>> = BTreeMap::new();
        let mut bans: Vec<&Event> = Vec::new();
        for (event, line) in self.events().iter().zip(2..) {
            let wrong = |what: String| Error::line(history_of(self.root()).path(), line, what);
            let Event { name, version, .. } = event;
            if event.source_digest.is_some() != event.toolchain.is_some() {
                return Err(wrong("source_digest and toolchain are both there or both empty".to_owned()));
            }
            if event.event != EventKind::Retired && event.by == By::Capacity {
                return Err(wrong("column by is capacity, which only retires bots".to_owned()));
            }
            let of = known.get_mut(&**name);
            if event.event == EventKind::Submitted {
                let number = of.as_ref().map_or(0, |of| of.submission.version) + 1;
                if *version != number {
                    return Err(wrong(format!(
                        "column version is {version}; this program of {name} has number {number}"
                    )));
                }
                known.insert(name, Known { submission: event, plays: true });
                continue;
            }
            let of = of.ok_or_else(|| wrong(format!("{name} was never submitted before")))?;
            let Known { submission, plays } = of;
            if !event.repeats(submission) {
                let version = submission.version;
                return Err(wrong(format!("it does not repeat the submission of {name} version {version}")));
            }
            match event.event {
                EventKind::Retired if !*plays => {
                    return Err(wrong(format!("{name} does not play at this time")));
                }
                EventKind::Banned => bans.push(event),
                EventKind::Admitted if !bans.iter().any(|ban| ban.bans(event)) => {
                    return Err(wrong(format!("{name} is not banned at this time")));
                }
                EventKind::Admitted => bans.retain(|ban| ban.name != *name),
                EventKind::Retired | EventKind::Submitted => {}
            }
            *plays = *plays && event.event == EventKind::Admitted;
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
        let mut field: Vec<&Event> = Vec::new();
        for (number, bots) in seasons {
            let is_field = |field: &[&Event]| {
                let is_it = |(bot, event): (&BotName, &&Event)| {
                    (&bot.name, bot.version, &bot.digest) == (&event.name, event.version, &event.identity)
                };
                field.len() == bots.len() && bots.iter().zip(field).all(is_it)
            };
            while !is_field(&field) {
                let Some(event) = events.next() else {
                    let what = format!(
                        "its events never made the field of season {number}, as seasons.csv lists it"
                    );
                    return Err(Error::file(history_of(self.root()).path(), what));
                };
                event.enter(&mut field);
            }
        }
        Ok(())
    }
}
