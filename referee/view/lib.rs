//! What people watch of a recorded game. It is made of the record and can always be made again; it knows neither bots'
//! programs nor the clock.
//!
//! [`story`] tells a game. [`page`] makes one HTML file of it, without a build step: `tape` writes a line of JSON a turn,
//! deflated, with the happenings and the questions, and the browser unpacks them. In a terminal a [`screen`] shows a
//! [`scene`]: [`board`] draws on a [`canvas`] of characters, `panel` has the lists. [`decisive`] has bots in this process play
//! a recorded game on, and [`gif`] makes a film of it.
//!
//! Start reading with [`story`].

#![forbid(unsafe_code)]

pub mod board;
pub mod canvas;
pub mod decisive;
pub mod gif;
pub mod page;
mod panel;
pub mod scene;
pub mod screen;
pub mod story;
mod written;
