//! The records of a round, as a reader sees them.

use crate::batch::unit_of;
use crate::plan::Plan;
use crate::records::{self, Ended, Reader};
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_record::results::Header;
use referee_store::{ContestState, Disk as _, RealDisk, Record, each_record};

/// The records of one round, as far as they were read.
#[derive(Debug)]
pub(crate) struct Recorded {
    folder: Spot,
    disk: RealDisk,
    pub(crate) state: ContestState,
    pub(crate) reader: Reader,
}

impl Recorded {
    /// Begins without a record.
    pub(crate) fn new(plan: &Plan) -> Recorded {
        let folder = records::folder_of(plan);
        Recorded {
            disk: records::disk_of(&folder),
            folder,
            state: ContestState::default(),
            reader: Reader::of_plan(plan),
        }
    }

    /// Reads all records that count now.
    pub(crate) fn now(plan: &Plan) -> Result<Recorded, Error> {
        let mut recorded = Recorded::new(plan);
        let Recorded { folder, disk, state, .. } = &mut recorded;
        state.follow(disk).map_err(records::trouble_at(&*folder))?;
        records::check_plan(plan, state)?;
        Ok(recorded)
    }

    /// As [`now`](Recorded::now); the last record of a runner that is gone counts, too.
    pub(crate) fn with_gone(plan: &Plan) -> Result<Recorded, Error> {
        let mut recorded = Recorded::now(plan)?;
        let Recorded { folder, disk, state, .. } = &mut recorded;
        state.close_gone(disk).map_err(records::trouble_at(&*folder))?;
        Ok(recorded)
    }

    /// Reads what is new of the runners that have claimed these batches.
    pub(crate) fn follow(&mut self, batches: impl Iterator<Item = usize>) -> Result<(), Error> {
        let mut runners = Vec::new();
        for number in batches {
            let tries = ContestState::tries_at(&self.disk, &unit_of(number));
            runners.extend(tries.map_err(records::trouble_at(&self.folder))?);
        }
        runners.sort();
        runners.dedup();
        self.state.follow_some(&self.disk, &runners).map_err(records::trouble_at(&self.folder))
    }

    /// Returns the end of a game, with its attempts that do not count; `None` if it has not ended.
    pub(crate) fn end_of(&mut self, game: &str) -> Result<Option<Ended>, Error> {
        self.reader.end_of(&self.state, game)
    }

    /// Returns the columns in which the result of a game was recorded.
    pub(crate) fn header_of(&mut self, game: &str) -> Result<Header, Error> {
        let runner = self.state.runner_of(game).unwrap_or_default();
        let names = self.reader.header_of(&self.state, runner)?.names();
        Ok(Header::of_records(Some(&names)).unwrap_or_else(|_| Header::current()))
    }

    /// Tells whether a runner of this machine plays here now.
    pub(crate) fn has_live_runners(&self) -> Result<bool, Error> {
        Ok(!ContestState::running(&self.disk).map_err(records::trouble_at(&self.folder))?.is_empty())
    }

    /// Tells whether a runner of a game lives. Then its last record, which does not count yet, may be the end of the
    /// game.
    pub(crate) fn is_being_recorded(&self, game: &str) -> Result<bool, Error> {
        for runner in self.state.runners_of(game) {
            let is_alive = self.disk.is_locked(&format!("runs/{runner}"));
            let path = records::path_of(&self.folder, runner);
            if is_alive.map_err(Error::system(&path, "look at the lock"))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Lists the runners of the round.
    pub(crate) fn runners(&self) -> Result<Vec<String>, Error> {
        referee_store::runners(&self.disk).map_err(records::trouble_at(&self.folder))
    }

    /// Calls `take` with the records of a runner, one after another. Returns whether the runner lives.
    pub(crate) fn each_record(
        &mut self,
        runner: &str,
        mut take: impl FnMut(Record, &Reader) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        let mut outcome = Ok(());
        let is_alive = each_record(&self.disk, runner, |record| {
            self.reader.learn(runner, &record);
            if outcome.is_ok() {
                outcome = take(record, &self.reader);
            }
        });
        outcome.and(is_alive.map_err(records::trouble_at(&self.folder)))
    }
}
