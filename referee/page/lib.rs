//! A recorded game for browsers and other programs: one HTML file, a film, and the turns that decided it.
//!
//! [`html`] makes the page, without a build step: `tape` writes a line of JSON a turn, deflated, with the happenings
//! (`told`) and the `questions`; the browser unpacks them, and `tape.js` reads a line when it is shown. `board.js` in a
//! game's folder draws its board, `app.js` is the rest. [`gif`] makes a film of the terminal's screen. [`decisive`] has
//! bots in this process play a recorded game on.
//!
//! Start reading with [`html::page`].

#![forbid(unsafe_code)]

pub mod decisive;
pub mod gif;
pub mod html;
