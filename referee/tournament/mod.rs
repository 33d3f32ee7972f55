//! Many games: who plays whom, where the results go, and what follows from them.

pub mod audit;
pub mod batch;
mod candidate;
pub mod check;
pub mod entrants;
pub mod file;
pub mod fixture;
mod flights;
pub mod folder;
mod handed_in;
pub mod hill;
pub mod local;
pub mod lookup;
pub mod merge;
pub mod node;
pub mod overall;
pub mod plan;
pub mod publish;
pub mod rulings;
pub mod runner;
pub mod seasons;
pub mod settings;
pub mod stages;
pub mod submission;
pub mod verdicts;
