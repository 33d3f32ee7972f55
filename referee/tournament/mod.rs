//! Many games: who plays whom, where the results go, and what follows from them.

pub mod balanced;
pub mod batch;
pub mod check;
pub mod entrants;
pub mod file;
pub mod fixture;
pub mod folder;
pub mod format;
pub mod hill;
pub mod merge;
pub mod overall;
pub mod plan;
pub mod publish;
pub mod run;
pub mod schedule;
pub mod settings;
pub mod sitting;
pub mod standings;
