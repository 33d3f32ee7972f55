//! Hills and runners without a process: deals, seasons, standings and their confidence, with simulated
//! results; retries, settings, accounts, machines.

mod accounts;
mod balanced;
mod bots;
mod cache;
mod class;
mod confidence;
mod editions;
mod fitness;
mod gaps;
mod node;
mod pool;
mod ranked;
mod rulings;
mod schedule;
mod season;
mod seasons_simulated;
mod settings;
mod stages;
mod standing;
mod stop_rule;
mod terms;
mod tries;

use referee_testutil::{random, season_results};
