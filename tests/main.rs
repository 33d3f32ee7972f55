//! The integration tests: one crate, a module for each subject.

mod football_twin;
mod house_bots;
mod random;
#[cfg(feature = "cli")]
mod simulation;
