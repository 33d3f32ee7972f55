//! What an audit finds.

mod tampering;
mod times;
