//! Many games: who plays whom, where the results go, and what follows from them.

pub mod balanced;
pub mod check;
pub mod confidence;
pub mod entrants;
pub mod fairness;
pub mod fixture;
pub mod folder;
pub mod format;
pub mod hill;
pub mod pairs;
pub mod rating;
pub mod rounds;
pub mod run;
pub mod schedule;
pub mod season;
pub mod seasons;
pub mod standings;
pub mod stop_rule;
pub mod submission;
pub mod verdicts;
