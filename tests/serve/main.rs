//! `referee serve`: pages, the addresses for programs, submissions, and attacks of strangers. The program
//! `referee` and the house bots must be built before: `cargo build`.

mod attacks;
mod browser;
mod class;
mod crowd;
mod door;
mod full_disk;
mod guide;
mod hook;
mod journeys;
mod kills;
mod live;
mod many_authors;
mod memory;
mod pages;
mod people;
mod programs;
mod proof;
mod proxy;
mod report;
mod rounds;
mod store;
mod students;
mod submissions;
mod support;
mod tls;
mod tournaments;
mod watch;

use referee_testutil::random;
