//! Many games: hills and tournaments, their schedules and results.

pub mod accounts;
pub mod admission;
pub mod audit;
pub mod batch;
pub mod file;
pub mod fixture;
pub mod folder;
pub mod hill;
pub mod live;
pub mod local;
pub mod lookup;
pub mod merge;
pub mod node;
pub mod overall;
pub mod plan;
pub mod played;
pub mod publish;
pub mod rulings;
pub mod runner;
pub mod schema;
pub mod settings;
pub mod stages;
pub mod together;
pub mod verdicts;
