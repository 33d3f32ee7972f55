//! What hosts have set on the page of a hill: rounds are paused, submissions are open for longer, a message is shown.
//! It follows from `events.csv`.

use std::path::Path;

use referee_contest::accounts;
use referee_record::error::Error;
use referee_record::forms::Moment;
use referee_table::clock;
use tokio::sync::watch;

use crate::deadlines::Class;
use crate::options::Options;

/// The events that say what holds.
pub(crate) const PAUSED: &str = "paused";
pub(crate) const CONTINUED: &str = "continued";
pub(crate) const EXTENDED: &str = "extended";
pub(crate) const MESSAGE: &str = "message";

/// What holds now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Steered {
    /// Whether this server starts no rounds.
    pub(crate) is_paused: bool,
    /// The end of submissions, if it is later than that of the option.
    extended: Option<String>,
    /// What is shown above the standings; empty if nothing.
    pub(crate) message: String,
}

impl Steered {
    pub(crate) fn take(&mut self, event: &str, detail: &str) {
        match event {
            PAUSED => self.is_paused = true,
            CONTINUED => self.is_paused = false,
            EXTENDED if Moment::is_one(detail) => {
                self.extended = self.extended.take().into_iter().chain([detail.to_owned()]).max();
            }
            MESSAGE => detail.clone_into(&mut self.message),
            _ => {}
        }
    }
}

/// What hosts have done, as this server knows it.
#[derive(Debug)]
pub(crate) struct Steer {
    /// The end of submissions by the options.
    until: Option<String>,
    /// The class that the hill is, whose accounts have deadlines.
    class: Option<Class>,
    pub(crate) now: watch::Sender<Steered>,
}

impl Steer {
    /// Reads what holds from the events of a hill.
    pub(crate) fn open(root: &Path, options: &Options) -> Result<Steer, Error> {
        let mut now = Steered::default();
        accounts::events(root)?.iter().for_each(|event| now.take(&event.event, &event.detail));
        let until = options.until.clone();
        Ok(Steer { until, class: Class::at(root), now: watch::Sender::new(now) })
    }

    /// Returns the deadline of a class, or the end of submissions by the options; `None` if there is none.
    pub(crate) fn until(&self) -> Option<String> {
        let of_class = self.class.as_ref().and_then(|class| class.deadlines().ok());
        of_class.map(|deadlines| deadlines.of_all().to_owned()).or_else(|| self.end())
    }

    /// Tells whether the hill is that of a class, whose file has the deadline.
    pub(crate) fn is_of_class(&self) -> bool {
        self.class.is_some()
    }

    /// Returns the end of submissions of all accounts; `None` if there is none.
    fn end(&self) -> Option<String> {
        // Without the option there is no end, whatever was extended before.
        let by_option = self.until.as_ref()?;
        self.now.borrow().extended.iter().chain([by_option]).max().cloned()
    }

    /// Likewise, if it was before now.
    pub(crate) fn ended(&self) -> Option<String> {
        let now = clock::date();
        self.end().filter(|until| *until <= now)
    }

    /// Returns the end of submissions of an account of a class, if it was before now.
    ///
    /// # Errors
    ///
    /// If a file of the class has a mistake.
    pub(crate) fn closed(&self, account: &str) -> Result<Option<String>, Error> {
        let Some(class) = &self.class else { return Ok(None) };
        let end = class.deadlines()?.close_of(account);
        Ok((end < clock::date()).then_some(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_follows_from_the_events_and_an_end_only_moves_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let note =
            |event: &str, detail: &str| accounts::note(folder.path(), "zoe", event, detail).expect("noted");
        for (event, detail) in [
            (PAUSED, ""),
            (MESSAGE, "hello"),
            (EXTENDED, "2026-06-01T00:00:00Z"),
            (EXTENDED, "2026-05-01T00:00:00Z"),
            (EXTENDED, "soon"),
            ("uploaded", "x"),
        ] {
            note(event, detail);
        }
        let open = |until: Option<&str>| {
            let words = ["referee serve", "h"]
                .into_iter()
                .chain(until.into_iter().flat_map(|until| ["--until", until]));
            let options = <Options as clap::Parser>::try_parse_from(words).expect("options");
            Steer::open(folder.path(), &options).expect("events")
        };
        let steer = open(Some("2026-01-01T00:00:00Z"));
        assert!(steer.now.borrow().is_paused && steer.now.borrow().message == "hello");
        assert_eq!(steer.until().as_deref(), Some("2026-06-01T00:00:00Z"));
        assert_eq!(open(Some("2027-01-01T00:00:00Z")).until().as_deref(), Some("2027-01-01T00:00:00Z"));
        assert_eq!(open(None).until(), None);
        note(CONTINUED, "");
        note(MESSAGE, "");
        assert!(!open(None).now.borrow().is_paused && open(None).now.borrow().message.is_empty());
    }
}
