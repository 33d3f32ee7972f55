//! The house bots for Parallel Football. Each file is independent: an author can copy one.

pub mod champion;
pub mod greedy;
pub mod random;
pub mod still;
pub mod sweeper;
