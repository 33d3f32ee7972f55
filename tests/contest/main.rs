//! Hills without a process: deals, seasons, standings and their confidence, with simulated results.

mod balanced;
mod confidence;
mod ranked;
mod season;
mod seasons_simulated;
mod stop_rule;

use referee_testutil::{random, season_results};
