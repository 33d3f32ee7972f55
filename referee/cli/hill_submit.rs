//! The command `referee hill submit`, which submits a bot to a hill of this machine.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use clap::Args;
use referee_builds::{LOG_LINE, NotBuilt};
use referee_contest::admission::by::By;
use referee_contest::admission::check::NotAdmitted;
use referee_contest::admission::sources::{self, Made};
use referee_contest::admission::submission::{Admitted, SubmissionReport, SubmissionVerdict};
use referee_contest::bot::{Bot, NewBot};
use referee_contest::class::roll::{Counted, Deadlines, Roll};
use referee_contest::hill::{Hill, PlaysAlready, Replaces, Submission};
use referee_record::error::{Error, ErrorKind};
use referee_record::text::count;
use referee_rules::Fault;
use referee_table::process::Setup;

use crate::addition::{self, Event};
use crate::bot::NamedBot;
use crate::context::Context;
use crate::host::HostOptions;
use crate::out::say_as_it_is;
use crate::progress::Task;
use crate::rounds::over_capacity;
use crate::{bot, say, shell, status_of};

#[derive(Debug, Args)]
pub(super) struct Submit {
    /// The hill: a folder, or the address of one that `referee serve` serves: http://HOST:PORT/HILL
    dir: PathBuf,
    /// A program's path, or that of its source (`referee docs sources`), or a house bot's name (`referee bots`); quote
    /// it to add arguments: './mybot --level 3'
    bot: String,
    /// The bot's name [default: the file's]
    #[arg(long, value_parser = bot::composed)]
    name: Option<String>,
    /// Replace the bot of this name, also one of another author
    #[arg(long)]
    replace: bool,
    /// The bot's author: author_bots and author_seats in hill.toml limit the bots of one author
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    /// Let the bot start other programs, whose time is charged as an estimate
    #[arg(long)]
    allow_fork: bool,
    /// Contact of its author, such as a mail address; kept in entrants.csv, and shown by `hill bots --wide`
    #[arg(long, value_name = "TEXT")]
    contact: Option<String>,
    /// The author submits it through the web: for the server
    #[arg(long, hide_short_help = true)]
    by_author: bool,
    /// How to say what became of it: text, or json, one line for other programs
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"], hide_short_help = true)]
    format: String,
    #[command(flatten)]
    host: HostOptions,
}

impl Submit {
    pub(super) fn run(self, context: &Context) -> anyhow::Result<()> {
        // A program with the part `web` has taken an address before.
        if self.dir.to_string_lossy().contains("://") {
            return Err(addition::without_web("hill submit to an address").into());
        }
        let hill = Hill::open(&self.dir).map_err(super::usage)?;
        // The check game is played as games that count in standings are.
        let setup = self.host.setup_ranked(context, &hill)?;
        let how = HowSubmitted {
            name: self.name,
            replace: self.replace,
            author: self.author,
            may_fork: self.allow_fork,
            contact: self.contact,
            by: if self.by_author { By::Author } else { By::Host },
        };
        let submitted = submit(context, &hill, &self.bot, how, &setup);
        if self.format == "json" {
            say_as_it_is(serde_json::to_string(&report(&submitted)).expect("plain values"));
            return submitted.map(drop);
        }
        say(submitted?.message);
        Ok(())
    }
}

/// Returns the result of a submission for other programs.
fn report(submitted: &anyhow::Result<Submitted>) -> SubmissionReport {
    let error = match submitted {
        Ok(Submitted { message, record }) => {
            let (message, record) = (message.clone(), record.clone());
            return SubmissionReport { verdict: SubmissionVerdict::Admitted, message, record };
        }
        Err(error) => error,
    };
    let own_error = error.downcast_ref::<Error>();
    let plays_already = own_error.is_some_and(|error| error.cause::<PlaysAlready>().is_some());
    let verdict = match status_of(error) {
        _ if plays_already => SubmissionVerdict::PlaysAlready,
        // Wrong input, or a failed check.
        2 | 3 => SubmissionVerdict::Refused,
        _ => SubmissionVerdict::Failed,
    };
    let refusal = own_error.and_then(|error| error.cause::<NotAdmitted>());
    let record = refusal.map_or(String::new(), |refusal| refusal.record.clone());
    SubmissionReport { verdict, message: format!("{error:#}"), record }
}

/// A bot that was admitted.
#[derive(Debug)]
pub(super) struct Submitted {
    /// The message for the user.
    pub(super) message: String,
    /// The record of its check game, as text; empty if it is not kept.
    pub(super) record: String,
}

/// The options of a submission.
#[derive(Debug, Default)]
pub(super) struct HowSubmitted {
    /// The bot's name; `None`: that of its file.
    pub(super) name: Option<String>,
    /// Whether it may replace a bot of this name that is another author's.
    pub(super) replace: bool,
    /// Its author.
    pub(super) author: Option<String>,
    /// Whether it may start other programs.
    pub(super) may_fork: bool,
    /// A contact of its author, such as a mail address.
    pub(super) contact: Option<String>,
    /// Who submits it.
    pub(super) by: By,
}

/// Submits a bot as it is named on the command line.
pub(super) fn submit(
    context: &Context,
    hill: &Hill,
    words: &str,
    how: HowSubmitted,
    setup: &Setup,
) -> anyhow::Result<Submitted> {
    let bot = find(context, hill, words)?;
    let is_house = bot.is_house(context);
    let HowSubmitted { name, replace, author, may_fork, contact, by } = how;
    if let (None, Some(why)) = (&name, &bot.not_a_name) {
        return Err(Error::input(format!("{why}: give it one with --name")).into());
    }
    let replaces = if replace {
        Replaces::Any
    } else if name.is_some() || bot.is_chosen {
        // The user has chosen the name: by --name, or by NAME= before the words.
        Replaces::SameAuthor
    } else {
        // The name is made of the file's, so another file of this name may be meant as another bot.
        Replaces::SameFile
    };
    let submission = Submission {
        bot: NewBot {
            name: name.unwrap_or(bot.name),
            file: bot.file,
            arguments: bot.arguments,
            allow_fork: may_fork,
            source: bot.source,
            author: author.unwrap_or_default(),
            built: None,
        },
        contact,
        replaces,
        by,
    };
    let name = &submission.bot.name;
    let task = Task::new(format!("checking {name}"));
    let admitted = hill.submit(&submission, setup);
    drop(task);
    let admitted = admitted.map_err(|error| not_admitted(error, hill, name, words, by))?;
    let message = message(hill, &admitted, is_house)?;
    // For the addition that signs records.
    context.tell(hill.root(), Event::Admitted(&admitted.bot.name))?;
    Ok(Submitted { message, record: admitted.record })
}

/// Finds the program of a bot, or its source.
fn find(context: &Context, hill: &Hill, words: &str) -> anyhow::Result<NamedBot> {
    // The function that looks at a path cannot return this kind of error, so it is put aside.
    let source_error = Cell::new(None);
    let bot =
        bot::find_by(context, hill.entry(), words, |path| match sources::is_source(hill.root(), path) {
            Ok(true) => bot::source(path),
            Ok(false) => bot::file(path),
            Err(error) => {
                source_error.set(Some(error));
                bot::file(path)
            }
        });
    match source_error.take() {
        Some(error) => Err(error.into()),
        None => bot,
    }
}

/// Adds to the error of a submission what its author can do. `words` are those of the command line.
fn not_admitted(error: Error, hill: &Hill, name: &str, words: &str, by: By) -> Error {
    match error.kind() {
        // This is no refusal, since the program is in play.
        ErrorKind::Input if error.cause::<PlaysAlready>().is_some() => error,
        // A name that no bot can have is not repeated.
        ErrorKind::Input if bot::is_tidy_name(name) => error.context(format!("{name} is not admitted")),
        ErrorKind::Input => error.context("the bot is not admitted"),
        ErrorKind::Failed if error.cause::<NotBuilt>().is_some() => {
            error.context(format!("{name} is not admitted"))
        }
        ErrorKind::Failed => {
            let check = format!("referee check {} --game {}", shell(Path::new(words)), hill.entry().name);
            // An author who submits through the web may not have this program.
            let remedy =
                if by == By::Host { format!("; to find the mistake: {check}") } else { String::new() };
            let refusal = error.cause::<NotAdmitted>();
            // The question and the answer of the fault, each in a new line.
            let exchange = refusal.and_then(|refusal| refusal.fault.exchange.as_ref());
            let exchange = exchange.map_or(String::new(), ToString::to_string);
            error.context(format!("{name} is not admitted")).and(format!("{remedy}{exchange}"))
        }
        ErrorKind::Stopped => Error::new(ErrorKind::Stopped, format!("stopped; {name} was not submitted")),
        _ => error,
    }
}

/// Says that a version of a class is late, or does not count, or is nobody's; `None` if it is in time.
fn counts(hill: &Hill, bot: &Bot) -> Result<Option<String>, Error> {
    if !Deadlines::is_at(hill.root()) || bot.author.is_empty() {
        return Ok(None);
    }
    let roll = Roll::read(hill.root())?;
    let Some(entry) = roll.entries.iter().find(|entry| entry.account() == bot.author) else {
        return Ok(Some(format!("it counts for nobody: no student has the account {}", bot.author)));
    };
    let is_it = |version: &&Counted| version.bot.digest == bot.digest;
    let Some(version) = entry.admitted.iter().rev().find(is_it) else { return Ok(None) };
    Ok(if version.received > entry.closes {
        Some(format!("it does not count: submissions of {} have ended at {}", bot.author, entry.closes))
    } else {
        (version.late_days > 0).then(|| format!("it counts, {} late", count(version.late_days.into(), "day")))
    })
}

/// Returns the message about the admitted bot, with warnings for its author.
fn message(hill: &Hill, admitted: &Admitted, is_house: bool) -> anyhow::Result<String> {
    let bot = &admitted.bot;
    let mut text = format!("{} version {} plays from now on", bot.name, bot.version);
    // The digest of a house bot is that of this program, which tells nothing.
    if !is_house {
        text += &format!(" (SHA-256 {})", bot.digest.short());
    }
    if let Some(Made { language, version, notes, log, .. }) = &admitted.made {
        text += &format!("\n  built from its source ({language}");
        text += &if version.is_empty() { ")".to_owned() } else { format!(", {version})") };
        for note in notes {
            text += &format!("\n  {note}");
        }
        for line in log {
            text += &format!("\n{LOG_LINE}{line}");
        }
    }
    if let Some(full) = over_capacity(hill)? {
        text += &format!("\n  {full}");
    }
    if let Some(what) = counts(hill, bot)? {
        text += &format!("\n  {what}");
    }
    if !admitted.same.is_empty() {
        text +=
            &format!("\n  it is the same program, with the same arguments, as {}", admitted.same.join(", "));
    }
    for warning in &admitted.warnings {
        text += &format!("\n  warning: in its check game, {warning}");
        if warning.fault == Fault::Late {
            text += ": such a turn is lost in each game";
        }
        if let Some(exchange) = &warning.exchange {
            text += &exchange.to_string();
        }
    }
    Ok(text)
}
