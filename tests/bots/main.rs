//! The house bots against each other.

mod foosball_bots;
mod house_bots;
mod push_bots;
mod target_bots;

use referee_testutil::torus;
