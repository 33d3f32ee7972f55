//! What was computed of a hill's results, kept for the next start, which reads only the games since. A fresh reading
//! gives the same.

use serde::{Deserialize, Serialize};

use super::account::{Counted, Goal, HillAccount};
use super::runner::Found;
use super::{Hill, seasons};
use crate::cache::Cache;
use crate::folder;
use crate::listing::Listed;
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_record::results::Games;

/// The size of the smallest results for which something is kept, in bytes: less is read in no time.
pub(super) const RESULTS_MIN: u64 = 4 << 20;

/// The number of further settled runners after which it is kept anew.
const SETTLED_MIN: usize = 8;

/// What was read of a hill, up to a game.
#[derive(Debug, Serialize, Deserialize)]
struct View<G> {
    listed: Listed<G>,
    counted: Counted,
    /// The runners all of whose games are listed.
    settled: Vec<String>,
}

/// An account that goes on from what was kept.
pub(super) struct Resumed<'a> {
    pub(super) account: HillAccount<'a>,
    pub(super) listed: Listed,
    /// The results behind it.
    pub(super) games: Games,
    /// The runners whose records need not be read.
    pub(super) settled: Vec<String>,
}

impl Hill {
    /// Keeps something of results from this size on, in bytes, and anew after a quarter of it. [default: 4 MiB]
    pub fn keep_from(&mut self, bytes: u64) {
        self.keep_from = bytes;
    }

    /// Goes on from what was kept for a goal; `None` if nothing was, or any of it is in doubt.
    pub(super) fn resume(&self, goal: Goal) -> Result<Option<Resumed<'_>>, Error> {
        if !self.is_large()? {
            return Ok(None);
        }
        let Some(View { listed, counted, settled }) = self.cache(goal)?.read::<View<Vec<_>>>() else {
            return Ok(None);
        };
        let Some(games) = listed.behind(&self.root)? else { return Ok(None) };
        self.know_given_up(listed.given_up());
        let account = HillAccount::go_on(self, goal, counted)?;
        Ok(account.map(|account| Resumed { account, listed, games, settled }))
    }

    /// Keeps what a run has read at its beginning, unless hardly anything is new since what was kept before: this
    /// number of bytes of the results, and of settled runners.
    pub(super) fn keep(
        &self,
        goal: Goal,
        account: &HillAccount<'_>,
        found: &Found,
        before: Option<(u64, usize)>,
    ) -> Result<(), Error> {
        if !self.is_large()? {
            return Ok(());
        }
        let Some(listed) = found.listing().read_so_far()? else { return Ok(()) };
        let settled = found.settled()?;
        let (bytes, runners) = before.unzip();
        if self.is_worth_it(&listed, bytes) || settled.len() > runners.unwrap_or(0) + SETTLED_MIN {
            self.keep_view(goal, account, listed, settled)?;
        }
        Ok(())
    }

    /// Reads the results since and keeps what comes of them, if something was kept before: the next start need not read
    /// them. To be called when a run has ended.
    pub fn keep_on(&self, goal: Goal) -> Result<(), Error> {
        match self.resume(goal)? {
            Some(before) => self.read_large(goal, Some(before)).map(drop),
            None => Ok(()),
        }
    }

    /// Reads the results of a large hill behind what was kept, and keeps what comes of them.
    pub(super) fn read_large<'a>(
        &'a self,
        goal: Goal,
        before: Option<Resumed<'a>>,
    ) -> Result<HillAccount<'a>, Error> {
        let (mut account, before, settled) = match before {
            Some(Resumed { account, listed, games, settled }) => (account, Some((listed, games)), settled),
            None => (self.begin_account(None, goal)?, None, Vec::new()),
        };
        let bytes_cached = before.as_ref().map(|(listed, _)| listed.bytes());
        let read = Listed::read(&self.root, before, |game| account.add(game))?;
        if let Some(listed) = read.filter(|listed| self.is_worth_it(listed, bytes_cached)) {
            // `settled` stays as it was: only a run reads the records of runners, and so finds out which more are
            // settled.
            self.keep_view(goal, &account, listed, settled)?;
        }
        Ok(account)
    }

    fn keep_view(
        &self,
        goal: Goal,
        account: &HillAccount<'_>,
        listed: Listed<impl Serialize>,
        settled: Vec<String>,
    ) -> Result<(), Error> {
        let view = View { listed, counted: account.counted()?, settled };
        // Nothing depends on it: who looks at a hill may not be allowed to write there.
        let _ = self.cache(goal)?.write(&view);
        Ok(())
    }

    fn cache(&self, goal: Goal) -> Result<Cache, Error> {
        let name = match goal {
            Goal::Rounds(_) => "rounds",
            Goal::Clear(_) => "clear",
        };
        let files = [Spot::below(&self.root, "hill.toml"), seasons::file_of(&self.root)];
        Cache::new(&self.root, name, &[&format!("{goal:?}")], &files)
    }

    /// Tells whether something is kept of its results.
    pub(super) fn is_large(&self) -> Result<bool, Error> {
        let results = folder::results_of(&self.root);
        let found = results.look().map_err(Error::system(results.path(), "look at the results"))?;
        Ok(found.is_some_and(|found| found.length() >= self.keep_from))
    }

    fn is_worth_it<G>(&self, listed: &Listed<G>, before: Option<u64>) -> bool {
        before.is_none_or(|before| listed.bytes() >= before + self.keep_from / 4)
    }
}
