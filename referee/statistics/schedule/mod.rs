//! Schedules: who plays whom, in which seats, with which seed.

pub mod balanced;
pub mod deal;
pub mod format;
