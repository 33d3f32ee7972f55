//! Additions: commands and options that a part adds to the program, and calls that it receives when something has
//! happened. The commands of this crate know no part; the program that uses this crate names its parts.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::JoinHandle;

use crate::context::Context;
use clap::builder::Resettable;
use clap::{ArgMatches, Args, Command};
use referee_contest::hill::{Hill, Run};
use referee_contest::runner::watch::Broadcast;
use referee_record::error::Error;
use referee_show::view::story::Story;
use referee_table::process::Setup;

/// A part of the program that the commands of this crate do not know.
pub trait Addition: fmt::Debug + Sync {
    /// Adds commands, and options to commands.
    fn extend(&self, root: Command) -> Command {
        root
    }

    /// Runs the command on the command line; `None` if it is not a command of this part.
    fn run(&self, _matches: &ArgMatches, _context: &Context) -> Option<anyhow::Result<()>> {
        None
    }

    /// Returns a page of the documents by its name.
    fn page(&self, _name: &str) -> Option<&'static str> {
        None
    }

    /// Returns the observer of the contest in this folder: for a part that signs records.
    fn observer(&self, _root: &Path) -> Option<Box<dyn Observer>> {
        None
    }

    /// Is called when the demonstration has been played. Returns a line to say.
    fn demonstrated(&self, _hill: &Hill, _setup: &Setup) -> anyhow::Result<Option<String>> {
        Ok(None)
    }

    /// Returns the screen on which this part shows games.
    fn screen(&self) -> Option<&'static dyn Screen> {
        None
    }
}

/// Observes a contest.
pub trait Observer {
    /// Is called when something has happened. An error ends the command.
    ///
    /// # Errors
    ///
    /// If the records are not those that were observed before, or the system refuses.
    fn happened(&mut self, event: Event<'_>) -> Result<(), Error>;
}

/// Something that has happened to a contest.
#[derive(Debug)]
pub enum Event<'a> {
    /// The contest was made: a hill, or the first plan of a tournament. Its records are to be signed.
    Made,
    /// A bot of this name was admitted to the hill.
    Admitted(&'a str),
    /// The results of the contest were made again.
    Repaired,
    /// The records agree with each other. The observer checks its own files beside them, by its options of the command,
    /// and adds lines to say.
    Audited(&'a ArgMatches, &'a mut Vec<String>),
    /// A run of the hill begins.
    RunBegins(&'a Run<'a>),
    /// The last game of a round of this run has ended.
    RoundEnded(&'a Run<'a>),
    /// The run ends, whether it has failed or not.
    RunEnds(&'a Run<'a>),
    /// The last game of a batch of the tournament has ended.
    BatchEnded,
    /// A runner of the tournament begins.
    RunnerBegins,
    /// All games of the tournament that could be played now were played.
    Paused,
}

/// Returns the error that something needs the part `web`, which this program was built without.
pub fn without_web(what: &str) -> Error {
    Error::input(format!(
        "{what}: this program was built without the part `web`; build it with `cargo install --locked --path . \
         --features full`"
    ))
}

/// A screen for games.
pub trait Screen {
    /// Tells whether there is a terminal for it.
    fn is_there(&self) -> bool;

    /// Shows a recorded game from the position after this number of turns, until the user leaves it.
    fn view(&self, story: Story, turn: u32, hidden: bool) -> anyhow::Result<()>;

    /// Shows the games of `referee play` while they are played, if an option of `play GAME` asks for that. The screen
    /// sets `stop` when the user gives them up.
    fn watch(&self, matches: &ArgMatches, stop: &Arc<AtomicBool>) -> anyhow::Result<Option<Watching>>;
}

/// A function that tells a screen of the games that are played, and the thread of the screen, which ends after the last
/// game.
pub type Watching = (Broadcast, JoinHandle<anyhow::Result<()>>);

/// Adds options to a command and keeps its description.
pub fn with_options<T: Args>(command: Command) -> Command {
    let (about, long) = (command.get_about().cloned(), command.get_long_about().cloned());
    let command = T::augment_args(command);
    let command = command.about(about.map_or(Resettable::Reset, Resettable::Value));
    command.long_about(long.map_or(Resettable::Reset, Resettable::Value))
}

/// Adds a hint to the end of the help, before all others.
pub fn with_hint(root: Command, hint: &str) -> Command {
    let after = root.get_after_help().map(ToString::to_string).unwrap_or_default();
    root.after_help(format!("{hint} {after}"))
}

impl Context {
    /// Returns the observer of the contest in this folder, if this program has one.
    pub(crate) fn observer(&self, root: &Path) -> Option<Box<dyn Observer>> {
        self.parts.additions.iter().find_map(|addition| addition.observer(root))
    }

    /// Tells the observer of the contest in this folder of an event, if this program has one.
    pub(crate) fn tell(&self, root: &Path, event: Event<'_>) -> Result<(), Error> {
        self.observer(root).happened(event)
    }

    /// Tells whether this program signs records.
    pub(crate) fn signs_records(&self) -> bool {
        self.observer(Path::new("")).is_some()
    }

    /// Returns the screen for games, if this program has one.
    pub(crate) fn screen(&self) -> Option<&'static dyn Screen> {
        self.parts.additions.iter().find_map(|addition| addition.screen())
    }

    /// Returns a page of the documents by its name, if this program has documents.
    pub(crate) fn page(&self, name: &str) -> Option<&'static str> {
        self.parts.additions.iter().find_map(|addition| addition.page(name))
    }
}

impl Observer for Option<Box<dyn Observer>> {
    fn happened(&mut self, event: Event<'_>) -> Result<(), Error> {
        match self {
            Some(observer) => observer.happened(event),
            None => Ok(()),
        }
    }
}
