//! The house bots for Invisible Target. Each file is independent: an author can copy one.
//!
//! Measured in the game's real shape, 16 seats with 8 copies of each of two bots: `lurker` won 58 games of 84 against
//! `random`, `bayes` 18 of 24 against `lurker`. `random` and `still` are about equal.

pub mod bayes;
pub mod lurker;
pub mod random;
pub mod still;
