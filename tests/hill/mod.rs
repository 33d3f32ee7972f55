//! Hills: deals, seasons, standings and their confidence, and that no game is lost.

mod arena;
mod authors;
mod draws;
mod hill_conduct;
mod identity;
mod kill;
mod many_rounds;
mod names;
mod racing;
mod runners;
pub(crate) mod same_games;
mod until_clear;
mod voids;
