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

    fn run(&self, words: &ArgMatches, context: &Context) -> Option<anyhow::Result<()>> {
        fn with<T: FromArgMatches>(
            words: &ArgMatches,
            run: impl FnOnce(T) -> anyhow::Result<()>,
        ) -> Option<anyhow::Result<()>> {
            Some(T::from_arg_matches(words).map_err(Into::into).and_then(run))
        }
        match words.subcommand()? {
            ("completions", words) => with(words, |completions: Completions| completions.run(context)),
            ("man", words) => with(words, |man: Man| man.run(context)),
            ("schema", words) => with(words, Schema::run),
            _ => None,
        }
    }
}
