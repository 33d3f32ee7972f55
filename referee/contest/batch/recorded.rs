//! The records of a round, read when the first question about them is asked.

use std::collections::BTreeMap;

use crate::batch::results::{self, Batch, named};
use crate::fixture::game_id;
use crate::plan::Plan;
use crate::records::{self, PLAN, Reader};
use referee_record::error::Error;
use referee_record::voids::VoidRow;
use referee_store::{Disk, State, Trouble};

/// The cells of each note of a runner.
type Notes = Vec<Vec<String>>;

/// The records of one round.
#[derive(Debug, Default)]
pub(crate) struct Recorded(Option<(State, Reader)>);

impl Recorded {
    /// Returns what was recorded, and what reads it.
    pub(crate) fn of(&mut self, plan: &Plan) -> Result<(&State, &mut Reader), Error> {
        let (state, reader) = match &mut self.0 {
            Some(read) => read,
            none => {
                let state = records::read(records::folder_of(plan))?;
                records::check_plan(plan, &state)?;
                none.insert((state, Reader::of_plan(plan)))
            }
        };
        Ok((state, reader))
    }

    /// Reads what was recorded of a round that rests: nobody goes on with it meanwhile.
    pub(crate) fn at_rest(plan: &Plan) -> Result<Recorded, Error> {
        let mut recorded = Recorded::default();
        let folder = records::folder_of(plan);
        recorded.of(plan)?;
        let (state, _) = recorded.0.as_mut().expect("it was read");
        state.close_gone(&records::disk_of(&folder)).map_err(records::told(&folder))?;
        Ok(recorded)
    }

    /// Returns the name of the machine of each runner.
    pub(crate) fn nodes(&mut self, plan: &Plan) -> Result<BTreeMap<String, String>, Error> {
        let mut nodes = BTreeMap::new();
        for (runner, notes) in self.notes(plan)? {
            let of_plan = notes.into_iter().find(|cells| records::is_about(cells, PLAN));
            nodes.extend(of_plan.and_then(|cells| Some((runner, cells.get(2)?.clone()))));
        }
        Ok(nodes)
    }

    /// Returns what each runner has recorded about itself.
    pub(crate) fn notes(&mut self, plan: &Plan) -> Result<Vec<(String, Notes)>, Error> {
        let folder = records::folder_of(plan);
        let disk = records::disk_of(&folder);
        let (state, _) = self.of(plan)?;
        let runners = state.runners().map(|runner| Ok((runner.to_owned(), state.notes(&disk, runner)?)));
        runners.collect::<Result<_, _>>().map_err(records::told(&folder))
    }

    /// Returns the attempts that were lost with their runners, by game: the runner of each, and its number.
    pub(crate) fn lost(&mut self, plan: &Plan) -> Result<BTreeMap<String, Vec<(String, u32)>>, Error> {
        let folder = records::folder_of(plan);
        let disk = records::disk_of(&folder);
        let (state, _) = self.of(plan)?;
        let mut lost: BTreeMap<String, Vec<(String, u32)>> = BTreeMap::new();
        let mut find = || -> Result<(), Trouble> {
            for runner in state.runners() {
                for (game, cells) in state.open_of(&disk, runner)? {
                    let attempt = cells.first().and_then(|attempt| attempt.parse().ok()).unwrap_or_default();
                    lost.entry(game).or_default().push((runner.to_owned(), attempt));
                }
            }
            for runner in state.unsealed() {
                // What is being played is not lost.
                let name = format!("runs/{runner}");
                if disk.is_locked(&name).map_err(|error| Trouble::System { what: "look at", name, error })? {
                    lost.values_mut().for_each(|of_game| of_game.retain(|(of, _)| of != runner));
                }
            }
            Ok(())
        };
        find().map_err(records::told(&folder))?;
        Ok(lost)
    }

    /// Reads the results of a batch. If they are gone, they are made again; `None` if a game has not ended.
    pub(crate) fn batch(&mut self, plan: &Plan, number: usize) -> Result<Option<Batch>, Error> {
        if let Some(batch) = results::read(plan, number)? {
            return Ok(Some(batch));
        }
        let (state, reader) = self.of(plan)?;
        if state.ended().next().is_none() {
            return Ok(None);
        }
        let batch = Batch::of_records(plan, plan.batch(number)?, state, reader)?;
        batch.iter().try_for_each(|batch| batch.publish(plan, number))?;
        Ok(batch)
    }

    /// Lists the attempts at games of a batch that do not count, whether it is done or not.
    pub(crate) fn voids(&mut self, plan: &Plan, number: usize) -> Result<Vec<VoidRow>, Error> {
        let (state, reader) = self.of(plan)?;
        let mut rows = Vec::new();
        if state.voided().next().is_some() {
            for game in plan.batch(number)? {
                rows.extend(reader.voids_of(state, &game_id(game.scheduled))?);
            }
        }
        Ok(rows.into_iter().map(|row| named(plan, row)).collect())
    }
}
