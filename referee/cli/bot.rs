//! Bots on the command line: the name of a house bot, or a program with its arguments.

use std::convert::Infallible;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use referee_contest::fixture::Entrant;
use referee_files::digest;
use referee_games::catalog::{self, Entry};
use referee_record::error::Error;
use referee_record::{BotName, identity, names};
use referee_rules::Parameters;
use referee_sandbox::program;
use referee_table::process::Program;
use serde_json::Value;

use crate::context::Context;
use crate::sheet::{Cells, Print, Printed, Sheet};
use referee_bots::{HOUSE_BOTS, HouseBot};

/// A bot that was named on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedBot {
    /// Its name: the one that the user gave, or one that is made of its file's.
    pub name: String,
    /// Whether the user has chosen this name.
    pub is_chosen: bool,
    /// Why a bot cannot have the name of its file, if the user gave no name.
    pub not_a_name: Option<String>,
    /// Its file.
    pub file: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its words on the command line.
    pub source: String,
}

/// Finds a bot: a house bot of this game by its name, or a program by its path, with arguments as in a shell. `NAME=`
/// in front of the words gives it another name. `look_at` makes the bot of a file.
pub(super) fn find_by(
    context: &Context,
    entry: &Entry,
    source: &str,
    look_at: impl Fn(&Path) -> Result<NamedBot, program::NotAProgram>,
) -> anyhow::Result<NamedBot> {
    let (name, words) = match source.split_once('=') {
        Some((name, words)) if is_tidy_name(name) && !Path::new(source).exists() => (Some(name), words),
        _ => (None, source),
    };
    let (program, arguments) = split(words)?;
    let mut bot = match house_bot(entry.name, &program) {
        Some(house_bot) => {
            check_house_arguments(&house_bot, &arguments)?;
            house(context, entry, &program)?
        }
        None => {
            let bot = look_at(Path::new(&program)).map_err(|why| {
                let remedy = remedy(entry, &program, words, &why);
                Error::input(format!("{program}: {why}{remedy}"))
            })?;
            check_arguments(Path::new(&program), &arguments)?;
            bot
        }
    };
    bot.arguments.extend(arguments);
    bot.source = words.to_owned();
    if let Some(name) = name {
        bot.name = names::composed(name).into_owned();
        bot.is_chosen = true;
        bot.not_a_name = None;
    }
    Ok(bot)
}

/// Returns what helps where the first of these words is no program.
fn remedy(entry: &Entry, program: &str, words: &str, why: &program::NotAProgram) -> String {
    if *why != program::NotAProgram::Missing {
        return String::new();
    }
    if !program.contains('/') {
        return format!("; name a program by its path, or a house bot: {}", names_of_house_bots(entry.name));
    }
    if !words.contains(char::is_whitespace) {
        return String::new();
    }
    format!("; the words after it are its arguments; to name a path with blanks, quote it: \"'{words}'\"")
}

/// Interpreters, by their names without a version: programs that run the file among their arguments.
const INTERPRETERS: [&str; 33] = [
    "awk", "bash", "bun", "dash", "deno", "dotnet", "elixir", "env", "escript", "gawk", "groovy", "guile",
    "java", "julia", "ksh", "lua", "luajit", "mono", "node", "nodejs", "npx", "ocaml", "perl", "php", "pypy",
    "python", "racket", "Rscript", "ruby", "sh", "tsx", "uv", "zsh",
];

/// Endings of files that are no text, so a first line with `#!` would not make programs of them.
const BINARIES: [&str; 7] = [".jar", ".class", ".dll", ".exe", ".beam", ".pyc", ".wasm"];

/// Makes sure that a bot is not an interpreter whose program is a file among its arguments: a bot is one file, and sees
/// no other.
fn check_arguments(program: &Path, arguments: &[String]) -> Result<(), Error> {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let without_version = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    if !INTERPRETERS.contains(&without_version) {
        return Ok(());
    }
    let is_file = |word: &&String| !word.starts_with('-') && Path::new(word.as_str()).is_file();
    let Some(file) = arguments.iter().find(is_file) else { return Ok(()) };
    let remedy = if BINARIES.iter().any(|ending| file.ends_with(ending)) {
        format!("make one file of {file}, as `referee docs one-file` shows")
    } else {
        let folder = if file.contains('/') { "" } else { "./" };
        let first_line = if program::inspect(Path::new(file)).is_ok() {
            ""
        } else {
            ", with #!/usr/bin/env and the interpreter as its first line, and chmod +x"
        };
        format!("name {folder}{file} itself{first_line}")
    };
    Err(Error::input(format!(
        "{} {}: the bot would be {name}, and it would not see {file}: a bot is one file; {remedy}",
        program.display(),
        arguments.join(" ")
    )))
}

/// Makes sure that a house bot of the referee knows its arguments: `--seed N`, or none. The arguments of bots that came
/// with a game from elsewhere are not known here.
fn check_house_arguments(bot: &HouseBot, arguments: &[String]) -> Result<(), Error> {
    let is_own = HOUSE_BOTS.iter().any(|own| (own.game, own.name) == (bot.game, bot.name));
    let takes_seed = bot.takes_seed;
    let is_known = match arguments {
        [] => true,
        [option, number] => takes_seed && option == "--seed" && number.parse::<u64>().is_ok(),
        _ => false,
    };
    if !is_own || is_known {
        return Ok(());
    }
    let usage = if takes_seed { "it takes --seed N, a whole number" } else { "it takes none" };
    Err(Error::input(format!(
        "{}: unknown arguments of a house bot: {}; {usage}",
        bot.name,
        arguments.join(" ")
    )))
}

/// Splits the words for a bot into its program and its arguments.
fn split(words: &str) -> Result<(String, Vec<String>), Error> {
    // The path of an existing file is not split.
    if Path::new(words).exists() {
        return Ok((words.to_owned(), Vec::new()));
    }
    let split = shlex::split(words);
    let parts = split.ok_or_else(|| Error::input(format!("{words}: a quotation mark is not closed")))?;
    match parts.split_first() {
        Some((first, arguments)) if !first.is_empty() => Ok((first.clone(), arguments.to_vec())),
        _ => Err(Error::input(format!(
            "a bot is missing: {words:?} names none; name a program by its path, or a house bot (`referee bots`)"
        ))),
    }
}

/// Finds a house bot by its name.
pub(super) fn house(context: &Context, entry: &Entry, name: &str) -> anyhow::Result<NamedBot> {
    let bot = known_house_bot(entry.name, name)?;
    let arguments = ["bot", bot.game, bot.name].map(str::to_owned).to_vec();
    let (file, source) = (context.program()?, format!("house:{name}"));
    Ok(NamedBot { name: names::tidy(bot.name), is_chosen: false, not_a_name: None, file, arguments, source })
}

/// Finds a program by its path.
pub(super) fn file(file: &Path) -> Result<NamedBot, program::NotAProgram> {
    program::inspect(file)?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let (name, not_a_name) = (names::tidy(&stem), names::check_new(&stem).err());
    let source = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(NamedBot { name, is_chosen: false, not_a_name, file: file.to_owned(), arguments: Vec::new(), source })
}

/// Finds a source by its path: a file, an archive, or a folder.
pub(super) fn source(path: &Path) -> Result<NamedBot, program::NotAProgram> {
    let real = path.canonicalize().map_err(program::NotAProgram::refused)?;
    let source = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = match source.rsplit_once('.') {
        Some((stem, _)) if !real.is_dir() => stem,
        _ => &*source,
    };
    let stem = stem.strip_suffix(".tar").unwrap_or(stem);
    let (name, not_a_name) = (names::tidy(stem), names::check_new(stem).err());
    Ok(NamedBot { name, is_chosen: false, not_a_name, file: path.to_owned(), arguments: Vec::new(), source })
}

impl NamedBot {
    /// Tells whether this program plays it.
    pub(super) fn is_house(&self, context: &Context) -> bool {
        context.program().is_ok_and(|program| program == self.file)
    }

    /// Makes an entrant of it, outside any hill.
    pub(super) fn entrant(&self, context: &Context, entry: &Entry) -> anyhow::Result<Entrant> {
        let version = entry.info(&Parameters::defaults(entry.parameters)).version;
        let digest = match identity::of_house(entry.name, version, &self.arguments) {
            Some(digest) if self.is_house(context) => digest,
            _ => {
                let program = digest::of_file(&self.file).map_err(|error| {
                    Error::input(format!("{} cannot be read: {error}", self.file.display()))
                })?;
                identity::bot_digest(&program, &self.arguments)
            }
        };
        let name = BotName { name: self.name.clone(), version: 1, digest };
        let arguments: Vec<OsString> = self.arguments.iter().map(Into::into).collect();
        Ok(Entrant { name, program: Program::new(&self.file, arguments), author: String::new() })
    }
}

/// Gives programs that share a name, though they differ, names of their own: with their folder in front, or a number
/// behind. `is_fixed` tells of each bot whether the user has chosen its name, or the referee for a house bot: one of
/// these stays. Returns lines for users about the changes.
pub(super) fn tell_apart(bots: &mut [Entrant], is_fixed: &[bool]) -> Vec<String> {
    let mut notices = Vec::new();
    for at in 0..bots.len() {
        let name = bots[at].name.name.clone();
        let namesakes: Vec<usize> = (at..bots.len()).filter(|other| bots[*other].name.name == name).collect();
        let differ = |one: usize, other: usize| bots[one].name.digest != bots[other].name.digest;
        if !namesakes.iter().any(|bot| differ(*bot, at)) {
            continue;
        }
        let fixed = namesakes.iter().copied().find(|bot| is_fixed[*bot]);
        let to_rename: Vec<usize> =
            namesakes.into_iter().filter(|bot| fixed.is_none_or(|fixed| differ(*bot, fixed))).collect();
        for bot in to_rename {
            if bots[bot].name.name != name {
                continue; // it was renamed with another copy of it
            }
            let (new_name, digest) = (own_name(&bots[bot], bots), bots[bot].name.digest.clone());
            let program = &bots[bot].program;
            let words = [vec![program.file.display().to_string()], program.words()].concat().join(" ");
            notices.push(format!("{new_name} is {words}: several bots are called {name}"));
            for copy in bots.iter_mut().filter(|other| other.name.name == name && other.name.digest == digest)
            {
                copy.name.name.clone_from(&new_name);
            }
        }
    }
    notices
}

/// Returns a name that no other bot has.
fn own_name(bot: &Entrant, bots: &[Entrant]) -> String {
    let is_free = |name: &String| bots.iter().all(|other| other.name.name != *name);
    let folder = bot.program.file.parent().and_then(Path::file_name).map(|name| name.to_string_lossy());
    let with_folder = folder.map(|folder| format!("{folder}-{}", bot.name.name));
    let numbered = (1..).map(|number| format!("{}-{number}", part_of(&bot.name.name)));
    let mut names = with_folder.filter(|name| is_tidy_name(name)).into_iter().chain(numbered);
    names.find(is_free).expect("there are more numbers than bots")
}

/// Returns the start of a name, to which a number can be added.
fn part_of(name: &str) -> String {
    let mut part: String = name.chars().take(28).collect();
    while part.len() > 90 {
        part.pop();
    }
    part
}

/// Reads a bot's name from the command line, and brings it into the form of records (NFC).
pub fn composed(name: &str) -> Result<String, Infallible> {
    Ok(names::composed(name).into_owned())
}

/// Tells whether a text can be a bot's name, once it is composed.
pub(super) fn is_tidy_name(name: &str) -> bool {
    names::check(&names::composed(name)).is_ok() && !name.starts_with('-')
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
            takes_seed: false,
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

/// Finds a house bot of a game by its name.
///
/// # Errors
///
/// If there is none. The error lists the game's house bots.
pub fn known_house_bot(game: &str, name: &str) -> anyhow::Result<HouseBot> {
    house_bot(game, name).ok_or_else(|| {
        let names = names_of_house_bots(game);
        Error::input(format!("no house bot {name} for {game} (there are: {names})")).into()
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
        let bot = known_house_bot(&self.game, &self.name)?;
        check_house_arguments(&bot, &self.arguments)?;
        (bot.main)();
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
