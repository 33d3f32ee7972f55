//! A game from its first turn to its last: the turn loop, and the same game played again from its record.
//!
//! It knows no file, process or clock but through what is handed to it: a game, a [`table::Table`] that puts the questions, a
//! recorder. So it runs in simulated time and in an audit as it does in earnest.
//!
//! - [`play`], the turn loop, is the whole of [`turns`]: start reading there.
//! - [`collect`] decides which line answers which question, from bytes and moments that others bring.
//! - [`replay`] plays a record again: to audit it, to export it, to put its questions to a program once more.
//! - [`position`] is a position as facts, and how two differ.

#![forbid(unsafe_code)]

pub mod alone;
pub mod collect;
pub mod position;
pub mod replay;
pub mod table;
pub mod turns;
pub mod wrong;

pub use turns::play;
