//! The house bots for Invisible Target. None needs another: an author copies one file.
//!
//! In the game's real shape, 16 seats 8 copies of `bayes` won 18 games
//! of 24 against 8 of `lurker`. `random` is hardly stronger than `still`.

pub mod bayes;
pub mod lurker;
pub mod random;
pub mod still;
