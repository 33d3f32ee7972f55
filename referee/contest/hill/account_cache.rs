//! The cache of a hill: what was computed of its results, so that the next start reads only the games since. Without
//! the cache, all results are read, and the outcome is the same.

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

/// The size of the results, in bytes, from which on a cache is written, unless another is set: smaller results are read
/// in no time.
pub(super) const RESULTS_MIN: u64 = 4 << 20;

/// Maximum number of settled runners that the cache does not have. If there are more, it is written anew.
const SETTLED_NEW_MAX: usize = 8;

/// The content of a cache: what was read of a hill, up to a game. `G` are the listed games, borrowed to be written.
#[derive(Debug, Serialize, Deserialize)]
struct CachedHill<G> {
    listed: Listed<G>,
    counted: Counted,
    /// The runners all of whose games are listed.
    settled: Vec<String>,
}

/// An account that goes on from a cache.
pub(super) struct Resumed<'a> {
    pub(super) account: HillAccount<'a>,
    pub(super) listed: Listed,
    /// The results that are not in the cache, to be read next.
    pub(super) games: Games,
    /// The runners whose records need not be read: all their games are listed.
    pub(super) settled: Vec<String>,
}

impl Resumed<'_> {
    /// Returns how much the cache has.
    pub(super) fn cache_size(&self) -> CacheSize {
        CacheSize { result_bytes: self.listed.bytes(), settled_runners: self.settled.len() }
    }
}

/// How much a cache has.
#[derive(Clone, Copy, Debug)]
pub(super) struct CacheSize {
    /// Number of bytes of the results.
    result_bytes: u64,
    /// Number of runners all of whose games are listed.
    settled_runners: usize,
}

impl Hill {
    /// Sets the size of the results, in bytes, from which on a cache is written. The cache is written anew when the
    /// results have grown by a quarter of this. [default: 4 MiB]
    pub fn set_cache_min(&mut self, bytes: u64) {
        self.cache_min = bytes;
    }

    /// Goes on from the cache for a goal; `None` if there is none, or any of it is in doubt.
    pub(super) fn resume(&self, goal: Goal) -> Result<Option<Resumed<'_>>, Error> {
        if !self.is_large()? {
            return Ok(None);
        }
        let Some(CachedHill { listed, counted, settled }) = self.cache(goal)?.read::<CachedHill<Vec<_>>>()
        else {
            return Ok(None);
        };
        let Some(games) = listed.open_rest(&self.root)? else { return Ok(None) };
        // These are right even if `go_on` refuses the rest of the cache: the list is the one that was read.
        let (end_of_voids_read, given_up) = listed.given_up();
        self.take_given_up(end_of_voids_read, given_up);
        let account = HillAccount::go_on(self, goal, counted)?;
        Ok(account.map(|account| Resumed { account, listed, games, settled }))
    }

    /// Writes what a run has read at its beginning to the cache, unless hardly anything is new since the cache was
    /// written. `cached` is how much it has now, if there is one.
    pub(super) fn cache_start_of_run(
        &self,
        goal: Goal,
        account: &HillAccount<'_>,
        found: &Found,
        cached: Option<CacheSize>,
    ) -> Result<(), Error> {
        if !self.is_large()? {
            return Ok(());
        }
        // `None` if the next start could not tell that the results are the same.
        let Some(listed) = found.listing().read_so_far()? else { return Ok(()) };
        let settled = found.settled()?;
        let runners_cached = cached.map_or(0, |cached| cached.settled_runners);
        let has_more_runners = settled.len() > runners_cached + SETTLED_NEW_MAX;
        if has_more_runners || self.has_grown(&listed, cached) {
            self.write_cache(goal, account, listed, settled)?;
        }
        Ok(())
    }

    /// Brings the cache up to date, if there is one and the results of the run [are many](Hill::set_cache_min). To be
    /// called when a run has ended.
    pub fn refresh_cache(&self, goal: Goal) -> Result<(), Error> {
        match self.resume(goal)? {
            Some(resumed) => self.read_large(goal, Some(resumed)).map(drop),
            None => Ok(()),
        }
    }

    /// Reads the results of a large hill that are not in the cache, and writes the cache anew if these are many.
    pub(super) fn read_large<'a>(
        &'a self,
        goal: Goal,
        resumed: Option<Resumed<'a>>,
    ) -> Result<HillAccount<'a>, Error> {
        let cached = resumed.as_ref().map(Resumed::cache_size);
        let (mut account, before, settled) = match resumed {
            Some(Resumed { account, listed, games, settled }) => (account, Some((listed, games)), settled),
            None => {
                let last_season = None;
                (self.begin_account(last_season, goal)?, None, Vec::new())
            }
        };
        // `None` if the next start could not tell that the results are the same.
        let listed = Listed::read(&self.root, before, |game| account.add(game))?;
        if let Some(listed) = listed
            && self.has_grown(&listed, cached)
        {
            // `settled` stays as it was: only a run reads the records of runners, and so finds out which more are
            // settled.
            self.write_cache(goal, &account, listed, settled)?;
        }
        Ok(account)
    }

    fn write_cache(
        &self,
        goal: Goal,
        account: &HillAccount<'_>,
        listed: Listed<impl Serialize>,
        settled: Vec<String>,
    ) -> Result<(), Error> {
        let cached = CachedHill { listed, counted: account.counted()?, settled };
        // A user who only looks at a hill is perhaps not allowed to write there, and nothing depends on the cache.
        let _ = self.cache(goal)?.write(&cached);
        Ok(())
    }

    /// Returns the cache for a goal. What it has is void once the goal or one of the files changes.
    fn cache(&self, goal: Goal) -> Result<Cache, Error> {
        let name = match goal {
            Goal::Rounds(_) => "rounds",
            Goal::Clear(_) => "clear",
        };
        let files = [Spot::below(&self.root, "hill.toml"), seasons::file_of(&self.root)];
        Cache::new(&self.root, name, &[&format!("{goal:?}")], &files)
    }

    /// Tells whether the results are large enough for a cache.
    pub(super) fn is_large(&self) -> Result<bool, Error> {
        let results = folder::results_of(&self.root);
        let found = results.look().map_err(Error::system(results.path(), "look at the results"))?;
        Ok(found.is_some_and(|found| found.length() >= self.cache_min))
    }

    /// Tells whether the results have grown enough since the last cache for another one.
    fn has_grown<G>(&self, listed: &Listed<G>, cached: Option<CacheSize>) -> bool {
        cached.is_none_or(|cached| listed.bytes() >= cached.result_bytes + self.cache_min / 4)
    }
}
