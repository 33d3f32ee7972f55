//! The house bots for comFoosball. None needs another: an author copies one file.

pub mod chaser;
pub mod planner;
pub mod still;
