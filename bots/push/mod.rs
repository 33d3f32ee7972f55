//! The house bots for Push. Each file is independent: an author can copy one.

pub mod homeward;
pub mod planner;
pub mod random;
pub mod reader;
