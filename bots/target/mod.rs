//! The house bots for Invisible Target. None needs another: an author copies one file.
//!
//! Measured in the game's real shape, 16 seats with 8 copies of each of two bots: `lurker` won 58 games of 84 against
//! `random`, `bayes` 18 of 24 against `lurker`. `random` and `still` are about equal.

pub mod bayes;
pub mod lurker;
pub mod random;
pub mod still;
