//! Additions: commands and options that a part adds to the program, and calls that it receives when something has
//! happened. The commands here know no part; the program that uses this crate names them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use clap::builder::Resettable;
use clap::{ArgMatches, Args, Command};
use referee_contest::admission::signed::AuthorSignature;
use referee_contest::admission::submission::SignsSubmission;
use referee_contest::hill::{Hill, Run};
use referee_contest::plan::Plan;
use referee_contest::runner::watch::Spectator;
use referee_record::Digest;
use referee_record::error::Error;
use referee_table::process::Setup;
use referee_view::story::Story;

/// A part of the program that the commands of this crate do not know.
pub trait Addition: fmt::Debug + Sync {
    /// Adds commands, and options to commands.
    fn extend(&self, root: Command) -> Command {
        root
    }

    /// Runs the command that the words name. `None`: they name another one.
    fn run(&self, _words: &ArgMatches) -> Option<anyhow::Result<()>> {
        None
    }

    /// Returns a page of the documents by its name.
    fn page(&self, _name: &str) -> Option<&'static str> {
        None
    }

    /// Tells whether this part signs hills and tournaments.
    fn signs(&self) -> bool {
        false
    }

    /// Is called when a hill was made whose rounds are to be signed.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    fn hill_made(&self, _hill: &Hill) -> Result<(), Error> {
        Ok(())
    }

    /// Is called when the first round of a tournament was planned that is to be signed.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    fn plan_made(&self, _root: &Path) -> Result<(), Error> {
        Ok(())
    }

    /// Is called when the records at a path were audited: checks what this part keeps beside them. `words` are those of
    /// the command. Returns lines to say; `None` if there is nothing that this part could check.
    ///
    /// # Errors
    ///
    /// What is wrong, and where; or if the words ask for what is not there.
    fn audited(&self, _path: &Path, _words: &ArgMatches) -> Result<Option<Vec<String>>, Error> {
        Ok(None)
    }

    /// Is called when the results of a hill were made again. Returns a line to say.
    ///
    /// # Errors
    ///
    /// If they are not those that were there before.
    fn repaired(&self, _hill: &Hill) -> Result<Option<String>, Error> {
        Ok(None)
    }

    /// Is called when a bot was admitted to a hill.
    fn submitted(&self, _hill: &Hill, _bot: &str) {}

    /// Is called when the demonstration has been played. Returns a line to say.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    fn demonstrated(&self, _hill: &Hill, _setup: &Setup) -> anyhow::Result<Option<String>> {
        Ok(None)
    }

    /// Returns what signs a submission as its author. `None`: this part signs none.
    ///
    /// # Errors
    ///
    /// If a file is not the private key of an author.
    fn signs_submission(&self, _how: &AuthorSigns) -> Result<Option<Arc<dyn SignsSubmission>>, Error> {
        Ok(None)
    }

    /// Signs a submission to a hill on the web with the author's own key, and returns the hill and the number, too.
    /// `None`: this part signs none.
    ///
    /// # Errors
    ///
    /// If the file is not the private key of an author, or the server does not show what the signature names.
    fn signs_served(
        &self,
        _key: &Path,
        _hill: &Served<'_>,
    ) -> Result<Option<(String, u32, AuthorSignature)>, Error> {
        Ok(None)
    }

    /// Returns the screen on which this part shows games.
    fn screen(&self) -> Option<&'static dyn Screen> {
        None
    }

    /// Follows a run of a hill, from before its first game.
    ///
    /// # Errors
    ///
    /// If the run may not begin.
    fn follow_run<'a>(&self, _run: &'a Run<'a>) -> Result<Option<Box<dyn FollowsRun + 'a>>, Error> {
        Ok(None)
    }

    /// Follows a runner of a tournament, from before its first game.
    ///
    /// # Errors
    ///
    /// If the runner may not begin.
    fn follow_tournament(&self, _root: &Path) -> Result<Option<Box<dyn FollowsTournament>>, Error> {
        Ok(None)
    }
}

/// How an author signs a submission.
#[derive(Clone, Debug)]
pub enum AuthorSigns {
    /// With the private key in this file.
    Now(PathBuf),
    /// On another machine.
    Elsewhere(AuthorSignature),
}

/// A submission to a hill on the web, to be signed.
#[derive(Clone, Copy)]
pub struct Served<'a> {
    /// Returns a file of the signed list, by its path below `proof`.
    pub fetch: &'a dyn Fn(&str) -> Result<Vec<u8>, Error>,
    /// The bot's name.
    pub name: &'a str,
    /// The digest of its program.
    pub program: &'a Digest,
}

impl fmt::Debug for Served<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Served").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Returns what signs a submission as its author.
///
/// # Errors
///
/// If it cannot be signed, or this program was built without the part that signs.
pub fn signs_submission(how: &AuthorSigns) -> Result<Arc<dyn SignsSubmission>, Error> {
    first(|addition| addition.signs_submission(how))
}

/// Signs a submission to a hill on the web, and returns its number, too.
///
/// # Errors
///
/// As for [`signs_submission`], or if the server does not show what the signature names.
pub fn signs_served(key: &Path, hill: &Served<'_>) -> Result<(String, u32, AuthorSignature), Error> {
    first(|addition| addition.signs_served(key, hill))
}

fn first<T>(signs: impl Fn(&'static dyn Addition) -> Result<Option<T>, Error>) -> Result<T, Error> {
    let without =
        || Err(Error::input("this program was built without the part `proof`, so it signs nothing"));
    all().find_map(|addition| signs(addition).transpose()).unwrap_or_else(without)
}

/// Says that something needs the part `web`, which this program was built without.
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
    ///
    /// # Errors
    ///
    /// If the terminal refuses, or the log is damaged.
    fn view(&self, story: Story, turn: u32, hidden: bool) -> anyhow::Result<()>;

    /// Shows the games of `referee play` while they are played, if the command line asks for that. The screen sets
    /// `stop` where the user gives them up.
    ///
    /// # Errors
    ///
    /// If there is no terminal.
    fn watch(&self, stop: &Arc<AtomicBool>) -> anyhow::Result<Option<Watching>>;
}

/// Tells a screen of the games that are played; and the thread of the screen, which ends after the last game.
pub type Watching = (Spectator, JoinHandle<anyhow::Result<()>>);

/// Follows a run of a hill.
pub trait FollowsRun {
    /// Is called when the last game of a round has ended. It can stop the run.
    fn round_ended(&mut self, setup: &Setup);

    /// Is called at the end. `played` is the result of the run; the returned result replaces it.
    ///
    /// # Errors
    ///
    /// If the run has failed, or the work after it.
    fn end(self: Box<Self>, played: anyhow::Result<()>) -> anyhow::Result<()>;
}

/// Follows a runner of a tournament.
pub trait FollowsTournament {
    /// Is called when a game has ended.
    fn game_ended(&mut self, plan: &Plan, game: u32);

    /// Is called between rounds.
    ///
    /// # Errors
    ///
    /// If the runner may not go on.
    fn catch_up(&mut self) -> Result<(), Error>;
}

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

/// Returns the screen for games, if this program has one.
pub(crate) fn screen() -> Option<&'static dyn Screen> {
    all().find_map(Addition::screen)
}

/// The additions of this program.
static ADDED: OnceLock<&'static [&'static dyn Addition]> = OnceLock::new();

/// Sets the additions of this program. Only the first call counts.
pub(crate) fn add(additions: &'static [&'static dyn Addition]) {
    let _ = ADDED.set(additions);
}

/// Returns the additions of this program.
pub(crate) fn all() -> impl Iterator<Item = &'static dyn Addition> {
    ADDED.get().copied().unwrap_or_default().iter().copied()
}

/// Returns a page of the documents by its name, if this program has documents.
pub fn page(name: &str) -> Option<&'static str> {
    all().find_map(|addition| addition.page(name))
}
