//! Signed records on the command line: `referee proof` and `referee witness`, receipts in `referee audit`, and signatures
//! while a hill or a tournament is played.

#![forbid(unsafe_code)]

mod commands;
mod follow;

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, Subcommand, value_parser};
use referee_cli::addition::{Addition, FollowsRun, FollowsTournament, with_options};
use referee_cli::out::say;
use referee_contest::hill::{Hill, Run};
use referee_record::error::Error;

use self::commands::{KeyOption, ProofCommand, Witness};
use self::follow::{OfRun, OfTournament};

/// Adds its commands to the program.
#[derive(Clone, Copy, Debug)]
pub struct Proof;

impl Addition for Proof {
    fn extend(&self, root: Command) -> Command {
        let proof = || ProofCommand::augment_subcommands(Command::new("proof").display_order(101));
        let of_hill = proof().about("As `referee proof`").hide(true);
        let receipt =
            Arg::new("receipt").long("receipt").value_name("FILE").value_parser(value_parser!(PathBuf));
        let receipt =
            receipt.help("Also check a receipt: its submission or its game must be there, unchanged");
        let about = "Sign records, so that any later change is detected";
        root.subcommand(proof().about(about).subcommand_required(true).arg_required_else_help(true))
            .subcommand(Witness::augment_args(Command::new("witness").hide(true)))
            .mut_subcommand("hill", |hill| hill.subcommand(of_hill.subcommand_required(true)))
            .mut_subcommand("audit", |audit| with_options::<KeyOption>(audit.arg(receipt)))
    }

    fn run(&self, words: &ArgMatches) -> Option<anyhow::Result<()>> {
        match words.subcommand()? {
            ("proof", proof) => Some(self.proof(proof)),
            ("hill", hill) => hill.subcommand_matches("proof").map(|proof| self.proof(proof)),
            ("witness", witness) => {
                Some(Witness::from_arg_matches(witness).map_err(Into::into).and_then(Witness::run))
            }
            ("audit", audit) => check_receipt(audit).err().map(Err),
            _ => None,
        }
    }

    fn hill_made(&self, hill: &Hill) -> Result<(), Error> {
        commands::of_new(hill)
    }

    fn repaired(&self, hill: &Hill) -> Result<Option<String>, Error> {
        commands::after_repair(hill)
    }

    fn submitted(&self, hill: &Hill, bot: &str) {
        commands::after_submission(hill, bot);
    }

    fn follow_run<'a>(&self, run: &'a Run<'a>) -> Result<Option<Box<dyn FollowsRun + 'a>>, Error> {
        Ok(Some(Box::new(OfRun::begin(run)?)))
    }

    fn follow_tournament(&self, root: &Path) -> Result<Option<Box<dyn FollowsTournament>>, Error> {
        Ok(Some(Box::new(OfTournament::begin(root)?)))
    }
}

impl Proof {
    fn proof(self, words: &ArgMatches) -> anyhow::Result<()> {
        ProofCommand::from_arg_matches(words)?.run()
    }
}

/// Checks the receipt that was given to an audit, before the audit.
fn check_receipt(audit: &ArgMatches) -> anyhow::Result<()> {
    let Some(receipt) = audit.get_one::<PathBuf>("receipt") else { return Ok(()) };
    let paths: Vec<&PathBuf> = audit.get_many("paths").unwrap_or_default().collect();
    let [hill] = &*paths else {
        return Err(Error::input("--receipt is for one hill or tournament: name its folder alone").into());
    };
    let agreed = commands::check_receipt(hill, receipt, KeyOption::from_arg_matches(audit)?)?;
    say(format!("{}: {agreed}", receipt.display()));
    Ok(())
}
