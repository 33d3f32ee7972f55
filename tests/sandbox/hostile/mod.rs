//! Hostile programs: attacks on the system, on the protocol and on the referee's memory; and files that are not
//! programs.

pub(crate) mod corpus;
mod executables;
mod memory;
mod plain;
mod range;
mod records;
mod scapegoat;
mod strangers;
pub(crate) mod tiers;
mod trial;
mod wire;
