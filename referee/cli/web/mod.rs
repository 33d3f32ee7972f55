//! Hills on the web, from the command line: `referee serve` starts the server, `referee hill invite` gives
//! tokens to authors, and `referee hill submit` accepts an address. [`fetch`] gets a file of a hill that is
//! served.

mod client;
mod hill;
mod serve;

use std::path::PathBuf;

use crate::addition::{Addition, with_options};
use crate::context::Context;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use referee_record::error::Error;

pub use client::{checked, fetch};

/// Adds its commands to the program.
#[derive(Clone, Copy, Debug)]
pub struct Web;

impl Addition for Web {
    fn extend(&self, root: Command) -> Command {
        let invite = hill::Invite::augment_args(Command::new("invite").display_order(3));
        root.subcommand(serve::Serve::augment_args(Command::new("serve").display_order(112)))
            .mut_subcommand("hill", |hill| {
                hill.subcommand(invite).mut_subcommand("submit", with_options::<hill::Secrecy>)
            })
    }

    fn run(&self, matches: &ArgMatches, context: &Context) -> Option<anyhow::Result<()>> {
        match matches.subcommand()? {
            ("serve", serve) => {
                let serve = serve::Serve::from_arg_matches(serve).map_err(Into::into);
                Some(serve.and_then(|serve| serve.run(context)))
            }
            ("hill", hill) => match hill.subcommand()? {
                ("invite", invite) => {
                    let invite = hill::Invite::from_arg_matches(invite).map_err(Into::into);
                    Some(invite.and_then(hill::Invite::run))
                }
                ("submit", submit) => run_submit(submit),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Submits a bot to a hill at an address; `None` if the hill is a folder, unless an option is for an address.
fn run_submit(submit: &ArgMatches) -> Option<anyhow::Result<()>> {
    let address = submit.get_one::<PathBuf>("dir")?.to_str()?;
    let name = submit.get_one::<String>("name").map(String::as_str);
    let bot = submit.get_one::<String>("bot")?;
    let is_given = |option: &&str| submit.value_source(option) == Some(ValueSource::CommandLine);
    if !address.contains("://") {
        let option = hill::Secrecy::NAMES.into_iter().find(is_given)?;
        let what = format!("--{option} is for a hill at an address, and {address} is a folder: leave it out");
        return Some(Err(Error::input(what).into()));
    }
    let host_option = ["author", "replace", "allow_fork", "contact"].into_iter().find(is_given);
    let secrecy = hill::Secrecy::from_arg_matches(submit).map_err(Into::into);
    Some(secrecy.and_then(|secrecy| hill::submit(address, bot, name, host_option, &secrecy)))
}
