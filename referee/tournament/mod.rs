//! Many games: who plays whom, where the results go, and what follows from them.

pub mod check;
pub mod confidence;
pub mod entrants;
pub mod fixture;
pub mod folder;
pub mod hill;
pub mod run;
pub mod schedule;
pub mod seasons;
pub mod standings;
pub mod stop_rule;
pub mod submission;
