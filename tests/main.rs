//! The tests of the whole: one crate, a room for each of the source's; `README.md` says what lies where. Those that
//! start no program call it: see `called`. Those that need the machine for themselves are in `busy`, those of clusters
//! in `cluster`.

mod audit;
mod called;
mod cli;
mod docs;
mod examine;
mod fuzz;
mod hill;
mod judge;
mod notary;
mod own_game;
mod record;
mod sandbox;
mod table;
mod tournament;
mod view;

#[path = "games/original.rs"]
mod original;

use referee_testutil::{random, support};
