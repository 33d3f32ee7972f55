//! The records of a round, for those who look at it. Of a batch, its runners alone have some, so that only theirs are
//! read: of a whole tournament there can be millions.

use crate::batch::results::{self, Batch, named};
use crate::batch::unit_of;
use crate::fixture::game_id;
use crate::plan::Plan;
use crate::plan::schedule_file::Game;
use crate::records::{self, Ended, Reader, Recordings};
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::voids::VoidRow;
use referee_store::{RealDisk, Record, State, each_record};

/// The records of one round, as far as they were read.
#[derive(Debug)]
pub(crate) struct Recorded {
    folder: Spot,
    disk: RealDisk,
    pub(crate) state: State,
    pub(crate) reader: Reader,
}

impl Recordings for Recorded {
    fn end_of(&mut self, game: &str) -> Result<Option<Ended>, Error> {
        self.reader.end_of(&self.state, game)
    }

    fn columns_of(&mut self, game: &str) -> Result<Option<String>, Error> {
        self.reader.columns_of(&self.state, game)
    }
}

impl Recorded {
    /// Begins without a record.
    pub(crate) fn of(plan: &Plan) -> Recorded {
        let folder = records::folder_of(plan);
        Recorded {
            disk: records::disk_of(&folder),
            folder,
            state: State::default(),
            reader: Reader::of_plan(plan),
        }
    }

    /// Reads all that was recorded of a round that rests: nobody goes on with it meanwhile.
    pub(crate) fn at_rest(plan: &Plan) -> Result<Recorded, Error> {
        let mut recorded = Recorded::of(plan);
        let Recorded { folder, disk, state, .. } = &mut recorded;
        let read = state.follow(disk).and_then(|()| state.close_gone(disk));
        read.map_err(records::told(&*folder))?;
        records::check_plan(plan, state)?;
        Ok(recorded)
    }

    /// Reads the records of the runners that have claimed a batch; `false` if none has.
    fn follow(&mut self, number: usize) -> Result<bool, Error> {
        let tries = self.state.follow_unit(&self.disk, &unit_of(number));
        Ok(!tries.map_err(records::told(&self.folder))?.is_empty())
    }

    /// Reads the results of a batch. If they are gone, they are made again; `None` if a game has not ended.
    pub(crate) fn batch(&mut self, plan: &Plan, number: usize) -> Result<Option<Batch>, Error> {
        if let Some(batch) = results::read(plan, number)? {
            return Ok(Some(batch));
        }
        if !self.follow(number)? {
            return Ok(None);
        }
        let batch = Batch::of_records(plan, plan.batch(number)?, self)?;
        batch.iter().try_for_each(|batch| batch.publish(plan, number))?;
        Ok(batch)
    }

    /// Lists the attempts at games of a batch that do not count, whether it is done or not.
    pub(crate) fn voids(&mut self, plan: &Plan, number: usize) -> Result<Vec<VoidRow>, Error> {
        let mut rows = Vec::new();
        if self.follow(number)? {
            for game in plan.batch(number)? {
                rows.extend(self.reader.voids_of(&self.state, &game_id(game.scheduled))?);
            }
        }
        Ok(rows.into_iter().map(|row| named(plan, row)).collect())
    }

    /// Lists the games of a batch that have ended, though others of it have not.
    pub(crate) fn ended(&mut self, plan: &Plan, number: usize) -> Result<Vec<(Game, GameResult)>, Error> {
        let mut ended = Vec::new();
        if self.follow(number)? {
            for game in plan.batch(number)? {
                if let Some(rows) = self.reader.rows_of(&self.state, &game_id(game.scheduled))? {
                    ended.push((game, GameResult::new(rows)));
                }
            }
        }
        Ok(ended)
    }

    /// Lists the runners of the round.
    pub(crate) fn runners(&self) -> Result<Vec<String>, Error> {
        referee_store::runners(&self.disk).map_err(records::told(&self.folder))
    }

    /// Goes through the records of a runner, and holds none but the one at hand. Returns whether the runner lives.
    pub(crate) fn each_record(
        &mut self,
        runner: &str,
        mut take: impl FnMut(Record, &Reader) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        let mut came = Ok(());
        let lives = each_record(&self.disk, runner, |record| {
            self.reader.learn(runner, &record);
            if came.is_ok() {
                came = take(record, &self.reader);
            }
        });
        came.and(lives.map_err(records::told(&self.folder)))
    }
}
