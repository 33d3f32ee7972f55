//! The house bots for Invisible Target. None needs another: an author copies one file.

pub mod bayes;
pub mod random;
pub mod still;
