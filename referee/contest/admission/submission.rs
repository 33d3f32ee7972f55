//! A submission to a hill: its conditions and its result.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::admission::by::By;
use crate::admission::check::CheckFault;
use crate::admission::entrants::{Entrants, Event};
use crate::admission::sources::Made;
use crate::bot::{Bot, NewBot};
use referee_record::error::Error;
use referee_record::names::{self, Alike};

/// A program that is submitted.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The bot.
    pub bot: NewBot,
    /// Contact of its author; `None` keeps the known one.
    pub contact: Option<String>,
    /// What it may replace.
    pub replaces: Replaces,
    /// Who submits it.
    pub by: By,
}

/// The bot that a submission may replace: one of the same name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replaces {
    /// An earlier program of the same author, from a file of the same name.
    #[default]
    SameFile,
    /// An earlier program of the same author: he chose the name himself.
    SameAuthor,
    /// Any.
    Any,
}

/// A program that has been admitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// The bot, as it plays.
    pub bot: Bot,
    /// Warnings for its author.
    pub warnings: Vec<CheckFault>,
    /// The record of its check game, as text; empty if it is not kept.
    pub record: String,
    /// What it was built from and by, if it was a source.
    pub made: Option<Made>,
    /// Bots with other names that have the same program and arguments.
    pub same: Vec<String>,
}

/// A submission of a program that plays already under its name, with the same arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaysAlready {
    /// The name.
    pub name: String,
    /// Its version.
    pub version: u32,
}

impl fmt::Display for PlaysAlready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlaysAlready { name, version } = self;
        write!(f, "the same program plays already, as version {version} of {name}")
    }
}

impl std::error::Error for PlaysAlready {}

/// What became of a submission, as `hill submit --format json` says it to other programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmissionReport {
    /// Whether it plays.
    pub verdict: SubmissionVerdict,
    /// What its author is told.
    #[serde(rename = "told")]
    pub message: String,
    /// The record of its check game, as text; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub record: String,
}

/// Whether a submission plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubmissionVerdict {
    /// It plays now.
    Admitted,
    /// The same program plays already.
    PlaysAlready,
    /// It does not play.
    Refused,
    /// The host is in trouble: the check says nothing about the bot.
    Failed,
}

/// Makes sure that a submission replaces no bot that its author did not mean: not the bot of another author, and not
/// one whose name differs in case alone.
pub fn check_replaced(entrants: &Entrants, bot: &Bot, submission: &Submission) -> Result<(), Error> {
    let Bot { name, .. } = bot;
    if submission.replaces == Replaces::Any {
        return Ok(());
    }
    if let Some(Event { bot: before, .. }) = entrants.last_submission(name) {
        return check_same_bot(entrants, before, bot, submission);
    }
    let remedy =
        submission.by.remedy("the host can admit it all the same", "`referee hill submit` with --replace");
    let another = if submission.by == By::Author { "" } else { " with --name" };
    check_looks(entrants, bot, &format!("give it another name{another}; {remedy}"))?;
    if submission.replaces != Replaces::SameFile {
        return Ok(());
    }
    let differs_in_case = |other: &&Bot| names::alike(&other.name, name) == Some(Alike::InCase);
    match entrants.field().into_iter().find(differs_in_case) {
        Some(other) => Err(Error::input(format!(
            "{}{} plays already, and {name} differs from it in case alone: say which is meant with --name",
            other.name,
            whose(other)
        ))),
        None => Ok(()),
    }
}

/// Makes sure that a bot may replace the one `before` it of the same name: it has the same author, and, if the
/// submission may replace a bot of the same file alone, it comes from that file.
fn check_same_bot(
    entrants: &Entrants,
    before: &Bot,
    bot: &Bot,
    submission: &Submission,
) -> Result<(), Error> {
    let Bot { name, author, source, .. } = bot;
    if before.author != *author {
        let owner = match &*before.author {
            "" => "a bot whose author is not known",
            author => author,
        };
        return Err(Error::input(match submission.by {
            By::Author => format!("the name {name} belongs to another author: choose another name"),
            _ => format!(
                "the name {name} belongs to {owner} ({}): give this bot another one with --name, or replace that \
                 bot with --replace",
                before.source
            ),
        }));
    }
    if file_of(&before.source) != file_of(source)
        && submission.replaces == Replaces::SameFile
        && entrants.field().contains(&before)
    {
        return Err(Error::input(format!(
            "{name}{} plays already, from another file than {source}: --name {name} replaces it, and another name \
             lets both play",
            whose(before)
        )));
    }
    Ok(())
}

/// Says whose a bot is, and where it is from, as far as that is known.
fn whose(bot: &Bot) -> String {
    match (&*bot.author, &*bot.source) {
        ("", "") => String::new(),
        ("", source) => format!(" ({source})"),
        (author, source) => format!(" of {author} ({source})"),
    }
}

/// Makes sure that a new name does not look like the name of a bot that plays or has played. Names of one author may
/// differ in case alone. The error ends with this remedy.
fn check_looks(entrants: &Entrants, Bot { name, author, .. }: &Bot, remedy: &str) -> Result<(), Error> {
    let looks_alike = |other: &&Event| match names::alike(&other.bot.name, name) {
        Some(Alike::InLooks) => true,
        Some(Alike::InCase) => other.bot.author != *author,
        None => false,
    };
    match entrants.submissions().find(looks_alike) {
        Some(Event { bot: Bot { name: other, .. }, .. }) => {
            let (own, its) = names::difference(name, other);
            Err(Error::input(format!(
                "{name} looks like {other}, which is another bot here: it has {own} where that has {its}: {remedy}"
            )))
        }
        None => Ok(()),
    }
}

/// Returns the name of the file in the words of a submission, which are quoted as in a shell.
fn file_of(source: &str) -> String {
    let program = shlex::split(source).and_then(|words| words.into_iter().next());
    let program = program.unwrap_or_else(|| source.to_owned());
    program.rsplit('/').next().unwrap_or_default().to_owned()
}
