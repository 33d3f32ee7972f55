//! The observer that signs a contest while it is played, a hill round by round and a tournament batch by batch, and
//! that checks the signatures when somebody audits or repairs the contest.

use std::path::{Path, PathBuf};

use crate::addition::{Event, Observer};
use crate::out::note;
use clap::FromArgMatches as _;
use referee_contest::hill::Run;
use referee_notary::{Signed, Signing};
use referee_record::error::{Error, ErrorKind};

use crate::proof::audited::{self, AuditOptions};
use crate::proof::commands::{self, coverage};

/// The signer of a hill or a tournament.
pub(crate) struct Observing {
    root: PathBuf,
    /// `None` before the first game, and if the contest is not signed.
    signing: Option<Signing>,
    /// The last checkpoint of this run.
    last_checkpoint: Option<Signed>,
}

impl Observing {
    pub(crate) fn new(root: &Path) -> Observing {
        Observing { root: root.to_owned(), signing: None, last_checkpoint: None }
    }

    /// Signs the results of a hill as they are now. A run that was stopped has added games, too.
    fn sign(&mut self, run: &Run<'_>) -> Result<(), Error> {
        let Some(signing) = &mut self.signing else { return Ok(()) };
        if let Some(checkpoint) = run.runner().quiet(|| signing.sign())? {
            self.last_checkpoint = Some(checkpoint);
        }
        Ok(())
    }

    /// Signs everything that was planned and listed since the last checkpoint.
    fn sign_tournament(&mut self) -> Result<(), Error> {
        if let Some(signing) = &mut self.signing {
            signing.sign_alone()?;
        }
        Ok(())
    }
}

impl Observer for Observing {
    fn happened(&mut self, event: Event<'_>) -> Result<(), Error> {
        match event {
            Event::Made => commands::begin_for_new(&self.root),
            Event::Admitted(bot) => {
                commands::after_submission(&self.root, bot);
                Ok(())
            }
            Event::Repaired => commands::after_repair(&self.root),
            Event::Audited(matches, lines) => {
                let options = AuditOptions::from_arg_matches(matches).expect("options of an audit");
                lines.extend(audited::audited(&self.root, options)?.into_iter().flatten());
                Ok(())
            }
            Event::RunBegins(run) => {
                // This compares the results with the last checkpoint.
                self.signing = run.runner().quiet(|| Signing::begin(&self.root))?;
                Ok(())
            }
            Event::RoundEnded(run) => match self.sign(run) {
                Err(error) if error.kind() == ErrorKind::Stopped => Ok(()),
                signed => signed.map_err(|error| error.context("its results could not be signed")),
            },
            Event::RunEnds(run) => {
                let signed = self.sign(run);
                if let Some(checkpoint) = &self.last_checkpoint {
                    note(coverage(checkpoint));
                }
                signed
            }
            Event::RunnerBegins => {
                self.signing = Signing::begin(&self.root)?;
                self.sign_tournament()
            }
            Event::BatchEnded | Event::Paused => self.sign_tournament(),
        }
    }
}
