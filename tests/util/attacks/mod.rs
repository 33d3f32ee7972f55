//! Attacks on the system: C programs that are tried by bots and by builds, and the range on which they are tried.

pub mod corpus;
mod plain;
mod range;
mod scapegoat;
pub mod trial;

pub use range::SECRET;
