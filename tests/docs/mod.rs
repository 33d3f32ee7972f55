//! What the documents say is true.

mod protocol;
mod records_page;
mod test_script;
