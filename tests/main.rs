//! The integration tests: one crate, a module for each subject.

mod foosball_original;
mod football_answers;
mod football_draws;
mod football_rules;
mod football_twin;
mod house_bots;
mod original;
mod pitch;
mod random;
#[cfg(feature = "cli")]
mod simulation;
