//! Nodes: the machines on which a plan was played, and events on them.

use std::collections::BTreeMap;

use crate::batch::recorded::Recorded;
use crate::batch::shard::{BEGINS, WORN};
use crate::node::{Machine, MachineLoad};
use crate::plan::Plan;
use crate::records::{PLAN, defect, folder_of, is_about};
use referee_record::error::Error;
use referee_store::{Kind, Record};
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
        let mut recorded = Recorded::of(plan);
        for runner in recorded.runners()? {
            let (mut name, mut games) = (String::new(), 0);
            recorded.each_record(&runner, |Record { kind, cells, .. }, _| {
                games += u64::from(kind == Kind::Over);
                let about = |what| kind == Kind::Note && is_about(&cells, what);
                let value = cells.get(2).map_or("", String::as_str);
                if about(PLAN) {
                    value.clone_into(&mut name);
                } else if about(BEGINS) {
                    let node = self.0.entry(name.clone()).or_default();
                    let machine: Machine = read(plan, value)?;
                    node.attempts += 1;
                    node.load_max = node.load_max.max(machine.load);
                    node.machine = machine;
                } else if about(WORN) {
                    let node = self.0.entry(name.clone()).or_default();
                    let wear: MachineLoad = read(plan, value)?;
                    node.load_max = node.load_max.max(wear.load);
                    node.thermal += wear.thermal;
                    node.throttled += wear.throttled;
                    node.throttled_ms += wear.throttled_ms;
                }
                Ok(())
            })?;
            // A runner that came too late to begin a batch says nothing about its machine.
            self.0.get_mut(&name).into_iter().for_each(|node| node.games += games);
        }
        Ok(())
    }
}

fn read<T: DeserializeOwned>(plan: &Plan, value: &str) -> Result<T, Error> {
    serde_json::from_str(value)
        .map_err(|_| defect(folder_of(plan), &format!("not the description of a machine: {value}")))
}
