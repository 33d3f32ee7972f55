//! Schedules: who plays whom, in which seats, from which seed.

pub mod balanced;
pub mod deal;
pub mod format;
