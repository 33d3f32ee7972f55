//! The command line: words become calls, results become an exit status.
//!
//! Each command is in a file with its name. [`out`] writes to standard output and error, [`sheet`] prints tables, and
//! `host` defines the options for starting bots. Start reading with [`main`].
//!
//! A part of the program is a folder behind a feature of its name, and adds its commands by the trait of [`addition`]:
//! the files of this folder name no part.

#![forbid(unsafe_code)]

pub mod addition;
mod audit;
#[cfg(feature = "book")]
pub mod book;
pub mod bot;
mod built;
pub mod call;
mod check;
mod class;
mod compare;
pub mod context;
mod demo;
mod doctor;
pub mod folder;
mod game;
mod games_of_run;
mod help;
pub mod hill;
mod hill_log;
mod hill_status;
mod hill_submit;
mod host;
pub mod judge;
mod languages;
mod losses;
pub mod new;
pub mod number;
pub mod out;
#[cfg(feature = "own-games")]
pub mod own_games;
#[cfg(feature = "pages")]
pub mod pages;
mod play;
pub mod progress;
#[cfg(feature = "proof")]
pub mod proof;
pub mod replay;
mod rerun;
mod rounds;
mod run;
#[cfg(feature = "screen")]
pub mod screen;
pub mod shard;
pub mod sheet;
#[cfg(feature = "shells")]
pub mod shells;
pub mod standings;
pub mod stop;
mod tournament;
mod verbs;
#[cfg(feature = "web")]
pub mod web;

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use clap::error::{ContextKind, ContextValue, ErrorKind as UsageKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use referee_files::lock;
use referee_games::catalog::{self, Entry};
use referee_record::error::{Error, ErrorKind};
pub use referee_record::text::shell;
use referee_sandbox::launcher;
use referee_table::guests::{CHECK, Guests};

use self::addition::Addition;
use self::call::{Called, Surroundings};
use self::context::Context;
use self::out::{Talk, complain, detail, note, say};
use self::progress::Task;

/// Help of many commands: without empty lines, so that it fits a small terminal.
const CLOSE: &str = "{before-help}{about-with-newline}{usage-heading} {usage}\n{all-args}{after-help}";

/// Help of the program itself: without any empty line.
const CLOSEST: &str = "{before-help}{about-with-newline}{usage-heading} {usage}\nCommands:\n{subcommands}\nOptions:\n\
                       {options}{after-help}";

/// Runs contests between bots.
///
/// A bot is any executable that reads a line of integers and prints one back. Every game is recorded in CSV files that
/// anybody can check with `referee audit`.
///
/// To see what it does: `referee demo`.
#[derive(Debug, Parser)]
#[command(name = "referee", version, disable_version_flag = true, max_term_width = 110)]
#[command(help_template = CLOSEST, disable_help_subcommand = true)]
#[command(after_help = "For other programs: `referee \
                  export LOG` writes the moves and positions of a game as CSV.\n\n\
                  Exit status: 0 done, 1 something outside failed or the output cannot be written, 2 wrong usage or \
                  input, 3 an audit or a check failed, 130 stopped by Ctrl-C; of `run` also 70, 75 and 78 \
                  (see its --help).")]
struct Cli {
    /// Print version
    #[arg(short = 'V', long, action = clap::ArgAction::Version, hide_short_help = true)]
    version: Option<bool>,
    /// Print less: only results and errors
    #[arg(short, long, global = true, conflicts_with = "verbose", display_order = 990)]
    quiet: bool,
    /// Print more, such as the tier of the sandbox
    #[arg(short, long, global = true, display_order = 990)]
    verbose: bool,
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    _host: host::HostOptions,
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::Demo),
    /// Write a small bot that plays, into its own folder
    New(new::New),
    /// Play one game, or several of the same bots
    Play(play::Play),
    /// King of the hill: submit bots, play rounds, show standings
    #[command(subcommand)]
    Hill(hill::HillCommand),
    #[command(subcommand)]
    Tournament(tournament::TournamentCommand),
    #[command(subcommand)]
    Class(class::ClassCommand),
    /// Test a bot: name its mistakes and their fixes
    Check(check::Check),
    Compare(compare::Compare),
    Replay(replay::Replay),
    Rerun(rerun::Rerun),
    /// Replay recorded games by the rules, compare byte for byte
    Audit(audit::Audit),
    /// Write the moves and positions of a recorded game as CSV
    #[command(hide = true)]
    Export(audit::Export),
    /// Test whether this machine can host contests: sandbox, clock
    Doctor(doctor::Doctor),
    /// Show the languages of sources, with the compilers found here
    // The list above has as many lines as a small terminal; `hill submit` names this one.
    #[command(hide = true)]
    Languages(languages::ShowLanguages),
    /// List the house bots
    Bots {
        #[command(flatten)]
        printed: sheet::Printed,
    },
    /// Run a house bot on standard input and output
    #[command(hide = true)]
    Bot(bot::HouseBotArgs),
}

/// Parts that a program adds to the commands of this crate.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts {
    /// Commands, options, and calls when something has happened.
    pub additions: &'static [&'static dyn Addition],
    /// Makes the player of bots in WebAssembly.
    pub guests: Option<MakeGuests>,
}

/// A function that makes the player of bots in WebAssembly, which the commands of this crate do not know.
pub type MakeGuests = fn() -> Arc<dyn Guests>;

/// Runs the program, with more games than those that come with it.
pub fn main(games: &[Entry], parts: Parts) -> ! {
    lock::tell_by(|what| out::note(what));
    stop::survive_limits();
    std::process::exit(status(games, parts, None, std::env::args_os().collect()))
}

/// Runs a command line within this process, and returns its output and its exit status. The first word is the name of
/// the program. The list of games is that of the process: it finds judges as the words of the first call say.
pub fn call(games: &[Entry], parts: Parts, surroundings: Surroundings, words: Vec<OsString>) -> Called {
    call::keep(|| status(games, parts, Some(surroundings), words))
}

/// Runs the command line. Returns the exit status.
fn status(games: &[Entry], parts: Parts, surroundings: Option<Surroundings>, words: Vec<OsString>) -> i32 {
    // This comes before the parser, which is slow, since every start of a bot comes through here.
    if words.get(1).is_some_and(|word| word == launcher::COMMAND) {
        return launch(&words[2..], parts);
    }
    if let Err(error) = games.iter().try_for_each(|game| catalog::add(*game).map(drop)) {
        complain(error);
        return 2;
    }
    let made = Context::new(&words, parts, surroundings).and_then(|context| {
        judge::find_among(&words, &context.judges, &context.named_judge);
        let line = command_line(words);
        Ok((context, judge::named(line.clone())?, line))
    });
    let (context, words, line) = match made {
        Ok(made) => made,
        Err(error) => {
            complain(&error);
            return error.exit_code().into();
        }
    };
    let mut root = context.definition();
    let matches = match root.try_get_matches_from_mut(&words) {
        Err(help) if is_help(help.kind()) => context.command().try_get_matches_from(words),
        matches => matches,
    };
    let status = matches.and_then(|matches| {
        check_place_of_options(&mut root, &matches)?;
        set_talk(&matches);
        if let Err(error) = judge::add_named(&matches, &context.judges, &context.named_judge) {
            complain(&error);
            return Ok(error.exit_code().into());
        }
        let _task = show_progress(&matches);
        Ok(match run_addition(&matches, &context) {
            Some(result) => status_after(result),
            None => run(Cli::from_arg_matches(&matches)?, &matches, &context),
        })
    });
    progress::end();
    let status = status.unwrap_or_else(|error| answer(&error, &line, &root));
    match out::finish() {
        Ok(()) => status,
        Err(error) => {
            complain(format!("cannot write to standard output: {error}"));
            // The status of an earlier failure says more than this one.
            if status == 0 { 1 } else { status }
        }
    }
}

/// Does the work of a process that the referee has started, in most cases a launcher. Returns the exit status.
fn launch(words: &[OsString], parts: Parts) -> i32 {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    if words == [referee_builds::WORD] {
        return referee_builds::work();
    }
    match parts.guests {
        Some(make) if words == [CHECK] => make().check_here(),
        _ => launcher::launch(&words),
    }
}

/// Returns the definition of the command line of a program with these parts. `--quiet`, `--verbose` and the options for
/// starting bots can be anywhere on the line; the help of a command lists only its own options.
fn definition(parts: Parts) -> clap::Command {
    let host = host::HostOptions::augment_args(clap::Command::new("host"));
    let host_options: Vec<clap::Id> = host.get_arguments().map(|arg| arg.get_id().clone()).collect();
    let root = Cli::command()
        .mut_args(|arg| if host_options.contains(arg.get_id()) { arg.global(true).hide(true) } else { arg });
    // Commands of additions are listed between those of this crate.
    let mut place = 0;
    let root = root.mut_subcommands(|command| {
        place += 10;
        command.display_order(place)
    });
    with_negative_numbers(parts.additions.iter().fold(root, |root, addition| addition.extend(root)))
}

/// Tells whether an error of the parser is a help that the user has asked for.
fn is_help(kind: UsageKind) -> bool {
    matches!(kind, UsageKind::DisplayHelp | UsageKind::DisplayHelpOnMissingArgumentOrSubcommand)
}

/// Lets options take negative numbers, so that the option's own reader can say what is wrong with one.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| match arg.get_action() {
        clap::ArgAction::Set if !arg.is_positional() => arg.allow_negative_numbers(true),
        _ => arg,
    });
    command.mut_subcommands(with_negative_numbers)
}

/// Refuses options for starting bots where the command starts none.
fn check_place_of_options(root: &mut clap::Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let (mut command, mut matches, mut path) = (&*root, matches, Vec::new());
    while let Some((name, inner)) = matches.subcommand() {
        command = command.find_subcommand(name).expect("a command of its own");
        matches = inner;
        path.push(name.to_owned());
    }
    if path.is_empty() {
        return Ok(());
    }
    let is_given =
        |arg: &&clap::Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    // The options for starting bots are hidden where they do not belong to the command.
    let misplaced = command.get_arguments().filter(|arg| arg.is_hide_set()).find(is_given);
    let Some(option) = misplaced.and_then(clap::Arg::get_long) else { return Ok(()) };
    let what = format!("--{option} is for commands that start bots, and `{}` starts none", path.join(" "));
    Err(root.error(UsageKind::ArgumentConflict, what))
}

/// Sets the amount of notes on standard error.
fn set_talk(matches: &ArgMatches) {
    out::talk(match (matches.get_flag("quiet"), matches.get_flag("verbose")) {
        (true, _) => Talk::Quiet,
        (_, true) => Talk::More,
        _ => Talk::Usual,
    });
}

/// Begins to show progress. Returns the task of the whole command, which has the command's name.
fn show_progress(matches: &ArgMatches) -> Task {
    let (mut matches, mut path) = (matches, Vec::new());
    while let Some((name, inner)) = matches.subcommand() {
        path.push(name);
        matches = inner;
    }
    // A house bot writes to the program that started it, and not to a user.
    let is_for_user = out::is_said(Talk::Usual) && !call::is_kept();
    if path.first().is_some_and(|name| *name != "bot") && is_for_user {
        progress::begin(!out::is_terminal());
    }
    Task::new(path.join(" "))
}

/// Runs the command of an addition; `None` if the command line names another one.
fn run_addition(matches: &ArgMatches, context: &Context) -> Option<anyhow::Result<()>> {
    context.parts.additions.iter().find_map(|addition| addition.run(matches, context))
}

/// Runs a command of this crate, and returns the exit status. `cli` was made of `matches`.
fn run(cli: Cli, matches: &ArgMatches, context: &Context) -> i32 {
    let of_command = || matches.subcommand().expect("a command").1;
    let result = match cli.command {
        None => print_help(context),
        Some(Command::Demo(demo)) => demo.run(context),
        Some(Command::New(new)) => new.run(context),
        Some(Command::Play(play)) => play.run(of_command(), context),
        Some(Command::Hill(hill)) => hill.run(context),
        Some(Command::Tournament(tournament)) => tournament.run(context),
        Some(Command::Class(class)) => class.run(context),
        Some(Command::Check(check)) => check.run(context),
        Some(Command::Compare(compare)) => compare.run(context),
        Some(Command::Replay(replay)) => replay.run(context),
        Some(Command::Rerun(rerun)) => rerun.run(context),
        Some(Command::Audit(audit)) => audit.run(of_command(), context),
        Some(Command::Export(export)) => export.run(),
        Some(Command::Doctor(doctor)) => match doctor.run(context) {
            Ok(status) => return status,
            Err(error) => Err(error),
        },
        Some(Command::Languages(languages)) => languages.run(context),
        Some(Command::Bots { printed }) => bot::list(printed),
        Some(Command::Bot(bot)) => bot.run(),
    };
    status_after(result)
}

/// Prints the short help, for a command line without a command.
fn print_help(context: &Context) -> anyhow::Result<()> {
    out::say_as_it_is(context.command().render_help());
    Ok(())
}

/// Reports an error, and returns the exit status.
fn status_after(result: anyhow::Result<()>) -> i32 {
    match result {
        Ok(()) => 0,
        Err(error) => {
            // Results come before the error.
            let _ = out::finish();
            complain(format!("{error:#}"));
            status_of(&error)
        }
    }
}

/// Prints the help, the version, or the mistake in the command line. Returns the exit status. `line` has the words as
/// they were before a judge's path was replaced.
fn answer(usage: &clap::Error, line: &[OsString], root: &clap::Command) -> i32 {
    if usage.kind() == UsageKind::InvalidUtf8 {
        complain(not_text(line));
        return 2;
    }
    if let Some(message) = unknown_game(usage, line).or_else(|| unknown_command(usage, root)) {
        complain(message);
        return 2;
    }
    match out::print(usage) {
        Err(error) if out::is_closed_pipe(&error) => usage.exit_code(),
        Err(error) if !usage.use_stderr() => {
            complain(format!("cannot write to standard output: {error}"));
            1
        }
        _ => usage.exit_code(),
    }
}

/// Returns a message that lists the games, if the unknown word is where the name of a game is expected.
fn unknown_game(usage: &clap::Error, line: &[OsString]) -> Option<String> {
    let word = match usage.kind() {
        UsageKind::InvalidSubcommand => usage.get(ContextKind::InvalidSubcommand)?,
        UsageKind::UnknownArgument => usage.get(ContextKind::InvalidArg)?,
        _ => return None,
    };
    let ContextValue::String(unknown) = word else { return None };
    let place = judge::place_of_game(line)?;
    if line.get(place)?.to_str() != Some(unknown) {
        return None;
    }
    Some(catalog::find(unknown).err()?.to_string())
}

/// Returns a message about an unknown word that is a command of another group, or of the part `web`, which this program
/// lacks.
fn unknown_command(usage: &clap::Error, root: &clap::Command) -> Option<String> {
    if usage.kind() != UsageKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(unknown)) = usage.get(ContextKind::InvalidSubcommand) else { return None };
    let shown =
        |group: &&clap::Command| group.find_subcommand(unknown).is_some_and(|found| !found.is_hide_set());
    let inner =
        root.get_subcommands().filter(shown).map(|group| format!("`referee {} {unknown}`", group.get_name()));
    let own = Some(root).filter(shown).map(|_| format!("`referee {unknown}`"));
    let found: Vec<String> = own.into_iter().chain(inner).collect();
    if !found.is_empty() {
        return Some(format!("{unknown} is no command here; there is {}", found.join(" and ")));
    }
    ["invite", "serve"].contains(&&**unknown).then(|| addition::without_web(unknown).to_string())
}

/// Returns a message about the arguments that are not text, each with its option.
fn not_text(words: &[OsString]) -> String {
    let is_option = |word: &&OsString| word.as_encoded_bytes().starts_with(b"-");
    let wrong = words.iter().enumerate().filter(|(_, word)| word.to_str().is_none());
    let shown = wrong.map(|(at, word)| match words[..at].last().filter(is_option) {
        Some(option) if !is_option(&word) => format!("{} {word:?}", option.display()),
        _ => format!("{word:?}"),
    });
    let list = shown.collect::<Vec<String>>().join(", ");
    format!(
        "not text in UTF-8: {list}; for a bot in such a folder, run the command there, with a relative path"
    )
}

/// Turns an error about a named file into wrong usage, unless the machine is to blame.
pub fn usage(error: Error) -> anyhow::Error {
    error.or(ErrorKind::Input).into()
}

/// Returns the exit status of a failure.
fn status_of(error: &anyhow::Error) -> i32 {
    error.chain().find_map(|cause| cause.downcast_ref::<Error>()).map_or(1, |error| error.exit_code().into())
}

/// Returns the words of the command line as they are read. In `hill new FOLDER GAME` and `class new FOLDER GAME`, a
/// folder with a game's name gets `./` in front. `help COMMAND` is `COMMAND --help`.
fn command_line(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        words.push("--help".into());
    }
    let is_new_folder = judge::place_of_game(&words) == Some(4);
    let is_game = |word: &OsString| word.to_str().is_some_and(|word| catalog::find(word).is_ok());
    if is_new_folder
        && let Some(folder) = words.get_mut(3)
        && is_game(folder)
    {
        *folder = Path::new(".").join(&*folder).into_os_string();
    }
    words
}
