//! The integration tests: one crate, a module for each subject.

#[cfg(feature = "cli")]
mod conformance;
mod football_answers;
mod football_draws;
mod football_rules;
mod football_twin;
mod house_bots;
mod pitch;
mod protocol;
mod random;
#[cfg(feature = "cli")]
mod simulation;
mod tidy;
