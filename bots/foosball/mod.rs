//! The house bots for comFoosball. Each file is independent: an author can copy one.

pub mod chaser;
pub mod planner;
pub mod still;
