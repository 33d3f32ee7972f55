//! The games: single rules, agreement with the original programs, and the requirements on every game.

mod conformance;
mod foosball_bank;
mod foosball_original;
mod foosball_rules;
mod football_answers;
mod football_draws;
mod football_rules;
mod games;
mod hexagon;
mod last_standing;
mod look_ahead;
mod original;
mod pitch;
mod playthroughs;
mod push_original;
mod push_rules;
mod push_versions;
mod target_rules;
mod target_walls;

use referee_testutil::{no_record, random, simulated, torus};
