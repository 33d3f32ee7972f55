//! Nodes: the machines on which a plan was played, and events on them.

use std::collections::BTreeMap;

use crate::batch::recorded::Recorded;
use crate::batch::shard::{BEGINS, WORN};
use crate::node::{Machine, MachineLoad};
use crate::plan::Plan;
use crate::records::{defect, folder_of};
use referee_record::error::Error;
use referee_store::Came;
use serde::de::DeserializeOwned;

/// A machine that has played.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Attempts at batches.
    pub attempts: u64,
    /// Games that have ended there.
    pub games: u64,
    /// Its description at the start of its last batch.
    pub machine: Machine,
    /// The greatest load at the begin or the end of a batch.
    pub load_max: f64,
    /// The number of times that a core was slowed down because of heat.
    pub thermal: u64,
    /// The number of times that it had to wait because its share of the processors was used up.
    pub throttled: u64,
    /// The time of these waits, in milliseconds.
    pub throttled_ms: u64,
}

/// The machines that have played, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nodes(pub BTreeMap<String, Node>);

impl Nodes {
    /// Adds the machines in the records of a plan.
    ///
    /// # Errors
    ///
    /// If one of them is damaged or another plan's.
    pub fn add(&mut self, plan: &Plan) -> Result<(), Error> {
        let mut recorded = Recorded::at_rest(plan)?;
        let names = recorded.nodes(plan)?;
        let mut games: BTreeMap<String, u64> = BTreeMap::new();
        let (state, _) = recorded.of(plan)?;
        for (game, _) in state.ended().filter(|(_, came)| *came == Came::Over) {
            *games.entry(state.runner_of(game).unwrap_or_default().to_owned()).or_default() += 1;
        }
        for (runner, notes) in recorded.notes(plan)? {
            let node = self.0.entry(names.get(&runner).cloned().unwrap_or_default()).or_default();
            node.games += games.get(&runner).copied().unwrap_or_default();
            for cells in notes {
                let [about, _, value] = &cells[..] else { continue };
                match about.as_str() {
                    BEGINS => {
                        let machine: Machine = read(plan, value)?;
                        node.attempts += 1;
                        node.load_max = node.load_max.max(machine.load);
                        node.machine = machine;
                    }
                    WORN => {
                        let wear: MachineLoad = read(plan, value)?;
                        node.load_max = node.load_max.max(wear.load);
                        node.thermal += wear.thermal;
                        node.throttled += wear.throttled;
                        node.throttled_ms += wear.throttled_ms;
                    }
                    _ => {}
                }
            }
        }
        // A runner that came too late to play anything says nothing about its machine.
        self.0.retain(|_, node| node.attempts > 0);
        Ok(())
    }
}

fn read<T: DeserializeOwned>(plan: &Plan, value: &str) -> Result<T, Error> {
    serde_json::from_str(value)
        .map_err(|_| defect(folder_of(plan), &format!("not the description of a machine: {value}")))
}
