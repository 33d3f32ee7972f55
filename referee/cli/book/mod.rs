//! The book of referee, as text, and the command that prints it.

mod command;
mod markdown;
mod pages;

use crate::addition::{Addition, with_hint};
use crate::context::Context;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use self::command::Docs;
pub use self::pages::page;

/// Adds its commands to the program.
#[derive(Clone, Copy, Debug)]
pub struct Book;

impl Addition for Book {
    fn extend(&self, root: Command) -> Command {
        let hint =
            "Documents: `referee docs` lists the pages of the book, `referee docs first-bot` prints one.";
        with_hint(root, hint).subcommand(Docs::augment_args(Command::new("docs").display_order(121)))
    }

    fn run(&self, matches: &ArgMatches, _context: &Context) -> Option<anyhow::Result<()>> {
        let docs = matches.subcommand_matches("docs")?;
        Some(Docs::from_arg_matches(docs).map_err(Into::into).and_then(Docs::run))
    }

    fn page(&self, name: &str) -> Option<&'static str> {
        page(name)
    }
}
