//! Statistics: what many games say. Means, ranks, intervals and verdicts are functions of the results alone.

pub mod affinity;
pub mod confidence;
pub mod contenders;
pub mod draws;
pub mod fairness;
pub mod pairs;
pub mod rating;
pub mod rounds;
pub mod season;
pub mod standings;
pub mod stop_rule;
pub mod trends;
pub mod verdict;
