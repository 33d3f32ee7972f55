//! The short help (`-h`): the most needed options, on a terminal of 80 columns and 24 lines. `--help` shows everything.

use clap::{Arg, Command};

/// Options that the short help leaves out, in every command that has them.
const RARE: [&str; 20] = [
    "alpha",
    "allow_fork",
    "clock",
    "compress",
    "cpu",
    "descriptors",
    "epsilon",
    "listed",
    "max_rounds",
    "max_seconds",
    "memory",
    "min_disk",
    "min_rounds",
    "no_timeout",
    "pace",
    "quiet",
    "stderr",
    "tasks",
    "verbose",
    "wide",
];

/// The heading of a game's parameters.
pub(super) const PARAMETERS: &str = "Parameters of the game";

/// Maximum length of a text in bytes. A longer one is cut to its first clause.
const SHORT_MAX: usize = 48;

/// Gives a command, and all below it, a short help.
pub(super) fn shortened(command: Command) -> Command {
    let after = command.get_after_help().cloned();
    let command = match after {
        Some(after) if command.get_after_long_help().is_none() => {
            command.after_help(None::<&'static str>).after_long_help(after)
        }
        _ => command,
    };
    command.mut_args(short).mut_subcommands(shortened)
}

fn short(arg: Arg) -> Arg {
    let is_rare = RARE.contains(&arg.get_id().as_str()) || arg.get_help_heading() == Some(PARAMETERS);
    let arg = if is_rare { arg.hide_short_help(true) } else { arg };
    match (arg.get_help().cloned(), arg.get_long_help()) {
        (Some(full), None) => arg.help(first_clause(&full.to_string())).long_help(full),
        _ => arg,
    }
}

/// Cuts a long text to its first clause. Its default stays.
fn first_clause(text: &str) -> String {
    let (text, default) = text.split_at(text.find(" [default").unwrap_or(text.len()));
    if text.len() <= SHORT_MAX {
        return format!("{text}{default}");
    }
    let ends = ["; ", ". ", ": ", " ("].into_iter().filter_map(|end| text.find(end));
    format!("{}{default}", &text[..ends.min().unwrap_or(text.len())])
}
