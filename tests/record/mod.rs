//! Files of records: compressed, of earlier versions, with unknown columns.

mod bombs;
mod compressed;
mod grown;
mod log_rows;
mod old_logs;
pub(crate) mod old_records;
mod results;
