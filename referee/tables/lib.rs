//! Tables of contests: standings, pairs, seats, cups, verdicts.
//!
//! A [`sheet`] is a table with its writers, for terminals, CSV, JSON and pages. [`contests`] makes sheets of hills and
//! tournaments.

#![forbid(unsafe_code)]

pub mod contests;
pub mod sheet;
