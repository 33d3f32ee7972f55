//! The four games that come with the referee, a folder each, and their list.
//!
//! [`catalog`] makes a game from its name and parameters; a program adds games of its own to it. Each game
//! implements [`Rules`](referee_rules::Rules), its integers [`Codec`](referee_rules::Codec), and its entry
//! [`Listed`](referee_rules::Listed). Nothing here reads a file, a clock or an environment.
//!
//! Start reading with [`push`], the smallest game.
//!
//! A whole game, between bots that answer at random:
//!
//! ```
//! use referee_games::catalog;
//! use referee_rules::{Dice, Events, Parameters, Seed, game};
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

#![forbid(unsafe_code)]

pub mod catalog;
pub mod foosball;
pub mod football;
pub mod guide;
pub mod push;
pub mod target;
