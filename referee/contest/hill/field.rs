//! Changes of the field besides submissions: bots are retired or banned, or leave because of the hill's capacity, its
//! maximum number of bots. Their history stays.

use crate::admission::by::By;
use crate::admission::entrants::{Entrants, Event, EventKind};
use crate::bot::Bot;
use crate::hill::Hill;
use referee_record::error::Error;
use referee_statistics::season::SeasonAccount;
use referee_statistics::standings::Standing;
use referee_table::clock;

/// No bot leaves because of the capacity before a season has this number of rounds.
const ROUNDS_MIN: u32 = 10;

/// A ban, and what it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Banned {
    /// The ban.
    pub event: Event,
    /// Other bots that it retired.
    pub others: Vec<Bot>,
}

/// A bot that left because of the capacity.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped {
    /// The bot.
    pub bot: Bot,
    /// Its mean share of the season.
    pub mean_share: f64,
    /// Number of bots in the standings, of which it was the last.
    pub bots: usize,
}

impl Banned {
    /// Returns its event in the list of what hosts did, and the names of the bots that it removed from the field.
    pub fn noted(&self) -> (&'static str, String) {
        let event =
            if self.event.event == EventKind::AuthorBanned { "banned the author of" } else { "banned" };
        let names = std::iter::once(&self.event.bot).chain(&self.others).map(|bot| &*bot.name);
        (event, names.collect::<Vec<_>>().join(", "))
    }
}

impl Hill {
    /// Removes a bot from the field. Its history stays.
    pub fn retire(&self, name: &str, by: By) -> Result<Event, Error> {
        self.change_field(|entrants| {
            let event = event_now(self.present(entrants, name)?, EventKind::Retired, by);
            entrants.add(event.clone())?;
            Ok(event)
        })
    }

    /// Bans a bot: neither its name nor a program that it has had is admitted again, under any name and with any
    /// arguments. `with_author` bans all bots of its author in the same way. Bots that play are retired if the ban is
    /// theirs, too.
    pub fn ban(&self, name: &str, with_author: bool) -> Result<Banned, Error> {
        self.change_field(|entrants| {
            let bot = self.last_submitted(entrants, name)?;
            if with_author && bot.author.is_empty() {
                let what = format!("the author of {name} is not known: ban the bot alone");
                return Err(Error::file(&self.root, what));
            }
            let kind = if with_author { EventKind::AuthorBanned } else { EventKind::Banned };
            let event = event_now(bot, kind, By::Host);
            let field = entrants.field_now();
            let ban = field.ban(&event);
            let is_other = |bot: &&&Bot| bot.name != name && ban.is_of(bot);
            let others: Vec<Bot> =
                field.entered().iter().filter(is_other).map(|bot| (*bot).clone()).collect();
            let retired: Vec<Event> =
                others.iter().map(|bot| event_now(bot.clone(), EventKind::Retired, By::Host)).collect();
            entrants.add_all(retired.into_iter().chain([event.clone()]))?;
            Ok(Banned { event, others })
        })
    }

    /// Lifts the ban of a bot. It can then be submitted again, unless another ban is of one of its programs or of its
    /// author. Returns the event, and that other ban.
    pub fn lift_ban(&self, name: &str) -> Result<(Event, Option<Event>), Error> {
        self.change_field(|entrants| {
            let bot = self.last_submitted(entrants, name)?;
            let what = match entrants.field_now().ban_of(&bot).map(|ban| &*ban.bot.name) {
                Some(banned) if banned == name => {
                    let event = event_now(bot, EventKind::Admitted, By::Host);
                    entrants.add(event.clone())?;
                    let field = entrants.field_now();
                    let other_ban = field.bans_of_name(name).next().cloned();
                    return Ok((event, other_ban));
                }
                Some(banned) => format!("{name} is banned by the ban of {banned}: lift the ban of {banned}"),
                None => format!("{name} is not banned"),
            };
            Err(Error::file(&self.root, what))
        })
    }

    /// Removes the last bots of a season's standings from the field, down to the capacity, once the season has ten
    /// rounds. A bot stays if its likely places, those of 99 % of resamplings, begin within the capacity: this is asked
    /// after each run, so a bot must not leave by bad luck. Of bots with equal means, the one that was submitted last
    /// leaves. A bot that has not played yet stays.
    pub fn drop_last(&self, season: &SeasonAccount) -> Result<Vec<Dropped>, Error> {
        let bots = season.field.bots();
        let Some(capacity) = self.settings.capacity else { return Ok(Vec::new()) };
        if bots.len() <= capacity as usize || season.rounds() < ROUNDS_MIN {
            return Ok(Vec::new());
        }
        let best_places = season.best_places();
        let mut standings = season.sums.standings();
        // The field is in the order in which names were first submitted. The second sort is stable, so level bots keep
        // that order.
        standings.sort_by_key(|line| bots.iter().position(|bot| *bot == line.bot));
        standings.sort_by_key(|line| line.place);

        self.change_field(|entrants| {
            // Bots that were retired or replaced meanwhile have made room.
            let field = entrants.field();
            let bot_of = |line: &Standing| {
                let is_it = |bot: &&&Bot| bot.name == line.bot.name && bot.version == line.bot.version;
                field.iter().find(is_it).map(|bot| (*bot).clone())
            };
            let present: Vec<(Bot, &Standing)> =
                standings.iter().filter_map(|line| Some((bot_of(line)?, line))).collect();
            let mut dropped = Vec::new();
            for (index, (bot, line)) in present.into_iter().enumerate().skip(capacity as usize).rev() {
                let best_place = season.field.index(&line.bot).and_then(|bot| best_places.get(bot));
                if best_place.is_none_or(|place| *place <= capacity as usize) {
                    continue;
                }
                entrants.add(event_now(bot.clone(), EventKind::Retired, By::Capacity))?;
                dropped.push(Dropped { bot, mean_share: line.mean_share, bots: index + 1 });
            }
            Ok(dropped)
        })
    }

    /// Returns the last submission of a name, whether it plays or not.
    fn last_submitted(&self, entrants: &Entrants, name: &str) -> Result<Bot, Error> {
        match entrants.last_submission(name) {
            Some(submitted) => Ok(submitted.bot.clone()),
            None => self.present(entrants, name),
        }
    }

    /// Returns a bot that is entered.
    fn present(&self, entrants: &Entrants, name: &str) -> Result<Bot, Error> {
        let field = entrants.field_now();
        let field = field.entered();
        if let Some(bot) = field.iter().find(|bot| bot.name == name) {
            return Ok((*bot).clone());
        }
        let names: Vec<&str> = field.iter().map(|bot| &*bot.name).collect();
        let what = format!("no bot named {name} plays here (there are: {})", names.join(", "));
        Err(Error::file(&self.root, what))
    }

    /// Changes the history of the bots under the lock of the field.
    fn change_field<T>(&self, change: impl FnOnce(&mut Entrants) -> Result<T, Error>) -> Result<T, Error> {
        let _lock = self.lock_field()?;
        Entrants::repair(&self.root)?;
        change(&mut self.entrants()?)
    }
}

/// Returns an event of this moment.
fn event_now(bot: Bot, kind: EventKind, by: By) -> Event {
    Event { date: clock::date(), event: kind, bot, by }
}
