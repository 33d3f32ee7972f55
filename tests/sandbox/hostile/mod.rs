//! Hostile programs: attacks on the system, on the protocol and on the referee's memory; and files that are not
//! programs.

mod executables;
mod memory;
mod records;
mod strangers;
pub(crate) mod tiers;
mod wire;
