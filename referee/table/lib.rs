//! The table of programs: puts a turn's questions to processes, collects their answers, and computes the part
//! of a turn's time that is charged to a bot.
//!
//! The turn loop uses a table by a trait of `referee-record`, whose collector decides which line answers which
//! question. This crate contains the processes, one poll loop over all pipes of a game, and the clock.
//! [`open`] opens a table for programs, or one of [`guests`] if a bot is a module of WebAssembly and the
//! program that uses this crate provides an engine for them. [`examine`](mod@examine) talks to a program alone, and
//! names its mistakes.
//!
//! Start reading with [`process::ProcessTable`], then [`charge`].
//!
//! A program at a table with one seat, which answers each question with the question itself. Copies of this
//! process start programs, so `main` begins with them:
//!
//! ```standalone_crate
//! use std::time::Duration;
//!
//! use referee_record::play::table::{Question, Table};
//! use referee_rules::{Info, Seat, TimeControl};
//! use referee_sandbox::launcher;
//! use referee_table::process::{ProcessTable, Program, Setup};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let words: Vec<String> = std::env::args().skip(1).collect();
//!     if words.first().is_some_and(|word| word == launcher::COMMAND) {
//!         std::process::exit(launcher::launch(&words[1..]));
//!     }
//!
//!     let (seat, limit) = (Seat::new(0), Duration::from_secs(60));
//!     let time = TimeControl { turn_limit: limit, first_limit: limit, bank: None, ponder: false };
//!     let info = Info { name: "echo", version: 1, seats: 1, ring: vec![seat], block: 1, turns_max: 1, time };
//!     let program = Program::new("/bin/cat", Vec::new());
//!     let mut table = ProcessTable::alone(&info, seat, &program, &Setup::this_program())?;
//!     let mut answers = Vec::new();
//!     table.ask(&[Question { seat, line: b"2 5 -6\n".to_vec(), limit }])?;
//!     table.collect(&mut answers)?;
//!     assert_eq!((&answers[0].fault, &answers[0].integers[..]), (&None, &[2, 5, -6][..]));
//!     assert!(answers[0].thinking < limit, "what it was charged");
//!     table.farewell();
//!     Ok(())
//! }
//! ```

#![forbid(unsafe_code)]

pub mod charge;
pub mod clock;
pub mod examine;
pub mod excerpt;
pub mod game_table;
pub mod guests;
pub mod open;
pub mod process;
