//! A referee for games between programs.
//!
//! Any executable can be a bot: it reads one line of integers a turn and writes one line back. The referee enforces
//! time limits and the rules, and writes CSV files from which anybody can check the result.
//!
//! In reading order:
//!
//! - [`rules`] is a crate of its own, for authors of bots and games. Its [`wire`], [`game`] and [`catalog`] have these
//!   names here, too.
//! - [`table`] asks questions and collects answers, [`record`] is the log and the results of a game, [`play`] is the
//!   turn loop.
//! - [`replay`] plays a record again: to audit it, to export it, to rerun it with a program.
//! - [`schedule`] says who plays whom, [`statistics`] what the results mean, [`tournament`] has hills and tournaments.
//! - [`view`] shows games and contests to people, a [`position`] at a time or in a report.
//! - [`doctor`] examines a machine, [`examine`] a program. [`clock`] alone reads time.

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
