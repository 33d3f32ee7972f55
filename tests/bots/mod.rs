//! The house bots and the starters.

mod foosball_bots;
pub(crate) mod house_bots;
mod push_bots;
mod starters;
mod target_bots;
