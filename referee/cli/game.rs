//! Games on the command line: a subcommand for each game of the catalog, an option for each of its parameters.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand};
use referee_games::catalog::{self, Entry, SEATS, Seating};
use referee_rules::{Parameter, ParameterKind, Parameters};

/// A game with its parameters, and the other options of the command.
#[derive(Debug)]
pub(super) struct GameWith<T> {
    /// The game.
    pub(super) entry: &'static Entry,
    /// The parameters.
    pub(super) parameters: Parameters,
    /// The options by which a parameter was set.
    pub(super) parameter_options: Vec<String>,
    /// The other options of the command.
    pub(super) rest: T,
}

impl<T: Args> Subcommand for GameWith<T> {
    fn augment_subcommands(command: Command) -> Command {
        command
            .subcommands(catalog::all().map(|entry| T::augment_args(subcommand_of(entry)).about(entry.about)))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        catalog::find(name).is_ok()
    }
}

impl<T: Args> FromArgMatches for GameWith<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let (name, matches) = matches
            .subcommand()
            .ok_or_else(|| clap::Error::raw(ErrorKind::MissingSubcommand, "name a game\n"))?;
        let entry = catalog::find(name)
            .map_err(|error| clap::Error::raw(ErrorKind::InvalidSubcommand, format!("{error}\n")))?;
        let mut parameters = Parameters::defaults(entry.parameters);
        let mut parameter_options = Vec::new();
        for parameter in settable(entry) {
            if let Some(value) = matches.get_one::<String>(&id_of(parameter)) {
                let option = option_of(parameter);
                parameters.set_text(parameter.name, value).map_err(|error| {
                    clap::Error::raw(ErrorKind::ValueValidation, format!("{}\n", error.said_of(&option)))
                })?;
                parameter_options.push(option);
            }
        }
        for pair in matches.get_many::<String>(SET).into_iter().flatten() {
            let wrong = |what: String| {
                clap::Error::raw(ErrorKind::ValueValidation, format!("--set {pair}: {what}\n"))
            };
            let (name, value) = pair.split_once('=').ok_or_else(|| wrong("write NAME=VALUE".to_owned()))?;
            if !settable(entry).any(|parameter| parameter.name == name) {
                let names: Vec<&str> = settable(entry).map(|parameter| parameter.name).collect();
                return Err(wrong(format!(
                    "{} has no such parameter (there are: {})",
                    entry.name,
                    names.join(", ")
                )));
            }
            parameters.set_text(name, value).map_err(|error| wrong(error.to_string()))?;
            parameter_options.push(format!("--set {name}"));
        }
        Ok(GameWith { entry, parameters, parameter_options, rest: T::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The option that sets any parameter by its name, as in all commands that take parameters.
const SET: &str = "set parameter";

/// Lists the parameters that can be set. Where the whole field sits at one table, the number of seats cannot be set.
fn settable(entry: &'static Entry) -> impl Iterator<Item = &'static Parameter> {
    let seats_whole_field = matches!(entry.seating, Seating::Field { .. });
    entry.parameters.iter().filter(move |parameter| !(seats_whole_field && parameter.name == SEATS))
}

/// Returns the name of a parameter's option within the program. No field of a command has such a name.
fn id_of(parameter: &Parameter) -> String {
    format!("parameter {}", parameter.name)
}

/// Returns the option of a parameter.
fn option_of(parameter: &Parameter) -> String {
    match parameter.short {
        Some(short) => format!("-{short}"),
        None => format!("--{}", parameter.name.replace('_', "-")),
    }
}

/// Makes the subcommand of a game, with the options of its parameters.
fn subcommand_of(entry: &'static Entry) -> Command {
    let mut command = Command::new(entry.name).about(entry.about);
    // A parameter of an old judge can have the name of an option. Such a judge has `--set` alone.
    let has_own_options = !referee_judge::has_option_conflict(entry);
    for parameter in settable(entry).filter(|_| has_own_options) {
        let Parameter { help, kind, default, .. } = *parameter;
        let mut arg = Arg::new(id_of(parameter))
            .value_name(if matches!(kind, ParameterKind::Choice(_)) { "WORD" } else { "N" })
            .help(format!("{help} ({kind}) [default: {}]", kind.show(default)))
            .allow_negative_numbers(true)
            .help_heading(super::help::PARAMETERS);
        arg = match parameter.short {
            Some(short) => arg.short(short),
            None => arg.long(parameter.name.replace('_', "-")),
        };
        command = command.arg(arg);
    }
    let set = Arg::new(SET).long("set").value_name("NAME=VALUE").action(ArgAction::Append);
    command.arg(set.help("Set a parameter by its name").help_heading(super::help::PARAMETERS))
}
