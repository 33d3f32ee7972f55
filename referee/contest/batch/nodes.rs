//! Nodes: the machines on which a plan was played, and events on them.

use std::collections::BTreeMap;

use crate::batch::journal::attempts;
use crate::node::Machine;
use crate::plan::Plan;
use referee_record::error::Error;

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
    /// Adds the machines in the journals of a plan.
    ///
    /// # Errors
    ///
    /// If one of them is damaged or another plan's.
    pub fn add(&mut self, plan: &Plan) -> Result<(), Error> {
        for batch in 0..plan.index.batches.len() {
            for attempt in attempts(&plan.folder, &plan.id, batch)? {
                let node = self.0.entry(attempt.node).or_default();
                node.attempts += 1;
                node.games += attempt.ended.len() as u64;
                if let Some(machine) = attempt.machine {
                    node.load_max = node.load_max.max(machine.load);
                    node.machine = machine;
                }
                if let Some(wear) = attempt.wear {
                    node.load_max = node.load_max.max(wear.load);
                    node.thermal += wear.thermal;
                    node.throttled += wear.throttled;
                    node.throttled_ms += wear.throttled_ms;
                }
            }
        }
        Ok(())
    }
}
