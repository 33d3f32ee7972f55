//! The house bots for Parallel Football. None needs another: an author copies one file.

pub mod champion;
pub mod greedy;
pub mod random;
pub mod still;
pub mod sweeper;
