//! Signs a hill round by round, and a tournament batch by batch, while they are played.

use std::path::Path;
use std::sync::atomic::Ordering;

use referee_cli::addition::{FollowsRun, FollowsTournament};
use referee_cli::out::note;
use referee_contest::batch;
use referee_contest::hill::Run;
use referee_contest::plan::Plan;
use referee_notary::{Signed, Signing};
use referee_record::error::{Error, ErrorKind};
use referee_table::process::Setup;

use crate::commands::told;

/// Signs the rounds of a run as they end, if the hill has a notary.
pub(crate) struct OfRun<'a> {
    run: &'a Run<'a>,
    signing: Option<Signing>,
    last: Option<Signed>,
    trouble: Option<Error>,
}

impl<'a> OfRun<'a> {
    /// Compares the results with what was signed before.
    pub(crate) fn begin(run: &'a Run<'a>) -> Result<OfRun<'a>, Error> {
        let signing = run.runner().quiet(|| Signing::begin(run.root()))?;
        Ok(OfRun { run, signing, last: None, trouble: None })
    }

    fn sign(&mut self) -> Result<(), Error> {
        let Some(signing) = self.signing.as_mut().filter(|_| self.trouble.is_none()) else { return Ok(()) };
        let signed = self.run.runner().quiet(|| signing.sign())?;
        self.last = signed.or(self.last.take());
        Ok(())
    }
}

impl FollowsRun for OfRun<'_> {
    /// Signs the results as they are now. An error stops the run.
    fn round_ended(&mut self, setup: &Setup) {
        if let Err(error) = self.sign()
            && error.kind() != ErrorKind::Stopped
        {
            self.trouble = Some(error);
            setup.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Signs the rest, and reports the last checkpoint. `played` is the result of the run: a run that was
    /// stopped has added games, too.
    fn end(mut self: Box<Self>, played: anyhow::Result<()>) -> anyhow::Result<()> {
        let signed = self.sign();
        self.last.iter().for_each(|last| note(told(last)));
        match self.trouble {
            Some(trouble) => {
                Err(trouble.context("the run was stopped because its results could not be signed").into())
            }
            None => played.and_then(|()| Ok(signed?)),
        }
    }
}

/// Signs a tournament while it is played, if it has a notary.
pub(crate) struct OfTournament {
    signing: Option<Signing>,
    trouble: Option<Error>,
}

impl OfTournament {
    /// Compares everything that is there with the earlier signatures, and signs what is new.
    pub(crate) fn begin(root: &Path) -> Result<OfTournament, Error> {
        let mut of = OfTournament { signing: Signing::begin(root)?, trouble: None };
        of.catch_up()?;
        Ok(of)
    }
}

impl FollowsTournament for OfTournament {
    /// Signs everything that was planned, committed and merged since.
    fn catch_up(&mut self) -> Result<(), Error> {
        let signing = self.signing.as_mut();
        let signed = signing.map_or(Ok(None), |signing| signing.sign_tournament(None));
        self.trouble.take().map_or(signed.map(drop), Err)
    }

    /// Signs a batch, if it is done. [`catch_up`](OfTournament::catch_up) reports trouble.
    fn game_ended(&mut self, plan: &Plan, game: u32) {
        let Some(signing) = self.signing.as_mut().filter(|_| self.trouble.is_none()) else { return };
        let batches = &plan.index.batches;
        let Some(number) = batches.iter().rposition(|batch| batch.first <= game) else { return };
        if batch::is_done(plan, number) {
            self.trouble = signing.sign_tournament(Some((plan, number))).err();
        }
    }
}
