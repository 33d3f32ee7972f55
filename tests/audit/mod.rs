//! Audits: damage that they find, and records that they accept.

mod cells;
mod diagnosis;
mod second;
mod superseded;
pub(crate) mod tampering;
