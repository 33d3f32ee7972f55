//! Judges on the command line: a program's path instead of a game's name, and `referee judge`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use clap::{ArgMatches, Args};
use referee_contest::settings;
use referee_files::beneath::Spot;
use referee_games::catalog::{self, Entry};
use referee_judge::{self as judge, Host};
use referee_record::error::Error;
use referee_sandbox::Interpreters;

use crate::Parts;

/// Returns a path with a slash in it, so that it is not taken for a game's name.
pub fn with_slash(path: &Path) -> PathBuf {
    if path.to_string_lossy().contains('/') { path.to_owned() } else { Path::new(".").join(path) }
}

/// The judge of `--judge`: its path, and the name of its game.
pub(super) type Named = OnceLock<(PathBuf, &'static str)>;

/// Makes the list of games find judges: those that the words of the command line name, and those in folders that the
/// words name.
pub(super) fn find_among(words: &[OsString], host: &Arc<Host>, named: &Arc<Named>) {
    let (host, named, words) = (Arc::clone(host), Arc::clone(named), words.to_vec());
    catalog::find_by(Box::new(move |name| find(name, &host, &words, named.get())));
}

/// Adds the judge of `--judge` to the list of games, so that its game is found by name. Records can have an old judge,
/// with a parameter that has the name of an option.
pub(super) fn add_named(matches: &ArgMatches, host: &Host, named: &Named) -> Result<(), Error> {
    let mut matches = matches;
    while let Some((_, inner)) = matches.subcommand() {
        matches = inner;
    }
    let Ok(Some(path)) = matches.try_get_one::<PathBuf>(JudgeOption::ID) else { return Ok(()) };
    let entry = judge::open(host, &with_slash(path)).map_err(|error| error.context("--judge"))?;
    let _ = named.set((path.clone(), entry.name));
    // The game can be in the list already.
    let _ = catalog::add(entry);
    Ok(())
}

/// Finds a game that is not in the list: a judge by the path of its program, or by the name of its game if it is kept
/// in a folder that the words name. A path means a new judge, whose parameters cannot have the name of an option.
/// `named` is the judge of `--judge`, with the name of its game.
fn find(
    name: &str,
    host: &Host,
    words: &[OsString],
    named: Option<&(PathBuf, &str)>,
) -> Option<Result<Entry, String>> {
    if is_path(name) {
        let opened = judge::open(host, Path::new(name))
            .and_then(|entry| judge::refuse_option_conflict(&entry).map(|()| entry));
        return Some(opened.map_err(|error| error.to_string()));
    }
    if !judge::is_name(name) {
        return None;
    }
    let stored = folders(words).iter().find_map(|folder| judge::open_stored(host, folder, name));
    let opened = stored.unwrap_or_else(|| {
        let why = match named {
            Some((path, other)) => {
                format!("another judge than {}, whose game is {other}", path.display())
            }
            None => format!(
                "a judge that is missing here; add --judge PROGRAM, or keep the folder {} beside its records",
                judge::FOLDER
            ),
        };
        Err(Error::input(format!("{name}: the rules of this game are {why}")))
    });
    Some(opened.map_err(|error| error.to_string()))
}

/// The commands by which a host plays. The settings that they read are the host's own.
const HOST_COMMANDS: [&str; 5] = ["check", "class", "hill", "play", "tournament"];

/// Returns the interpreters of the host by which judges are started: those that `--interpreter` names; and, if a host
/// plays, those that the settings of a hill or a tournament list whose folder or file the words name.
///
/// # Errors
///
/// If the words name one that cannot be used.
pub(super) fn interpreters(words: &[OsString]) -> Result<Interpreters, Error> {
    let words = own(words);
    let named = named_interpreters(words).into_iter();
    let named: Vec<PathBuf> = named.filter_map(|path| std::path::absolute(path).ok()).collect();
    let mut interpreters = Interpreters::listed(&named).map_err(|error| Error::input(error.to_string()))?;
    // Other commands read the records of strangers, whose lists could show folders of the reader to their judge.
    let is_hosts = words.get(1).is_some_and(|command| HOST_COMMANDS.iter().any(|known| command == *known));
    if !is_hosts {
        return Ok(interpreters);
    }
    // The interpreters of the settings come first, as for bots.
    let mut of_settings: Vec<PathBuf> = Vec::new();
    for path in words.iter().skip(1).map(Path::new) {
        // The settings of a contest count only if it has a judge.
        let files = if path.join(judge::FOLDER).is_dir() {
            vec![path.join("hill.toml"), path.join("plan.toml")]
        } else {
            vec![path.to_owned()]
        };
        for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "toml")) {
            // The command itself reports mistakes in the file or in its list.
            let mut more = of_settings.clone();
            for path in settings::interpreters_in(&Spot::from(&**file)) {
                if !more.contains(&path) {
                    more.push(path);
                }
            }
            let others = named.iter().filter(|path| !more.contains(path)).cloned();
            if let Ok(listed) = Interpreters::listed(&more.iter().cloned().chain(others).collect::<Vec<_>>())
            {
                (of_settings, interpreters) = (more, listed);
            }
        }
    }
    Ok(interpreters)
}

/// Returns the words of this program: those before `--`. A command of another program can follow.
fn own(words: &[OsString]) -> &[OsString] {
    words.split(|word| word == "--").next().unwrap_or_default()
}

/// Lists the values of `--interpreter`, which takes effect before the command line is read.
fn named_interpreters(words: &[OsString]) -> Vec<PathBuf> {
    let value = |(number, word): (usize, &OsString)| {
        let (name, value) = word.to_str().map(|word| word.split_once('=').unwrap_or((word, "")))?;
        match value {
            _ if name != "--interpreter" => None,
            "" => words.get(number + 1).map(PathBuf::from),
            value => Some(value.into()),
        }
    };
    words.iter().enumerate().filter_map(value).collect()
}

/// Lists the options of the commands that take the parameters of a game as options, too, with `_` for `-`, in a program
/// with these parts. These commands refuse a judge whose parameter has such a name.
pub fn options(parts: Parts) -> Vec<String> {
    let mut root = crate::definition(parts);
    root.build();
    let new = |of: &str| root.find_subcommand(of).and_then(|of| of.find_subcommand("new"));
    let commands = [root.find_subcommand("play"), new("hill"), new("class")].into_iter().flatten();
    // Any game will do, since its parameters are listed under a heading of their own.
    let any_game =
        |command: &clap::Command| command.get_subcommands().find(|game| game.get_name() != "help").cloned();
    let is_option = |arg: &&clap::Arg| {
        arg.get_help_heading() != Some(crate::help::PARAMETERS) || arg.get_long() == Some("set")
    };
    let longs = |game: clap::Command| -> Vec<String> {
        game.get_arguments()
            .filter(is_option)
            .filter_map(|arg| Some(arg.get_long()?.replace('-', "_")))
            .collect()
    };
    commands.filter_map(any_game).chain([root.clone()]).flat_map(longs).collect()
}

/// Tells whether a word that names no game is the path of a program.
fn is_path(word: &str) -> bool {
    word.contains('/') || Path::new(word).is_file()
}

/// Lists the folders that the words name, and all folders above a path that they name.
fn folders(words: &[OsString]) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for word in words.iter().skip(1).map(|word| word.to_string_lossy()) {
        let path = match word.split_once('=') {
            Some((_, value)) if word.starts_with("--") => value,
            _ => &*word,
        };
        if let Ok(path) = std::path::absolute(path)
            && path.exists()
        {
            folders.extend(path.ancestors().map(Path::to_owned));
        }
    }
    folders
}

/// The options of commands that read the log of a game. They take effect before the command is run.
#[derive(Clone, Debug, Args)]
pub(super) struct JudgeOption {
    /// The judge (the program with the rules) of a game, if it is not kept beside the records
    #[arg(long = "judge", id = JudgeOption::ID, value_name = "PROGRAM")]
    _judge: Option<PathBuf>,
    #[command(flatten)]
    _interpreters: JudgeInterpreters,
}

impl JudgeOption {
    /// The option in the words of a command.
    const ID: &str = "judge of the log";
}

/// The option of commands that start judges and no bots. It takes effect before the command line is read.
#[derive(Clone, Debug, Args)]
pub struct JudgeInterpreters {
    /// An interpreter for a judge, besides those that PATH finds, or the folder of a runtime (a virtual environment);
    /// can be given several times
    #[arg(long = "interpreter", id = "listed", value_name = "PATH", hide_short_help = true)]
    _listed: Vec<PathBuf>,
}

/// Returns the place of the word that names a game: in `play GAME`, `hill new DIR GAME` and `class new DIR GAME`.
/// `None` for other commands.
pub(super) fn place_of_game(words: &[OsString]) -> Option<usize> {
    let word = |number: usize| words.get(number).and_then(|word| word.to_str());
    match (word(1), word(2)) {
        (Some("play"), _) => Some(2),
        (Some("hill" | "class"), Some("new")) => Some(4),
        _ => None,
    }
}

/// Replaces the path of a judge by the name of its game, where a command takes the name of a game as a word.
pub(super) fn named(mut words: Vec<OsString>) -> Result<Vec<OsString>, Error> {
    let Some(place) = place_of_game(&words) else { return Ok(words) };
    let word = |number: usize| words.get(number).and_then(|word| word.to_str());
    let is_game = |word: &str| catalog::all().any(|entry| entry.name == word);
    let is_judge = |word: &&str| !word.starts_with('-') && !is_game(word) && is_path(word);
    if let Some(path) = word(place).filter(is_judge) {
        let entry = catalog::find(path).map_err(|error| Error::input(error.to_string()))?;
        words[place] = entry.name.into();
    }
    Ok(words)
}
