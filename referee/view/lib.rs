//! What people watch of a recorded game. It is made of the record and can always be made again; it knows neither bots'
//! programs nor the clock.
//!
//! [`story`] tells a game. In a terminal a [`screen`] shows a [`scene`]: [`board`] draws on a [`canvas`] of characters,
//! `panel` has the lists.
//!
//! Start reading with [`story`].

#![forbid(unsafe_code)]

pub mod board;
pub mod canvas;
mod panel;
pub mod scene;
pub mod screen;
pub mod story;
pub mod written;
