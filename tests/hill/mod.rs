//! Hills: deals, seasons, standings and their confidence, and that no game is lost.

mod arena;
mod authors;
mod balanced;
mod confidence;
mod draws;
mod hill_conduct;
mod identity;
mod kill;
mod many_rounds;
mod runners;
pub(crate) mod same_games;
pub(crate) mod season;
mod seasons_simulated;
mod stop_rule;
mod until_clear;
mod voids;
