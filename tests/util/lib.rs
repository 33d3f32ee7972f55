//! Shared parts of tests: a place of a test's own in which the program runs, random numbers, a table in
//! simulated time, invented results, and source files as words. Nothing here knows what is right.

#![allow(
    missing_docs,
    missing_debug_implementations,
    clippy::should_implement_trait,
    reason = "for tests of this workspace alone"
)]

pub mod attacks;
pub mod by_chance;
pub mod judge;
pub mod no_record;
pub mod random;
pub mod season_results;
pub mod simulated;
pub mod source;
pub mod stable;
pub mod support;
pub mod torus;

/// The folder of the repository.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
