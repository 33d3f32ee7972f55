//! Changes of the field besides submissions: bots are retired or banned.

use crate::admission::by::By;
use crate::admission::entrants::{Entrants, Event, EventKind};
use crate::bot::Bot;
use crate::hill::Hill;
use referee_record::error::Error;
use referee_table::clock;

impl Hill {
    /// Removes a bot from the field. Its history stays.
    ///
    /// # Errors
    ///
    /// If no such bot plays.
    pub fn retire(&self, name: &str, by: By) -> Result<Event, Error> {
        self.change_field(|entrants| {
            let event = event(self.present(entrants, name)?, EventKind::Retired, by);
            entrants.add(event.clone())?;
            Ok(event)
        })
    }

    /// Bans a bot: neither its name nor its program is admitted again, whatever the arguments and the name that it comes
    /// with; with its author, none of his bots is. Bots of the field to which that applies are taken out, too. Returns
    /// the ban, and these bots.
    ///
    /// # Errors
    ///
    /// If there was never such a bot, or its author is to be banned and is not known.
    pub fn ban(&self, name: &str, with_author: bool) -> Result<(Event, Vec<Bot>), Error> {
        self.change_field(|entrants| {
            let bot = self.last(entrants, name)?;
            if with_author && bot.author.is_empty() {
                let what = format!("the author of {name} is not known: ban the bot without --author");
                return Err(Error::file(&self.root, what));
            }
            let kind = if with_author { EventKind::AuthorBanned } else { EventKind::Banned };
            let ban = event(bot, kind, By::Host);
            let is_other = |bot: &&Bot| bot.name != name && ban.bans(bot);
            let others: Vec<Bot> = entrants.field().into_iter().filter(is_other).cloned().collect();
            let retired = others.iter().map(|bot| event(bot.clone(), EventKind::Retired, By::Host));
            entrants.add_all(retired.chain([ban.clone()]))?;
            Ok((ban, others))
        })
    }

    /// Lifts the ban of a bot. It can then be submitted again.
    ///
    /// # Errors
    ///
    /// If it is not banned.
    pub fn lift_ban(&self, name: &str) -> Result<Event, Error> {
        self.change_field(|entrants| {
            let bot = self.last(entrants, name)?;
            let banned = entrants.ban_of(&bot).map(|ban| &*ban.bot.name);
            let what = match banned {
                Some(banned) if banned == name => {
                    let event = event(bot, EventKind::Admitted, By::Host);
                    entrants.add(event.clone())?;
                    return Ok(event);
                }
                Some(banned) => format!("{name} is banned by the ban of {banned}: lift the ban of {banned}"),
                None => format!("{name} is not banned"),
            };
            Err(Error::file(&self.root, what))
        })
    }

    /// Returns the last submission of a name, whether it plays or not.
    fn last(&self, entrants: &Entrants, name: &str) -> Result<Bot, Error> {
        match entrants.last_submission(name) {
            Some(submitted) => Ok(submitted.bot.clone()),
            None => self.present(entrants, name),
        }
    }

    /// Returns a bot that plays.
    fn present(&self, entrants: &Entrants, name: &str) -> Result<Bot, Error> {
        let field = entrants.field();
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

fn event(bot: Bot, kind: EventKind, by: By) -> Event {
    Event { date: clock::date(), event: kind, bot, by }
}
