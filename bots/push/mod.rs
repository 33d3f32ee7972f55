//! The house bots for Push. None needs another: an author copies one file.

pub mod homeward;
pub mod planner;
pub mod random;
pub mod reader;
