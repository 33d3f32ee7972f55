//! Views for people: stories, the terminal, pages, reports.

mod browser;
mod decisive;
mod gif;
pub(crate) mod replay;
mod report;
mod story;
mod terminal;
mod written;
