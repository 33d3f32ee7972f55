//! Many games: hills and tournaments, from the admission of a bot to the audit of the results.
//!
//! [`admission`] makes a bot of a program that is handed in; [`runner`] plays, many games at a time, each until it counts;
//! [`hill`] and [`batch`] say which, [`together`] shares a hill's among its runners; [`played`] is what people look at.
//! [`stages`] apply the stop rule; [`node`] looks at the machine, [`local`] runs programs from it. The folder of a contest
//! is the whole truth: it can be copied, audited and served elsewhere.
//!
//! Start reading with [`hill::Hill`] and [`plan::Plan`].

#![forbid(unsafe_code)]

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
