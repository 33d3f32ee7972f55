//! The table of programs: puts a turn's questions to processes, collects their answers, and says what of a turn's time is a
//! bot's.
//!
//! The turn loop knows a table by a trait of `referee-play`, whose collector decides which line answers which question.
//! Here are the processes, one poll loop over all pipes of a game, and the clock. [`open`] opens a table for programs, and
//! one of [`guests`] where a bot is a module of WebAssembly, if the program that uses this crate brings an engine for them.
//!
//! Start reading with [`process::ProcessTable`], then [`charge`].

#![forbid(unsafe_code)]

pub mod charge;
pub mod clock;
pub mod excerpt;
pub mod game_table;
pub mod guests;
pub mod open;
pub mod process;
