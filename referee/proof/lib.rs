//! Signed records on the command line: `referee proof` and `referee witness`, what `referee audit` checks of
//! them, and signatures while a hill or a tournament is played.

#![forbid(unsafe_code)]

mod audited;
mod commands;
mod follow;

use std::path::Path;
use std::sync::Arc;

use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use referee_cli::addition::{Addition, AuthorSigns, FollowsRun, FollowsTournament, Served, with_options};
use referee_contest::admission::signed::AuthorSignature;
use referee_contest::admission::submission::SignsSubmission;
use referee_contest::hill::{Hill, Run};
use referee_notary::{OwnKey, SignedElsewhere};
use referee_record::error::Error;

use self::audited::AuditOptions;
use self::commands::{ProofCommand, Witness};
use self::follow::{OfRun, OfTournament};

/// Adds its commands to the program.
#[derive(Clone, Copy, Debug)]
pub struct Proof;

impl Addition for Proof {
    fn extend(&self, root: Command) -> Command {
        let proof = || ProofCommand::augment_subcommands(Command::new("proof").display_order(101));
        let of_hill = proof().about("As `referee proof`").hide(true);
        let about = "Sign records, so that any later change is detected";
        root.subcommand(proof().about(about).subcommand_required(true).arg_required_else_help(true))
            .subcommand(Witness::augment_args(Command::new("witness").hide(true)))
            .mut_subcommand("hill", |hill| hill.subcommand(of_hill.subcommand_required(true)))
            .mut_subcommand("audit", with_options::<AuditOptions>)
    }

    fn run(&self, words: &ArgMatches) -> Option<anyhow::Result<()>> {
        match words.subcommand()? {
            ("proof", proof) => Some(self.proof(proof)),
            ("hill", hill) => hill.subcommand_matches("proof").map(|proof| self.proof(proof)),
            ("witness", witness) => {
                Some(Witness::from_arg_matches(witness).map_err(Into::into).and_then(Witness::run))
            }
            _ => None,
        }
    }

    fn signs(&self) -> bool {
        true
    }

    fn plan_made(&self, root: &Path) -> Result<(), Error> {
        commands::of_new(root)
    }

    fn audited(&self, path: &Path, words: &ArgMatches) -> Result<Option<Vec<String>>, Error> {
        audited::audited(path, AuditOptions::from_arg_matches(words).expect("options of an audit"))
    }

    fn hill_made(&self, hill: &Hill) -> Result<(), Error> {
        commands::of_new(hill.root())
    }

    fn repaired(&self, hill: &Hill) -> Result<Option<String>, Error> {
        commands::after_repair(hill)
    }

    fn submitted(&self, hill: &Hill, bot: &str) {
        commands::after_submission(hill, bot);
    }

    fn signs_submission(&self, how: &AuthorSigns) -> Result<Option<Arc<dyn SignsSubmission>>, Error> {
        Ok(Some(match how {
            AuthorSigns::Now(file) => Arc::new(OwnKey::read(file)?),
            AuthorSigns::Elsewhere(signed) => Arc::new(SignedElsewhere(signed.clone())),
        }))
    }

    fn signs_served(
        &self,
        key: &Path,
        hill: &Served<'_>,
    ) -> Result<Option<(String, u32, AuthorSignature)>, Error> {
        OwnKey::read(key)?.sign_served(hill.fetch, hill.name, hill.program).map(Some)
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
