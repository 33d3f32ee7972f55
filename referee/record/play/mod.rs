//! The turn loop, and recorded games that are played again.
//!
//! This module knows no process, no clock and no file: it receives a game, a [`table::Table`] that puts the questions,
//! a recorder or the contents of a log. So it runs in the same way in a contest, in simulated time and in an audit.
//!
//! - [`play`], the turn loop, is the whole of [`turns`]: start reading there.
//! - [`collect`] decides which line answers which question, from bytes and moments.
//! - [`replay`] plays a record again: to audit it, to put its questions to a program once more.
//! - [`position`] writes a position as facts in words.
//!
//! A game at a table whose answers are random numbers. It is recorded, and the record is audited:
//!
//! ```
//! use referee_games::catalog;
//! use referee_record::play::replay::audit::audit_log;
//! use referee_record::play::table::{Question, Table, TableError};
//! use referee_record::contents::Contents;
//! use referee_record::log::GameLog;
//! use referee_record::{Answer, BotName, Digest, Heading};
//! use referee_rules::{BySeat, Dice, Parameters, Seat, Seed};
//!
//! struct RandomTable(Dice, Vec<Seat>);
//!
//! impl Table for RandomTable {
//!     fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
//!         self.1 = questions.iter().map(|question| question.seat).collect();
//!         Ok(())
//!     }
//!
//!     fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
//!         let RandomTable(dice, asked) = self;
//!         let mut numbers = || [90, 6].map(|end| i64::from(dice.below(end))).to_vec();
//!         *answers = asked.iter().map(|seat| Answer { integers: numbers(), ..Answer::empty(*seat) }).collect();
//!         Ok(())
//!     }
//! }
//!
//! let entry = catalog::find("push")?;
//! let parameters = Parameters::defaults(entry.parameters);
//! let mut game = entry.start(&parameters, Seed(7));
//! let bot = BotName { name: "random".to_owned(), version: 1, digest: Digest::of(b"no program") };
//! let bots = BySeat::from_fn(game.info().seats, |_| bot.clone());
//! let mut record = GameLog::begin(&Heading::new("one", &*game, &parameters, bots), Vec::new());
//! let mut table = RandomTable(Dice::for_start(Seed(8)), Vec::new());
//! let outcome = referee_record::play::play(&mut *game, &mut table, &mut record)?;
//! let (log, ..) = record.finish();
//! let twice = [log.clone(), log].map(|log| Contents::of_bytes("one.csv", log));
//! assert_eq!(audit_log(twice)?.outcome, outcome);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod alone;
pub mod collect;
pub mod position;
pub mod replay;
pub mod table;
pub mod turns;
pub mod wrong;

pub use turns::play;
