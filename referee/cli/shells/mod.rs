//! The command line, described for other programs: completions for shells, man pages, schemas for editors.

mod completions;
mod schema;

use crate::addition::{Addition, with_hint};
use crate::context::Context;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use self::completions::{Completions, Man};
use self::schema::Schema;

/// Adds its commands to the program.
#[derive(Clone, Copy, Debug)]
pub struct Shells;

impl Addition for Shells {
    fn extend(&self, root: Command) -> Command {
        let hint = "For shells: `referee completions SHELL`, and `referee man FOLDER` writes man pages.";
        with_hint(root, hint)
            .subcommand(Completions::augment_args(Command::new("completions").hide(true)))
            .subcommand(Man::augment_args(Command::new("man").hide(true)))
            .subcommand(Schema::augment_args(Command::new("schema").hide(true)))
    }

    fn run(&self, matches: &ArgMatches, context: &Context) -> Option<anyhow::Result<()>> {
        fn parse_and_run<T: FromArgMatches>(
            matches: &ArgMatches,
            run: impl FnOnce(T) -> anyhow::Result<()>,
        ) -> Option<anyhow::Result<()>> {
            Some(T::from_arg_matches(matches).map_err(Into::into).and_then(run))
        }
        match matches.subcommand()? {
            ("completions", matches) => {
                parse_and_run(matches, |completions: Completions| completions.run(context))
            }
            ("man", matches) => parse_and_run(matches, |man: Man| man.run(context)),
            ("schema", matches) => parse_and_run(matches, Schema::run),
            _ => None,
        }
    }
}
