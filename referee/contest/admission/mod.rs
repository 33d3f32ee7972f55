//! Admission: how a program becomes a bot of a hill or a tournament. It is submitted, checked, tried in a check game,
//! and stored.

pub mod by;
pub(super) mod candidate;
pub mod check;
pub mod entrants;
pub(super) mod handed_in;
mod history;
pub(super) mod room;
pub(super) mod shelf;
pub mod sources;
pub mod submission;
pub mod transcript;
pub mod turns;
