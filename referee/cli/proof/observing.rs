//! Signs a contest while it is played, a hill round by round and a tournament batch by batch, and checks what was signed
//! when somebody audits or repairs it.

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
    /// `None` if nothing is signed there, or before the first game.
    signing: Option<Signing>,
    /// The last checkpoint of this run.
    last: Option<Signed>,
}

impl Observing {
    pub(crate) fn new(root: &Path) -> Observing {
        Observing { root: root.to_owned(), signing: None, last: None }
    }

    /// Signs the results of a hill as they are now. A run that was stopped has added games, too.
    fn sign(&mut self, run: &Run<'_>) -> Result<(), Error> {
        let Some(signing) = &mut self.signing else { return Ok(()) };
        let signed = run.runner().quiet(|| signing.sign())?;
        self.last = signed.or(self.last.take());
        Ok(())
    }

    /// Signs everything that was planned and listed since.
    fn sign_tournament(&mut self) -> Result<(), Error> {
        self.signing.as_mut().map_or(Ok(None), Signing::sign_alone).map(drop)
    }
}

impl Observer for Observing {
    fn happened(&mut self, event: Event<'_>) -> Result<(), Error> {
        match event {
            Event::Made => commands::of_new(&self.root),
            Event::Admitted(bot) => {
                commands::after_submission(&self.root, bot);
                Ok(())
            }
            Event::Repaired => commands::after_repair(&self.root),
            Event::Audited(words, said) => {
                let options = AuditOptions::from_arg_matches(words).expect("options of an audit");
                said.extend(audited::audited(&self.root, options)?.into_iter().flatten());
                Ok(())
            }
            Event::RunBegins(run) => {
                // Compares the results with what was signed before.
                self.signing = run.runner().quiet(|| Signing::begin(&self.root))?;
                Ok(())
            }
            Event::RoundEnded(run) => match self.sign(run) {
                Err(error) if error.kind() == ErrorKind::Stopped => Ok(()),
                signed => signed.map_err(|error| error.context("its results could not be signed")),
            },
            Event::RunEnds(run) => {
                let signed = self.sign(run);
                self.last.iter().for_each(|last| note(coverage(last)));
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
