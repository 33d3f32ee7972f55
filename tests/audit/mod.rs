//! Audits: damage that they find, and records that they accept.

mod cells;
mod diagnosis;
mod forge;
mod second;
mod shared;
mod superseded;
pub(crate) mod tampering;
