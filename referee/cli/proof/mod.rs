//! Signed records on the command line: `referee proof` and `referee witness`, the check of signatures in `referee
//! audit`, and signatures while a hill or a tournament is played.

mod audited;
mod commands;
mod observing;

use std::path::Path;

use crate::addition::{Addition, Observer, with_options};
use crate::context::Context;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};

use self::audited::AuditOptions;
use self::commands::{ProofCommand, Witness};
use self::observing::Observing;

/// Adds its commands to the program.
#[derive(Clone, Copy, Debug)]
pub struct Proof;

impl Addition for Proof {
    fn extend(&self, root: Command) -> Command {
        let proof = || ProofCommand::augment_subcommands(Command::new("proof").display_order(101));
        let for_hill = proof().about("As `referee proof`").hide(true);
        let about = "Sign records, so that any later change is detected";
        root.subcommand(proof().about(about).subcommand_required(true).arg_required_else_help(true))
            .subcommand(Witness::augment_args(Command::new("witness").hide(true)))
            .mut_subcommand("hill", |hill| hill.subcommand(for_hill.subcommand_required(true)))
            .mut_subcommand("audit", with_options::<AuditOptions>)
    }

    fn run(&self, matches: &ArgMatches, _context: &Context) -> Option<anyhow::Result<()>> {
        match matches.subcommand()? {
            ("proof", proof) => Some(run_proof(proof)),
            ("hill", hill) => hill.subcommand_matches("proof").map(run_proof),
            ("witness", witness) => {
                Some(Witness::from_arg_matches(witness).map_err(Into::into).and_then(Witness::run))
            }
            _ => None,
        }
    }

    fn observer(&self, root: &Path) -> Option<Box<dyn Observer>> {
        Some(Box::new(Observing::new(root)))
    }
}

fn run_proof(matches: &ArgMatches) -> anyhow::Result<()> {
    ProofCommand::from_arg_matches(matches)?.run()
}
