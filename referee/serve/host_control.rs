//! The decisions of hosts on the page of a hill: rounds are paused, submissions are open for longer, a message is
//! shown. They follow from `events.csv`.

use std::path::Path;

use referee_contest::accounts;
use referee_record::error::Error;
use referee_record::forms::Moment;
use referee_table::clock;
use tokio::sync::watch;

use crate::deadlines::Class;
use crate::options::Options;

/// The events that are decisions of hosts.
pub(crate) const PAUSED: &str = "paused";
pub(crate) const CONTINUED: &str = "continued";
pub(crate) const EXTENDED: &str = "extended";
pub(crate) const MESSAGE: &str = "message";

/// The decisions of hosts that apply now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HostDecisions {
    /// Whether this server starts no rounds.
    pub(crate) is_paused: bool,
    /// The latest end of submissions that hosts have set. The end by the option applies if it is later.
    extended_to: Option<String>,
    /// The message above the standings; empty if there is none.
    pub(crate) message: String,
}

impl HostDecisions {
    /// Applies an event; one that is no decision changes nothing.
    pub(crate) fn apply(&mut self, event: &str, detail: &str) {
        match event {
            PAUSED => self.is_paused = true,
            CONTINUED => self.is_paused = false,
            // An end is only ever moved later.
            EXTENDED
                if Moment::is_one(detail) && self.extended_to.as_deref().is_none_or(|end| end < detail) =>
            {
                self.extended_to = Some(detail.to_owned());
            }
            MESSAGE => detail.clone_into(&mut self.message),
            _ => {}
        }
    }
}

/// The decisions of hosts, and the ends of submissions.
#[derive(Debug)]
pub(crate) struct HostControl {
    /// The end of submissions by the option `--until`.
    end_by_option: Option<String>,
    /// The class that the hill is, whose accounts have deadlines.
    class: Option<Class>,
    pub(crate) decisions: watch::Sender<HostDecisions>,
}

impl HostControl {
    /// Reads the decisions from the events of a hill.
    pub(crate) fn open(root: &Path, options: &Options) -> Result<HostControl, Error> {
        let mut decisions = HostDecisions::default();
        for event in accounts::events(root)? {
            decisions.apply(&event.event, &event.detail);
        }
        let end_by_option = options.until.clone();
        Ok(HostControl { end_by_option, class: Class::at(root), decisions: watch::Sender::new(decisions) })
    }

    /// Returns the end that pages show: the deadline of a class, or the end of submissions; `None` if there is neither.
    pub(crate) fn end_shown(&self) -> Option<String> {
        let deadlines = self.class.as_ref().and_then(|class| class.deadlines().ok());
        deadlines.map(|deadlines| deadlines.of_all().to_owned()).or_else(|| self.end())
    }

    /// Tells whether the hill is that of a class, whose file has the deadline.
    pub(crate) fn is_of_class(&self) -> bool {
        self.class.is_some()
    }

    /// Returns the end of submissions of all accounts; `None` if there is none.
    fn end(&self) -> Option<String> {
        // Without the option there is no end, whatever was extended before.
        let end_by_option = self.end_by_option.clone()?;
        match self.decisions.borrow().extended_to.clone() {
            Some(extended_to) => Some(extended_to.max(end_by_option)),
            None => Some(end_by_option),
        }
    }

    /// Returns the end of submissions of all accounts, if it has passed. At the very second of an end, nothing is taken
    /// any more.
    pub(crate) fn end_if_past(&self) -> Option<String> {
        let now = clock::date();
        self.end().filter(|end| *end <= now)
    }

    /// Returns the deadline of an account of a class, with grace and late days, if it has passed. What comes at the
    /// very second of a deadline is still taken, and counts for the grade.
    ///
    /// # Errors
    ///
    /// If a file of the class has a mistake.
    pub(crate) fn deadline_if_past(&self, account: &str) -> Result<Option<String>, Error> {
        let Some(class) = &self.class else { return Ok(None) };
        let deadline = class.deadlines()?.close_of(account);
        Ok(if deadline < clock::date() { Some(deadline) } else { None })
    }

    /// Notes once that an account of a class was too late with a bot.
    pub(crate) fn note_too_late(&self, account: &str, bot: &str, end: &str) -> Result<(), Error> {
        self.class.as_ref().map_or(Ok(()), |class| class.note_too_late(account, bot, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_follow_from_the_events_and_an_end_is_only_moved_later() {
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
            HostControl::open(folder.path(), &options).expect("events")
        };
        let control = open(Some("2026-01-01T00:00:00Z"));
        assert!(control.decisions.borrow().is_paused && control.decisions.borrow().message == "hello");
        assert_eq!(control.end_shown().as_deref(), Some("2026-06-01T00:00:00Z"));
        assert_eq!(open(Some("2027-01-01T00:00:00Z")).end_shown().as_deref(), Some("2027-01-01T00:00:00Z"));
        assert_eq!(open(None).end_shown(), None);
        note(CONTINUED, "");
        note(MESSAGE, "");
        assert!(!open(None).decisions.borrow().is_paused && open(None).decisions.borrow().message.is_empty());
    }
}
