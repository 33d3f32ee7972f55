//! Changes of the field besides submissions: bots are retired or banned.

use crate::admission::by::By;
use crate::admission::entrants::{Entrants, Event, EventKind};
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
            let present = self.present(entrants, name)?;
            let event = Event { date: clock::date(), event: EventKind::Retired, by, ..present };
            entrants.add(event.clone())?;
            Ok(event)
        })
    }

    /// Removes a bot from the field, and admits neither its name nor its program again.
    ///
    /// # Errors
    ///
    /// If there was never such a bot.
    pub fn ban(&self, name: &str) -> Result<Event, Error> {
        self.enter(name, EventKind::Banned)
    }

    /// Lifts the ban of a bot, which can then be submitted again.
    ///
    /// # Errors
    ///
    /// If it is not banned.
    pub fn lift_ban(&self, name: &str) -> Result<Event, Error> {
        let entrants = self.entrants()?;
        let known = entrants.last_submission(name);
        match known.and_then(|known| entrants.ban_of(name, &known.digest, &known.arguments)) {
            Some(ban) if ban.name == name => {}
            Some(Event { name: banned, .. }) => {
                let what =
                    format!("{name} has the program of {banned}, which is banned: lift the ban of {banned}");
                return Err(Error::file(&self.root, what));
            }
            None => return Err(Error::file(&self.root, format!("{name} is not banned"))),
        }
        self.enter(name, EventKind::Admitted)
    }

    /// Adds an event about a known bot, whether it plays or not.
    fn enter(&self, name: &str, kind: EventKind) -> Result<Event, Error> {
        self.change_field(|entrants| {
            let known = entrants.last_submission(name).cloned();
            let known = known.map_or_else(|| self.present(entrants, name), Ok)?;
            let event = Event { date: clock::date(), event: kind, by: By::Host, ..known };
            entrants.add(event.clone())?;
            Ok(event)
        })
    }

    /// Returns the submission of a bot that plays.
    fn present(&self, entrants: &Entrants, name: &str) -> Result<Event, Error> {
        let field = entrants.field();
        field.iter().find(|event| event.name == name).map(|event| (*event).clone()).ok_or_else(|| {
            let names: Vec<&str> = field.iter().map(|event| &*event.name).collect();
            let what = format!("no bot named {name} plays here (there are: {})", names.join(", "));
            Error::file(&self.root, what)
        })
    }

    /// Changes the history of the bots under the lock of the field.
    fn change_field<T>(&self, change: impl FnOnce(&mut Entrants) -> Result<T, Error>) -> Result<T, Error> {
        let _lock = self.lock_field()?;
        Entrants::repair(&self.root)?;
        change(&mut self.entrants()?)
    }
}
