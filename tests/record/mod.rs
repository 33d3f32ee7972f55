//! Files of records: compressed, of version 1.0 and of older formats, with unknown columns.

mod bombs;
mod compressed;
pub(crate) mod frozen;
mod grown;
mod log_rows;
mod older;
mod quoted;
mod results;
