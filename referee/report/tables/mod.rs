//! Tables of contests: standings, pairs, seats, cups, verdicts; and the line of progress.
//!
//! A [`sheet`] is a table with its writers, for terminals, CSV, JSON and pages. [`standing`] has the rows of
//! standings, [`class`] makes the roll of a class, and [`contests`] the other sheets of hills and tournaments.
//! [`measure`] says in what people read a mean, and [`lead`] who leads, in a [`sentence`]. [`progress_line`] says how
//! far some work is, and [`eta`] how long the rest takes.

pub mod class;
pub mod contests;
pub mod eta;
pub mod lead;
pub mod measure;
pub mod progress_line;
pub mod sentence;
pub mod sheet;
pub mod standing;
