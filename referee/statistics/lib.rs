//! What many games say, and who plays whom. Means, ranks, intervals and verdicts are functions of the results alone;
//! games to be played are functions of the field, the results so far and a seed.
//!
//! [`rounds`] puts results in order. From it follow [`standings`], [`confidence`], [`contenders`], [`stop_rule`],
//! [`rating`], [`pairs`], [`fairness`] and [`trends`], which [`season`] gathers. [`schedule`] has deals and formats, which
//! read the standings. It knows no folder, process or clock.
//!
//! Start reading with [`rounds`], then [`standings`].

#![forbid(unsafe_code)]

pub mod affinity;
pub mod confidence;
pub mod contenders;
pub mod draws;
pub mod fairness;
pub mod pairs;
pub mod rating;
pub mod rounds;
pub mod schedule;
pub mod season;
pub mod standings;
pub mod stop_rule;
pub mod trends;
pub mod verdict;
