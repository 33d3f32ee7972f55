//! A recorded game, shown from its record alone, without the bots' programs, files and the clock.
//!
//! [`view`] shows it in words and characters, `page` as one HTML file and as a film. `drawing` has the colours and
//! marks of bots, and small drawings, for all pages.

#![forbid(unsafe_code)]

#[cfg(feature = "pages")]
pub mod drawing;
#[cfg(feature = "pages")]
pub mod page;
pub mod view;
