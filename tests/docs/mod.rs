//! Tests that the documents are true.

mod benchmarks;
mod book;
mod document;
mod figures;
mod form;
mod protocol;
mod records_page;
mod release;
mod schemas;
mod shell;
mod stable;
mod test_script;
