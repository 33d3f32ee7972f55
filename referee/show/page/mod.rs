//! A recorded game for browsers and other programs: one HTML file, a film, and the turns that decided it.
//!
//! [`html`] makes the page, without a build step: `tape` writes a line of JSON for each turn, deflated, with the
//! happenings (`told`) and the `questions`; the browser unpacks them, and `tape.js` reads a line when it is shown.
//! `board.js` in a game's folder draws its board, `app.js` is the rest. [`gif`] makes a film of the board, which
//! `picture` draws, and [`preview`] a picture of the last board for chats. [`decisive`] has bots in this process play a
//! recorded game on.
//!
//! This crate starts no thread: a caller that has threads passes a function that runs several jobs ([`Together`]).
//!
//! Start reading with [`html::page`].
//!
//! The page of a game whose log was written just before:
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
//! use referee_show::page::html;
//!
//! let page = html::public_page(log, &html::Context::default(), &referee_show::page::one_by_one)?;
//! assert!(page.starts_with("<!doctype html>"));
//! // It needs no other file, and may connect to none.
//! assert!(!page.contains("src=\"http") && page.contains("default-src 'none'"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod decisive;
pub mod gif;
pub mod html;
mod lead;
mod picture;
pub mod preview;

pub use lead::Lead;
pub use picture::pixels_of;

/// A part of the work.
pub type Job<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Runs jobs, and returns when all are done. It runs them at the same time, or in their order.
pub type Together<'a> = &'a dyn Fn(Vec<Job<'_>>);

/// Runs jobs on this thread, one after the other.
pub fn one_by_one(jobs: Vec<Job<'_>>) {
    for job in jobs {
        job();
    }
}
