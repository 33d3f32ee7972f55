//! How a bot comes to a hill: it is handed in, built if it is a source, tried in a check game, stored, and entered.

use referee_files::digest;
use referee_record::error::{Error, ErrorKind};
use referee_record::{Digest, identity, names};
use referee_sandbox::program::Opened;
use referee_table::clock;
use referee_table::examine::{Reader, Subject};
use referee_table::process::{Program, Setup};

use crate::admission::by::By;
use crate::admission::candidate::Candidate;
use crate::admission::check::{self, Passed};
use crate::admission::entrants::{Entrants, Event, EventKind};
use crate::admission::sources::{Made, ToKeep};
use crate::admission::submission::{Admitted, PlaysAlready, Submission, check_replaced};
use crate::admission::{handed_in, sources};
use crate::bot::{Bot, NewBot};
use crate::hill::{Bots, Hill};
use referee_builds::languages::Languages;

/// A program that was handed in, ready to be tried, and what is kept of its source if it was one.
struct Prepared {
    candidate: Candidate,
    made: Option<Made>,
    to_keep: Option<ToKeep>,
}

impl Prepared {
    /// Puts the program and its source to their places.
    fn keep(self, hill: &Hill, entrants: &Entrants, bot: &Bot) -> Result<Option<Made>, Error> {
        if let Some(source) = &self.to_keep {
            source.make_room(&hill.root, entrants, bot)?;
        }
        self.candidate.keep(&hill.root)?;
        if let Some(source) = &self.to_keep {
            source.keep(&hill.root)?;
        }
        Ok(self.made)
    }
}

impl Hill {
    /// Submits a program: has it play a check game, stores it, and enters it under a name. It replaces the bot that
    /// played under that name before, if the submission may.
    ///
    /// # Errors
    ///
    /// Says why it is not admitted. The field is then unchanged.
    pub fn submit(&self, submission: &Submission, setup: &Setup) -> Result<Admitted, Error> {
        let NewBot { name, author, .. } = submission.bot.clone();
        self.check_words(&submission.bot)?;
        let known = Bot { name, author, ..Bot::blank() };
        self.check_not_banned(&self.entrants()?, &known, submission.by)?;
        let prepared = self.prepare(submission, setup)?;
        let date = clock::date();
        let entrants = self.entrants()?;
        let mut bot = self.bot(submission, &prepared, &entrants)?;
        self.check_admissible(&entrants, &bot, submission)?;
        let Passed { warnings, record } = self.try_out((&bot, submission.by), &prepared.candidate, setup)?;

        // All is checked again, since others may have changed the field during the check game.
        let _lock = self.lock_field()?;
        self.check_entered()?;
        Entrants::repair(&self.root)?;
        let mut entrants = self.entrants()?;
        if let Some(present) = playing_as(&entrants, &bot) {
            if entrants.program(present).is_ok() {
                let plays = PlaysAlready { name: present.name.clone(), version: present.version };
                return Err(Error::because(ErrorKind::Input, plays));
            }
            // The stored program is gone or was changed. This one has the same digest and takes its place.
            let made = prepared.keep(self, &entrants, present)?;
            entrants.program(present)?;
            return Ok(Admitted { bot: present.clone(), warnings, record, made, same: Vec::new() });
        }
        self.check_admissible(&entrants, &bot, submission)?;
        self.check_author_bots(&entrants, &bot)?;
        bot.version = entrants.next_version(&bot.name);
        bot.contact = contact(submission, &entrants);
        let is_same = |other: &&Bot| other.name != bot.name && other.identity == bot.identity;
        let same = entrants.field().into_iter().filter(is_same).map(|other| other.name.clone()).collect();
        let made = prepared.keep(self, &entrants, &bot)?;
        let (event, by) = (EventKind::Submitted, submission.by);
        entrants.add(Event { date, event, bot: bot.clone(), by })?;
        Ok(Admitted { bot, warnings, record, made, same })
    }

    /// Makes sure that the name, the arguments and the author can be written into the history. A name that breaks the
    /// rule for new names is accepted if the hill has had it before there was that rule.
    fn check_words(&self, NewBot { name, arguments, author, .. }: &NewBot) -> Result<(), Error> {
        if let Err(why) = names::check_new(name) {
            let is_old = names::check(name).is_ok() && self.entrants()?.last_submission(name).is_some();
            if !is_old {
                return Err(Error::input(why));
            }
        }
        Bot::check_arguments(arguments).map_err(Error::input)?;
        if !author.is_empty() {
            Bot::check_author(author).map_err(Error::input)?;
        }
        Ok(())
    }

    /// Builds a source, or copies a program that is ready to run.
    fn prepare(
        &self,
        Submission { bot: handed_in, by, .. }: &Submission,
        setup: &Setup,
    ) -> Result<Prepared, Error> {
        let not_a_program = |why| Error::input(format!("{}: {why}", handed_in.file.display()));
        let found = handed_in::follow(&handed_in.file).map_err(not_a_program)?;
        if referee_builds::is_source(&found, &Languages::of(&self.root)?) {
            let place = (&found, &*handed_in.file, *by);
            let (candidate, made, to_keep) =
                sources::build(&self.root, place, self.settings.contest.program_mib.0, setup, &|| {
                    self.lock_field()
                })?;
            let opened = Opened::open(&candidate.file).map_err(not_a_program)?;
            self.check_kind(handed_in, &opened)?;
            setup.check(&opened).map_err(not_a_program)?;
            return Ok(Prepared { candidate, made: Some(made), to_keep: Some(to_keep) });
        }
        let opened = handed_in::open(&self.root, &found, self.settings.contest.program_mib.0)
            .map_err(not_a_program)?;
        self.check_kind(handed_in, &opened)?;
        setup.check(&opened).map_err(not_a_program)?;
        let candidate = {
            let _lock = self.lock_field()?;
            Candidate::copy(&self.root, &opened)?
        };
        handed_in::check_not_stored(&self.root, &opened, &candidate.digest).map_err(not_a_program)?;
        Ok(Prepared { candidate, made: None, to_keep: None })
    }

    /// Makes sure that the hill takes this kind of program.
    fn check_kind(&self, handed_in: &NewBot, opened: &Opened) -> Result<(), Error> {
        if self.settings.bots == Bots::Wasm && !opened.is_module() {
            let what = format!(
                "{}: not a WebAssembly module, and this hill takes nothing else (bots = \"wasm\"): build it for \
                 wasm32-wasip1",
                handed_in.file.display()
            );
            return Err(Error::input(what));
        }
        Ok(())
    }

    /// Returns the bot that a submission is, with the version that it gets now.
    fn bot(&self, submission: &Submission, prepared: &Prepared, entrants: &Entrants) -> Result<Bot, Error> {
        let NewBot { name, arguments, allow_fork, source, author, .. } = submission.bot.clone();
        let (digest, made) = (prepared.candidate.digest.clone(), prepared.made.as_ref());
        let bot = Bot {
            version: entrants.next_version(&name),
            identity: self.identity(&digest, &arguments)?,
            contact: contact(submission, entrants),
            source_digest: made.map(|made| made.source.clone()),
            toolchain: made.map(|made| made.toolchain.clone()),
            name,
            digest,
            arguments,
            allow_fork,
            source,
            author,
        };
        if bot.is_house() && !bot.author.is_empty() {
            return Err(Error::input("a house bot has no author: leave out --author"));
        }
        Ok(bot)
    }

    /// Makes sure that a bot is not banned, and that it replaces no bot that its author did not mean.
    fn check_admissible(&self, entrants: &Entrants, bot: &Bot, submission: &Submission) -> Result<(), Error> {
        self.check_not_banned(entrants, bot, submission.by)?;
        check_replaced(entrants, bot, submission)
    }

    /// Makes sure that neither a bot's name, nor its program, nor its author is banned.
    fn check_not_banned(&self, entrants: &Entrants, bot: &Bot, by: By) -> Result<(), Error> {
        let field = entrants.field_now();
        let Some(ban) = field.ban_of(bot) else { return Ok(()) };
        let what = match ban.event {
            EventKind::AuthorBanned => {
                "neither the name, nor any bot of its author, nor a program of one, is admitted"
            }
            _ => "neither the name nor a program that it has had is admitted",
        };
        let (name, date) = (&ban.bot.name, &ban.date);
        let remedy = by.remedy("the host can lift it", "`referee hill ban` with --lift");
        let what = format!("{name} has been banned since {date}: {what}; {remedy}");
        Err(Error::file(&self.root, what))
    }

    /// Makes sure that the author of a submitted bot has no more bots than the hill allows.
    fn check_author_bots(&self, entrants: &Entrants, bot: &Bot) -> Result<(), Error> {
        let max = self.settings.contest.author_bots as usize;
        let is_of_author = |other: &&Bot| other.author == bot.author && other.name != bot.name;
        let others: Vec<String> =
            entrants.field().into_iter().filter(is_of_author).map(|other| other.name.clone()).collect();
        if max == 0 || bot.author.is_empty() || others.len() < max {
            return Ok(());
        }
        let (author, others) = (&bot.author, others.join(", "));
        Err(Error::input(format!(
            "{author} already has {others}, as many as are allowed (author_bots = {max}): submit it under one of these \
             names, or retire one"
        )))
    }

    /// Has a program play its check game.
    fn try_out(&self, (bot, by): (&Bot, By), candidate: &Candidate, setup: &Setup) -> Result<Passed, Error> {
        let reader = match by {
            By::Author => Reader::Web,
            _ => Reader::Here(self.entry.name),
        };
        let program = Program {
            may_fork: bot.allow_fork,
            with_folder: candidate.with_folder,
            state_when_checked: Some(candidate.look),
            ..Program::new(&candidate.file, bot.arguments.iter().map(Into::into).collect())
        };
        let parameters = self.parameters.clone();
        let subject = Subject { entry: self.entry, parameters, program: &program, setup };
        check::check_and_explain(&subject, &bot.bot_name(), self.settings.late_percent.0, reader)
    }

    /// Returns the identity of a bot in records. This program itself, with the arguments of a house bot, is that house
    /// bot.
    fn identity(&self, program: &Digest, arguments: &[String]) -> Result<Digest, Error> {
        match identity::of_house(self.entry.name, self.rules_version(), arguments) {
            Some(house) if digest::of_this_program()? == *program => Ok(house),
            _ => Ok(identity::bot_digest(program, arguments)),
        }
    }
}

/// Returns the contact of a submission; without one, that of the last submission of the same name.
fn contact(submission: &Submission, entrants: &Entrants) -> String {
    let last = || entrants.last_submission(&submission.bot.name).map(|last| last.bot.contact.clone());
    submission.contact.clone().or_else(last).unwrap_or_default()
}

/// Returns the bot of the field that has the same name, program and arguments, and may do the same.
fn playing_as<'a>(entrants: &'a Entrants, bot: &Bot) -> Option<&'a Bot> {
    let present = entrants.field().into_iter().find(|other| other.name == bot.name)?;
    let is_same = present.identity == bot.identity
        || present.digest == bot.digest && present.arguments == bot.arguments;
    if is_same && present.allow_fork == bot.allow_fork { Some(present) } else { None }
}
