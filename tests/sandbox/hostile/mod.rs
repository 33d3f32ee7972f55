//! Strangers' programs that misbehave: towards the system, towards the protocol, towards the referee's memory; and files
//! that are no programs.

mod corpus;
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
