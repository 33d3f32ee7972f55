//! Games that were lost in flight or are void, by bot and by node, against all that were begun. A bot that takes the
//! machine down when it loses shows here; whether it does is for people to decide.

use std::collections::{BTreeMap, BTreeSet};

use super::journal::attempts;
use super::{Came, results};
use crate::tournament::plan::{Plan, PlanError};

/// What befell the games of a bot, or on a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// How often a game was begun.
    pub begun: u64,
    /// How often one was begun and never heard of again.
    pub lost: u64,
    /// Games that count for nobody.
    pub void: u64,
    /// Games with a fault: of the bot; of any bot, on the node.
    pub faulty: u64,
}

/// The account of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// All games.
    pub all: Losses,
    /// By the bot's name. A game belongs to each of its bots.
    pub bots: BTreeMap<String, Losses>,
    /// By the machine's name.
    pub nodes: BTreeMap<String, Losses>,
}

impl Account {
    /// Adds what the journals and the results of a plan say.
    ///
    /// # Errors
    ///
    /// If one of them is not what it should be.
    pub fn add(&mut self, plan: &Plan) -> Result<(), PlanError> {
        for batch in 0..plan.index.batches.len() {
            let attempts = attempts(&plan.folder, &plan.id, batch)?;
            if attempts.is_empty() {
                continue;
            }
            let games = plan.batch(batch)?;
            let bots_of = |number: u32| -> BTreeSet<&str> {
                let game = games.iter().find(|game| game.number == number);
                let bots = game.into_iter().flat_map(|game| game.entrants.iter());
                bots.map(|(_, bot)| &*plan.entrants[*bot].name.name).collect()
            };
            for attempt in attempts {
                for game in &attempt.begun {
                    self.count(bots_of(*game), Some(&attempt.node), |losses| losses.begun += 1);
                }
                if !attempt.is_live {
                    for game in &attempt.open {
                        self.count(bots_of(*game), Some(&attempt.node), |losses| losses.lost += 1);
                    }
                }
                for (_, rows) in &attempt.ended {
                    let faulty = rows.iter().filter(|row| row.faults.iter().any(|count| *count > 0));
                    let bots: BTreeSet<&str> = faulty.map(|row| &*row.bot.name).collect();
                    if !bots.is_empty() {
                        self.count(bots, Some(&attempt.node), |losses| losses.faulty += 1);
                    }
                }
            }
            for (game, came) in results::read(plan, batch)?.into_iter().flatten() {
                if matches!(came, Came::Void(_)) {
                    self.count(bots_of(game.number), None, |losses| losses.void += 1);
                }
            }
        }
        Ok(())
    }

    fn count(&mut self, bots: BTreeSet<&str>, node: Option<&str>, count: impl Fn(&mut Losses)) {
        count(&mut self.all);
        bots.into_iter().for_each(|bot| count(self.bots.entry(bot.to_owned()).or_default()));
        node.into_iter().for_each(|node| count(self.nodes.entry(node.to_owned()).or_default()));
    }
}
