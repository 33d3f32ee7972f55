//! Bots on the command line: the name of a house bot, or a program with its arguments.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use referee_contest::fixture::Entrant;
use referee_files::digest;
use referee_games::catalog::{self, Entry};
use referee_record::error::Error;
use referee_record::{BotName, identity};
use referee_rules::Parameters;
use referee_sandbox::program;
use referee_table::process::Program;
use serde_json::Value;

use crate::sheet::{Cells, Print, Printed, Sheet};
use referee_bots::{HOUSE_BOTS, HouseBot};

/// A bot that was named on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedBot {
    /// Its name, unless the user gives another.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its words on the command line.
    pub source: String,
}

/// Finds a bot: a house bot of this game by its name, or a program by its path, with arguments as in a shell. `NAME=`
/// in front of it gives it another name.
pub fn find(entry: &Entry, source: &str) -> anyhow::Result<NamedBot> {
    let (name, words) = match source.split_once('=') {
        Some((name, words)) if is_tidy_name(name) && !Path::new(source).is_file() => (Some(name), words),
        _ => (None, source),
    };
    let (first, arguments) = split(words)?;
    let first = first.as_str();
    let mut found = if house_bot(entry.name, first).is_some() {
        house(entry, first)?
    } else {
        file(Path::new(first)).map_err(|why| {
            let remedy = match why {
                program::NotAProgram::Missing if !first.contains('/') => {
                    format!(
                        "; name a program by its path, or a house bot: {}",
                        names_of_house_bots(entry.name)
                    )
                }
                program::NotAProgram::Missing if words.contains(char::is_whitespace) => {
                    format!("; the words after it are its arguments; to name a path with blanks, quote it: \"'{words}'\"")
                }
                _ => String::new(),
            };
            Error::input(format!("{first}: {why}{remedy}"))
        })?
    };
    found.arguments.extend(arguments);
    let name = name.map_or(found.name, str::to_owned);
    Ok(NamedBot { name, source: words.to_owned(), ..found })
}

/// Splits the words for a bot into its program and its arguments.
fn split(words: &str) -> Result<(String, Vec<String>), Error> {
    // The path of an existing file is not split.
    if Path::new(words).is_file() {
        return Ok((words.to_owned(), Vec::new()));
    }
    let split = shlex::split(words);
    let split = split.ok_or_else(|| Error::input(format!("{words}: a quotation mark is not closed")))?;
    match split.split_first() {
        Some((first, arguments)) if !first.is_empty() => Ok((first.clone(), arguments.to_vec())),
        _ => Err(Error::input(format!(
            "a bot is missing: {words:?} names none; name a program by its path, or a house bot (`referee bots`)"
        ))),
    }
}

/// Finds a house bot by its name.
pub fn house(entry: &Entry, name: &str) -> anyhow::Result<NamedBot> {
    let bot = known_house_bot(entry.name, name)?;
    let arguments = ["bot", bot.game, bot.name].map(str::to_owned).to_vec();
    let (file, source) = (super::this_program()?, format!("house:{name}"));
    Ok(NamedBot { name: tidy_name(bot.name), file, arguments, source })
}

/// Finds a program by its path.
pub(super) fn file(file: &Path) -> Result<NamedBot, program::NotAProgram> {
    program::inspect(file)?;
    let name = tidy_name(&file.file_stem().unwrap_or_default().to_string_lossy());
    let source = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(NamedBot { name, file: file.to_owned(), arguments: Vec::new(), source })
}

impl NamedBot {
    /// Makes an entrant of it, outside any hill.
    pub(super) fn entrant(&self, entry: &Entry) -> anyhow::Result<Entrant> {
        let version = entry.info(&Parameters::defaults(entry.parameters)).version;
        let house = identity::of_house(entry.name, version, &self.arguments);
        let house = house.filter(|_| super::this_program().is_ok_and(|program| program == self.file));
        let digest = match house {
            Some(digest) => digest,
            None => {
                let program = digest::of_file(&self.file).map_err(|error| {
                    Error::input(format!("{} cannot be read: {error}", self.file.display()))
                })?;
                identity::of(&program, &self.arguments)
            }
        };
        let name = BotName { name: self.name.clone(), version: 1, digest };
        let arguments: Vec<OsString> = self.arguments.iter().map(Into::into).collect();
        Ok(Entrant { name, program: Program::new(&self.file, arguments), author: String::new() })
    }
}

/// Tells whether a text can be a bot's name.
pub(super) fn is_tidy_name(name: &str) -> bool {
    !name.is_empty() && tidy_name(name) == name
}

/// Turns a file's name into a name for a bot.
fn tidy_name(stem: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name: String = stem.chars().map(|c| if fits(c) { c } else { '_' }).take(32).collect();
    // A spreadsheet would read a `-` in front as the start of a formula.
    let name = if name.starts_with('-') { name.replacen('-', "_", 1) } else { name };
    if name.is_empty() { "bot".to_owned() } else { name }
}

/// Lists the house bots of a game, the weakest first.
pub fn house_bots(game: &str) -> impl Iterator<Item = HouseBot> {
    all_house_bots().filter(move |bot| bot.game == game)
}

/// Lists the house bots of all games: the referee's own, then those that came with a game.
fn all_house_bots() -> impl Iterator<Item = HouseBot> {
    let with_games = catalog::all().flat_map(|entry| {
        entry.bots.iter().map(|bot| HouseBot {
            game: entry.name,
            name: bot.name,
            about: bot.about,
            main: bot.main,
            thinker: None,
        })
    });
    HOUSE_BOTS.iter().copied().chain(with_games)
}

fn house_bot(game: &str, name: &str) -> Option<HouseBot> {
    house_bots(game).find(|bot| bot.name == name)
}

fn known_house_bot(game: &str, name: &str) -> anyhow::Result<HouseBot> {
    let known = house_bot(game, name);
    known.ok_or_else(|| {
        Error::input(format!("no house bot {name} for {game} (there are: {})", names_of_house_bots(game)))
            .into()
    })
}

fn names_of_house_bots(game: &str) -> String {
    let names: Vec<&str> = house_bots(game).map(|bot| bot.name).collect();
    names.join(", ")
}

/// Run a house bot.
#[derive(Debug, Args)]
pub(super) struct HouseBotArgs {
    /// The game
    game: String,
    /// The bot's name: see `referee bots`
    name: String,
    /// Arguments of the bot
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

impl HouseBotArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        catalog::find(&self.game).map_err(|error| Error::input(error.to_string()))?;
        (known_house_bot(&self.game, &self.name)?.main)();
        Ok(())
    }
}

/// Lists all house bots.
pub(super) fn list(printed: Printed) -> anyhow::Result<()> {
    let mut sheet = Sheet::new(["game", "bot", "what it does"]).cells(Cells::Prose, &["what it does"]);
    for bot in all_house_bots() {
        sheet.row([bot.game, bot.name, bot.about].map(Value::from).to_vec());
    }
    sheet.print(printed)
}
