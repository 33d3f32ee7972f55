//! A referee for games between programs.
//!
//! Any executable plays: it is written one line of integers a turn and writes one line back. The referee holds
//! it to a time limit, applies the rules, and leaves CSV from which anybody can check the result.
//!
//! A whole game, between bots that answer at random:
//!
//! ```
//! use referee::{catalog, game};
//! use referee::rules::{Dice, Events, Parameters, Seed};
//!
//! let entry = catalog::find("football")?;
//! let mut game = entry.start(&Parameters::defaults(entry.parameters), Seed(7));
//! let (mut dice, mut events) = (Dice::for_start(Seed(8)), Events::default());
//! while !game.asked().is_empty() {
//!     game::play_turn(&mut *game, &mut events, |game, seat| {
//!         let mut answer = Vec::new();
//!         game.sample(seat, &mut dice, &mut answer);
//!         assert_eq!(game.answer(seat, Ok(&answer)), None, "a random legal answer has no fault");
//!     });
//! }
//! println!("{:?}", game.outcome());
//! # Ok::<(), catalog::UnknownGame>(())
//! ```
//!
//! In reading order: [`rules`] is what a game is; [`wire`] turns integers into lines; [`game`] hides a game's
//! types, [`catalog`] lists the games and [`kit`] is what a bot in Rust needs. These alone are there without the
//! feature `cli`. With it: [`table`] is where questions go and answers come from, [`record`] is what a game leaves
//! behind, [`play`] is the turn loop; [`replay`] plays a record again: to compare it, to write it out, to ask a program
//! again; [`schedule`] says who plays whom, [`statistics`] what many games say, [`tournament`] is hills and tournaments. [`view`] is what people look at: the story of a game, a [`position`]
//! after the other; a report of many. [`doctor`] examines a machine, [`examine`] a program. [`clock`] alone reads time.

pub mod catalog;
pub mod game;
pub mod kit;
pub mod rules;
pub mod wire;

#[cfg(feature = "cli")]
pub mod clock;
#[cfg(feature = "cli")]
pub mod doctor;
#[cfg(feature = "cli")]
pub mod error;
#[cfg(feature = "cli")]
pub mod examine;
#[cfg(feature = "cli")]
pub mod play;
#[cfg(feature = "cli")]
pub mod position;
#[cfg(feature = "cli")]
pub mod record;
#[cfg(feature = "cli")]
pub mod replay;
#[cfg(feature = "cli")]
pub mod schedule;
#[cfg(feature = "cli")]
pub mod statistics;
#[cfg(feature = "cli")]
pub mod table;
#[cfg(feature = "cli")]
pub mod text;
#[cfg(feature = "cli")]
pub mod tournament;
#[cfg(feature = "cli")]
pub mod view;
