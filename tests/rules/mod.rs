//! The games: single rules, agreement with the original programs, and the demands on every game.

mod conformance;
mod foosball_bank;
mod foosball_original;
pub(crate) mod foosball_rules;
mod football_answers;
mod football_draws;
mod football_rules;
mod football_twin;
mod games;
pub(crate) mod hexagon;
mod last_standing;
mod look_ahead;
pub(crate) mod original;
pub(crate) mod pitch;
mod playthroughs;
mod push_original;
mod push_rules;
mod push_versions;
mod target_rules;
mod target_walls;
pub(crate) mod torus;
