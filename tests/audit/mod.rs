//! Audits: damage that they find, and records that they accept.

mod second;
mod tampering;
