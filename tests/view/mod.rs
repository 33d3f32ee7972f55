//! Views for people: stories, the terminal, pages, reports.

mod boards;
mod browser;
mod decisive;
mod gif;
pub(crate) mod replay;
mod report;
mod sentence;
mod story;
mod terminal;
mod written;
