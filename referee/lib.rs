//! A referee for games between programs.
//!
//! Any executable plays: it is written one line of integers a turn and writes one line back. The referee holds
//! it to a time limit, applies the rules, and leaves CSV from which anybody can check the result.
//!
//! In reading order: [`rules`] is a crate of its own, what a bot's or a game's author needs; its [`wire`], [`game`] and
//! [`catalog`] are known here by these names, too. [`table`] is where questions go and answers come from, [`record`] is what a game leaves
//! behind, [`play`] is the turn loop; [`replay`] plays a record again: to compare it, to write it out, to ask a program
//! again; [`schedule`] says who plays whom, [`statistics`] what many games say, [`tournament`] is hills and tournaments. [`view`] is what people look at: the story of a game, a [`position`]
//! after the other; a report of many. [`doctor`] examines a machine, [`examine`] a program. [`clock`] alone reads time.

#![forbid(unsafe_code)]

pub use referee_rules as rules;
pub use referee_rules::{catalog, game, kit, wire};

pub mod clock;
pub mod doctor;
pub mod error;
pub mod examine;
pub mod play;
pub mod position;
pub mod record;
pub mod replay;
pub mod schedule;
pub mod statistics;
pub mod table;
pub mod text;
pub mod tournament;
pub mod view;
