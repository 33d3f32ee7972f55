//! Tables of contests: standings, pairs, seats, cups, verdicts; and the line of progress.
//!
//! A [`sheet`] is a table with its writers, for terminals, CSV, JSON and pages. [`contests`] makes sheets of hills and
//! tournaments. [`lead`] says who leads, in a [`sentence`]. [`shown`] says how far some work is, and [`eta`] how long the rest takes.

#![forbid(unsafe_code)]

pub mod contests;
pub mod eta;
pub mod lead;
pub mod sentence;
pub mod sheet;
pub mod shown;
