//! The house bots for Invisible Target. Each file is independent: an author can copy one.
//!
//! How strong they are in games of full length: `docs/appendix/house-bots.md`.

pub mod bayes;
pub mod lurker;
pub mod random;
pub mod still;
