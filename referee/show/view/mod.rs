//! Views of a recorded game in words and characters. They are made from the record alone, without the bots' programs,
//! files and the clock.
//!
//! [`story`] tells a game. In a terminal a [`screen`] shows a [`scene`]: [`board`] draws on a [`canvas`] of characters,
//! `panel` makes the lists.
//!
//! Start reading with [`story`].
//!
//! The story of a game of twenty turns, whose log was written just before:
//!
//! ```
//! # use referee_games::catalog;
//! # use referee_record::contents::Contents;
//! # use referee_record::log::GameLog;
//! # use referee_record::{Answer, BotName, Digest, Heading, Page, Recorder};
//! # use referee_rules::game::play_turn;
//! # use referee_rules::{BySeat, Dice, Events, Parameters, Seed};
//! # let entry = catalog::find("push")?;
//! # let mut parameters = Parameters::defaults(entry.parameters);
//! # parameters.set("turns", 20)?;
//! # let mut game = entry.start(&parameters, Seed(7));
//! # let bot = BotName { name: "random".to_owned(), version: 1, digest: Digest::of(b"no program") };
//! # let bots = BySeat::from_fn(game.info().seats, |_| bot.clone());
//! # let mut record = GameLog::begin(&Heading::new("one", &*game, &parameters, bots), Vec::new());
//! # let (mut dice, mut events) = (Dice::for_start(Seed(8)), Events::default());
//! # while !game.asked().is_empty() {
//! #     let (turn, mut answers, mut verdicts) = (game.turn(), Vec::new(), Vec::new());
//! #     play_turn(&mut *game, &mut events, |game, seat| {
//! #         let mut answer = Answer::empty(seat);
//! #         game.sample(seat, &mut dice, &mut answer.integers);
//! #         verdicts.push(game.answer(seat, answer.given()));
//! #         answers.push(answer);
//! #     });
//! #     record.turn(&Page { turn, answers: &answers, verdicts: &verdicts, events: &events });
//! # }
//! # record.end(game.turn(), &game.outcome().expect("an end"))?;
//! # let log = Contents::of_bytes("game.csv", record.finish().0);
//! use referee_show::view::scene::Scene;
//! use referee_show::view::screen;
//! use referee_show::view::story::{HappeningKind, Story};
//!
//! let mut story = Story::open(log)?;
//! assert_eq!(story.turns(), 20);
//!
//! // Any turn, with its happenings in words.
//! let turn = story.turn(4)?.expect("a turn of the game");
//! assert_eq!(turn.replies.len(), 6);
//! assert!(turn.happenings.iter().all(|happening| !happening.words.is_empty()));
//!
//! // The events that a viewer can jump to: scores, faults, the end.
//! assert_eq!(story.marks().last().map(|mark| mark.kind), Some(HappeningKind::End));
//!
//! let end = screen::plain(&Scene::of(&mut story, 20)?);
//! assert!(end.contains("random"), "{end}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod board;
pub mod canvas;
mod panel;
pub mod scene;
pub mod screen;
pub mod story;
pub mod written;
