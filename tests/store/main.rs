//! The store on a disk that loses power, with up to three runners in any interleaving.

mod queries;
mod runners;
mod sim_disk;
mod texts;
