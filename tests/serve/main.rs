//! `referee serve`: pages, the addresses for programs, submissions, and what strangers may try. The program `referee`
//! and the house bots must be built before: `cargo build`.

mod attacks;
mod browser;
mod guide;
mod hook;
mod live;
mod pages;
mod people;
mod programs;
mod rounds;
mod submissions;
mod support;
