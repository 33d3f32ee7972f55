//! Recorded games, played again: compared byte for byte, written out, put to a program once more.

pub mod audit;
pub mod export;
pub mod rerun;
